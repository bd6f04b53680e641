package population_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bench/internal/population"
)

func mustSizes(t testing.TB, spec, dist string) population.Sizes {
	t.Helper()
	s, err := population.ParseSizes(spec, dist)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseSizes(t *testing.T) {
	for _, c := range []struct {
		spec, dist, want string
		min, max         int64
		mean             float64
	}{
		{"1MiB", "", "1048576", 1 << 20, 1 << 20, 1 << 20},
		{"0", "log2", "0", 0, 0, 0},
		{"1KiB..10MiB", "", "1024..10485760 log2", 1024, 10485760, 1135465},
		{"1KiB..10MiB", "log2", "1024..10485760 log2", 1024, 10485760, 1135465},
		{"0..10", "uniform", "0..10 uniform", 0, 10, 5},
		{"1..2", "", "1..2 log2", 1, 2, 1.3},
		{"5KB..5KB", "", "5000", 5000, 5000, 5000},
		{"0..0", "", "0", 0, 0, 0},
		{" 4KiB:60, 1MiB:30 ,64MiB:10", "", "4096:60,1048576:30,67108864:10", 4096, 64 << 20, 7027916.8},
		{"1K:0.5,0:1.5", "", "1024:0.5,0:1.5", 0, 1024, 256},
		{"4KiB:7", "", "4096", 4096, 4096, 4096},
		{"1..1PiB", "", "1..1125899906842624 log2", 1, 1 << 50, 3.2487e13},
		{"0..1PiB", "uniform", "0..1125899906842624 uniform", 0, 1 << 50, 1 << 49},
	} {
		s, err := population.ParseSizes(c.spec, c.dist)
		if err != nil {
			t.Errorf("ParseSizes(%q, %q): %v", c.spec, c.dist, err)
			continue
		}
		if s.String() != c.want || s.Min() != c.min || s.Max() != c.max {
			t.Errorf("ParseSizes(%q, %q) = %s, %d to %d", c.spec, c.dist, s, s.Min(), s.Max())
		}
		if math.Abs(s.Mean()-c.mean) > 0.03*c.mean+1e-9 {
			t.Errorf("ParseSizes(%q, %q).Mean() = %v, want %v", c.spec, c.dist, s.Mean(), c.mean)
		}
	}
}

func TestParseSizesRejects(t *testing.T) {
	for _, c := range []struct{ spec, dist, want string }{
		{"", "", "empty"},
		{"0..", "", "both ends"},
		{"..1MiB", "", "both ends"},
		{"..", "", "both ends"},
		{"1..2..3", "", "want a size"},
		{"10MB..1KB", "", "upside down"},
		{"0..1MiB", "", "cannot begin at 0; begin at 1 or use uniform"},
		{"0..1MiB", "log2", "use uniform"},
		{"-1..5", "", "negative"},
		{"1..-5", "uniform", "negative"},
		{"1..2PiB", "", "absurd"},
		{"9999PiB", "", "absurd"},
		{"1MiB", "uniform", "needs a range"},
		{"1MiB:1,2MiB:1", "uniform", "needs a range"},
		{"1MiB", "zipf", "unknown distribution"},
		{"1MiB:0", "", "above 0"},
		{"1MiB:-1,2MiB:5", "", "above 0"},
		{"1MiB:NaN", "", "above 0"},
		{"1MiB:inf", "", "above 0"},
		{"1MiB:1e10", "", "at most 1e9"},
		{"1MiB:", "", "above 0"},
		{"1MiB,2MiB", "", "no weight"},
		{"1MiB:1,", "", "no weight"},
		{":1", "", "empty"},
		{"1..5:3", "", "cannot have a weight"},
		{strings.Repeat("1:1,", 64) + "1:1", "", "at most 64"},
	} {
		if s, err := population.ParseSizes(c.spec, c.dist); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseSizes(%q, %q) = %s, %v, want an error with %q", c.spec, c.dist, s, err, c.want)
		}
	}
}

