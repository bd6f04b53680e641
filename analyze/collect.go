package analyze

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"bench/analyze/stat"
	"bench/internal/oplog"
)

const (
	// maxGroups bounds the kinds of rows in all records.
	maxGroups = 4096
	// maxDense bounds the histograms a goroutine holds: 14 MiB.
	maxDense = 32
	// maxSamples bounds the samples kept of incomplete records.
	maxSamples = 1 << 20
)

// A ledger is everything learnt about one or more records, segments aside.
// It is shared by the goroutines of a scan.
type ledger struct {
	mu      sync.Mutex
	groups  map[groupKey]*totals
	roster  roster
	stages  map[uint16]moments
	samples []oplog.Sample
	// begin and end bound all rows, in Unix nanoseconds.
	begin, end int64
}

func newLedger() *ledger {
	return &ledger{
		groups: map[groupKey]*totals{}, stages: map[uint16]moments{},
		roster: roster{crews: map[crewKey]*crew{}},
		begin:  math.MaxInt64, end: math.MinInt64,
	}
}

func (l *ledger) group(k groupKey) (*totals, error) {
	t := l.groups[k]
	if t == nil {
		if len(l.groups) >= maxGroups {
			return nil, fmt.Errorf("more than %d kinds of operations", maxGroups)
		}
		t = new(totals)
		l.groups[k] = t
	}
	return t, nil
}

func (l *ledger) stage(index uint16, m moments) {
	have, ok := l.stages[index]
	if !ok {
		have = noMoments()
	}
	have.merge(m)
	l.stages[index] = have
}

// merge adds another record's ledger. Samples are not merged: their times
// count from each record's own epoch.
func (l *ledger) merge(o *ledger) error {
	for k, from := range o.groups {
		to, err := l.group(k)
		if err != nil {
			return err
		}
		if err := to.mergeAll(from); err != nil {
			return fmt.Errorf("sum up %s: %w", k.name, err)
		}
	}
	for index, m := range o.stages {
		l.stage(index, m)
	}
	l.begin, l.end = min(l.begin, o.begin), max(l.end, o.end)
	return l.roster.merge(&o.roster)
}

// settle derives from the roster when the stages' workers were all at work.
func (l *ledger) settle() {
	for k, c := range l.roster.crews {
		m := noMoments()
		c.each(func(_ uint32, s span) {
			m.latestFirstEnd = max(m.latestFirstEnd, s.firstEnd)
			m.earliestLastStart = min(m.earliestLastStart, s.lastStart)
		})
		l.stage(k.stage, m)
	}
}

// A collector visits rows for one goroutine. It is an [oplog.Visitor].
type collector struct {
	// ledger is nil in a pass that only spreads over segments.
	ledger *ledger
	// series is nil in a pass that does not.
	series  *seriesSet
	record  int
	epoch   int64
	planned bool // record response times
	sampled bool // keep samples

	groups map[groupKey]*group
	recent [16]*group
	live   int
	spare  []*stat.Histogram

	roster     roster
	crewKey    crewKey
	crew       *crew
	stages     map[uint16]*moments
	stageIndex uint16
	stage      *moments
	begin, end int64
	samples    []oplog.Sample
}

func newCollector(record int, f *oplog.File, l *ledger, s *seriesSet) *collector {
	return &collector{
		ledger: l, series: s, record: record, epoch: f.Epoch(), planned: f.Planned(), sampled: f.End == nil,
		groups: map[groupKey]*group{}, roster: roster{crews: map[crewKey]*crew{}},
		stages: map[uint16]*moments{}, begin: math.MaxInt64, end: math.MinInt64,
	}
}

// Row implements [oplog.Visitor].
func (c *collector) Row(r *oplog.Row) error {
	counted := r.Phase == oplog.PhaseMeasure && r.Level == 0
	if c.ledger == nil && (!counted || r.Failed != 0) {
		return nil
	}
	g, err := c.group(r)
	if err != nil {
		return err
	}
	if c.ledger != nil {
		if err := c.count(g, r); err != nil {
			return err
		}
		if counted {
			if err := c.place(r); err != nil {
				return err
			}
		}
	}
	if g.spread != nil && r.Failed == 0 {
		g.spread.add(c.epoch+r.Start, c.epoch+r.End, amount{r.Objects, r.Bytes})
	}
	return nil
}

// Sample implements [oplog.Visitor].
func (c *collector) Sample(s *oplog.Sample) error {
	if c.sampled && len(c.samples) < maxSamples {
		c.samples = append(c.samples, *s)
	}
	return nil
}

// group finds the row's group, mostly among the recent ones.
func (c *collector) group(r *oplog.Row) (*group, error) {
	slot := &c.recent[(uint(r.Name[0])+uint(len(r.Name))*3+uint(r.Phase)*5+uint(r.Level)*11)%16]
	if g := *slot; g != nil && g.key.stage == r.Stage && g.key.phase == r.Phase && g.key.level == r.Level && g.key.name == r.Name {
		return g, nil
	}
	k := groupKey{name: r.Name, stage: r.Stage, phase: r.Phase, level: r.Level}
	g := c.groups[k]
	if g == nil {
		if len(c.groups) >= maxGroups {
			return nil, fmt.Errorf("more than %d kinds of operations", maxGroups)
		}
		g = &group{key: k}
		if err := c.attach(g); err != nil {
			return nil, err
		}
		c.groups[k] = g
	}
	*slot = g
	return g, nil
}

