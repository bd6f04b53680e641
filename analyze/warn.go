package analyze

import (
	"fmt"
	"time"

	"bench/internal/oplog"
)

const (
	// stallShare is the part of all worker time that waiting for the
	// recorder may take unmentioned.
	stallShare = 0.001
	// lateShare is the part of planned operations that may start late for
	// the client's own reasons unmentioned.
	lateShare = 0.01
	// fewSegments is how many whole segments a spread should rest on.
	fewSegments = 3
)

// warnings are about the run as a whole.
func (l *loader) warnings(a *Analysis) []string {
	var w []string
	for i := range a.Records {
		w = append(w, l.recordWarnings(&a.Records[i], i)...)
	}
	for i := range l.files {
		w = append(w, l.countWarnings(i)...)
	}
	return w
}

func (l *loader) recordWarnings(r *Record, i int) []string {
	var w []string
	add := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	switch {
	case r.Err != nil:
		add("%s is damaged: only the %d rows before the damage are counted", r.Name, r.Rows)
	case !r.Complete && r.SkippedBytes > 0:
		add("%s is incomplete: it ends without its last line, and its last %d bytes were left out", r.Name, r.SkippedBytes)
	case !r.Complete:
		add("%s is incomplete: it ends without its last line", r.Name)
	}
	end := l.scans[i].End
	switch r.Reason {
	case oplog.ReasonInterrupted:
		add("the run was interrupted")
	case oplog.ReasonErrors:
		add("the run was stopped because too many operations failed")
	case oplog.ReasonDiskFull:
		add("the run was ended before the disk was full")
	}
	if end != nil && end.Abandoned > 0 {
		add("%d operations were still running when the run was ended by force; they are not counted", end.Abandoned)
	}
	if share, ok := l.stall(i); ok && share > stallShare {
		add("workers waited for the recorder for %.2g %% of their time", 100*share)
	}
	return w
}

// stall returns the part of all worker time that was spent waiting for the
// recorder.
func (l *loader) stall(i int) (float64, bool) {
	stalled, elapsed := int64(0), int64(0)
	if end := l.scans[i].End; end != nil {
		stalled = end.StallNS
		for _, s := range end.Stages {
			for _, p := range s.Phases {
				elapsed += max(p.FinishNS-p.BeginNS, 0)
			}
		}
	} else if n := len(l.scans[i].samples); n > 0 {
		for _, s := range l.scans[i].samples {
			stalled, elapsed = max(stalled, s.StallNS), max(elapsed, s.AtNS)
		}
	}
	workers := l.files[i].Meta.Workers
	if elapsed == 0 || workers <= 0 {
		return 0, false
	}
	return float64(stalled) / float64(elapsed) / float64(workers), true
}

// countWarnings compares the end lines' counts with the rows, where one
// record has all the rows.
func (l *loader) countWarnings(i int) []string {
	if len(l.files) > 1 || l.scans[i].End == nil || l.scans[i].err != nil {
		return nil
	}
	for _, s := range l.scans[i].End.Stages {
		for _, p := range s.Phases {
			phase, ok := oplog.ParsePhase(p.Phase)
			for _, o := range p.Ops {
				if !ok || !l.agrees(groupKey{name: o.Op, stage: uint16(s.Index), phase: phase}, &o) {
					return []string{fmt.Sprintf("the record's end line disagrees with its rows about %s in phase %s of stage %d; the rows are reported",
						o.Op, p.Phase, s.Index)}
				}
			}
		}
	}
	return nil
}

func (l *loader) agrees(k groupKey, o *oplog.OpCount) bool {
	t := l.ledger.groups[k]
	if t == nil {
		return o.Rows == 0
	}
	return o.Rows == t.rows && o.Objects == t.moved.objects+t.failedMoved.objects &&
		o.Bytes == t.moved.bytes+t.failedMoved.bytes
}

// stageWarnings are about one stage.
func (l *loader) stageWarnings(s *Stage) []string {
	var w []string
	add := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if len(s.Ops) == 0 {
		return []string{"no operation was measured"}
	}
	w = append(w, windowWarnings(s)...)
	for i := range s.Ops {
		o := &s.Ops[i]
		if o.Failed == o.Count {
			add("every %s failed", o.Name)
		}
		if n := l.oddFirstBytes(s.Index, o.Name); n > 0 {
			add("%d rows of %s have a first byte before their start or after their end; it is left out", n, o.Name)
		}
	}
	if s.CPU != nil && s.CPU.ClientBound {
		add("client-bound: this client used more than %d %% of its processors, so the store may be faster than shown", int(100*boundShare))
	}
	return append(w, paceWarnings(s.Pace)...)
}

func windowWarnings(s *Stage) []string {
	op := &s.Ops[0]
	switch {
	case op.Throughput == nil:
		return []string{"the measured operations took no time at all: there is no throughput"}
	case s.Window.Fallback:
		return []string{"no moment had all workers at work between their first and last operation: throughput is over the whole phase"}
	case op.Segments.Count < fewSegments:
		return []string{fmt.Sprintf("too few samples for fastest and slowest: the window of %s holds %s of %s",
			round(s.Window.Duration()), plural(op.Segments.Count, "whole segment"), op.Segments.Length)}
	}
	return nil
}

// round keeps what tells one window from another.
func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Microsecond)
	}
	return d.Round(time.Millisecond)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (l *loader) oddFirstBytes(stage int, name string) int64 {
	t := l.ledger.groups[groupKey{name: name, stage: uint16(stage), phase: oplog.PhaseMeasure}]
	if t == nil {
		return 0
	}
	return t.oddFirstBytes
}

func paceWarnings(p *Pace) []string {
	if p == nil {
		return nil
	}
	var w []string
	if p.Unsent > 0 {
		w = append(w, fmt.Sprintf("backlog: %d of %d planned operations were never sent, the rate was too high for the store or the workers",
			p.Unsent, p.Planned))
	}
	if float64(p.LateClient) > lateShare*float64(p.Planned) {
		w = append(w, fmt.Sprintf("this client started %d of %d operations late although a worker was idle", p.LateClient, p.Planned))
	}
	return w
}