func FuzzParseSizes(f *testing.F) {
	for _, s := range []string{"1MiB", "1KiB..10MiB", "4KiB:60,1MiB:30", "0..1", "..", ":,:", "1:1e-300,2:1"} {
		f.Add(s, "", uint64(1)<<40)
		f.Add(s, "uniform", ^uint64(0))
	}
	f.Fuzz(func(t *testing.T, spec, dist string, r uint64) {
		s, err := population.ParseSizes(spec, dist)
		if err != nil {
			return
		}
		for _, r := range []uint64{r, 0, ^uint64(0)} {
			if n := s.At(r); n < s.Min() || n > s.Max() {
				t.Fatalf("%s.At(%d) = %d, outside %d to %d", s, r, n, s.Min(), s.Max())
			}
		}
		if mean := s.Mean(); mean < float64(s.Min())-1 || mean > float64(s.Max())+1 {
			t.Fatalf("%s.Mean() = %v", s, mean)
		}
	})
}

func TestSizesReachBothEnds(t *testing.T) {
	for _, c := range [][2]string{{"1KiB..10MiB", ""}, {"3..1000", "uniform"}, {"1..1PiB", ""}, {"7:1,9:1", ""}} {
		s := mustSizes(t, c[0], c[1])
		if lo, hi := s.At(0), s.At(^uint64(0)); lo != s.Min() || hi != s.Max() {
			t.Errorf("%s: ends are %d and %d", s, lo, hi)
		}
	}
}

func TestLog2HasTheSameNumberInEveryDoubling(t *testing.T) {
	s := mustSizes(t, "1..65535", "")
	const n = 320_000
	var doublings [16]int
	var sum float64
	for i := range uint64(n) {
		size := s.At(i*(math.MaxUint64/n) + i)
		doublings[int(math.Log2(float64(size)))]++
		sum += float64(size)
	}
	for i, got := range doublings {
		if math.Abs(float64(got)-n/16) > 10 {
			t.Errorf("%d sizes from %d to %d, want %d", got, 1<<i, 2<<i, n/16)
		}
	}
	if mean := sum / n; math.Abs(mean-s.Mean()) > 1 {
		t.Errorf("the mean is %v, Mean says %v", mean, s.Mean())
	}
}

func TestUniformAndWeightedShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := func(s population.Sizes) map[int64]int {
		got := map[int64]int{}
		for range 100_000 {
			got[s.At(r.Uint64())]++
		}
		return got
	}
	for size, n := range count(mustSizes(t, "5..9", "uniform")) {
		if n < 19_000 || n > 21_000 || size < 5 || size > 9 {
			t.Errorf("uniform 5..9: %d times %d", n, size)
		}
	}
	got := count(mustSizes(t, "4:60,1:30,64:10", ""))
	if len(got) != 3 || got[4]/1000 != 60 && got[4]/1000 != 59 || got[64] < 9500 || got[64] > 10500 {
		t.Errorf("weighted: %v", got)
	}
}

// Sizes follow from the seed, in every release and on every machine: an
// inventory depends on it.
func TestSizesAreTheSameForEver(t *testing.T) {
	h := sha256.New()
	p := population.New(population.Config{Seed: 42, Sizes: mustSizes(t, "1..1TiB", "")})
	q := population.New(population.Config{Seed: 42, Sizes: mustSizes(t, "1000..3000000", "uniform")})
	for id := range uint64(20_000) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(p.Size(id))))
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(q.Size(id))))
	}
	const want = "cad132126cba6047"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("sizes hash to %s, want %s", got, want)
	}
}

func BenchmarkSizeLog2(b *testing.B) {
	p := population.New(population.Config{Seed: 42, Sizes: mustSizes(b, "1KiB..10MiB", "")})
	for id := uint64(0); b.Loop(); id++ {
		p.Size(id)
	}
}
