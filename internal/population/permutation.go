package population

import "math/bits"

// permutationRounds is the number of Feistel steps per half.
const permutationRounds = 4

// A Permutation is a shuffled order of the numbers below n that takes no
// memory: a Feistel network over the smallest number of bits that hold n-1,
// applied again while the result is n or more (so less than twice on average).
// It is read-only and may be used by many goroutines.
type Permutation struct {
	n           uint64
	left, right uint
	keys        [2 * permutationRounds]uint64
}

// NewPermutation returns the order of the numbers below n that seed stands
// for.
func NewPermutation(n, seed uint64) *Permutation {
	var width uint
	if n > 1 {
		width = uint(bits.Len64(n - 1))
	}
	p := &Permutation{n: n, left: width / 2, right: width - width/2}
	for i := range p.keys {
		p.keys[i] = mix(seed + uint64(i+1)*golden)
	}
	return p
}

// Len returns n.
func (p *Permutation) Len() uint64 { return p.n }

// At returns the i-th number of the order. It panics where i is not below n.
func (p *Permutation) At(i uint64) uint64 {
	if i >= p.n {
		panic("population: place beyond the end of a permutation")
	}
	for {
		if i = p.step(i); i < p.n {
			return i
		}
	}
}

// step permutes the numbers of left+right bits: each half in turn is XORed
// with a function of the other.
func (p *Permutation) step(i uint64) uint64 {
	maskL, maskR := uint64(1)<<p.left-1, uint64(1)<<p.right-1
	l, r := i>>p.right, i&maskR
	for k := 0; k < len(p.keys); k += 2 {
		l ^= mix(r+p.keys[k]) & maskL
		r ^= mix(l+p.keys[k+1]) & maskR
	}
	return l<<p.right | r
}
