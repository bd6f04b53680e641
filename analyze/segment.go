package analyze

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"bench/analyze/stat"
)

// maxSegments bounds the segments of all series together: 64 MiB, 48 days of
// seconds.
const maxSegments = 4 << 20

// An amount is what operations moved.
type amount struct{ objects, bytes int64 }

func (a *amount) sub(b amount) {
	a.objects -= b.objects
	a.bytes -= b.bytes
}

// A series spreads the operations of one type over the segments of their
// stage's window. Its sums do not depend on the order of operations.
//
// An operation's objects and bytes go to the segments it overlaps in
// proportion to time: each part is rounded down, and the last part takes the
// remainder. Parts before and after the window fall outside.
type series struct {
	start, end int64 // Unix nanoseconds
	length     int64
	cells      []amount
	ops        atomic.Int64 // that ended inside

	// steps holds, for long operations, the change of every later segment
	// from the one before; it saves touching each segment in between.
	once  sync.Once
	steps []amount
}

func newSeries(w bounds, length int64) *series {
	return &series{start: w.start, end: w.end, length: length, cells: make([]amount, w.segments(length))}
}

func (s *series) index(t int64) int64 { return (t - s.start) / s.length }

func (s *series) startOf(i int64) int64 { return s.start + i*s.length }

// inside reports whether an operation counts as done inside the window.
func (s *series) inside(start, end int64) bool {
	if start == end {
		return start >= s.start && start < s.end
	}
	return end > s.start && end <= s.end
}

// spread adds an operation that overlaps the window and takes time.
func (s *series) spread(start, end int64, total amount) {
	part := func(ns int64) amount {
		return amount{stat.Share(total.objects, ns, end-start), stat.Share(total.bytes, ns, end-start)}
	}
	rest, from := total, start
	if start < s.start {
		rest.sub(part(s.start - start))
		from = s.start
	}
	first, last := s.index(from), s.index(min(end, s.end)-1)
	if first < last {
		p := part(s.startOf(first+1) - from)
		s.add(first, p)
		rest.sub(p)
		if n := last - first - 1; n > 0 {
			q := part(s.length)
			s.addRange(first+1, last, q)
			rest.sub(amount{n * q.objects, n * q.bytes})
		}
		from = s.startOf(last)
	}
	if end > s.end {
		rest = part(s.end - from)
	}
	s.add(last, rest)
}

// add adds to one segment. Several goroutines may.
func (s *series) add(i int64, a amount) { s.cells[i].addAtomic(a) }

// addRange adds to each segment from first to before end.
func (s *series) addRange(first, end int64, a amount) {
	s.once.Do(func() { s.steps = make([]amount, len(s.cells)+1) })
	s.steps[first].addAtomic(a)
	s.steps[end].addAtomic(amount{-a.objects, -a.bytes})
}

func (a *amount) addAtomic(b amount) {
	if b.objects != 0 {
		atomic.AddInt64(&a.objects, b.objects)
	}
	if b.bytes != 0 {
		atomic.AddInt64(&a.bytes, b.bytes)
	}
}

// amounts returns what each segment holds, once everything was added.
func (s *series) amounts() []amount {
	out := make([]amount, len(s.cells))
	var level amount
	for i, c := range s.cells {
		if s.steps != nil {
			level.objects += s.steps[i].objects
			level.bytes += s.steps[i].bytes
		}
		out[i] = amount{c.objects + level.objects, c.bytes + level.bytes}
	}
	return out
}

// A spreader adds operations to a series for one goroutine. It gathers what
// falls into the same segment before it touches the shared series.
type spreader struct {
	series *series
	ops    int64
	slots  [8]slot
	recent *slot
}

// slot gathers one segment, which lies from start to end.
type slot struct {
	start, end int64
	index      int64
	amount
}

// add adds one operation.
func (p *spreader) add(start, end int64, total amount) {
	if r := p.recent; r != nil && start >= r.start && end <= r.end && start < end {
		p.ops++
		r.objects += total.objects
		r.bytes += total.bytes
		return
	}
	s := p.series
	if s.inside(start, end) {
		p.ops++
	} else if start == end || end <= s.start || start >= s.end {
		return
	}
	if start < s.start || end > s.end {
		s.spread(start, end, total)
		return
	}
	i := s.index(start)
	if end > s.startOf(i+1) {
		s.spread(start, end, total)
		return
	}
	r := p.slot(i)
	r.objects += total.objects
	r.bytes += total.bytes
}

// slot returns the slot of segment i, emptied of another segment.
func (p *spreader) slot(i int64) *slot {
	r := &p.slots[i%int64(len(p.slots))]
	if r.index != i || r.end == 0 {
		p.series.add(r.index, r.amount)
		start := p.series.startOf(i)
		*r = slot{start: start, end: min(start+p.series.length, p.series.end), index: i}
	}
	p.recent = r
	return r
}

// flush hands over what was gathered.
func (p *spreader) flush() {
	for i := range p.slots {
		r := &p.slots[i]
		p.series.add(r.index, r.amount)
		r.amount = amount{}
	}
	p.series.ops.Add(p.ops)
	p.ops = 0
}

// A seriesKey names a series: the successful measured operations of one type
// in one stage.
type seriesKey struct {
	stage uint16
	op    string
}

// A seriesSet makes series as they are needed.
type seriesSet struct {
	length  int64
	windows map[uint16]bounds

	mu    sync.Mutex
	byKey map[seriesKey]*series
	cells int64
}

func newSeriesSet(windows map[uint16]bounds, length int64) *seriesSet {
	return &seriesSet{length: length, windows: windows, byKey: map[seriesKey]*series{}}
}

// get returns the series, nil if the stage has no window.
func (s *seriesSet) get(k seriesKey) (*series, error) {
	w, ok := s.windows[k.stage]
	if !ok {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := s.byKey[k]; got != nil {
		return got, nil
	}
	n := w.segments(s.length)
	if s.cells += n; n > maxSegments || s.cells > maxSegments {
		return nil, fmt.Errorf("split stage %d into segments of %v: more than %d segments; choose longer ones",
			k.stage, time.Duration(s.length), maxSegments)
	}
	got := newSeries(w, s.length)
	s.byKey[k] = got
	return got, nil
}
