package population_test

import (
	"sync"
	"testing"

	"bench/internal/population"
)

// claimAll lets workers claim until the limit and returns each one's ids.
func claimAll(e *population.Extension, workers int) [][]uint64 {
	got := make([][]uint64, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			c := e.Claimer()
			for id, ok := c.Next(); ok; id, ok = c.Next() {
				got[w] = append(got[w], id)
			}
		})
	}
	wg.Wait()
	return got
}

func TestClaimersHandOutExactlyTheLimit(t *testing.T) {
	for _, limit := range []uint64{1, 63, 64, 65, 1000, 5000, 100_000, 100_001} {
		for _, workers := range []int{1, 3, 16} {
			p := population.New(population.Config{})
			p.Reserve(7)
			seen := map[uint64]bool{}
			for _, ids := range claimAll(p.Extend(limit, workers), workers) {
				for _, id := range ids {
					if seen[id] || id < 7 || id >= p.Bound() {
						t.Fatalf("limit %d, %d workers: bad id %d", limit, workers, id)
					}
					seen[id] = true
				}
			}
			if uint64(len(seen)) != limit {
				t.Fatalf("limit %d, %d workers: %d ids", limit, workers, len(seen))
			}
		}
	}
}

func TestClaimerGoesOnBeyondTheLimitOnRequest(t *testing.T) {
	p := population.New(population.Config{})
	c := p.Extend(2, 1).Claimer()
	a, _ := c.Next()
	x := c.Extra()
	b, ok := c.Next()
	if !ok || a == x || x == b || a == b {
		t.Fatalf("ids %d, %d (extra), %d, %v", a, x, b, ok)
	}
	if id, ok := c.Next(); ok {
		t.Fatalf("a third id within a limit of 2: %d", id)
	}
	if id, ok := c.Next(); ok {
		t.Fatalf("an id after the end: %d", id)
	}
}

func TestExtensionsDoNotOverlap(t *testing.T) {
	p := population.New(population.Config{})
	seen := map[uint64]bool{}
	for _, limit := range []uint64{10, 5000, 3} {
		for _, ids := range claimAll(p.Extend(limit, 2), 2) {
			for _, id := range ids {
				if seen[id] {
					t.Fatalf("id %d twice", id)
				}
				seen[id] = true
			}
		}
	}
	if len(seen) != 5013 {
		t.Fatalf("%d ids, want 5013", len(seen))
	}
}

func TestUnlimitedExtension(t *testing.T) {
	p := population.New(population.Config{})
	c := p.Extend(0, 4).Claimer()
	for want := range uint64(1000) {
		if id, ok := c.Next(); !ok || id != want {
			t.Fatalf("id %d, %v, want %d", id, ok, want)
		}
	}
}

func TestVisitReturnsEveryLiveIDOnce(t *testing.T) {
	const n = 20_000
	p := population.New(population.Config{})
	for id := range uint64(n) {
		if id%3 != 0 {
			p.Written(id, population.Ref{})
		}
	}
	for _, order := range []*population.Permutation{nil, population.NewPermutation(p.Bound(), 5)} {
		v := p.Visit(order, 4)
		var mu sync.Mutex
		seen := map[uint64]bool{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				w := v.Visitor()
				for id, ok := w.Next(); ok; id, ok = w.Next() {
					mu.Lock()
					if seen[id] || id%3 == 0 {
						t.Errorf("id %d is dead or was there before", id)
					}
					seen[id] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if uint64(len(seen)) != p.Len() {
			t.Errorf("%d ids visited, want %d", len(seen), p.Len())
		}
	}
}

// BenchmarkPut is what the population costs per object of a put workload.
func BenchmarkPut(b *testing.B) {
	p := population.New(population.Config{Root: "bench-abcdefghijklmnopqrstuvwxyz/", Prefixes: 16, Sizes: population.Fixed(1 << 20)})
	e := p.Extend(0, 2)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		c := e.Claimer()
		var m population.KeyMaker
		for pb.Next() {
			id, _ := c.Next()
			p.Key(&m, id)
			p.Size(id)
			p.Written(id, population.Ref{})
		}
	})
}

// BenchmarkDelete is what the population costs per object of a del workload.
func BenchmarkDelete(b *testing.B) {
	p := population.New(population.Config{Root: "bench-abcdefghijklmnopqrstuvwxyz/", Prefixes: 16, Sizes: population.Fixed(1 << 20)})
	for id := range uint64(b.N) {
		p.Written(id, population.Ref{})
	}
	v := p.Visit(nil, 2)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		w := v.Visitor()
		var m population.KeyMaker
		for pb.Next() {
			id, ok := w.Next()
			if !ok {
				continue
			}
			p.Object(&m, id)
			p.Gone(id)
		}
	})
}

func BenchmarkTakeOldest(b *testing.B) {
	p := population.New(population.Config{})
	for id := range uint64(b.N) {
		p.Written(id, population.Ref{})
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if id, ok := p.TakeOldest(); ok {
				p.Gone(id)
			}
		}
	})
}
