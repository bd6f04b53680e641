package engine

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"bench/internal/oplog"
)

func TestConstantRateKeepsThePlan(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(4, 10*time.Second)}
		tr.load.Rate = 100
		out := tr.run(&script{do: takes(5 * time.Millisecond)})
		rows := tr.book.rows(oplog.PhaseMeasure)
		if len(rows) != 1000 {
			t.Fatalf("got %d operations, want 1000", len(rows))
		}
		for _, op := range rows {
			if op.Start != op.Intended {
				t.Fatalf("started %v after the plan in virtual time", time.Duration(op.Start-op.Intended))
			}
		}
		if p := out.Pace; p.Planned != 1000 || p.Unsent != 0 || p.LateStore+p.LateClient != 0 {
			t.Errorf("got %+v, want 1000 planned, none late", p)
		}
	})
}

// TestStallShowsInResponseTime is the reason for the planned start: one stall
// of a second at 100 operations a second delays about a hundred others.
func TestStallShowsInResponseTime(t *testing.T) {
	virtual(t, func(t *testing.T) {
		stalled := false
		tr := trial{load: limits(1, 5*time.Second)}
		tr.load.Rate = 100
		out := tr.run(&script{do: func(ctx context.Context, op *Op) error {
			d := time.Millisecond
			if !stalled && op.Start >= int64(time.Second) {
				stalled, d = true, time.Second
			}
			return takes(d)(ctx, op)
		}})
		service, response := 0, 0
		rows := tr.book.rows(oplog.PhaseMeasure)
		for _, op := range rows {
			if op.End-op.Start > int64(10*time.Millisecond) {
				service++
			}
			if op.End-op.Intended > int64(10*time.Millisecond) {
				response++
			}
		}
		if len(rows) != 500 || service != 1 || response < 105 || response > 112 {
			t.Errorf("got %d operations, %d slow by service time, %d by response time, want 500, 1, about 110", len(rows), service, response)
		}
		if out.Pace.LateStore < 100 || out.Pace.LateClient != 0 {
			t.Errorf("got %+v, want about 110 late by the store's fault", out.Pace)
		}
		if out.Pace.MaxBacklog < 95 || out.Pace.MaxBacklog > 100 {
			t.Errorf("backlog %d, want about 99", out.Pace.MaxBacklog)
		}
	})
}

func TestUnsentIsCounted(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, poisson := range []bool{false, true} {
			tr := trial{load: limits(2, 10*time.Second)}
			tr.load.Rate, tr.load.Poisson = 100, poisson
			out := tr.run(&script{do: takes(100 * time.Millisecond)})
			rows := int64(len(tr.book.rows(oplog.PhaseMeasure)))
			if rows != 200 {
				t.Errorf("got %d operations, want 200", rows)
			}
			if p := out.Pace; p.Planned-p.Unsent != rows || !poisson && p.Planned != 1000 {
				t.Errorf("poisson %v: got %+v for %d operations", poisson, p, rows)
			}
		}
	})
}

func TestRateWithWarmupAndOps(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(4, time.Minute)}
		tr.load.Rate, tr.load.Warmup, tr.load.Ops = 50, time.Second, 75
		out := tr.run(&script{do: takes(time.Millisecond)})
		if out.Pace.Planned != 75 || out.Pace.Unsent != 0 {
			t.Errorf("got %+v, want 75 planned and none unsent", out.Pace)
		}
		if w, m := len(tr.book.rows(oplog.PhaseWarmup)), len(tr.book.rows(oplog.PhaseMeasure)); w != 50 || m != 75 {
			t.Errorf("got %d and %d operations, want 50 in the warm-up and 75 measured", w, m)
		}
	})
}

func TestLowRateStopsAtOnce(t *testing.T) {
	virtual(t, func(t *testing.T) {
		issue, stop := context.WithCancelCause(context.Background())
		time.AfterFunc(90*time.Second, func() { stop(Stop(oplog.ReasonInterrupted)) })
		tr := trial{load: limits(8, time.Hour), issue: issue}
		tr.load.Rate = 1.0 / 60
		tr.run(&script{})
		if took := time.Since(tr.began); took != 90*time.Second {
			t.Errorf("took %v to stop, want 90s", took)
		}
		if n := len(tr.book.rows(oplog.PhaseMeasure)); n != 2 {
			t.Errorf("got %d operations, want 2 (at 0 s and 60 s)", n)
		}
	})
}

// TestLowRateEndsInTime: workers that wait for their turn must not sleep for
// a start that lies behind the end.
func TestLowRateEndsInTime(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(8, 90*time.Second)}
		tr.load.Rate = 1.0 / 60
		out := tr.run(&script{})
		if took := time.Since(tr.began); took > 90*time.Second {
			t.Errorf("took %v, want at most 90s", took)
		}
		if out.Pace.Planned != 2 || out.Pace.Unsent != 0 {
			t.Errorf("got %+v, want 2 planned and none unsent", out.Pace)
		}
	})
}

func TestPoissonIsAPureFunctionOfSeed(t *testing.T) {
	load := Load{Rate: 1000, Poisson: true, Seed: 42}
	a, b := newSchedule(load), newSchedule(load)
	forward := make([]int64, 5000)
	for n := range forward {
		forward[n] = a.at(int64(n))
	}
	for n := 4999; n >= 0; n -= 7 {
		if got := b.at(int64(n)); got != forward[n] {
			t.Fatalf("operation %d is planned at %d or %d, depending on who asks when", n, got, forward[n])
		}
	}
	load.Seed = 43
	if newSchedule(load).at(4999) == forward[4999] {
		t.Error("another seed gave the same plan")
	}
}

// TestPoissonGapsAreExponential holds mean and variance of the gaps against
// those of an exponential distribution: 1/rate and 1/rate².
func TestPoissonGapsAreExponential(t *testing.T) {
	const rate, n = 1000.0, 200_000
	s := newSchedule(Load{Rate: rate, Poisson: true, Seed: 7})
	var sum, squares float64
	last := int64(0)
	for i := range int64(n) {
		at := s.at(i)
		gap := float64(at-last) / 1e9
		sum, squares, last = sum+gap, squares+gap*gap, at
	}
	mean := sum / n
	variance := squares/n - mean*mean
	if math.Abs(mean*rate-1) > 0.01 || math.Abs(variance*rate*rate-1) > 0.02 {
		t.Errorf("mean %v and variance %v of the gaps, want %v and %v", mean, variance, 1/rate, 1/rate/rate)
	}
}

func TestCountBefore(t *testing.T) {
	s := newSchedule(Load{Rate: 300, Poisson: true, Seed: 3})
	var starts []int64
	for i := range int64(3000) {
		starts = append(starts, s.at(i))
	}
	for _, from := range []int64{0, 1, 100, 1500} {
		for _, until := range []int64{0, starts[from], starts[from] + 1, starts[2000], starts[2999]} {
			want, _ := slices.BinarySearch(starts, until)
			if got := s.countBefore(from, until); got != max(0, int64(want)-from) {
				t.Errorf("countBefore(%d, %d) = %d, want %d", from, until, got, int64(want)-from)
			}
		}
	}
}
