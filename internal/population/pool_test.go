package population_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"bench/internal/population"
)

func newPool(n uint64, workers int) (*population.Population, *population.Pool) {
	p := population.New(population.Config{})
	for id := range n {
		p.Written(id, population.Ref{})
	}
	return p, population.NewPool(p, workers)
}

func TestPoolLeases(t *testing.T) {
	p, pool := newPool(1, 1)
	r := rand.New(rand.NewPCG(1, 2))
	a, okA := pool.Share(r)
	b, okB := pool.Share(r)
	if !okA || !okB || a.ID != 0 || b.ID != 0 {
		t.Fatal("two readers cannot share one object")
	}
	if _, ok := pool.Take(r); ok {
		t.Fatal("an object with two readers was taken")
	}
	a.Release()
	if _, ok := pool.Take(r); ok {
		t.Fatal("an object with a reader was taken")
	}
	b.Release()
	taken, ok := pool.Take(r)
	if !ok {
		t.Fatal("an object without readers was not taken")
	}
	if _, ok := pool.Share(r); ok {
		t.Fatal("a taken object was shared")
	}
	if _, ok := pool.Take(r); ok {
		t.Fatal("a taken object was taken again")
	}
	pool.Keep(taken)
	if l, ok := pool.Share(r); !ok {
		t.Fatal("a kept object is not readable")
	} else {
		l.Release()
	}
	taken, _ = pool.Take(r)
	pool.Drop(0, taken)
	if _, ok := pool.Share(r); ok || p.Live(0) || !p.Owned(0) {
		t.Fatal("a dropped object is live or forgotten")
	}
	p.Written(1, population.Ref{})
	pool.Add(0, 1)
	taken, _ = pool.Take(r)
	pool.Deleted(0, taken)
	if taken.ID != 1 || p.Owned(1) {
		t.Fatal("a deleted object is still owned")
	}
	if pool.Slots() != 1 {
		t.Errorf("%d slots, want 1", pool.Slots())
	}
}

func TestPoolOfNothing(t *testing.T) {
	_, pool := newPool(0, 1)
	r := rand.New(rand.NewPCG(1, 2))
	if _, ok := pool.Share(r); ok {
		t.Error("Share from an empty pool")
	}
	if _, ok := pool.Take(r); ok {
		t.Error("Take from an empty pool")
	}
}

// One worker deletes what another writes, for long: the slots have to come
// back.
func TestPoolSlotsAreUsedAgain(t *testing.T) {
	p, pool := newPool(1000, 2)
	c := p.Extend(0, 1).Claimer()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		l, ok := pool.Take(r)
		if !ok {
			t.Fatal("nothing to take")
		}
		pool.Deleted(0, l)
		id, _ := c.Next()
		p.Written(id, population.Ref{})
		pool.Add(1, id)
	}
	if pool.Slots() > 1050 || p.Len() != 1000 {
		t.Errorf("%d slots for %d objects", pool.Slots(), p.Len())
	}
}

func TestPoolShareIsUniform(t *testing.T) {
	_, pool := newPool(500, 1)
	r := rand.New(rand.NewPCG(7, 8))
	counts := make([]float64, 500)
	const picks = 500_000
	for range picks {
		l, _ := pool.Share(r)
		counts[l.ID]++
		l.Release()
	}
	var chi2 float64
	for _, got := range counts {
		chi2 += (got - 1000) * (got - 1000) / 1000
	}
	// 499 degrees of freedom: 603 is exceeded once in a thousand seeds.
	if chi2 > 603 {
		t.Errorf("chi square is %.0f", chi2)
	}
}

// poolStress is what workers of a mixed workload do, with a store that
// notices when a deleted object is read.
type poolStress struct {
	t      *testing.T
	p      *population.Population
	pool   *population.Pool
	claims *population.Extension
	// store says of each object: 0 absent, 1 there, 2 being deleted.
	store                      []atomic.Int32
	readers                    []atomic.Int32
	added, deleted, dropped    atomic.Int64
	shared, missed, kept, busy atomic.Int64
}

func (s *poolStress) put(w int, c *population.Claimer) {
	id, ok := c.Next()
	if !ok {
		return
	}
	s.store[id].Store(1)
	s.p.Written(id, population.Ref{})
	s.pool.Add(w, id)
	s.added.Add(1)
}

