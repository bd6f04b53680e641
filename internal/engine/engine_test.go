package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bench/internal/oplog"
)

func TestClosedLoopStopsAtDeadline(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(2, 10*time.Second)}
		out := tr.run(&script{do: takes(30 * time.Millisecond)})
		rows := tr.book.rows(oplog.PhaseMeasure)
		if got, want := len(rows), 2*334; got != want {
			t.Errorf("got %d operations of 30 ms by 2 workers in 10 s, want %d", got, want)
		}
		if out.Reason != oplog.ReasonDone {
			t.Errorf("reason %q, want done", out.Reason)
		}
		for _, op := range rows {
			if op.Start >= int64(10*time.Second) {
				t.Fatalf("an operation started %v after the deadline", time.Duration(op.Start)-10*time.Second)
			}
			if op.End-op.Start != int64(30*time.Millisecond) {
				t.Fatalf("duration %v, want 30ms", time.Duration(op.End-op.Start))
			}
		}
	})
}

func TestRowsNameTheirWorker(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(3, time.Second)}
		tr.run(&script{do: func(ctx context.Context, op *Op) error {
			s := op.Begin(oplog.StepSync)
			defer op.Finish(&s, "", "")
			return takes(100*time.Millisecond)(ctx, op)
		}})
		for _, rows := range [][]oplog.Op{tr.book.rows(oplog.PhaseMeasure), tr.book.steps(oplog.StepSync)} {
			count := map[uint32]int{}
			for _, op := range rows {
				count[op.Thread]++
			}
			if len(count) != 3 || count[0] != 10 || count[1] != 10 || count[2] != 10 {
				t.Errorf("got rows by worker %v, want 10 of each of 3", count)
			}
		}
	})
}

func TestOpsLimitIsExact(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, workers := range []int{1, 7, 64} {
			tr := trial{load: limits(workers, 0)}
			tr.load.Ops = 1000
			tr.run(&script{do: takes(time.Millisecond)})
			if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 1000 {
				t.Errorf("%d workers: got %d operations, want 1000", workers, got)
			}
		}
	})
}

func TestMinOpsHoldsTheRunOpen(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(4, time.Second)}
		tr.load.MinOps = 100
		tr.run(&script{do: takes(100 * time.Millisecond)})
		if got := len(tr.book.rows(oplog.PhaseMeasure)); got < 100 || got > 103 {
			t.Errorf("got %d operations, want 100 to 103", got)
		}
	})
}

func TestWarmupIsLabelledAndNotCounted(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, 2*time.Second)}
		tr.load.Warmup = time.Second
		tr.load.MaxErrors = 1000
		tr.load.Ops = 10
		out := tr.run(&script{do: takes(100 * time.Millisecond)})
		if got := len(tr.book.rows(oplog.PhaseWarmup)); got != 10 {
			t.Errorf("got %d warm-up operations, want 10", got)
		}
		if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 10 {
			t.Errorf("got %d measured operations, want 10", got)
		}
		if out.Tried != 10 {
			t.Errorf("tried %d, want 10", out.Tried)
		}
	})
}

func TestExhaustionEndsTheRun(t *testing.T) {
	for _, rate := range []float64{0, 2} {
		virtual(t, func(t *testing.T) {
			left := 5
			tr := trial{load: limits(1, time.Hour)}
			tr.load.Rate = rate
			out := tr.run(&script{next: func(*Op) Verdict {
				if left == 0 {
					return Exhausted
				}
				left--
				return Ready
			}})
			if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 5 {
				t.Errorf("rate %v: got %d operations, want 5", rate, got)
			}
			if out.Reason != oplog.ReasonExhausted {
				t.Errorf("rate %v: reason %q, want exhausted", rate, out.Reason)
			}
		})
	}
}

func TestWaitDoesNotSpin(t *testing.T) {
	virtual(t, func(t *testing.T) {
		asked := 0
		tr := trial{load: limits(1, time.Second)}
		tr.run(&script{next: func(*Op) Verdict { asked++; return Wait }})
		if asked < 900 || asked > 1001 {
			t.Errorf("asked %d times in 1 s, want about once a millisecond", asked)
		}
	})
}

