package workload

import (
	"context"
	"sync/atomic"

	"bench/backends"
	"bench/internal/engine"
)

// cleanupTries is how often cleanup tries to delete one object.
const cleanupTries = 3

// cleanupBatch is how many objects cleanup deletes with one request where the
// store can.
const cleanupBatch = 100

// Cleanup deletes everything the run may have left in the store.
type Cleanup struct {
	env    *Env
	batch  int
	cursor atomic.Uint64
}

// NewCleanup deletes all objects that were written or may have been.
func NewCleanup(env *Env) *Cleanup {
	return &Cleanup{env: env, batch: batchSize(env, cleanupBatch)}
}

// Worker implements [Workload].
func (c *Cleanup) Worker(i int) engine.Worker {
	return &cleanupWorker{deleter: newDeleter(c.env, i, c.batch), all: c}
}

// next hands each object that may exist to one worker.
func (c *Cleanup) next() (uint64, bool) {
	for {
		from := c.cursor.Load()
		id, ok := c.env.Objects.NextOwned(from)
		if !ok {
			return 0, false
		}
		if c.cursor.CompareAndSwap(from, id+1) {
			return id, true
		}
	}
}

type cleanupWorker struct {
	deleter
	all   *Cleanup
	again []uint64 // failed before, to be tried once more
	tries int      // of the present group
}

// Next implements [engine.Worker].
func (w *cleanupWorker) Next(op *engine.Op) engine.Verdict {
	if len(w.again) > 0 {
		w.begin()
		for _, id := range w.again {
			w.add(op, id)
		}
		w.again = w.again[:0]
		return engine.Ready
	}
	w.tries = 0
	return w.gather(op, w.all.next)
}

// Do implements [engine.Worker].
func (w *cleanupWorker) Do(ctx context.Context, op *engine.Op) error {
	if w.tries > 0 {
		ctx = backends.WithTry(ctx, w.tries+1)
	}
	return w.remove(ctx, op)
}

// Settle implements [engine.Worker].
func (w *cleanupWorker) Settle(op *engine.Op, _ error) {
	w.recordFailed(op)
	w.tries++
	w.outcomes(func(id uint64, err error) {
		w.forget(id, err)
		if w.env.Objects.Owned(id) && w.tries < cleanupTries {
			w.again = append(w.again, id)
		}
	})
}
