package record_test

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"bench/internal/clock"
	"bench/internal/oplog"
	"bench/internal/record"
)

// randomRun makes rows of two stages as workers would: each worker's rows are
// in order of time, batches and steps included.
func randomRun(r *rand.Rand, workers int) [][]oplog.Op {
	out := make([][]oplog.Op, workers)
	for w := range out {
		now := r.Int64N(1000)
		if r.IntN(6) == 0 {
			continue // a worker without an operation
		}
		for stage := range 2 {
			for phase := range oplog.Phase(oplog.NumPhases) {
				for range r.IntN(40) {
					out[w] = append(out[w], randomRow(r, w, stage, phase, &now))
				}
			}
		}
	}
	return out
}

func randomRow(r *rand.Rand, w, stage int, phase oplog.Phase, now *int64) oplog.Op {
	var op oplog.Op
	op.Reset()
	op.Name = []string{oplog.OpGet, oplog.OpPut, oplog.OpDelete, oplog.OpStat}[r.IntN(4)]
	op.Stage, op.Phase, op.Thread = uint16(stage), phase, uint32(w)
	op.Start = *now + r.Int64N(100)
	op.End = op.Start + r.Int64N(500)
	*now = op.End
	op.Bytes = r.Int64N(10_000)
	if r.IntN(3) == 0 {
		op.Intended = op.Start - r.Int64N(50)
	}
	if op.Name == oplog.OpDelete {
		op.Objects = r.Int64N(100)
	}
	switch r.IntN(8) {
	case 0:
		op.Class, op.Error, op.Failed = "server", "no", 1
		if op.Name == oplog.OpDelete {
			op.Failed = 1 + r.Int32N(100)
		}
	case 1:
		op.Level, op.Name = 1, oplog.StepDeleteOne
	case 2:
		op.Error = "a failure without a class or a count"
	}
	return op
}

// sumsByHand recomputes what the end line says of one phase of one stage.
func sumsByHand(rows [][]oplog.Op, stage int, phase oplog.Phase) (oplog.PhaseEnd, bool) {
	e := oplog.PhaseEnd{
		Phase: phase.String(), BeginNS: oplog.None, FinishNS: oplog.None,
		FirstStartNS: oplog.None, LastEndNS: oplog.None, LatestFirstEndNS: oplog.None,
		EarliestLastStartNS: oplog.None, FirstIntendedNS: oplog.None, LastIntendedNS: oplog.None,
		LastStartNS: oplog.None,
	}
	var all []oplog.Op
	for _, worker := range rows {
		var own []oplog.Op
		for _, op := range worker {
			if op.Level == 0 && int(op.Stage) == stage && op.Phase == phase {
				own = append(own, op)
			}
		}
		if len(own) == 0 {
			continue
		}
		e.LatestFirstEndNS = max(e.LatestFirstEndNS, own[0].End)
		if last := own[len(own)-1].Start; e.EarliestLastStartNS == oplog.None || last < e.EarliestLastStartNS {
			e.EarliestLastStartNS = last
		}
		all = append(all, own...)
	}
	counts := map[string]*oplog.OpCount{}
	for i, op := range all {
		plan := op.Intended
		if plan == oplog.None {
			plan = op.Start
		}
		if i == 0 {
			e.FirstStartNS, e.FirstIntendedNS = op.Start, plan
		}
		e.FirstStartNS, e.LastEndNS = min(e.FirstStartNS, op.Start), max(e.LastEndNS, op.End)
		e.FirstIntendedNS, e.LastIntendedNS = min(e.FirstIntendedNS, plan), max(e.LastIntendedNS, plan)
		e.LastStartNS = max(e.LastStartNS, op.Start)
		c := counts[op.Name]
		if c == nil {
			c = &oplog.OpCount{Op: op.Name}
			counts[op.Name] = c
		}
		c.Rows++
		c.Objects += op.Objects
		c.Bytes += op.Bytes
		if !op.OK() {
			c.Errors += int64(max(op.Failed, 1))
		}
	}
	for _, c := range counts {
		e.Ops = append(e.Ops, *c)
	}
	slices.SortFunc(e.Ops, func(a, b oplog.OpCount) int { return cmp.Compare(a.Op, b.Op) })
	return e, len(all) > 0
}

