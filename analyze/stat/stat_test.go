package stat_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"bench/analyze/stat"
)

// exactQuantile is ceil(q·n) in a sorted slice.
func exactQuantile(sorted []int64, q stat.Quantile) int64 {
	rank := new(big.Int).Mul(big.NewInt(int64(q)), big.NewInt(int64(len(sorted))))
	rank.Add(rank, big.NewInt(999_999)).Div(rank, big.NewInt(1_000_000))
	return sorted[max(rank.Int64(), 1)-1]
}

func TestQuantileAgainstSort(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]func() int64{
		"small":       func() int64 { return rng.Int64N(3000) },
		"exponential": func() int64 { return int64(rng.ExpFloat64() * 1e6) },
		"heavy tail":  func() int64 { return int64(math.Exp(rng.NormFloat64()*4 + 12)) },
		"any":         func() int64 { return rng.Int64() >> rng.IntN(63) },
		"constant":    func() int64 { return 123_456_789 },
	}
	for name, shape := range shapes {
		for _, n := range []int{1, 2, 10, 1000, 50_000} {
			values := make([]int64, n)
			h, half := stat.NewHistogram(), stat.NewHistogram()
			for i := range values {
				values[i] = shape()
				[]*stat.Histogram{h, half}[i%2].Record(values[i])
			}
			d := stat.NewDistribution()
			d.Add(h)
			d.Add(half)
			slices.Sort(values)
			for _, q := range []stat.Quantile{1, 500_000, 900_000, 990_000, 999_000, 999_900, 999_999} {
				got, want := d.Quantile(q), exactQuantile(values, q)
				if got < want || float64(got-want) > 0.001*float64(want) {
					t.Errorf("%s: %s of %d is %d, want %d", name, q, n, got, want)
				}
			}
			if d.Min() != values[0] || d.Max() != values[n-1] || d.Count() != int64(n) {
				t.Errorf("%s: min %d, max %d, count %d; want %d, %d, %d", name, d.Min(), d.Max(), d.Count(), values[0], values[n-1], n)
			}
			if got, want := d.Mean(), mean(values); got != want {
				t.Errorf("%s: mean %d, want %d", name, got, want)
			}
		}
	}
}

func mean(values []int64) int64 {
	sum := new(big.Int)
	for _, v := range values {
		sum.Add(sum, big.NewInt(v))
	}
	return sum.Div(sum, big.NewInt(int64(len(values)))).Int64()
}

func TestMergeIsOrderIndependent(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	parts := make([]*stat.Distribution, 5)
	for i := range parts {
		h := stat.NewHistogram()
		for range 1000 {
			h.Record(int64(rng.ExpFloat64() * 1e7))
		}
		parts[i] = stat.NewDistribution()
		parts[i].Add(h)
	}
	a, b := stat.NewDistribution(), stat.NewDistribution()
	for i := range parts {
		a.Merge(parts[i])
		b.Merge(parts[len(parts)-1-i])
	}
	a.Merge(stat.NewDistribution())
	sumA, sumB := int64(0), int64(0)
	a.Buckets(func(lo, hi, n int64) { sumA += (lo ^ hi) * n })
	b.Buckets(func(lo, hi, n int64) { sumB += (lo ^ hi) * n })
	if sumA != sumB || a.Quantile(990_000) != b.Quantile(990_000) || a.Mean() != b.Mean() || a.Min() != b.Min() {
		t.Error("the order of merging changes the result")
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	d := stat.NewDistribution()
	h := stat.NewHistogram()
	h.Record(-5)
	h.Reset()
	d.Add(h)
	if d.Quantile(500_000) != 0 || d.Mean() != 0 || d.Count() != 0 || d.Max() != 0 {
		t.Errorf("an empty distribution has p50 %d, mean %d, count %d, max %d", d.Quantile(500_000), d.Mean(), d.Count(), d.Max())
	}
}

func TestParseQuantile(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{0.5: "p50", 0.999: "p99.9", 0.9999: "p99.99", 0.05: "p5", 1e-9: "p0.0001", 0.9999999: "p99.9999"} {
		q, err := stat.ParseQuantile(share)
		if err != nil || q.String() != want {
			t.Errorf("ParseQuantile(%v) = %v, %v; want %s", share, q, err, want)
		}
	}
	for _, share := range []float64{0, 1, -1, 99, math.NaN(), math.Inf(1)} {
		if _, err := stat.ParseQuantile(share); !errors.Is(err, stat.ErrQuantile) {
			t.Errorf("ParseQuantile(%v) has error %v", share, err)
		}
	}
}

func TestFew(t *testing.T) {
	t.Parallel()
	check := func(q stat.Quantile, enough int64) {
		t.Helper()
		if !q.Few(enough-1) || q.Few(enough) {
			t.Errorf("%s: %d values must be few, %d must not", q, enough-1, enough)
		}
	}
	check(500_000, 2)
	check(990_000, 100)
	check(999_000, 1000)
	check(999_900, 10_000)
	check(950_000, 20)
}

func FuzzShare(f *testing.F) {
	f.Add(int64(10), int64(1), int64(3))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64-1), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, total, part, whole int64) {
		if total < 0 || part < 0 || whole <= 0 || part > whole {
			t.Skip()
		}
		want := new(big.Int).Mul(big.NewInt(total), big.NewInt(part))
		want.Div(want, big.NewInt(whole))
		if got := stat.Share(total, part, whole); got != want.Int64() {
			t.Errorf("Share(%d, %d, %d) = %d, want %s", total, part, whole, got, want)
		}
	})
}
