package stat

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A Quantile is a share of all values in millionths, so that ranks are exact
// integers: 0.999 is Quantile(999_000).
type Quantile int64

const million = 1_000_000

// ErrQuantile tells that a number is no share between 0 and 1.
var ErrQuantile = errors.New("not between 0 and 1")

// ParseQuantile turns a share such as 0.999 into a Quantile, rounded to
// millionths.
func ParseQuantile(share float64) (Quantile, error) {
	if !(share > 0 && share < 1) {
		return 0, fmt.Errorf("percentile of share %v: %w", share, ErrQuantile)
	}
	q := Quantile(math.Round(share * million))
	return min(max(q, 1), million-1), nil
}

// Share returns the quantile as a fraction.
func (q Quantile) Share() float64 { return float64(q) / million }

// String returns the quantile as reports name it, "p99.9".
func (q Quantile) String() string {
	return "p" + strconv.FormatFloat(float64(q)/(million/100), 'f', -1, 64)
}

// Few reports whether less than one of n values is expected above the
// quantile: it then tells hardly more than the maximum.
func (q Quantile) Few(n int64) bool {
	return n < ceilDiv(million, million-int64(q))
}

// rank returns ceil(q·n), at least 1.
func (q Quantile) rank(n int64) int64 {
	// n in whole millions and a rest, so that nothing overflows.
	whole, rest := n/million, n%million
	return max(whole*int64(q)+ceilDiv(rest*int64(q), million), 1)
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
