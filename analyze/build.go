package analyze

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"bench/analyze/stat"
	"bench/internal/oplog"
)

func utc(ns int64) time.Time { return time.Unix(0, ns).UTC() }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func (l *loader) segmentLength() time.Duration { return time.Duration(l.segment) }

// run describes what ran, from the first record that tells.
func (l *loader) run() Run {
	for _, f := range l.files {
		if f.Foreign {
			continue
		}
		m := &f.Meta
		return Run{
			ID: m.RunID, Command: m.Command, Target: m.Target, Version: m.Version,
			Host: m.Host, OS: m.OS, Arch: m.Arch, CPUs: m.CPUs,
			Workers: m.Workers, Load: m.Load, Rate: m.Rate, Arrival: m.Arrival, Seed: m.Seed,
			Options: m.Options, Labels: m.Labels, Effective: m.Effective, Started: m.Epoch.UTC(),
		}
	}
	return Run{}
}

// stage builds one stage's result.
func (l *loader) stage(index uint16) Stage {
	s := Stage{Index: int(index)}
	l.describe(&s)
	if m, ok := l.ledger.stages[index]; ok {
		s.Begin, s.End = utc(m.firstStart), utc(m.lastEnd)
	}
	if w, ok := l.windows[index]; ok {
		s.Window = Window{Start: utc(w.start), End: utc(w.end), Fallback: w.fallback}
	}
	s.Workers = l.workers(index)
	for _, k := range l.groupKeys(index) {
		l.addGroup(&s, k, l.ledger.groups[k])
	}
	l.total(&s)
	l.resources(&s)
	s.Warnings = l.stageWarnings(&s)
	return s
}

// describe copies what metadata and end line tell about the stage.
func (l *loader) describe(s *Stage) {
	for i, f := range l.files {
		for _, m := range f.Meta.Stages {
			if m.Index == s.Index && s.Mode == "" {
				s.Mode, s.Loop, s.ReadIndex, s.Size = m.Mode, m.Loop, m.ReadIndex, m.Size
			}
		}
		if end := l.stageEnd(i, s.Index); end != nil && s.Reason == "" {
			s.Reason = end.Reason
		}
	}
}

// stageEnd returns what record i's end line says about a stage, or nil.
func (l *loader) stageEnd(i, index int) *oplog.StageEnd {
	end := l.scans[i].End
	if end == nil {
		return nil
	}
	for j := range end.Stages {
		if end.Stages[j].Index == index {
			return &end.Stages[j]
		}
	}
	return nil
}

func (l *loader) workers(index uint16) int {
	n := 0
	for k, c := range l.ledger.roster.crews {
		if k.stage == index {
			c.each(func(uint32, span) { n++ })
		}
	}
	return n
}

// groupKeys lists a stage's groups in the order reports show them.
func (l *loader) groupKeys(index uint16) []groupKey {
	var keys []groupKey
	for k := range l.ledger.groups {
		if k.stage == index {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b groupKey) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.phase, b.phase),
			cmp.Compare(opRank(a.name), opRank(b.name)), strings.Compare(a.name, b.name))
	})
	return keys
}

// opRank orders operations; unknown ones come last.
func opRank(name string) int {
	known := []string{
		oplog.OpGet, oplog.OpStat, oplog.OpPut, oplog.OpMultipart, oplog.OpAppend, oplog.OpList, oplog.OpDelete,
	}
	if i := slices.Index(known, name); i >= 0 {
		return i
	}
	return len(known)
}

func (l *loader) addGroup(s *Stage, k groupKey, t *totals) {
	switch {
	case k.level == 0 && k.phase == oplog.PhaseMeasure:
		s.Ops = append(s.Ops, l.op(k, t))
	case k.level == 0:
		s.Phases = append(s.Phases, Phase{
			Phase: k.phase.String(), Name: k.name, Count: t.rows, Failed: t.failed,
			Objects: t.moved.objects + t.failedMoved.objects, Bytes: t.moved.bytes + t.failedMoved.bytes,
			Errors: l.errors(k, t),
		})
	case k.phase == oplog.PhaseMeasure:
		s.Steps = append(s.Steps, Step{
			Name: k.name, Count: t.rows, Failed: t.failed, Errors: l.errors(k, t),
			Service: l.latency(t.dists[service]), FailedService: l.latency(t.dists[failedService]),
		})
	}
}

