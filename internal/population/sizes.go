package population

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

type sizeKind uint8

const (
	fixedSize sizeKind = iota
	uniformSize
	log2Size
	weightedSize
)

// Sizes is a distribution of object sizes in bytes. The zero Sizes is the
// fixed size 0. It is read-only, may be copied, and may be used by many
// goroutines.
type Sizes struct {
	kind   sizeKind
	lo, hi int64
	// log holds what log2Size needs.
	log *logScale
	// choices hold what weightedSize needs, in the order given.
	choices []choice
}

// A choice is one size of a weighted distribution.
type choice struct {
	size   int64
	weight float64
	// below is the first random number that is too large for this choice.
	below uint64
}

// Fixed returns the distribution in which every object has size bytes.
func Fixed(size int64) Sizes { return Sizes{lo: size, hi: size} }

// At returns the size that 64 random bits stand for. It is a pure function,
// the same on every machine.
func (s Sizes) At(r uint64) int64 {
	switch s.kind {
	case fixedSize:
	case uniformSize:
		above, _ := bits.Mul64(r, uint64(s.hi-s.lo)+1)
		return s.lo + int64(above)
	case log2Size:
		return min(s.log.at(r), s.hi)
	case weightedSize:
		for _, c := range s.choices {
			if r < c.below {
				return c.size
			}
		}
		return s.choices[len(s.choices)-1].size
	}
	return s.lo
}

// Min returns the smallest size in bytes.
func (s Sizes) Min() int64 { return s.lo }

// Max returns the largest size in bytes.
func (s Sizes) Max() int64 { return s.hi }

// Mean returns the mean size in bytes; for log2 it is exact to within a byte.
func (s Sizes) Mean() float64 {
	lo, hi := float64(s.lo), float64(s.hi)
	switch s.kind {
	case fixedSize:
	case uniformSize:
		return (lo + hi) / 2
	case log2Size:
		// The mean of the continuous distribution on [lo, hi+1), less half a
		// byte for rounding down.
		return (hi+1-lo)/math.Log((hi+1)/lo) - 0.5
	case weightedSize:
		var sum, weights float64
		for _, c := range s.choices {
			sum += float64(c.size) * c.weight
			weights += c.weight
		}
		return sum / weights
	}
	return lo
}

// String returns the specification with its sizes in bytes: "1048576",
// "1024..10485760 log2" or "4096:60,1048576:30".
func (s Sizes) String() string {
	lo, hi := strconv.FormatInt(s.lo, 10), strconv.FormatInt(s.hi, 10)
	switch s.kind {
	case fixedSize:
	case uniformSize:
		return lo + ".." + hi + " uniform"
	case log2Size:
		return lo + ".." + hi + " log2"
	case weightedSize:
		parts := make([]string, len(s.choices))
		for i, c := range s.choices {
			parts[i] = strconv.FormatInt(c.size, 10) + ":" + strconv.FormatFloat(c.weight, 'f', -1, 64)
		}
		return strings.Join(parts, ",")
	}
	return lo
}
