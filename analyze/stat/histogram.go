package stat

import (
	"math"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// significant is how many decimal digits of a value a histogram keeps: a
// percentile is at most 0.1 % above the true one.
const significant = 3

// subBucketBits is the width of the integers that are kept whole: 2048 is the
// power of two above 2·10^significant.
const subBucketBits = 11

// A Histogram collects values. It is dense: recording is fast and its size,
// 430 KiB, does not depend on the values. What is to be kept goes into a
// [Distribution].
type Histogram struct {
	dense *hdr.Histogram
	exact
}

// exact is what is known of the values without error.
type exact struct {
	count    int64
	min, max int64
	sumHi    uint64
	sumLo    uint64
}

// NewHistogram returns an empty histogram for values from 0 to the largest
// int64.
func NewHistogram() *Histogram {
	return &Histogram{dense: hdr.New(1, math.MaxInt64, significant)}
}

// Record adds one value. Negative values count as 0.
func (h *Histogram) Record(v int64) {
	v = max(v, 0)
	// Note: no value is out of the histogram's range.
	_ = h.dense.RecordValue(v)
	if h.count == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.count++
	h.add(0, uint64(v))
}

// Reset makes the histogram empty.
func (h *Histogram) Reset() {
	h.dense.Reset()
	h.exact = exact{}
}

func (e *exact) add(hi, lo uint64) {
	var carry uint64
	e.sumLo, carry = bits.Add64(e.sumLo, lo, 0)
	e.sumHi += hi + carry
}

func (e *exact) merge(o *exact) {
	if o.count == 0 {
		return
	}
	if e.count == 0 || o.min < e.min {
		e.min = o.min
	}
	e.max = max(e.max, o.max)
	e.count += o.count
	e.add(o.sumHi, o.sumLo)
}

// Count returns how many values there are.
func (e *exact) Count() int64 { return e.count }

// Min returns the smallest value, 0 if there is none.
func (e *exact) Min() int64 { return e.min }

// Max returns the largest value, 0 if there is none.
func (e *exact) Max() int64 { return e.max }

// Mean returns the mean rounded down, 0 if there is no value.
func (e *exact) Mean() int64 {
	if e.count == 0 {
		return 0
	}
	// The quotient fits: no value exceeds int64, so neither does the mean.
	q, _ := bits.Div64(e.sumHi, e.sumLo, uint64(e.count))
	return int64(q)
}

// A Distribution is a finished histogram in little memory.
type Distribution struct {
	sparse *hdr.PackedHistogram
	exact
}

// NewDistribution returns an empty distribution.
func NewDistribution() *Distribution {
	return &Distribution{sparse: hdr.NewPacked(1, math.MaxInt64, significant)}
}

// Add adds everything h holds.
func (d *Distribution) Add(h *Histogram) {
	d.sparse.MergeFrom(h.dense)
	d.merge(&h.exact)
}

// Merge adds everything o holds.
func (d *Distribution) Merge(o *Distribution) {
	d.sparse.Merge(o.sparse)
	d.merge(&o.exact)
}

// Quantile returns the value of nearest rank ceil(q·count): the smallest
// value that at least the share q of all values does not exceed. It is 0
// where there are no values.
func (d *Distribution) Quantile(q Quantile) int64 {
	rank := q.rank(d.count)
	if rank >= d.count {
		return d.max
	}
	seen := int64(0)
	result := d.max
	for value, n := range d.sparse.ForEachBucket {
		if seen += n; seen >= rank {
			result = min(highestEquivalent(value), d.max)
			break
		}
	}
	return max(result, d.min)
}

// Buckets calls fn for every bucket that holds values, in ascending order,
// with the bounds of the values it stands for.
func (d *Distribution) Buckets(fn func(lowest, highest, count int64)) {
	for value, n := range d.sparse.ForEachBucket {
		fn(value, highestEquivalent(value), n)
	}
}

// highestEquivalent returns the largest value in the bucket that begins at
// lowest.
func highestEquivalent(lowest int64) int64 {
	shift := max(bits.Len64(uint64(lowest))-subBucketBits, 0)
	return lowest + (1<<shift - 1)
}
