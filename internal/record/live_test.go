package record_test

import (
	"testing"
	"time"

	"bench/internal/clock"
	"bench/internal/oplog"
	"bench/internal/record"
)

// TestLive checks the figures of intervals.
func TestLive(t *testing.T) {
	t.Parallel()
	check := func(name string, ops []oplog.Op, want record.Interval) {
		t.Helper()
		rec := record.New(clock.New(), &memory{}, nil, 1)
		if got := rec.Live().Take(); got != (record.Interval{}) {
			t.Errorf("%s: got %+v before any row", name, got)
		}
		rec.Live().Show(0, oplog.PhaseMeasure)
		for i := range ops {
			rec.Shard(0).Put(&ops[i])
		}
		if err := rec.Close(&oplog.End{}); err != nil {
			t.Fatal(err)
		}
		got := rec.Live().Take()
		if p := got.P99; p < want.Min || p > want.Max {
			t.Errorf("%s: got p99 %v, want %v to %v", name, p, want.Min, want.Max)
		}
		got.P99 = 0
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if got := rec.Live().Take(); got != (record.Interval{}) {
			t.Errorf("%s: got %+v in the next interval", name, got)
		}
	}
	took := func(d time.Duration, bytes int64) oplog.Op {
		op := row(0, 0)
		op.End, op.Bytes = op.Start+int64(d), bytes
		return op
	}
	failed, batch, step := took(time.Hour, 1), took(time.Hour, 0), took(time.Hour, 1)
	failed.Class, failed.Failed, failed.Objects, failed.Bytes = "server", 1, 0, 0
	batch.Class, batch.Failed, batch.Objects = "server", 3, 97
	step.Level = 1
	check("no rows", nil, record.Interval{})
	check("one", []oplog.Op{took(time.Second, 5)}, record.Interval{
		Ops: 1, Objects: 1, Bytes: 5, Min: time.Second, Max: time.Second, Sum: time.Second,
	})
	check("failures, batches and steps", []oplog.Op{took(2, 1), failed, took(8, 2), batch, step}, record.Interval{
		Ops: 2, Objects: 99, Bytes: 3, Errors: 4, Min: 2, Max: 8, Sum: 10,
	})
	aside := took(time.Hour, 1)
	aside.Phase = oplog.PhaseCleanup
	check("housekeeping", []oplog.Op{aside, took(4, 1)}, record.Interval{Ops: 1, Objects: 1, Bytes: 1, Min: 4, Max: 4, Sum: 4})
	late, warm := took(time.Hour, 1), took(4, 1)
	late.Phase, warm.Phase = oplog.PhasePrepare, oplog.PhaseWarmup
	check("late rows of another phase", []oplog.Op{late, warm}, record.Interval{
		Ops: 1, Objects: 1, Bytes: 1, Min: 4, Max: 4, Sum: 4, Warmup: true,
	})
	check("longer than the histogram", []oplog.Op{took(0, 0), took(3*time.Hour, 0)}, record.Interval{
		Ops: 2, Objects: 2, Max: 3 * time.Hour, Sum: 3 * time.Hour,
	})
}

func TestAverage(t *testing.T) {
	t.Parallel()
	if got := (record.Interval{}).Avg(); got != 0 {
		t.Errorf("no operations: got %v", got)
	}
	if got := (record.Interval{Ops: 4, Sum: 10}).Avg(); got != 2 {
		t.Errorf("10 ns in 4 operations: got %v, want 2ns", got)
	}
}

// TestShow checks that only operations of the phase that is shown count:
// deletes of housekeeping are no operations of the measurement.
func TestShow(t *testing.T) {
	t.Parallel()
	for _, shown := range []oplog.Phase{oplog.PhaseMeasure, oplog.PhaseCleanup} {
		rec := record.New(clock.New(), &memory{}, nil, 1)
		rec.Live().Show(0, shown)
		for _, phase := range []oplog.Phase{oplog.PhaseMeasure, oplog.PhaseCleanup} {
			op := row(0, 0)
			op.Phase = phase
			rec.Shard(0).Put(&op)
		}
		if err := rec.Close(&oplog.End{}); err != nil {
			t.Fatal(err)
		}
		if got := rec.Live().Take().Ops; got != 1 {
			t.Errorf("showing %v: got %d operations, want 1", shown, got)
		}
	}
}
