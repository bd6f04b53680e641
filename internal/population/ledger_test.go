package population_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"bench/backends"
	"bench/internal/population"
)

func TestLedgerAgainstAMap(t *testing.T) {
	p := population.New(population.Config{Sizes: mustSizes(t, "1..1000", ""), TrackBytes: true})
	type fact struct{ live, owned bool }
	facts := map[uint64]fact{}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300_000 {
		// Three chunks, and one far away.
		id := r.Uint64N(3 << 16)
		if id >= 2<<16 {
			id += 1 << 33
		}
		switch r.IntN(4) {
		case 0, 1:
			p.Written(id, population.Ref{})
			facts[id] = fact{true, true}
		case 2:
			p.Doubtful(id)
			facts[id] = fact{false, true}
		case 3:
			p.Gone(id)
			delete(facts, id)
		}
	}
	var lives uint64
	var size int64
	for id := range uint64(3 << 16) {
		if id >= 2<<16 {
			id += 1 << 33
		}
		want := facts[id]
		if p.Live(id) != want.live || p.Owned(id) != want.owned {
			t.Fatalf("id %d: live %v, owned %v, want %v", id, p.Live(id), p.Owned(id), want)
		}
		if want.live {
			lives++
			size += p.Size(id)
		}
	}
	if p.Len() != lives || p.LiveBytes() != size {
		t.Errorf("Len %d, LiveBytes %d, want %d, %d", p.Len(), p.LiveBytes(), lives, size)
	}
	var seen uint64
	for id, ok := p.NextLive(0); ok; id, ok = p.NextLive(id + 1) {
		if !facts[id].live {
			t.Fatalf("NextLive returns %d, which is not live", id)
		}
		seen++
	}
	var owned int
	for id, ok := p.NextOwned(0); ok; id, ok = p.NextOwned(id + 1) {
		if !facts[id].owned {
			t.Fatalf("NextOwned returns %d, which is not owned", id)
		}
		owned++
	}
	if seen != lives || owned != len(facts) {
		t.Errorf("NextLive found %d of %d, NextOwned %d of %d", seen, lives, owned, len(facts))
	}
}

func TestFarAndUnknownIDsAreNotLive(t *testing.T) {
	p := population.New(population.Config{})
	for _, id := range []uint64{0, 1 << 30, population.MaxIDs - 1, population.MaxIDs, 1<<64 - 1} {
		p.Gone(id)
		if p.Live(id) || p.Owned(id) {
			t.Errorf("id %d is known", id)
		}
	}
	if _, ok := p.NextLive(0); ok || p.Bound() != 0 || p.Len() != 0 {
		t.Error("a new population is not empty")
	}
	p.Written(population.MaxIDs-1, population.Ref{})
	if id, ok := p.NextLive(0); !ok || id != population.MaxIDs-1 || p.Bound() != population.MaxIDs {
		t.Errorf("NextLive = %d, %v, bound %d", id, ok, p.Bound())
	}
	if _, ok := p.NextLive(population.MaxIDs); ok {
		t.Error("an id beyond the largest population is live")
	}
}

func TestRefs(t *testing.T) {
	p := population.New(population.Config{Root: "r/", Sizes: population.Fixed(9)})
	var m population.KeyMaker
	check := func(id uint64, want backends.Object) {
		t.Helper()
		if got := p.Object(&m, id); got != want {
			t.Fatalf("object %d is %+v, want %+v", id, got, want)
		}
	}
	check(5, backends.Object{Key: "r/5", Size: 9})
	p.Written(5, population.Ref{Version: "v1", Handle: "h"})
	check(5, backends.Object{Key: "r/5", Version: "v1", Handle: "h", Size: 9})
	p.Doubtful(5)
	check(5, backends.Object{Key: "r/5", Version: "v1", Handle: "h", Size: 9})
	p.Written(5, population.Ref{Version: "v2"})
	check(5, backends.Object{Key: "r/5", Version: "v2", Size: 9})
	p.Written(5, population.Ref{})
	check(5, backends.Object{Key: "r/5", Size: 9})
	p.Written(5, population.Ref{Version: "v3"})
	p.Gone(5)
	check(5, backends.Object{Key: "r/5", Size: 9})
}