func TestAsideCountsForNothing(t *testing.T) {
	virtual(t, func(t *testing.T) {
		n := 0
		tr := trial{load: limits(1, 0)}
		tr.load.Ops = 10
		tr.run(&script{next: func(op *Op) Verdict {
			n++
			op.Aside = n%2 == 0
			return Ready
		}})
		if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 10 {
			t.Errorf("got %d measured operations, want 10", got)
		}
		if got := len(tr.book.rows(oplog.PhaseCleanup)); got < 9 {
			t.Errorf("got %d operations aside, want at least 9", got)
		}
	})
}

func TestMaxErrorsStops(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, time.Hour)}
		tr.load.MaxErrors = 3
		out := tr.run(&script{do: func(context.Context, *Op) error {
			time.Sleep(time.Millisecond)
			return errStore
		}})
		if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 4 {
			t.Errorf("got %d operations, want 4: the run stops at more than 3 failures", got)
		}
		if out.Reason != oplog.ReasonErrors || out.Failed != 4 {
			t.Errorf("got reason %q and %d failures, want errors and 4", out.Reason, out.Failed)
		}
	})
}

func TestMaxErrorRateNeedsAHundred(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, time.Hour)}
		tr.load.MaxErrorRate = 0.01
		n := 0
		out := tr.run(&script{do: func(context.Context, *Op) error {
			time.Sleep(time.Millisecond)
			if n++; n%20 == 0 {
				return errStore
			}
			return nil
		}})
		if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 100 {
			t.Errorf("got %d operations at 5 %% failures, want 100", got)
		}
		if out.Reason != oplog.ReasonErrors {
			t.Errorf("reason %q, want errors", out.Reason)
		}
	})
}

func TestBatchesCountInObjects(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, time.Hour)}
		tr.load.MaxErrorRate = 0.02
		out := tr.run(&script{
			next: func(op *Op) Verdict { op.Name = oplog.OpDelete; return Ready },
			do: func(_ context.Context, op *Op) error {
				time.Sleep(time.Millisecond)
				op.Objects, op.Failed = 97, 3
				return errStore
			},
		})
		if out.Tried != 100 || out.Failed != 3 {
			t.Errorf("tried %d and failed %d, want 100 and 3", out.Tried, out.Failed)
		}
	})
}

func TestTimeoutCancelsOnlyTheOverdue(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(2, 0)}
		tr.load.Timeout = time.Second
		tr.load.NewWorker = func(i int) Worker {
			n := 0
			return &script{
				next: func(*Op) Verdict {
					if n++; n > 3 {
						return Complete
					}
					return Ready
				},
				do: func(ctx context.Context, op *Op) error {
					d := 900 * time.Millisecond
					if i == 0 && n == 2 {
						d = time.Hour
					}
					return takes(d)(ctx, op)
				},
			}
		}
		tr.run(nil)
		rows := tr.book.rows(oplog.PhaseMeasure)
		var failed []oplog.Op
		for _, op := range rows {
			if !op.OK() {
				failed = append(failed, op)
			}
		}
		if len(rows) != 6 || len(failed) != 1 {
			t.Fatalf("got %d operations with %d failures, want 6 with 1", len(rows), len(failed))
		}
		if op := failed[0]; op.Class != oplog.ClassTimeout || op.End-op.Start != int64(time.Second) {
			t.Errorf("got class %q after %v, want timeout after 1s", op.Class, time.Duration(op.End-op.Start))
		}
	})
}

func TestRetriesAreVisible(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, 0)}
		tr.load.Ops, tr.load.Retries = 1, 3
		out := tr.run(&script{do: func(_ context.Context, op *Op) error {
			time.Sleep(10 * time.Millisecond)
			if op.Tries < 3 {
				return errStore
			}
			op.Bytes = 7
			return nil
		}})
		op := tr.book.rows(oplog.PhaseMeasure)[0]
		if !op.OK() || op.Tries != 3 || op.Bytes != 7 {
			t.Errorf("got tries %d, class %q, bytes %d, want 3 tries that end well", op.Tries, op.Class, op.Bytes)
		}
		tries := tr.book.steps(oplog.StepTry)
		if len(tries) != 3 || tries[0].Class != "server" || tries[2].Class != "" {
			t.Errorf("got %d TRY rows %+v, want 3: two failed, one good", len(tries), tries)
		}
		if op.End-op.Start < int64(30*time.Millisecond+firstBackoff/2*3) {
			t.Errorf("service time %v leaves out the tries", time.Duration(op.End-op.Start))
		}
		if out.Failed != 0 {
			t.Errorf("%d failures, want none", out.Failed)
		}
	})
}

