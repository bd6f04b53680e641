package rowzstd

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
	prime3 = 0x165667B19E3779F9
	prime4 = 0x85EBCA77C2B2AE63
	prime5 = 0x27D4EB2F165667C5
)

// xxh64 is the XXH64 hash with seed zero over one slice whose bytes become
// known in steps.
type xxh64 struct {
	v    [4]uint64
	done int // bytes hashed, a multiple of the stripe of 32
}

func newXXH64() xxh64 {
	p1 := uint64(prime1) // sums of the constants overflow as constants
	return xxh64{v: [4]uint64{p1 + prime2, prime2, 0, -p1}}
}

// stripes hashes the whole stripes of b[:end] not hashed before.
func (x *xxh64) stripes(b []byte, end int) {
	n := (end - x.done) &^ 31
	v1, v2, v3, v4 := x.v[0], x.v[1], x.v[2], x.v[3]
	for s := b[x.done : x.done+n]; len(s) >= 32; s = s[32:] {
		v1 = xxhRound(v1, binary.LittleEndian.Uint64(s))
		v2 = xxhRound(v2, binary.LittleEndian.Uint64(s[8:]))
		v3 = xxhRound(v3, binary.LittleEndian.Uint64(s[16:]))
		v4 = xxhRound(v4, binary.LittleEndian.Uint64(s[24:]))
	}
	x.v = [4]uint64{v1, v2, v3, v4}
	x.done += n
}

// finish returns the hash of b, all of whose stripes were hashed.
func (x *xxh64) finish(b []byte) uint64 {
	h := uint64(prime5)
	if x.done > 0 {
		h = bits.RotateLeft64(x.v[0], 1) + bits.RotateLeft64(x.v[1], 7) +
			bits.RotateLeft64(x.v[2], 12) + bits.RotateLeft64(x.v[3], 18)
		for _, v := range x.v {
			h = (h^xxhRound(0, v))*prime1 + prime4
		}
	}
	return xxhTail(h+uint64(len(b)), b[x.done:])
}

func xxhTail(h uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		h ^= xxhRound(0, binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(b)) * prime1
		h = bits.RotateLeft64(h, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h ^= uint64(c) * prime5
		h = bits.RotateLeft64(h, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

func xxhRound(acc, v uint64) uint64 {
	return bits.RotateLeft64(acc+v*prime2, 31) * prime1
}
