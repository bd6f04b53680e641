package units_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"bench/internal/units"
)

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "0B": 0, "1": 1, "1234B": 1234, "1b": 1, "1048576": 1 << 20,
		"1K": 1 << 10, "2k": 2 << 10, "1M": 1 << 20, "1G": 1 << 30, "1T": 1 << 40, "1P": 1 << 50,
		"1KiB": 1 << 10, "64kib": 64 << 10, "1MIB": 1 << 20, "1GiB": 1 << 30, "1TiB": 1 << 40, "1PiB": 1 << 50,
		"1KB": 1e3, "10MB": 1e7, "1gb": 1e9, "1TB": 1e12, "1PB": 1e15,
		"1.5MiB": 3 << 19, "0.5K": 512, ".5K": 512, "1.KiB": 1024, "0.001KB": 1, "1.0": 1,
		" 1 MiB ": 1 << 20, "0000001": 1, "0.0009765625KiB": 1, "1125899906842624": 1 << 50,
	} {
		if got, err := units.ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
}

func TestParseSizeRejects(t *testing.T) {
	for in, want := range map[string]string{
		"": "empty", "  ": "empty", "-1": "negative", "-5MiB": "negative",
		"NaN": "want a size", "Inf": "want a size", "MiB": "want a size", ".": "want a size", "1.2.3": "want a size",
		"+1": "want a size", "0x10": "unknown unit", "1e3": "unknown unit", "1_000": "unknown unit", "1/3": "unknown unit",
		"1XiB": "unknown unit", "1 i": "unknown unit", "1KiBs": "unknown unit", "1,5M": "unknown unit",
		"1.5": "whole number", "0.1KiB": "whole number", "0.0001KB": "whole number",
		"1.1PiB": "absurd", "1125899906842625": "absurd", "9223372036854775808": "absurd", "99999999TiB": "absurd",
		strings.Repeat("9", 41): "want a size",
	} {
		_, err := units.ParseSize(in)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "want ") {
			t.Errorf("ParseSize(%q): error %v, want it to contain %q", in, err, want)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0B", 1: "1B", 1234: "1234B", 1023: "1023B", 1024: "1KiB", 10240: "10KiB", 1000: "1KB", 5e6: "5MB",
		1 << 20: "1MiB", 3 << 19: "1536KiB", 1000 << 20: "1000MiB", 1e10: "10GB", 1 << 50: "1PiB", -1024: "-1KiB",
		math.MaxInt64: "9223372036854775807B",
	} {
		if got := units.FormatSize(n); got != want {
			t.Errorf("FormatSize(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1023.7: "1.00 KiB", 0.5: "0.50 B", 1024: "1.00 KiB", 12900000: "12.3 MiB",
		1 << 20: "1.00 MiB", 1<<20 - 1: "1.00 MiB", 999 << 10: "999 KiB", 1023 << 10: "1023 KiB", 1.5 * (1 << 40): "1.50 TiB",
		5 << 50: "5.00 PiB", 1 << 63: "8192 PiB", -2048: "-2.00 KiB",
	} {
		if got := units.FormatBytes(n); got != want {
			t.Errorf("FormatBytes(%v) = %q, want %q", n, got, want)
		}
	}
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := units.FormatBytes(n); got != "? B" {
			t.Errorf("FormatBytes(%v) = %q", n, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 512: "512ns", 999: "999ns", 1000: "1.00µs", 12345: "12.3µs", 123456: "123µs",
		999499: "999µs", 999500: "1.00ms", 999999: "1.00ms", 1023000: "1.02ms", 4990 * time.Millisecond: "4.99s",
		9994 * time.Microsecond: "9.99ms", 9996 * time.Microsecond: "10.0ms",
		59949 * time.Millisecond: "59.9s", 59950 * time.Millisecond: "1m0s", 83 * time.Second: "1m23s",
		time.Hour + 2*time.Minute + 3400*time.Millisecond: "1h2m3s", -1500 * time.Microsecond: "-1.50ms",
		math.MinInt64: "-2562047h47m16.854775807s",
	} {
		if got := units.FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", int64(d), got, want)
		}
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1000: "-1,000", -100: "-100",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := units.FormatCount(n); got != want {
			t.Errorf("FormatCount(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParsePercent(t *testing.T) {
	for in, want := range map[string]float64{
		"0": 0, "1%": 0.01, "0.01": 0.01, "1": 1, "100%": 1, " 50 % ": 0.5, "0.5%": 0.005, "0%": 0,
	} {
		if got, err := units.ParsePercent(in); err != nil || got != want {
			t.Errorf("ParsePercent(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "%", "-1%", "-0.1", "NaN", "nan%", "Inf", "101%", "x"} {
		if got, err := units.ParsePercent(in); err == nil {
			t.Errorf("ParsePercent(%q) = %v, want an error", in, got)
		}
	}
	if _, err := units.ParsePercent("5"); err == nil || !strings.Contains(err.Error(), "did you mean 5%") {
		t.Errorf("ParsePercent(5): error %v, want a hint at 5%%", err)
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1MiB", "1.5K", "0", "-1", "1e9", "99999999999999999999", "1PiB", ".5 kb", "١", "1\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := units.ParseSize(s)
		if err != nil {
			if n != 0 {
				t.Fatalf("ParseSize(%q) = %d with error %v", s, n, err)
			}
			return
		}
		if n < 0 || n > units.MaxSize {
			t.Fatalf("ParseSize(%q) = %d, out of range", s, n)
		}
		if again, err := units.ParseSize(units.FormatSize(n)); err != nil || again != n {
			t.Fatalf("ParseSize(FormatSize(%d)) = %d, %v", n, again, err)
		}
	})
}

func FuzzFormatSize(f *testing.F) {
	for _, n := range []int64{0, 1, 1000, 1024, 1 << 50, 1e15, 12345678} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		n = int64(uint64(n) % uint64(units.MaxSize+1))
		if got, err := units.ParseSize(units.FormatSize(n)); err != nil || got != n {
			t.Fatalf("ParseSize(FormatSize(%d)) = %d, %v", n, got, err)
		}
	})
}
