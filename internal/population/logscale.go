package population

import "math"

// A logScale maps random bits to sizes of which every doubling has equally
// many:
//
//	size = lo × 2^(u × log2((hi+1)/lo))    rounded down, 0 <= u < 1
//
// The functions of package math may differ in the last bit from one processor
// to another, which would give a few objects another size there, and a get
// that continues an inventory on another machine would find them wrong. So the
// power is computed from products, square roots and comparisons alone, which
// IEEE 754 rounds the same way everywhere. (Where a product is added to
// something it is converted first, which forbids fusing the two.)
type logScale struct {
	lo   float64
	span float64
	// coarse[i] is 2^(i/256), fine[i] is 2^(i/65536).
	coarse, fine [256]float64
}

func newLogScale(lo, hi int64) *logScale {
	l := &logScale{lo: float64(lo), span: log2(float64(hi+1) / float64(lo))}
	root := 2.0
	for range 8 {
		root = math.Sqrt(root)
	}
	fill(&l.coarse, root)
	for range 8 {
		root = math.Sqrt(root)
	}
	fill(&l.fine, root)
	return l
}

// fill sets table[i] to root^i by squaring, so that errors do not add up.
func fill(table *[256]float64, root float64) {
	table[0], table[1] = 1, root
	for i := 2; i < len(table); i++ {
		table[i] = table[i/2] * table[i-i/2]
	}
}

// log2 returns the logarithm of x >= 1 to 52 binary places, bit by bit.
func log2(x float64) float64 {
	var whole float64
	for x >= 2 {
		x /= 2
		whole++
	}
	root, product, place, part := 2.0, 1.0, 1.0, 0.0
	for range 52 {
		root, place = math.Sqrt(root), place/2
		if product*root <= x {
			product *= root
			part += place
		}
	}
	return whole + part
}

// at returns the size, before it is cut to the upper end.
func (l *logScale) at(r uint64) int64 {
	exponent := float64(float64(r>>11) * 0x1p-53 * l.span)
	whole := math.Floor(exponent)
	return int64(l.lo * l.exp2(exponent-whole) * float64(uint64(1)<<uint(whole)))
}

// exp2 returns 2^x for 0 <= x < 1: two factors from the tables, and two terms
// of the series for the last part, which is below 2^-16.
func (l *logScale) exp2(x float64) float64 {
	scaled := x * 65536
	whole := math.Floor(scaled)
	i := uint(whole)
	rest := float64((scaled - whole) * (math.Ln2 / 65536))
	series := 1 + float64(rest*(1+float64(rest/2)))
	return l.coarse[i>>8&255] * l.fine[i&255] * series
}