func TestRetriesGiveUp(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, 0)}
		tr.load.Ops, tr.load.Retries = 1, 2
		tr.run(&script{do: func(context.Context, *Op) error { return errStore }})
		op := tr.book.rows(oplog.PhaseMeasure)[0]
		if op.Tries != 3 || op.Class != "server" {
			t.Errorf("got %d tries, class %q, want 3 and server", op.Tries, op.Class)
		}
		if n := len(tr.book.steps(oplog.StepTry)); n != 3 {
			t.Errorf("got %d TRY rows, want 3", n)
		}
	})
}

func TestIssueDrainsAndFlightAborts(t *testing.T) {
	cases := []struct {
		name         string
		takes, grace time.Duration
		flightAfter  time.Duration
		wantEnd      time.Duration
		wantClass    string
	}{
		{"drains", 8 * time.Second, 30 * time.Second, time.Hour, 8 * time.Second, ""},
		{"grace runs out", time.Hour, 10 * time.Second, time.Hour, 15 * time.Second, oplog.ClassCanceled},
		{"second signal", time.Hour, 30 * time.Second, 7 * time.Second, 7 * time.Second, oplog.ClassCanceled},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				issue, stop := context.WithCancelCause(context.Background())
				flight, abort := context.WithCancel(context.Background())
				defer abort()
				defer time.AfterFunc(5*time.Second, func() { stop(Stop(oplog.ReasonInterrupted)) }).Stop()
				defer time.AfterFunc(c.flightAfter, abort).Stop()
				tr := trial{load: limits(3, time.Hour), issue: issue, flight: flight}
				tr.load.Timeout, tr.load.Grace = 2*time.Hour, c.grace
				out := tr.run(&script{do: takes(c.takes)})
				rows := tr.book.rows(oplog.PhaseMeasure)
				if len(rows) != 3 {
					t.Fatalf("got %d operations, want 3", len(rows))
				}
				for _, op := range rows {
					if op.Class != c.wantClass || op.End != int64(c.wantEnd) {
						t.Errorf("got class %q at %v, want %q at %v", op.Class, time.Duration(op.End), c.wantClass, c.wantEnd)
					}
				}
				if out.Reason != oplog.ReasonInterrupted && c.name != "second signal" {
					t.Errorf("reason %q, want interrupted", out.Reason)
				}
			})
		})
	}
}

func TestHungWorkerIsAbandoned(t *testing.T) {
	virtual(t, func(t *testing.T) {
		free := make(chan struct{})
		flight, abort := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, abort)
		tr := trial{load: limits(2, time.Hour), flight: flight}
		tr.load.NewWorker = func(i int) Worker {
			if i == 0 {
				return &script{do: func(context.Context, *Op) error { <-free; return nil }}
			}
			return &script{do: takes(10 * time.Millisecond)}
		}
		out := tr.run(nil)
		if out.Abandoned != 1 {
			t.Errorf("abandoned %d, want 1", out.Abandoned)
		}
		if took := time.Since(tr.began); took != time.Second+hang {
			t.Errorf("took %v, want %v", took, time.Second+hang)
		}
		before := len(tr.book.rows(oplog.PhaseMeasure))
		close(free)
		synctest.Wait()
		if late := len(tr.book.rows(oplog.PhaseMeasure)) - before; late != 0 {
			t.Errorf("the abandoned worker wrote %d rows after Run had returned", late)
		}
	})
}

func TestSentAndReceivedAreStamped(t *testing.T) {
	virtual(t, func(t *testing.T) {
		tr := trial{load: limits(1, 0)}
		tr.load.Ops = 1
		tr.run(&script{do: func(_ context.Context, op *Op) error {
			for range 3 {
				time.Sleep(time.Millisecond)
				op.Received()
			}
			s := op.Begin(oplog.StepSync)
			time.Sleep(time.Millisecond)
			op.Finish(&s, "", "")
			return nil
		}})
		op := tr.book.rows(oplog.PhaseMeasure)[0]
		if op.FirstByte != int64(time.Millisecond) || op.LastByte != int64(3*time.Millisecond) || op.End != int64(4*time.Millisecond) {
			t.Errorf("got first %d last %d end %d", op.FirstByte, op.LastByte, op.End)
		}
		if s := tr.book.steps(oplog.StepSync); len(s) != 1 || s[0].End-s[0].Start != int64(time.Millisecond) {
			t.Errorf("got steps %+v, want one of 1 ms", s)
		}
	})
}