func (l *loader) op(k groupKey, t *totals) Op {
	o := Op{
		Name: k.name, Count: t.rows, Failed: t.failed,
		Objects: t.moved.objects, Bytes: t.moved.bytes,
		FailedObjects: t.failedMoved.objects, FailedBytes: t.failedMoved.bytes,
		Errors:        l.errors(k, t),
		Service:       l.latency(t.dists[service]),
		FirstByte:     l.latency(t.dists[firstByte]),
		FailedService: l.latency(t.dists[failedService]),
	}
	if l.rate() || t.intended > 0 {
		o.Response = l.latency(t.dists[response])
		o.FailedResponse = l.latency(t.dists[failedResponse])
	}
	if ser := l.series.byKey[seriesKey{stage: k.stage, op: k.name}]; ser != nil {
		l.throughput(&o, ser.bounds(), ser.ops.Load(), ser.amounts())
	} else if w, ok := l.windows[k.stage]; ok {
		l.throughput(&o, w, 0, make([]amount, w.segments(l.segment)))
	}
	return o
}

func (s *series) bounds() bounds { return bounds{start: s.start, end: s.end} }

// throughput sets what moved inside the window and its segments.
func (l *loader) throughput(o *Op, w bounds, ops int64, cells []amount) {
	t := &Throughput{Duration: time.Duration(w.end - w.start), Ops: ops}
	for _, c := range cells {
		t.Objects += c.objects
		t.Bytes += c.bytes
	}
	o.Throughput = t
	o.Segments = rank(w, l.segment, cells)
	o.Segments.ByBytes = t.Bytes > 0
	o.Segments.order()
}

// rank lists the segments; order ranks them.
func rank(w bounds, length int64, cells []amount) *Segments {
	s := &Segments{
		Length: time.Duration(length), Count: int((w.end - w.start) / length),
		Series: make([]Segment, len(cells)), Fastest: -1, Median: -1, Slowest: -1,
	}
	for i, c := range cells {
		s.Series[i] = Segment{Start: utc(w.start + int64(i)*length), Objects: c.objects, Bytes: c.bytes}
	}
	return s
}

// order finds the fastest, median and slowest whole segment. Of equal ones
// the earliest counts as slowest or fastest.
func (s *Segments) order() {
	if s.Count == 0 {
		return
	}
	amount := func(i int) int64 {
		if s.ByBytes {
			return s.Series[i].Bytes
		}
		return s.Series[i].Objects
	}
	order := make([]int, s.Count)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(amount(a), amount(b)) })
	s.Slowest, s.Median = order[0], order[(s.Count-1)/2]
	last := order[s.Count-1]
	s.Fastest = order[slices.IndexFunc(order, func(i int) bool { return amount(i) == amount(last) })]
}

// latency turns a distribution into percentiles, nil if it is empty.
func (l *loader) latency(d *stat.Distribution) *Latency {
	if d == nil || d.Count() == 0 {
		return nil
	}
	out := &Latency{
		Count: d.Count(), Min: time.Duration(d.Min()), Mean: time.Duration(d.Mean()), Max: time.Duration(d.Max()),
		dist: d,
	}
	for _, q := range l.quantiles {
		out.Percentiles = append(out.Percentiles, Percentile{
			Quantile: q, Value: time.Duration(d.Quantile(q)), Few: q.Few(d.Count()),
		})
	}
	return out
}

// errors counts a group's failures in objects. A batch delete is one row, but
// each of its failed keys has a DELETEONE row: those count if there are any.
func (l *loader) errors(k groupKey, t *totals) Errors {
	e := Errors{Objects: t.failed, Of: t.rows, ByClass: classList(t.classes)}
	if k.level != 0 || k.name != oplog.OpDelete {
		return e
	}
	one := l.ledger.groups[groupKey{name: oplog.StepDeleteOne, stage: k.stage, phase: k.phase, level: 1}]
	if one == nil || one.failed == 0 {
		return e
	}
	done := t.moved.objects + t.failedMoved.objects
	return Errors{Objects: one.failed, Of: done + one.failed, ByClass: classList(one.classes)}
}

// classList lists classes, the most frequent first.
func classList(classes map[string]*classCount) []ClassCount {
	var list []ClassCount
	for _, name := range sortedKeys(classes) {
		c := classes[name]
		list = append(list, ClassCount{Class: name, Count: c.rows, Example: c.example})
	}
	slices.SortStableFunc(list, func(a, b ClassCount) int { return cmp.Compare(b.Count, a.Count) })
	return list
}
