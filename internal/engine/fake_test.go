package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bench/internal/clock"
	"bench/internal/oplog"
)

var errStore = errors.New("store said no")

// book is a recorder that keeps every row.
type book struct {
	mu  sync.Mutex
	ops []oplog.Op
}

func (b *book) Put(op *oplog.Op) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ops = append(b.ops, *op)
}

// rows returns the level-0 rows of a phase.
func (b *book) rows(phase oplog.Phase) []oplog.Op {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []oplog.Op
	for _, op := range b.ops {
		if op.Level == 0 && op.Phase == phase {
			out = append(out, op)
		}
	}
	return out
}

// steps returns the level-1 rows of a name.
func (b *book) steps(name string) []oplog.Op {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []oplog.Op
	for _, op := range b.ops {
		if op.Level == 1 && op.Name == name {
			out = append(out, op)
		}
	}
	return out
}

// script is a worker whose behaviour is written in functions; nil ones are
// harmless.
type script struct {
	next   func(op *Op) Verdict
	do     func(ctx context.Context, op *Op) error
	settle func(op *Op, err error)
}

func (s *script) Next(op *Op) Verdict {
	op.Name = oplog.OpPut
	if s.next == nil {
		return Ready
	}
	return s.next(op)
}

func (s *script) Do(ctx context.Context, op *Op) error {
	if s.do == nil {
		return nil
	}
	return s.do(ctx, op)
}

func (s *script) Settle(op *Op, err error) {
	if s.settle != nil {
		s.settle(op, err)
	}
}

// takes returns a Do that lasts d and ends early with the context.
func takes(d time.Duration) func(context.Context, *Op) error {
	return func(ctx context.Context, _ *Op) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func classify(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return oplog.ClassCanceled
	case errors.Is(err, errStore):
		return "server"
	}
	return "other"
}

// trial runs one load in virtual time.
type trial struct {
	load   Load
	issue  context.Context
	flight context.Context
	book   book
	began  time.Time
}

// run executes the load inside a bubble. Workers share one script unless the
// load makes its own.
func (tr *trial) run(s *script) Outcome {
	if tr.load.NewWorker == nil {
		tr.load.NewWorker = func(int) Worker { return s }
	}
	if tr.issue == nil {
		tr.issue = context.Background()
	}
	if tr.flight == nil {
		tr.flight = context.Background()
	}
	if tr.load.Phase == 0 {
		tr.load.Phase = oplog.PhaseMeasure
	}
	tr.began = time.Now()
	return Run(tr.issue, tr.flight, tr.load, Env{
		Clock: clock.New(), Classify: classify,
		Recorder: func(int) Recorder { return &tr.book },
	})
}

// limits returns a load with no limit but those of the fields it is changed
// in.
func limits(workers int, d time.Duration) Load {
	return Load{Workers: workers, Duration: d, MaxErrors: -1, MaxErrorRate: -1, Timeout: time.Minute, Grace: 30 * time.Second}
}

// virtual runs f in a bubble of virtual time.
func virtual(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
