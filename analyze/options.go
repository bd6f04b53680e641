package analyze

import (
	"fmt"
	"runtime"
	"time"

	"bench/analyze/stat"
)

// Options say how to analyze. The zero value is what reports use.
type Options struct {
	// Segment is the length of a segment, one second if zero.
	Segment time.Duration
	// Percentiles are the shares to report, for example 0.999. Nil means 0.5,
	// 0.9, 0.95, 0.99, 0.999 and 0.9999.
	Percentiles []float64
	// Parallel is the number of goroutines that decode, GOMAXPROCS if zero.
	// It does not change the result.
	Parallel int
}

// settings are checked options.
type settings struct {
	segment   int64 // nanoseconds
	quantiles []stat.Quantile
	parallel  int
}

func (o Options) check() (settings, error) {
	s := settings{segment: int64(o.Segment), parallel: o.Parallel}
	if s.segment == 0 {
		s.segment = int64(time.Second)
	}
	if s.segment < 0 {
		return s, fmt.Errorf("segment length %v: must be above 0", o.Segment)
	}
	if s.parallel <= 0 {
		s.parallel = runtime.GOMAXPROCS(0)
	}
	shares := o.Percentiles
	if shares == nil {
		shares = []float64{0.5, 0.9, 0.95, 0.99, 0.999, 0.9999}
	}
	for _, share := range shares {
		q, err := stat.ParseQuantile(share)
		if err != nil {
			return s, err
		}
		s.quantiles = append(s.quantiles, q)
	}
	return s, nil
}
