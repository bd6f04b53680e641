package record

import (
	"cmp"
	"slices"
	"sync"

	"bench/internal/oplog"
)

// Border is a moment between phases.
type Border struct {
	Stage int
	Phase oplog.Phase
	AtNS  int64
	// UserNS and SystemNS are the process's CPU times so far.
	UserNS, SystemNS int64
	// Reason and Pace are known only at a finish.
	Reason string
	Pace   *oplog.PaceEnd
}

type slot struct {
	stage int
	phase oplog.Phase
}

// tally keeps the sums of every stage and phase, one row at a time.
type tally struct {
	mu      sync.Mutex
	sums    map[slot]*phaseSum
	reasons map[int]string
	last    *phaseSum // the sums of the last row, to save a look-up
	lastKey slot
}

// phaseSum sums the level-0 rows of one phase of one stage.
type phaseSum struct {
	begin, finish    Border
	ops              []oplog.OpCount
	workers          []span
	firstStart, last int64
	firstPlan        int64
	lastPlan         int64
	lastStart        int64
}

// span is what the active window needs of one worker.
type span struct{ firstEnd, lastStart int64 }

func newTally() *tally {
	return &tally{sums: map[slot]*phaseSum{}, reasons: map[int]string{}}
}

func (t *tally) at(stage int, phase oplog.Phase) *phaseSum {
	key := slot{stage, phase}
	if t.last != nil && t.lastKey == key {
		return t.last
	}
	s := t.sums[key]
	if s == nil {
		s = &phaseSum{firstStart: oplog.None, last: oplog.None, firstPlan: oplog.None, lastPlan: oplog.None, lastStart: oplog.None}
		s.begin.AtNS, s.finish.AtNS = oplog.None, oplog.None
		t.sums[key] = s
	}
	t.last, t.lastKey = s, key
	return s
}

func (t *tally) begin(b Border) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at(b.Stage, b.Phase).begin = b
}

func (t *tally) finish(b Border) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at(b.Stage, b.Phase).finish = b
	if b.Phase == oplog.PhaseMeasure {
		t.reasons[b.Stage] = b.Reason
	}
}

// add is called with the lock held.
func (t *tally) add(op *oplog.Op) {
	if op.Level == 0 {
		t.at(int(op.Stage), op.Phase).add(op)
	}
}

func (s *phaseSum) add(op *oplog.Op) {
	c := s.count(op.Name)
	c.Rows++
	c.Objects += op.Objects
	c.Bytes += op.Bytes
	if !op.OK() {
		c.Errors += int64(max(op.Failed, 1))
	}
	s.bounds(op)
	w := s.worker(int(op.Thread))
	if w.firstEnd == oplog.None {
		w.firstEnd = op.End
	}
	w.lastStart = op.Start
}

func (s *phaseSum) bounds(op *oplog.Op) {
	plan := op.Intended
	if plan == oplog.None {
		plan = op.Start
	}
	if s.firstStart == oplog.None {
		s.firstStart, s.firstPlan = op.Start, plan
	}
	s.firstStart = min(s.firstStart, op.Start)
	s.firstPlan = min(s.firstPlan, plan)
	s.last = max(s.last, op.End)
	s.lastPlan = max(s.lastPlan, plan)
	s.lastStart = max(s.lastStart, op.Start)
}

func (s *phaseSum) count(name string) *oplog.OpCount {
	for i := range s.ops {
		if s.ops[i].Op == name {
			return &s.ops[i]
		}
	}
	s.ops = append(s.ops, oplog.OpCount{Op: name})
	return &s.ops[len(s.ops)-1]
}

func (s *phaseSum) worker(i int) *span {
	for len(s.workers) <= i {
		s.workers = append(s.workers, span{oplog.None, oplog.None})
	}
	return &s.workers[i]
}

// stages returns the sums by stage. given holds stages whose reason is
// already known.
func (t *tally) stages(given []oplog.StageEnd) []oplog.StageEnd {
	byIndex := map[int]*oplog.StageEnd{}
	for _, g := range given {
		byIndex[g.Index] = &oplog.StageEnd{Index: g.Index, Reason: g.Reason}
	}
	for key, s := range t.sums {
		e := byIndex[key.stage]
		if e == nil {
			e = &oplog.StageEnd{Index: key.stage, Reason: t.reasons[key.stage]}
			byIndex[key.stage] = e
		}
		e.Phases = append(e.Phases, s.end(key.phase))
	}
	var out []oplog.StageEnd
	for _, e := range byIndex {
		slices.SortFunc(e.Phases, func(a, b oplog.PhaseEnd) int { return cmp.Compare(order(a), order(b)) })
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b oplog.StageEnd) int { return cmp.Compare(a.Index, b.Index) })
	return out
}

func order(p oplog.PhaseEnd) oplog.Phase {
	phase, _ := oplog.ParsePhase(p.Phase)
	return phase
}

func (s *phaseSum) end(phase oplog.Phase) oplog.PhaseEnd {
	firstEnd, lastStart := s.window()
	user, system := s.cpu()
	slices.SortFunc(s.ops, func(a, b oplog.OpCount) int { return cmp.Compare(a.Op, b.Op) })
	return oplog.PhaseEnd{
		Phase: phase.String(), Ops: s.ops,
		BeginNS: s.begin.AtNS, FinishNS: s.finish.AtNS,
		FirstStartNS: s.firstStart, LastEndNS: s.last,
		LatestFirstEndNS: firstEnd, EarliestLastStartNS: lastStart,
		FirstIntendedNS: s.firstPlan, LastIntendedNS: s.lastPlan, LastStartNS: s.lastStart,
		UserNS: user, SystemNS: system, Pace: s.finish.Pace,
	}
}

// cpu returns the CPU times between the borders, none where one is missing: a
// run that ends during its warm-up never begins to measure.
func (s *phaseSum) cpu() (user, system int64) {
	if s.begin.AtNS == oplog.None || s.finish.AtNS == oplog.None {
		return 0, 0
	}
	return s.finish.UserNS - s.begin.UserNS, s.finish.SystemNS - s.begin.SystemNS
}

// window returns the latest first end and the earliest last start over the
// workers that have operations.
func (s *phaseSum) window() (firstEnd, lastStart int64) {
	firstEnd, lastStart = oplog.None, oplog.None
	for _, w := range s.workers {
		if w.firstEnd == oplog.None {
			continue
		}
		firstEnd = max(firstEnd, w.firstEnd)
		if lastStart == oplog.None || w.lastStart < lastStart {
			lastStart = w.lastStart
		}
	}
	return firstEnd, lastStart
}
