package engine

import (
	"context"
	"time"
)

// watch cancels operations that run longer than the timeout. One goroutine
// serves all workers: it sleeps until the earliest deadline among the running
// operations, which no later operation can precede.
func (r *run) watch(quit <-chan struct{}) {
	if r.load.Timeout <= 0 {
		return
	}
	t := time.NewTimer(r.load.Timeout)
	defer t.Stop()
	for {
		select {
		case <-quit:
			return
		case <-t.C:
		}
		t.Reset(r.cancelOverdue())
	}
}

// cancelOverdue cancels what is overdue and returns how long nothing else can
// be.
func (r *run) cancelOverdue() time.Duration {
	now, timeout := r.env.Clock.Now(), int64(r.load.Timeout)
	next := timeout
	for _, w := range r.workers {
		mark := w.inFlight.Load()
		if mark <= 0 {
			continue
		}
		left := mark - 1 + timeout - now
		if left > 0 {
			next = min(next, left)
			continue
		}
		g := w.guard.Load() // replaced only after inFlight has changed
		if w.inFlight.CompareAndSwap(mark, -mark) {
			g.cancel(context.DeadlineExceeded)
		}
	}
	return time.Duration(next)
}
