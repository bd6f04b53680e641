package engine

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"
)

// chunkLen is how many planned starts of a Poisson process are computed at a
// time.
const chunkLen = 1 << 10

// schedule is the plan of an open load: the start of operation n after the
// phase's begin, a pure function of n, rate, arrival and seed.
//
// A constant rate is n/rate. A Poisson process is the running sum of
// exponential gaps -ln(1-u)/rate, with u drawn from a hash of (seed, n); the
// sums are kept for the latest chunks, and any older one can be computed
// again. Methods may be called from many goroutines.
type schedule struct {
	rate    float64
	seed    uint64
	poisson bool

	current atomic.Pointer[chunk]
	mu      sync.Mutex
	begins  []float64 // where each chunk begins, in seconds
}

// chunk holds the starts of operations first to first+chunkLen-1.
type chunk struct {
	first  int64
	starts [chunkLen]int64
	next   float64 // the following chunk's begin, in seconds
}

func newSchedule(l Load) *schedule {
	return &schedule{rate: l.Rate, poisson: l.Poisson, seed: l.Seed, begins: []float64{0}}
}

// at returns the planned start of operation n in nanoseconds.
func (s *schedule) at(n int64) int64 {
	if !s.poisson {
		return int64(float64(n) / s.rate * 1e9)
	}
	if c := s.current.Load(); c != nil && n >= c.first && n < c.first+chunkLen {
		return c.starts[n-c.first]
	}
	c := s.chunk(n / chunkLen)
	return c.starts[n-c.first]
}

// chunk computes chunk i and makes it the current one if it is the latest.
func (s *schedule) chunk(i int64) *chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.current.Load(); c != nil && c.first == i*chunkLen {
		return c
	}
	for int64(len(s.begins)) <= i {
		last := int64(len(s.begins)) - 1
		s.begins = append(s.begins, s.compute(last).next)
	}
	c := s.compute(i)
	if cur := s.current.Load(); cur == nil || cur.first < c.first {
		s.current.Store(c)
	}
	return c
}

func (s *schedule) compute(i int64) *chunk {
	c := &chunk{first: i * chunkLen}
	at := s.begins[i]
	for k := range c.starts {
		at += s.gap(c.first + int64(k))
		c.starts[k] = int64(at * 1e9)
	}
	c.next = at
	return c
}

// gap returns the exponential gap before operation n, in seconds.
func (s *schedule) gap(n int64) float64 {
	u := float64(mix(s.seed^mix(uint64(n)+0x9e3779b97f4a7c15))>>11) / (1 << 53)
	return -math.Log1p(-u) / s.rate
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// countBefore returns how many operations from n on are planned before ns.
func (s *schedule) countBefore(n, ns int64) int64 {
	if ns <= 0 || s.at(n) >= ns {
		return 0
	}
	most := 1
	for s.at(n+int64(most)) < ns {
		most *= 2
	}
	return int64(sort.Search(most, func(i int) bool { return s.at(n+int64(i)) >= ns }))
}