// attach gives measured operations their series.
func (c *collector) attach(g *group) error {
	if c.series == nil || g.key.phase != oplog.PhaseMeasure || g.key.level != 0 {
		return nil
	}
	s, err := c.series.get(seriesKey{stage: g.key.stage, op: g.key.name})
	if s != nil {
		g.spread = &spreader{series: s}
	}
	return err
}

// count adds the row to its group.
func (c *collector) count(g *group, r *oplog.Row) error {
	g.rows++
	moved := &g.moved
	if r.Failed != 0 {
		moved = &g.failedMoved
		g.fail(r.Class, r.Error, c.epoch+r.Start)
	}
	if !moved.add(amount{r.Objects, r.Bytes}) {
		return fmt.Errorf("sum up %s: %w", r.Name, errOverflow)
	}
	c.begin, c.end = min(c.begin, r.Start), max(c.end, r.End)
	if r.Phase != oplog.PhaseMeasure {
		return nil
	}
	return c.time(g, r)
}

// time records the row's durations.
func (c *collector) time(g *group, r *oplog.Row) error {
	svc, rsp := service, response
	if r.Failed != 0 {
		svc, rsp = failedService, failedResponse
	}
	if err := c.observe(g, svc, r.End-r.Start); err != nil {
		return err
	}
	if c.planned {
		intended := r.Start
		if r.Intended != oplog.None {
			intended = r.Intended
			g.intended++
		}
		if err := c.observe(g, rsp, r.End-intended); err != nil {
			return err
		}
	}
	if r.FirstByte == oplog.None || r.Failed != 0 {
		return nil
	}
	if r.FirstByte < r.Start || r.FirstByte > r.End {
		g.oddFirstBytes++
		return nil
	}
	return c.observe(g, firstByte, r.FirstByte-r.Start)
}

func (c *collector) observe(g *group, k kind, ns int64) error {
	h := g.dense[k]
	if h == nil {
		if c.live >= maxDense {
			if err := c.drain(); err != nil {
				return err
			}
		}
		h = c.histogram()
		g.dense[k] = h
	}
	h.Record(ns)
	return nil
}

func (c *collector) histogram() *stat.Histogram {
	c.live++
	if n := len(c.spare); n > 0 {
		h := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return h
	}
	return stat.NewHistogram()
}

// place notes when the row's worker and stage were at work.
func (c *collector) place(r *oplog.Row) error {
	if c.crew == nil || c.crewKey.stage != r.Stage || c.crewKey.client != r.ClientID {
		c.crewKey = crewKey{record: c.record, stage: r.Stage, client: r.ClientID}
		c.crew = c.roster.crew(c.crewKey)
	}
	s, err := c.roster.span(c.crew, r.Thread)
	if err != nil {
		return err
	}
	start, end := c.epoch+r.Start, c.epoch+r.End
	s.add(end, start)
	if c.stage == nil || c.stageIndex != r.Stage {
		c.enter(r.Stage)
	}
	intended := start
	if r.Intended != oplog.None {
		intended = c.epoch + r.Intended
	}
	m := c.stage
	m.firstStart, m.lastEnd = min(m.firstStart, start), max(m.lastEnd, end)
	m.firstIntended, m.lastIntend = min(m.firstIntended, intended), max(m.lastIntend, intended, start)
	return nil
}

func (c *collector) enter(stage uint16) {
	c.stageIndex, c.stage = stage, c.stages[stage]
	if c.stage == nil {
		c.stage = new(noMoments())
		c.stages[stage] = c.stage
	}
}

// drain moves what the groups hold into the ledger.
func (c *collector) drain() error {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	for k, g := range c.groups {
		t, err := c.ledger.group(k)
		if err != nil {
			return err
		}
		if err := t.absorb(g); err != nil {
			return fmt.Errorf("sum up %s: %w", k.name, err)
		}
		for i, h := range g.dense {
			if h != nil {
				h.Reset()
				c.spare = append(c.spare, h)
				g.dense[i] = nil
			}
		}
	}
	c.live = 0
	return nil
}

// finish hands everything over.
func (c *collector) finish() error {
	for _, g := range c.groups {
		if g.spread != nil {
			g.spread.flush()
		}
	}
	if c.ledger == nil {
		return nil
	}
	err := c.drain()
	l := c.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	for index, m := range c.stages {
		l.stage(index, *m)
	}
	if c.begin <= c.end {
		l.begin, l.end = min(l.begin, c.epoch+c.begin), max(l.end, c.epoch+c.end)
	}
	l.samples = append(l.samples, c.samples...)
	return errors.Join(err, l.roster.merge(&c.roster))
}
