package units

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// MaxSize is the largest size [ParseSize] accepts, 1 PiB in bytes. It is far
// above what any store takes as one object and far below what overflows.
const MaxSize int64 = 1 << 50

// maxDigits bounds the number in front of a unit, so that hostile input
// cannot make the exact arithmetic expensive.
const maxDigits = 40

const wantSize = "want a size such as 64KiB, 1.5MiB, 10MB or 1048576"

type unit struct {
	name  string
	bytes int64
}

// binaryUnits and decimalUnits list units from large to small.
func binaryUnits() [6]unit {
	return [6]unit{{"PiB", 1 << 50}, {"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
}

func decimalUnits() [5]unit {
	return [5]unit{{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}}
}

// ParseSize reads a number of bytes from 0 to [MaxSize]. KiB, MiB, GiB, TiB
// and PiB are powers of 1024, KB, MB, GB, TB and PB powers of 1000, and the
// bare letters K, M, G, T and P powers of 1024 again; B or nothing means
// bytes. Upper and lower case are the same, and a space may stand before the
// unit. A decimal fraction is allowed where the result is a whole number of
// bytes, as in 1.5MiB.
func ParseSize(s string) (int64, error) {
	n, err := parseSize(strings.TrimSpace(s))
	if err != nil {
		return 0, fmt.Errorf("parse size %q: %w", s, err)
	}
	return n, nil
}

func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, errors.New("empty, " + wantSize)
	}
	if s[0] == '-' {
		return 0, errors.New("negative, " + wantSize)
	}
	number, suffix := splitNumber(s)
	if !isDecimal(number) {
		return 0, errors.New(wantSize)
	}
	factor, ok := unitBytes(strings.TrimSpace(suffix))
	if !ok {
		return 0, fmt.Errorf("unknown unit %q, want B, KiB, MiB, GiB, TiB (1024) or KB, MB, GB, TB (1000)", suffix)
	}
	return scale(number, factor)
}

// splitNumber cuts s behind its leading digits and points.
func splitNumber(s string) (number, suffix string) {
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

// isDecimal reports whether s is digits with at most one point among them,
// and a digit on at least one side of it.
func isDecimal(s string) bool {
	points := strings.Count(s, ".")
	return points <= 1 && len(s) > points && len(s) <= maxDigits
}

// unitBytes returns what one of the named unit is in bytes.
func unitBytes(name string) (int64, bool) {
	if name == "" {
		return 1, true
	}
	for _, u := range binaryUnits() {
		if strings.EqualFold(name, u.name) || strings.EqualFold(name, strings.TrimSuffix(u.name, "iB")) {
			return u.bytes, true
		}
	}
	for _, u := range decimalUnits() {
		if strings.EqualFold(name, u.name) {
			return u.bytes, true
		}
	}
	return 0, false
}

// scale multiplies exactly; number has passed isDecimal.
func scale(number string, factor int64) (int64, error) {
	exact, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, errors.New(wantSize)
	}
	exact.Mul(exact, new(big.Rat).SetInt64(factor))
	if exact.Cmp(new(big.Rat).SetInt64(MaxSize)) > 0 {
		return 0, errors.New("absurd, want at most 1PiB")
	}
	if !exact.IsInt() {
		return 0, errors.New("not a whole number of bytes, " + wantSize)
	}
	return exact.Num().Int64(), nil
}

// FormatSize writes n bytes exactly and as short as a unit allows: 1MiB,
// 10KiB, 5MB, 1234B. [ParseSize] reads it back. Binary units win a tie.
func FormatSize(n int64) string {
	if n == 0 {
		return "0B"
	}
	best := unit{"B", 1}
	for _, u := range decimalUnits() {
		if n%u.bytes == 0 && u.bytes > best.bytes {
			best = u
		}
	}
	for _, u := range binaryUnits() {
		if n%u.bytes == 0 && u.bytes > best.bytes {
			best = u
		}
	}
	return strconv.FormatInt(n/best.bytes, 10) + best.name
}

// FormatBytes writes a number of bytes for human eyes, with three significant
// digits and a binary unit: 12.3 MiB. Bytes per second are written the same
// way, with /s behind it.
func FormatBytes(n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return "? B"
	}
	if n < 0 {
		return "-" + FormatBytes(-n)
	}
	if math.Round(n) < 1024 {
		return strconv.FormatFloat(n, 'f', bytesPlaces(n), 64) + " B"
	}
	units := binaryUnits()
	for i := len(units) - 2; i > 0; i-- {
		if v := n / float64(units[i].bytes); math.Round(v) < 1024 {
			return strconv.FormatFloat(v, 'f', places(v), 64) + " " + units[i].name
		}
	}
	v := n / float64(units[0].bytes)
	return strconv.FormatFloat(v, 'f', places(v), 64) + " " + units[0].name
}

// bytesPlaces drops the decimals of whole numbers: there is no half byte in
// an object, though there may be in a mean.
func bytesPlaces(n float64) int {
	if n == math.Trunc(n) {
		return 0
	}
	return places(n)
}

// places returns how many decimals show three significant digits of v >= 1.
func places(v float64) int {
	switch {
	case v >= 99.95:
		return 0
	case v >= 9.995:
		return 1
	}
	return 2
}
