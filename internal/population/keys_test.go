package population_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bench/backends"
	"bench/internal/population"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		prefixes int
		id       uint64
		want     string
	}{
		{0, 0, "bench-x/0"},
		{0, 12345, "bench-x/12345"},
		{16, 0, "bench-x/0/0"},
		{16, 63, "bench-x/0/63"},
		{16, 64, "bench-x/1/64"},
		{16, 1024, "bench-x/0/1024"},
		{3, 1 << 39, "bench-x/2/549755813888"},
	} {
		p := population.New(population.Config{Root: "bench-x/", Prefixes: c.prefixes})
		if got := p.Key(new(population.KeyMaker), c.id); got != c.want {
			t.Errorf("key of %d with %d prefixes = %q, want %q", c.id, c.prefixes, got, c.want)
		}
	}
}

func TestKeysStayValidAndParse(t *testing.T) {
	for _, prefixes := range []int{0, 1, 7} {
		p := population.New(population.Config{Root: "bench-run/", Prefixes: prefixes})
		var m population.KeyMaker
		keys := make([]string, 20_000)
		for id := range keys {
			keys[id] = p.Key(&m, uint64(id))
		}
		for id, key := range keys {
			if fresh := p.Key(new(population.KeyMaker), uint64(id)); fresh != key {
				t.Fatalf("key %q, want %q", key, fresh)
			}
			if got, ok := p.ParseKey(key); !ok || got != uint64(id) {
				t.Fatalf("ParseKey(%q) = %d, %v, want %d", key, got, ok, id)
			}
			if !population.OwnName(strings.TrimPrefix(key, "bench-run/")) {
				t.Fatalf("OwnName rejects %q", key)
			}
		}
	}
}

func TestKeyLongerThanASlab(t *testing.T) {
	root := strings.Repeat("x", 100_000)
	p := population.New(population.Config{Root: root})
	var m population.KeyMaker
	for id := range uint64(3) {
		if got := p.Key(&m, id); got != root+fmt.Sprint(id) {
			t.Fatalf("key of %d has %d bytes", id, len(got))
		}
	}
}

func TestOneKeyMakerForTwoPopulations(t *testing.T) {
	a := population.New(population.Config{Root: "a/"})
	b := population.New(population.Config{Root: "b/", Prefixes: 3})
	var m population.KeyMaker
	if got := a.Key(&m, 1) + b.Key(&m, 2) + b.Key(&m, 3) + a.Key(&m, 4); got != "a/1b/0/2b/0/3a/4" {
		t.Errorf("keys %q", got)
	}
}

func TestParseKeyRejectsForeignKeys(t *testing.T) {
	with := population.New(population.Config{Root: "r/", Prefixes: 4})
	without := population.New(population.Config{Root: "r/"})
	for _, key := range []string{
		"", "r/", "5", "s/5", "r/01", "r/-1", "r/+1", "r/a", "r/1/64/", "r/2/64", "r/01/64", "r/1/064", "r//64", "r/1/",
		"r/18446744073709551616", "r/1/99999999999999999999999",
	} {
		if id, ok := with.ParseKey(key); ok {
			t.Errorf("with prefixes: ParseKey(%q) = %d", key, id)
		}
		if id, ok := without.ParseKey(key); ok {
			t.Errorf("without prefixes: ParseKey(%q) = %d", key, id)
		}
	}
	if _, ok := with.ParseKey("r/64"); ok {
		t.Error("with prefixes: a key without one is accepted")
	}
	if _, ok := without.ParseKey("r/1/64"); ok {
		t.Error("without prefixes: a key with one is accepted")
	}
}

func TestOwnName(t *testing.T) {
	for _, name := range []string{"0", "17", "0/0", "15/99999", ".bench-run", fmt.Sprint(uint64(math.MaxUint64))} {
		if !population.OwnName(name) {
			t.Errorf("OwnName(%q) = false", name)
		}
	}
	for _, name := range []string{
		"", "/", "/1", "1/", "1/2/3", "01", "1/02", "00", "x", "1x", "1/x", "x/1", "-1", "+1", " 1", "1 ", "1\n", "1_0", "0x1",
		"1.5", "..", "../1", "1/..", ".bench-run/", "0/.bench-run", ".bench-runs", "18446744073709551616", "9999999999/1", "١",
	} {
		if population.OwnName(name) {
			t.Errorf("OwnName(%q) = true", name)
		}
	}
}

func FuzzOwnName(f *testing.F) {
	for _, s := range []string{"0", "1/2", ".bench-run", "01", "a", "1//2", "+1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !population.OwnName(name) || name == backends.MarkerName {
			return
		}
		if strings.Trim(name, "0123456789/") != "" || strings.Count(name, "/") > 1 || len(name) > 41 {
			t.Fatalf("OwnName(%q) = true", name)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	for name, step := range map[string]uint64{"next": 1, "random": 7919} {
		b.Run(name, func(b *testing.B) {
			p := population.New(population.Config{Root: "bench-abcdefghijklmnopqrstuvwxyz/", Prefixes: 16})
			var m population.KeyMaker
			b.ReportAllocs()
			for id := uint64(0); b.Loop(); id += step {
				p.Key(&m, id%1e9)
			}
		})
	}
}