func TestRefsSurviveFullChunks(t *testing.T) {
	p := population.New(population.Config{})
	for id := range uint64(3 << 16) {
		ref := population.Ref{}
		if id == 70_000 {
			ref.Version = "v"
		}
		p.Written(id, ref)
	}
	// A chunk that was replaced by the shared one gets a ref later.
	p.Written(5, population.Ref{Handle: "h"})
	var m population.KeyMaker
	if got := p.Object(&m, 70_000).Version; got != "v" {
		t.Errorf("version %q, want v", got)
	}
	if got := p.Object(&m, 5).Handle; got != "h" {
		t.Errorf("handle %q, want h", got)
	}
	if p.Len() != 3<<16 || !p.Live(4) || !p.Live(6) {
		t.Errorf("%d live", p.Len())
	}
}

// heapAfter returns the bytes in use after a collection, p included.
func heapAfter(p *population.Population) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(p)
	return m.HeapAlloc
}

func TestMemoryOfLongRuns(t *testing.T) {
	n := uint64(200_000_000)
	if raceEnabled || testing.Short() {
		n = 2_000_000
	}
	p := population.New(population.Config{})
	before := heapAfter(p)
	check := func(what string, limit uint64) {
		t.Helper()
		if after := heapAfter(p); after > before+limit {
			t.Errorf("%s: %d KiB more than at the start, want at most %d", what, (after-before)>>10, limit>>10)
		} else {
			t.Logf("%s: %d KiB", what, (int64(after)-int64(before))>>10)
		}
	}
	for id := range n {
		p.Written(id, population.Ref{})
	}
	if p.Len() != n {
		t.Errorf("%d live, want %d", p.Len(), n)
	}
	check("written", 200<<10)
	for id := range n / 8 {
		p.Gone(id)
	}
	if p.Len() != n-n/8 {
		t.Errorf("%d live after deleting %d of %d", p.Len(), n/8, n)
	}
	check("deleted", 200<<10)
}

func TestMemoryWhileTheOldestAreDeleted(t *testing.T) {
	n := uint64(20_000_000)
	if raceEnabled || testing.Short() {
		n = 1_000_000
	}
	p := population.New(population.Config{Sizes: population.Fixed(1), TrackBytes: true})
	before := heapAfter(p)
	c := p.Extend(n, 1).Claimer()
	var next uint64
	for id, ok := c.Next(); ok; id, ok = c.Next() {
		p.Written(id, population.Ref{})
		for p.LiveBytes() > 100 {
			old, ok := p.TakeOldest()
			if !ok || old != next {
				t.Fatalf("TakeOldest = %d, %v, want %d", old, ok, next)
			}
			p.Gone(old)
			next++
		}
	}
	if after := heapAfter(p); after > before+200<<10 {
		t.Errorf("%d KiB more than at the start", (after-before)>>10)
	}
}

// Writers and deleters meet in the same chunks while these become full and
// empty, and nothing may get lost.
func TestCollapsingLosesNothing(t *testing.T) {
	const workers, rounds, n = 4, 6, 2 << 16
	p := population.New(population.Config{Sizes: population.Fixed(3), TrackBytes: true})
	p.Reserve(n)
	for round := range rounds {
		var wg sync.WaitGroup
		for w := range uint64(workers) {
			wg.Go(func() {
				// Neighbouring ids belong to different workers.
				for id := w; id < n; id += workers {
					p.Written(id, population.Ref{})
				}
				for id := w; id < n; id += workers {
					if !p.Live(id) {
						t.Errorf("round %d: id %d is lost", round, id)
						return
					}
					p.Gone(id)
				}
				for id := w; id < n; id += workers {
					if p.Owned(id) {
						t.Errorf("round %d: id %d came back", round, id)
						return
					}
				}
			})
		}
		wg.Wait()
		if p.Len() != 0 || p.LiveBytes() != 0 {
			t.Fatalf("round %d: %d live, %d bytes", round, p.Len(), p.LiveBytes())
		}
	}
}

