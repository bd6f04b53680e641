package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"bench/internal/units"
)

// things formats a count with its noun.
func things(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return units.FormatCount(n) + " " + noun + "s"
}

// percent formats a share between 0 and 1.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p == 0:
		return "0 %"
	case p < 0.01:
		return "<0.01 %"
	case p < 1:
		return strconv.FormatFloat(p, 'f', 2, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// rate formats a number per second.
func rate(v float64) string {
	switch {
	case v >= 100_000:
		return units.FormatCount(int64(math.Round(v)))
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// threeDigits formats a number of any size without an exponent.
func threeDigits(v float64) string {
	switch {
	case v >= 1000:
		return units.FormatCount(int64(math.Round(v)))
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// seconds formats a span for which milliseconds suffice.
func seconds(d time.Duration) string {
	if d < time.Second {
		return units.FormatDuration(d)
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
}

// objectSize formats a size as metadata gives it: bytes, a range of bytes, or
// something else, which is left alone.
func objectSize(s string) string {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return units.FormatSize(n)
	}
	bounds, rest, _ := strings.Cut(s, " ")
	lo, hi, ok := strings.Cut(bounds, "..")
	a, errA := strconv.ParseInt(lo, 10, 64)
	b, errB := strconv.ParseInt(hi, 10, 64)
	if !ok || errA != nil || errB != nil {
		return clean(s, width)
	}
	return strings.TrimSpace(fmt.Sprintf("%s to %s %s", units.FormatSize(a), units.FormatSize(b), clean(rest, width)))
}