// TestEndSums recomputes the end line from the rows.
func TestEndSums(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		workers := 1 + r.IntN(6)
		rows := randomRun(r, workers)
		var sink memory
		rec := record.New(clock.New(), &sink, nil, workers)
		for w := range rows {
			for i := range rows[w] {
				rec.Shard(w).Put(&rows[w][i])
			}
		}
		given := []oplog.StageEnd{{Index: 0, Reason: oplog.ReasonDone}, {Index: 1, Reason: oplog.ReasonExhausted}}
		if err := rec.Close(&oplog.End{Stages: given}); err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(given)
		for stage := range want {
			for phase := range oplog.Phase(oplog.NumPhases) {
				if e, ok := sumsByHand(rows, stage, phase); ok {
					want[stage].Phases = append(want[stage].Phases, e)
				}
			}
		}
		if got := sink.end.Stages; !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\ngot  %+v\nwant %+v", seed, got, want)
		}
	}
}

// TestBorders checks begin, finish, reason, pace and CPU of phases.
func TestBorders(t *testing.T) {
	t.Parallel()
	var sink memory
	rec := record.New(clock.New(), &sink, nil, 1)
	pace := &oplog.PaceEnd{Planned: 3}
	rec.BeginPhase(record.Border{Stage: 1, Phase: oplog.PhaseMeasure, AtNS: 5, UserNS: 100, SystemNS: 10})
	op := row(0, 7)
	op.Stage = 1
	rec.Shard(0).Put(&op)
	rec.FinishPhase(record.Border{
		Stage: 1, Phase: oplog.PhaseMeasure, AtNS: 9, UserNS: 130, SystemNS: 14, Reason: oplog.ReasonErrors, Pace: pace,
	})
	if err := rec.Close(&oplog.End{}); err != nil {
		t.Fatal(err)
	}
	want := []oplog.StageEnd{{Index: 1, Reason: oplog.ReasonErrors, Phases: []oplog.PhaseEnd{{
		Phase: "measure", Ops: []oplog.OpCount{{Op: oplog.OpPut, Rows: 1, Objects: 1}},
		BeginNS: 5, FinishNS: 9, FirstStartNS: 7, LastEndNS: 8, LatestFirstEndNS: 8, EarliestLastStartNS: 7,
		FirstIntendedNS: 7, LastIntendedNS: 7, LastStartNS: 7, UserNS: 30, SystemNS: 4, Pace: pace,
	}}}}
	if !reflect.DeepEqual(sink.end.Stages, want) {
		t.Errorf("got  %+v\nwant %+v", sink.end.Stages, want)
	}
}

// TestPhaseThatWasCutShort checks that a phase of which one border is missing,
// as when a run is interrupted during its warm-up, shows no CPU at all.
func TestPhaseThatWasCutShort(t *testing.T) {
	t.Parallel()
	var sink memory
	rec := record.New(clock.New(), &sink, nil, 1)
	rec.BeginPhase(record.Border{Phase: oplog.PhaseWarmup, AtNS: 5, UserNS: 100, SystemNS: 10})
	rec.FinishPhase(record.Border{Phase: oplog.PhaseMeasure, AtNS: 9, UserNS: 130, SystemNS: 14})
	if err := rec.Close(&oplog.End{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range sink.end.Stages[0].Phases {
		if p.UserNS != 0 || p.SystemNS != 0 {
			t.Errorf("phase %s from %d to %d: got CPU %d user, %d system, want none", p.Phase, p.BeginNS, p.FinishNS, p.UserNS, p.SystemNS)
		}
	}
}