func (s *poolStress) get(r *rand.Rand) {
	l, ok := s.pool.Share(r)
	if !ok {
		s.missed.Add(1)
		return
	}
	s.readers[l.ID].Add(1)
	if s.store[l.ID].Load() != 1 {
		s.t.Errorf("object %d is read after its deletion began", l.ID)
	}
	s.readers[l.ID].Add(-1)
	l.Release()
	s.shared.Add(1)
}

func (s *poolStress) del(w int, r *rand.Rand) {
	l, ok := s.pool.Take(r)
	if !ok {
		s.busy.Add(1)
		return
	}
	if !s.store[l.ID].CompareAndSwap(1, 2) {
		s.t.Errorf("object %d is deleted twice", l.ID)
	}
	if s.readers[l.ID].Load() != 0 {
		s.t.Errorf("object %d is deleted while it is read", l.ID)
	}
	switch r.IntN(10) {
	case 0:
		s.store[l.ID].Store(1)
		s.pool.Keep(l)
		s.kept.Add(1)
	case 1:
		s.pool.Drop(w, l)
		s.dropped.Add(1)
	default:
		s.pool.Deleted(w, l)
		s.deleted.Add(1)
	}
}

func (s *poolStress) work(w, rounds int) {
	r := rand.New(rand.NewPCG(9, uint64(w)))
	c := s.claims.Claimer()
	for range rounds {
		switch r.IntN(4) {
		case 0:
			s.put(w, c)
		case 1:
			s.del(w, r)
		default:
			s.get(r)
		}
	}
}

func TestPoolUnderStress(t *testing.T) {
	for _, start := range []uint64{0, 3, 2000} {
		const workers, rounds = 8, 20_000
		p, _ := newPool(start, 1)
		s := &poolStress{
			t: t, p: p, pool: population.NewPool(p, workers), claims: p.Extend(0, workers),
			store: make([]atomic.Int32, 200_000), readers: make([]atomic.Int32, 200_000),
		}
		for id := range start {
			s.store[id].Store(1)
		}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() { s.work(w, rounds) })
		}
		wg.Wait()
		s.check(start)
	}
}

// check accounts for every object.
func (s *poolStress) check(start uint64) {
	want := int64(start) + s.added.Load() - s.deleted.Load() - s.dropped.Load()
	if got := int64(s.p.Len()); got != want {
		s.t.Errorf("%d live, want %d", got, want)
	}
	var owned int64
	for id, ok := s.p.NextOwned(0); ok; id, ok = s.p.NextOwned(id + 1) {
		owned++
	}
	if owned != want+s.dropped.Load() {
		s.t.Errorf("%d owned, want %d", owned, want+s.dropped.Load())
	}
	// What is left can be taken, each object once.
	r := rand.New(rand.NewPCG(1, 1))
	var left int64
	for l, ok := s.pool.Take(r); ok; l, ok = s.pool.Take(r) {
		if !s.p.Live(l.ID) {
			s.t.Errorf("object %d is in the pool but not live", l.ID)
		}
		s.pool.Deleted(0, l)
		left++
	}
	if left != want {
		s.t.Errorf("%d left in the pool, want %d", left, want)
	}
	if s.shared.Load() == 0 || s.deleted.Load() == 0 {
		s.t.Error("nothing was shared or deleted")
	}
}

func TestPoolDoesNotAllocate(t *testing.T) {
	p, pool := newPool(5000, 1)
	r := rand.New(rand.NewPCG(1, 2))
	c := p.Extend(0, 1).Claimer()
	got := testing.AllocsPerRun(1000, func() {
		if l, ok := pool.Share(r); ok {
			l.Release()
		}
		if l, ok := pool.Take(r); ok {
			pool.Deleted(0, l)
		}
		id, _ := c.Next()
		p.Written(id, population.Ref{})
		pool.Add(0, id)
	})
	if got != 0 {
		t.Errorf("%v allocations per operation, want 0", got)
	}
}

func BenchmarkPoolShare(b *testing.B) {
	_, pool := newPool(10_000, 1)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(1, 2))
		for pb.Next() {
			if l, ok := pool.Share(r); ok {
				l.Release()
			}
		}
	})
}

func BenchmarkPoolReplace(b *testing.B) {
	p, pool := newPool(10_000, 8)
	e := p.Extend(0, 8)
	var worker atomic.Int32
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		w := int(worker.Add(1) - 1)
		r := rand.New(rand.NewPCG(1, uint64(w)))
		c := e.Claimer()
		for pb.Next() {
			if l, ok := pool.Take(r); ok {
				pool.Deleted(w, l)
			}
			id, _ := c.Next()
			p.Written(id, population.Ref{})
			pool.Add(w, id)
		}
	})
}
