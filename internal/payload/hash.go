package payload

import "math/bits"

// Odd constants without structure (digits of pi, of e and of the golden
// ratio). They are part of what a seed means: changing one changes all content.
const (
	mulA = 0x9e3779b97f4a7c15
	mulB = 0xbf58476d1ce4e5b9
	mulC = 0x94d049bb133111eb
	mulD = 0x243f6a8885a308d3
)

// mix is the finaliser of splitmix64: a bijection in which every input bit
// changes each output bit with probability one half.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * mulB
	x = (x ^ x>>27) * mulC
	return x ^ x>>31
}

// fold multiplies to 128 bits and adds the halves without carry.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// identity hashes an object's name to 128 bits in two independent lanes: with
// 64, two of some billion objects would be likely to have the same content.
// It is the same on every machine and in every release.
func identity(seed uint64, key string, version uint64) (a, b uint64) {
	a = mix(seed+mulA) ^ mix(version*mulA+mulD)
	b = mix(seed^mulD) + mix(version*mulD+mulA)
	rest := key
	for ; len(rest) >= 8; rest = rest[8:] {
		a, b = absorb(a, b, word(rest))
	}
	a, b = absorb(a, b, tail(rest))
	return mix(a ^ uint64(len(key))*mulA), mix(b + uint64(len(key))*mulD)
}

// absorb adds a word to both lanes. Each lane is multiplied by the old value
// of the other, so no word can cancel an earlier one.
func absorb(a, b, w uint64) (nextA, nextB uint64) {
	return fold(a^w^mulA, b|1) + mulC, fold(b^w*mulD, a|1) + mulB
}

// word reads 8 bytes of a string of at least that length.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// tail packs the last 0 to 7 bytes; the length is hashed apart.
func tail(s string) (w uint64) {
	for i := range len(s) {
		w |= uint64(s[i]) << (8 * (i % 8))
	}
	return w
}