func TestTakeOldestHandsOutEachOnce(t *testing.T) {
	const workers, n = 4, 3 << 16
	p := population.New(population.Config{Sizes: population.Fixed(1), TrackBytes: true})
	e := p.Extend(n, workers)
	var mu sync.Mutex
	taken := map[uint64]int{}
	note := func(ids []uint64) {
		mu.Lock()
		defer mu.Unlock()
		for _, id := range ids {
			taken[id]++
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			c := e.Claimer()
			var mine []uint64
			for id, ok := c.Next(); ok; id, ok = c.Next() {
				p.Written(id, population.Ref{})
				if p.LiveBytes() > 500 {
					if old, ok := p.TakeOldest(); ok {
						mine = append(mine, old)
						p.Gone(old)
					}
				}
			}
			for id, ok := p.TakeOldest(); ok; id, ok = p.TakeOldest() {
				mine = append(mine, id)
				p.Gone(id)
			}
			note(mine)
		})
	}
	wg.Wait()
	for id, ok := p.TakeOldest(); ok; id, ok = p.TakeOldest() {
		note([]uint64{id})
		p.Gone(id)
	}
	for id, times := range taken {
		if times != 1 {
			t.Fatalf("id %d was taken %d times", id, times)
		}
	}
	if len(taken) != n || p.Len() != 0 || p.LiveBytes() != 0 {
		t.Errorf("%d taken, %d left, %d bytes", len(taken), p.Len(), p.LiveBytes())
	}
	if id, ok := p.NextOwned(0); ok {
		t.Errorf("id %d is still owned", id)
	}
}

func TestTakeOldestFindsWhatWasKept(t *testing.T) {
	p := population.New(population.Config{})
	for id := range uint64(10) {
		p.Written(id, population.Ref{})
	}
	for range 5 {
		p.TakeOldest()
	}
	p.Written(2, population.Ref{})
	var got []uint64
	for id, ok := p.TakeOldest(); ok; id, ok = p.TakeOldest() {
		got = append(got, id)
	}
	if want := []uint64{5, 6, 7, 8, 9, 2}; !slices.Equal(got, want) {
		t.Errorf("taken in the order %v, want %v", got, want)
	}
}

func TestPickIsUniform(t *testing.T) {
	// Every other id is dead: probing has to skip them without a bias.
	const n, picks = 1000, 1_000_000
	p := population.New(population.Config{})
	for i := range uint64(n) {
		p.Written(2*i, population.Ref{})
	}
	var counts [n]float64
	r := rand.New(rand.NewPCG(5, 6))
	for range picks {
		id, ok := p.Pick(r)
		if !ok || id%2 != 0 {
			t.Fatalf("Pick = %d, %v", id, ok)
		}
		counts[id/2]++
	}
	var chi2 float64
	for _, got := range counts {
		chi2 += (got - picks/n) * (got - picks/n) / (picks / n)
	}
	// 999 degrees of freedom: 1143 is exceeded once in a thousand seeds.
	if chi2 > 1143 {
		t.Errorf("chi square of %d picks over %d ids is %.0f", picks, n, chi2)
	}
}

func TestPickOfAlmostNothing(t *testing.T) {
	p := population.New(population.Config{})
	r := rand.New(rand.NewPCG(5, 6))
	if id, ok := p.Pick(r); ok {
		t.Errorf("Pick from nothing = %d", id)
	}
	p.Reserve(1 << 30)
	if id, ok := p.Pick(r); ok {
		t.Errorf("Pick from nothing written = %d", id)
	}
	p.Written(12345, population.Ref{})
	for range 100 {
		if id, ok := p.Pick(r); !ok || id != 12345 {
			t.Fatalf("Pick = %d, %v, want 12345", id, ok)
		}
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	p := population.New(population.Config{Root: "bench-x/", Prefixes: 4, Sizes: mustSizes(t, "1..100", ""), TrackBytes: true})
	for id := range uint64(100_000) {
		p.Written(id, population.Ref{})
	}
	r := rand.New(rand.NewPCG(5, 6))
	var m population.KeyMaker
	e := p.Extend(0, 1).Claimer()
	got := testing.AllocsPerRun(1000, func() {
		id, _ := e.Next()
		p.Written(id, population.Ref{})
		picked, _ := p.Pick(r)
		p.Object(&m, picked)
		if old, ok := p.TakeOldest(); ok {
			p.Gone(old)
		}
		p.NextLive(picked)
	})
	if got != 0 {
		t.Errorf("%v allocations per operation, want 0", got)
	}
}

func BenchmarkPick(b *testing.B) {
	p := population.New(population.Config{})
	for id := range uint64(1_000_000) {
		p.Written(id, population.Ref{})
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(5, 6))
		for pb.Next() {
			p.Pick(r)
		}
	})
}
