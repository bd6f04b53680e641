package engine

import (
	"context"
	"time"

	"bench/internal/oplog"
)

// Backoff between tries doubles from firstBackoff and is cut at maxBackoff.
const (
	firstBackoff = 50 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// retry tries a failed operation again, visibly: every try becomes a TRY row.
// It returns the last try's error. The operation's timeout spans all tries.
func (w *worker) retry(err error) error {
	began, ctx := w.op.Start, w.guard.Load().ctx
	for try := 1; ; try++ {
		again := err != nil && try <= w.run.load.Retries && retryable(w.run.env.Classify(err)) && ctx.Err() == nil
		if again || try > 1 {
			w.recordTry(began, err)
		}
		if !again || !w.backoff(ctx, try) {
			return err
		}
		w.op.again(try + 1)
		began = w.run.env.Clock.Now()
		err = w.impl.Do(ctx, &w.op)
	}
}

// retryable reports whether another try could end differently.
func retryable(class string) bool {
	switch class {
	case "throttled", "server", "network", "truncated", oplog.ClassTimeout:
		return true
	}
	return false
}

// again forgets what the failed try moved.
func (o *Op) again(try int) {
	o.Tries = int32(try)
	o.FirstByte, o.LastByte = oplog.None, oplog.None
	o.Bytes, o.Objects, o.Failed = 0, 1, 0
}

func (w *worker) recordTry(began int64, err error) {
	var s oplog.Op
	s.Reset()
	s.Name, s.Key, s.Tries = oplog.StepTry, w.op.Key, w.op.Tries
	s.Start, s.End = began, w.run.env.Clock.Now()
	s.FirstByte, s.LastByte = w.op.FirstByte, w.op.LastByte
	s.Bytes, s.Objects = w.op.Bytes, w.op.Objects
	s.Attempts, s.Status = w.op.Attempts, w.op.Status
	if err != nil {
		s.Class, s.Error = w.run.env.Classify(err), bound(err.Error())
	}
	w.op.recordStep(&s)
}

// backoff waits before the next try; half of the wait is random so that
// workers do not return together. It reports false when the operation was
// aborted meanwhile or the run is over.
func (w *worker) backoff(ctx context.Context, try int) bool {
	d := min(firstBackoff<<min(try-1, 20), maxBackoff)
	d = d/2 + time.Duration(w.rng.Int64N(int64(d/2)))
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return !w.run.stop.Load()
	case <-ctx.Done():
		return false
	}
}
