// Package synth makes the records that the tests of the analysis read. A
// simulated run is a function of its seed: the same rows, byte for byte, on
// every machine. It computes the end line in the plainest possible way, so
// that it can judge the analysis.
//
// Only tests import it.
package synth

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"bench/internal/oplog"
)

// A Record is the content of a record before it is written.
type Record struct {
	Meta    oplog.Meta
	Ops     []oplog.Op
	Samples []oplog.Sample
	// End is nil if the run was killed.
	End *oplog.End
	// FrameRows is after how many rows a frame ends; 0 leaves it to the
	// writer.
	FrameRows int
}

// Epoch is when simulated runs begin.
func Epoch() time.Time { return time.Date(2026, 11, 21, 0, 31, 44, 123456789, time.UTC) }

// Encode returns the record as a file.
func (r *Record) Encode() ([]byte, error) {
	var out bytes.Buffer
	w, err := oplog.NewWriter(&out, &r.Meta)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	for i := range r.Samples {
		if err := w.Sample(&r.Samples[i]); err != nil {
			return nil, fmt.Errorf("encode record: %w", err)
		}
	}
	for i := range r.Ops {
		if err := w.Row(&r.Ops[i]); err != nil {
			return nil, fmt.Errorf("encode record: %w", err)
		}
		if r.FrameRows > 0 && i%r.FrameRows == r.FrameRows-1 {
			if err := w.Flush(); err != nil {
				return nil, fmt.Errorf("encode record: %w", err)
			}
		}
	}
	if r.End == nil {
		err = w.Flush()
	} else {
		err = w.Finish(r.End)
	}
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return out.Bytes(), nil
}

// Conclude sets the end line that a run with these operations ends with.
func (r *Record) Conclude(reason string) {
	r.End = &oplog.End{Reason: reason}
	for stage := range r.stages() {
		s := oplog.StageEnd{Index: stage, Reason: reason}
		for phase := range oplog.Phase(oplog.NumPhases) {
			var ops []*oplog.Op
			for i := range r.Ops {
				if o := &r.Ops[i]; int(o.Stage) == stage && o.Phase == phase && o.Level == 0 {
					ops = append(ops, o)
				}
			}
			if len(ops) > 0 {
				s.Phases = append(s.Phases, phaseEnd(phase, ops))
			}
		}
		r.End.Stages = append(r.End.Stages, s)
	}
}

func (r *Record) stages() int {
	n := 0
	for i := range r.Ops {
		n = max(n, int(r.Ops[i].Stage)+1)
	}
	return n
}

func phaseEnd(phase oplog.Phase, ops []*oplog.Op) oplog.PhaseEnd {
	p := oplog.PhaseEnd{
		Phase: phase.String(), FirstStartNS: math.MaxInt64, LatestFirstEndNS: -1,
		EarliestLastStartNS: math.MaxInt64, FirstIntendedNS: math.MaxInt64, LastIntendedNS: -1,
	}
	byWorker := map[uint32][]*oplog.Op{}
	for _, o := range ops {
		p.FirstStartNS = min(p.FirstStartNS, o.Start)
		p.LastEndNS = max(p.LastEndNS, o.End)
		intended := o.Start
		if o.Intended != oplog.None {
			intended = o.Intended
		}
		p.FirstIntendedNS = min(p.FirstIntendedNS, intended)
		p.LastIntendedNS = max(p.LastIntendedNS, intended)
		byWorker[o.Thread] = append(byWorker[o.Thread], o)
		count(&p, o)
	}
	for _, of := range byWorker {
		slices.SortFunc(of, func(a, b *oplog.Op) int { return int(a.Start - b.Start) })
		p.LatestFirstEndNS = max(p.LatestFirstEndNS, of[0].End)
		p.EarliestLastStartNS = min(p.EarliestLastStartNS, of[len(of)-1].Start)
	}
	p.BeginNS, p.FinishNS = p.FirstStartNS, p.LastEndNS
	elapsed := p.FinishNS - p.BeginNS
	p.UserNS, p.SystemNS = elapsed/4, elapsed/8
	return p
}

func count(p *oplog.PhaseEnd, o *oplog.Op) {
	i := slices.IndexFunc(p.Ops, func(c oplog.OpCount) bool { return c.Op == o.Name })
	if i < 0 {
		i = len(p.Ops)
		p.Ops = append(p.Ops, oplog.OpCount{Op: o.Name})
	}
	c := &p.Ops[i]
	c.Rows++
	c.Objects += o.Objects
	c.Bytes += o.Bytes
	c.Errors += int64(o.Failed)
}
