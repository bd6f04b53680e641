package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"bench/internal/oplog"
)

// maxErrorText bounds the error column.
const maxErrorText = 256

// idleWait is how long a worker rests when its workload says Wait.
const idleWait = time.Millisecond

// worker is one goroutine of a run. Fields above inFlight are its own.
type worker struct {
	run   *run
	impl  Worker
	rec   Recorder
	op    Op
	id    uint32
	rng   *rand.Rand
	last  int64 // the latest stamp, so that a limit costs no clock read
	units int64
	// punctual tells that the operation was taken before it was due, or late
	// although a worker was idle.
	punctual bool

	// inFlight is 0 while idle, else start+1 of the running operation; the
	// watchdog negates it when it cancels the operation, and Run makes it
	// abandoned when it stops waiting for the worker.
	inFlight atomic.Int64
	// exited is set when the loop has ended.
	exited atomic.Bool
	// guard is the context of this worker's operations. It serves all of
	// them until one has to be cancelled.
	guard atomic.Pointer[guard]
	// tried publishes units to the error-rate check of other workers.
	tried atomic.Int64
	_     [64]byte
}

type guard struct {
	ctx    context.Context //nolint:containedctx // it outlives single calls on purpose
	cancel context.CancelCauseFunc
}

func newGuard(flight context.Context) *guard {
	ctx, cancel := context.WithCancelCause(flight)
	return &guard{ctx: ctx, cancel: cancel}
}

// loop is the one loop: every operation of every workload goes through it.
func (w *worker) loop() {
	defer func() {
		w.guard.Load().cancel(nil)
		w.exited.Store(true)
	}()
	for {
		intended, ok := w.run.claim(w)
		if !ok {
			return
		}
		if !w.choose(intended) {
			w.run.unclaim()
			return
		}
		if intended != oplog.None {
			w.run.env.LastStretch(w.run.env.Clock, intended)
		}
		if !w.perform() {
			return
		}
	}
}

// choose asks the workload until an operation is ready, and performs the
// housekeeping it asks for first. It reports false when the worker is to
// stop.
func (w *worker) choose(intended int64) bool {
	for {
		w.op.prepare(w, intended)
		switch verdict := w.impl.Next(&w.op); verdict {
		case Ready:
			if !w.op.Aside {
				return true
			}
			w.op.Intended = oplog.None
			if !w.perform() {
				return false
			}
		case Wait:
			time.Sleep(idleWait)
			w.last = w.run.env.Clock.Now()
		case Complete, Exhausted:
			w.run.ranOut(verdict)
			return false
		}
		if w.run.over(w.last) {
			return false
		}
	}
}

func (o *Op) prepare(w *worker, intended int64) {
	o.Reset()
	o.Aside = false
	o.Thread = w.id
	o.Stage = uint16(w.run.load.Stage)
	o.Intended = intended
}

// abandoned marks an operation that Run has stopped waiting for. Its worker
// must not touch the record any more: others may use its place there.
const abandoned = math.MinInt64

// perform runs, stamps and records one operation. It reports false when
// nobody waits for the outcome any more.
func (w *worker) perform() bool {
	op := &w.op
	op.Start = w.run.env.Clock.Now()
	op.Phase = w.run.phaseOf(op)
	if op.Intended != oplog.None {
		w.run.pace.note(w, op.Start-op.Intended)
	}
	w.inFlight.Store(op.Start + 1)
	err := w.impl.Do(w.guard.Load().ctx, op)
	if err != nil && w.run.load.Retries > 0 {
		err = w.retry(err)
	}
	op.End = w.run.env.Clock.Now()
	w.last = op.End
	mark := w.inFlight.Swap(0)
	if mark == abandoned {
		return false
	}
	overdue := mark < 0
	if overdue {
		w.guard.Store(newGuard(w.run.flight))
	}
	if err != nil {
		w.fail(err, overdue)
	}
	w.rec.Put(&op.Op)
	w.impl.Settle(op, err)
	w.count(err)
	return true
}

// fail writes the error into the operation. An operation the watchdog ended
// is a timeout, whatever the store made of the cancellation.
func (w *worker) fail(err error, overdue bool) {
	class, text := w.run.env.Classify(err), err.Error()
	if overdue {
		class = oplog.ClassTimeout
		text = "no answer within " + w.run.load.Timeout.String() + ": " + text
	}
	w.op.Class, w.op.Error = class, bound(text)
	if w.op.Failed == 0 {
		w.op.Failed = 1
	}
}

func bound(s string) string {
	if len(s) > maxErrorText {
		return s[:maxErrorText]
	}
	return s
}

// count publishes what was tried and applies the error limits.
func (w *worker) count(err error) {
	if w.op.Aside || w.op.Phase == oplog.PhaseWarmup {
		return
	}
	w.units += w.unitsOf()
	w.tried.Store(w.units)
	if err != nil {
		w.run.failed(int64(w.op.Failed))
	}
}

// unitsOf counts a batch in objects and anything else as one.
func (w *worker) unitsOf() int64 {
	if w.op.Name != oplog.OpDelete {
		return 1
	}
	return max(1, w.op.Objects+int64(w.op.Failed))
}
