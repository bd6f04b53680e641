package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParsePercent reads a share and returns it as a fraction from 0 to 1. "1%"
// and "0.01" are the same; a bare number above 1 is an error, because it is
// most likely a percentage whose sign is missing.
func ParsePercent(s string) (float64, error) {
	v, err := parsePercent(strings.TrimSpace(s))
	if err != nil {
		return 0, fmt.Errorf("parse share %q: %w", s, err)
	}
	return v, nil
}

func parsePercent(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) {
		return 0, errors.New("want a share such as 1% or 0.01")
	}
	switch {
	case v < 0:
		return 0, errors.New("negative, want a share such as 1% or 0.01")
	case percent && v > 100:
		return 0, errors.New("want at most 100%")
	case percent:
		return v / 100, nil
	case v > 1:
		return 0, fmt.Errorf("a fraction is at most 1; did you mean %s%%?", number)
	}
	return v, nil
}

// FormatDuration writes d for human eyes with three significant digits:
// 512ns, 12.3µs, 1.02ms, 4.99s. From a minute on it is written in whole
// seconds: 1m23s, 1h2m3s.
func FormatDuration(d time.Duration) string {
	switch {
	case d == math.MinInt64:
		return FormatDuration(d + 1)
	case d < 0:
		return "-" + FormatDuration(-d)
	case d == 0:
		return "0s"
	case d < time.Microsecond:
		return strconv.FormatInt(int64(d), 10) + "ns"
	case d >= 59950*time.Millisecond:
		return d.Round(time.Second).String()
	}
	return formatShort(d)
}

// formatShort writes a duration from a microsecond to a minute. A value that
// would be rounded to 1000 goes to the next unit.
func formatShort(d time.Duration) string {
	v, name := float64(d)/1e3, "µs"
	for _, next := range []string{"ms", "s"} {
		if v < 999.5 {
			break
		}
		v, name = v/1e3, next
	}
	return strconv.FormatFloat(v, 'f', places(v), 64) + name
}

// FormatCount writes n with a comma between groups of three digits:
// 1,234,567.
func FormatCount(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range []byte(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digit)
	}
	return b.String()
}
