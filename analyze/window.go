package analyze

import (
	"fmt"
	"math"

	"bench/internal/oplog"
)

// bounds is a span of time in Unix nanoseconds.
type bounds struct {
	start, end int64
	fallback   bool
}

// segments returns how many segments of the given length cover the span, the
// last perhaps in part.
func (b bounds) segments(length int64) int64 {
	d := b.end - b.start
	return d/length + min(d%length, 1)
}

// moments are the times of a stage's measured operations that its window
// follows from, in Unix nanoseconds.
type moments struct {
	firstStart, lastEnd       int64
	firstIntended, lastIntend int64
	latestFirstEnd            int64
	earliestLastStart         int64
}

func noMoments() moments {
	return moments{
		firstStart: math.MaxInt64, lastEnd: math.MinInt64,
		firstIntended: math.MaxInt64, lastIntend: math.MinInt64,
		latestFirstEnd: math.MinInt64, earliestLastStart: math.MaxInt64,
	}
}

func (m *moments) merge(o moments) {
	m.firstStart = min(m.firstStart, o.firstStart)
	m.lastEnd = max(m.lastEnd, o.lastEnd)
	m.firstIntended = min(m.firstIntended, o.firstIntended)
	m.lastIntend = max(m.lastIntend, o.lastIntend)
	m.latestFirstEnd = max(m.latestFirstEnd, o.latestFirstEnd)
	m.earliestLastStart = min(m.earliestLastStart, o.earliestLastStart)
}

// window applies the rule for the active window. With planned starts it is
// the whole plan, else the time in which every worker had finished an
// operation and was yet to start another. ok is false if even the whole phase
// is empty.
func (m *moments) window(rate bool) (w bounds, ok bool) {
	w = bounds{start: m.latestFirstEnd, end: m.earliestLastStart}
	if rate {
		w = bounds{start: m.firstIntended, end: m.lastIntend}
	}
	if w.start >= w.end {
		w = bounds{start: m.firstStart, end: m.lastEnd, fallback: true}
	}
	return w, w.start < w.end
}

// windowsOf applies the rule to every stage.
func windowsOf(stages map[uint16]moments, rate bool) map[uint16]bounds {
	windows := map[uint16]bounds{}
	for stage, m := range stages {
		if w, ok := m.window(rate); ok {
			windows[stage] = w
		}
	}
	return windows
}

// hints returns the moments that the records' end lines tell, nil unless all
// records have one.
func hints(files []*oplog.File) map[uint16]moments {
	all := map[uint16]moments{}
	for _, f := range files {
		if f.End == nil {
			return nil
		}
		for i := range f.End.Stages {
			s := &f.End.Stages[i]
			p := measured(s)
			if p == nil || p.FirstStartNS < 0 || s.Index < 0 || s.Index > math.MaxUint16 {
				continue
			}
			m, ok := all[uint16(s.Index)]
			if !ok {
				m = noMoments()
			}
			m.merge(momentsOf(p, f.Epoch()))
			all[uint16(s.Index)] = m
		}
	}
	return all
}

func momentsOf(p *oplog.PhaseEnd, epoch int64) moments {
	return moments{
		firstStart: epoch + p.FirstStartNS, lastEnd: epoch + p.LastEndNS,
		firstIntended: epoch + p.FirstIntendedNS, lastIntend: epoch + max(p.LastIntendedNS, p.LastStartNS),
		latestFirstEnd: epoch + p.LatestFirstEndNS, earliestLastStart: epoch + p.EarliestLastStartNS,
	}
}

// measured returns the measured phase of a stage, nil if it has none.
func measured(s *oplog.StageEnd) *oplog.PhaseEnd {
	for i := range s.Phases {
		if s.Phases[i].Phase == oplog.PhaseMeasure.String() {
			return &s.Phases[i]
		}
	}
	return nil
}

// maxWorkers bounds the workers of all records together.
const maxWorkers = 1 << 20

// A crew is the workers of one stage that share a client id. Workers with
// small numbers lie in a slice.
type crew struct {
	low  []span
	high map[uint32]*span
}

// A span is when a worker's first operation ended and its last one started.
// The first to end is its first, since a worker does one at a time.
type span struct{ firstEnd, lastStart int64 }

// unused marks a span without an operation.
func unused() span { return span{firstEnd: math.MaxInt64, lastStart: math.MinInt64} }

// lowWorkers is how many workers a crew keeps in a slice.
const lowWorkers = 4096

// at returns the worker's span and how many spans were made for it.
func (c *crew) at(thread uint32) (s *span, made int) {
	if int64(thread) < int64(len(c.low)) {
		return &c.low[thread], 0
	}
	if thread < lowWorkers {
		for n := max(2*len(c.low), int(thread)+1, 16); len(c.low) < n; made++ {
			c.low = append(c.low, unused())
		}
		return &c.low[thread], made
	}
	if s = c.high[thread]; s != nil {
		return s, 0
	}
	if c.high == nil {
		c.high = map[uint32]*span{}
	}
	s = new(unused())
	c.high[thread] = s
	return s, 1
}

func (s *span) add(firstEnd, lastStart int64) {
	s.firstEnd = min(s.firstEnd, firstEnd)
	s.lastStart = max(s.lastStart, lastStart)
}

// each calls fn for every worker that performed an operation.
func (c *crew) each(fn func(thread uint32, s span)) {
	for i, s := range c.low {
		if s != unused() {
			fn(uint32(i), s)
		}
	}
	for t, s := range c.high {
		fn(t, *s)
	}
}

// A crewKey names a crew. Records are kept apart: clients of foreign ones
// have no name of their own.
type crewKey struct {
	record int
	stage  uint16
	client string
}

// A roster is all workers.
type roster struct {
	crews map[crewKey]*crew
	made  int // spans, used or not
}

func (r *roster) crew(k crewKey) *crew {
	c := r.crews[k]
	if c == nil {
		c = new(crew)
		r.crews[k] = c
	}
	return c
}

// span returns a worker's span.
func (r *roster) span(c *crew, thread uint32) (*span, error) {
	s, made := c.at(thread)
	if r.made += made; r.made > maxWorkers {
		return nil, fmt.Errorf("more than %d workers", maxWorkers)
	}
	return s, nil
}

func (r *roster) merge(o *roster) error {
	var err error
	for k, from := range o.crews {
		to := r.crew(k)
		from.each(func(thread uint32, s span) {
			var t *span
			if t, err = r.span(to, thread); err == nil {
				t.add(s.firstEnd, s.lastStart)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
