package engine

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"bench/internal/oplog"
)

// run is one phase while it runs.
type run struct {
	load    Load
	env     Env
	issue   context.Context //nolint:containedctx // a run is the lifetime these contexts bound
	flight  context.Context //nolint:containedctx // see issue
	workers []*worker
	pace    *pacer // nil for a closed load

	begin, measure, end int64 // end is 0 without a duration

	stop    atomic.Bool
	stopped chan struct{} // closed with stop, for those who sleep
	once    sync.Once
	reason  atomic.Pointer[string]
	claimed atomic.Int64 // measured operations, kept only with Ops or MinOps
	errors  atomic.Int64
	hung    int // workers that were abandoned
}

// Run executes one phase and returns when every worker has stopped. Issue
// ends the phase early: no operation starts any more, and those that run may
// take Grace longer. Flight aborts them at once.
func Run(issue, flight context.Context, load Load, env Env) Outcome {
	flight, abort := context.WithCancelCause(flight)
	defer abort(nil)
	r := newRun(issue, flight, load, env)
	defer context.AfterFunc(issue, func() { r.halt(reasonOf(issue)) })()
	defer context.AfterFunc(flight, func() { r.halt(oplog.ReasonInterrupted) })()
	r.start()
	if env.Gauge != nil {
		env.Gauge.run.Store(r)
		defer env.Gauge.run.Store(nil)
	}
	var wg sync.WaitGroup
	for _, w := range r.workers {
		wg.Go(w.loop)
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	quit := make(chan struct{})
	var helpers sync.WaitGroup
	helpers.Go(func() { r.watch(quit) })
	helpers.Go(func() { r.markMeasure(quit) })
	r.supervise(done, abort)
	close(quit)
	helpers.Wait()
	return r.outcome()
}

func newRun(issue, flight context.Context, load Load, env Env) *run {
	if env.LastStretch == nil {
		env.LastStretch = sleepUntil
	}
	r := &run{load: load, env: env, issue: issue, flight: flight, stopped: make(chan struct{})}
	for i := range load.Workers {
		w := &worker{run: r, id: uint32(i), impl: load.NewWorker(i), rec: env.Recorder(i)}
		w.op.clock, w.op.rec, w.op.running = env.Clock, w.rec, &w.inFlight
		w.rng = rand.New(rand.NewPCG(load.Seed, uint64(i)+1))
		w.guard.Store(newGuard(flight))
		r.workers = append(r.workers, w)
	}
	return r
}

// start sets the borders of the phase.
func (r *run) start() {
	r.begin = r.env.Clock.Now()
	r.measure = r.begin + int64(r.load.Warmup)
	if r.load.Duration > 0 {
		r.end = r.measure + int64(r.load.Duration)
	}
	if r.load.Rate > 0 {
		r.pace = newPacer(r)
	}
	for _, w := range r.workers {
		w.last = r.begin
	}
}

// claim grants a worker its next operation, or tells it to stop. The planned
// start is oplog.None in a closed load.
func (r *run) claim(w *worker) (intended int64, ok bool) {
	if r.over(w.last) {
		return 0, false
	}
	if r.pace == nil {
		return oplog.None, r.claimCount(w.last)
	}
	return r.pace.claim(w)
}

// over reports whether nothing new may start at the given moment.
func (r *run) over(now int64) bool {
	if r.stop.Load() {
		return true
	}
	return r.end > 0 && now >= r.end && !r.short()
}

// short reports whether MinOps still holds the run open.
func (r *run) short() bool {
	return r.load.MinOps > 0 && r.claimed.Load() < r.load.MinOps
}

// claimCount takes one of the limited operations.
func (r *run) claimCount(at int64) bool {
	if r.load.Ops <= 0 && r.load.MinOps <= 0 || at < r.measure {
		return true
	}
	n := r.claimed.Add(1)
	return r.load.Ops <= 0 || n <= r.load.Ops
}

// unclaim gives back what claim took when no operation followed.
func (r *run) unclaim() {
	if r.load.Ops > 0 || r.load.MinOps > 0 {
		r.claimed.Add(-1)
	}
	if r.pace != nil {
		r.pace.refused.Add(1)
	}
}

// allClaimed reports whether Ops was reached.
func (r *run) allClaimed() bool {
	return r.load.Ops > 0 && r.claimed.Load() >= r.load.Ops
}

// ranOut is called by a worker that has nothing left to do. The others of a
// closed load will find out by themselves; those of an open load wait for a
// start that may be far away.
func (r *run) ranOut(v Verdict) {
	if v == Exhausted {
		r.setReason(oplog.ReasonExhausted)
	}
	if r.pace != nil {
		r.halt(oplog.ReasonDone)
	}
}

func (r *run) phaseOf(op *Op) oplog.Phase {
	if op.Aside {
		return oplog.PhaseCleanup
	}
	at := op.Start
	if op.Intended != oplog.None {
		at = op.Intended
	}
	if at < r.measure {
		return oplog.PhaseWarmup
	}
	return r.load.Phase
}

// failed counts failures and stops the run when a limit is passed.
func (r *run) failed(n int64) {
	total := r.errors.Add(n)
	if r.load.MaxErrors >= 0 && total > r.load.MaxErrors {
		r.halt(oplog.ReasonErrors)
		return
	}
	if r.load.MaxErrorRate < 0 {
		return
	}
	if tried := r.tried(); tried >= minErrorUnits && float64(total) > r.load.MaxErrorRate*float64(tried) {
		r.halt(oplog.ReasonErrors)
	}
}

func (r *run) tried() int64 {
	var sum int64
	for _, w := range r.workers {
		sum += w.tried.Load()
	}
	return sum
}

// halt ends the phase for the given reason, unless it has one already.
func (r *run) halt(reason string) {
	r.setReason(reason)
	r.stop.Store(true)
	r.once.Do(func() { close(r.stopped) })
}

func (r *run) setReason(reason string) { r.reason.CompareAndSwap(nil, &reason) }

// supervise waits for the workers. Once issue has ended it gives them the
// grace period, then aborts, then gives up on those that hang.
func (r *run) supervise(done <-chan struct{}, abort context.CancelCauseFunc) {
	select {
	case <-done:
		return
	case <-r.issue.Done():
		if wait(done, r.flight.Done(), r.load.Grace) {
			return
		}
	case <-r.flight.Done():
	}
	abort(context.Canceled)
	if !wait(done, nil, hang) {
		r.abandon()
	}
}

// abandon gives up on the workers that hang, and waits for those that do not.
func (r *run) abandon() {
	for _, w := range r.workers {
		for !w.exited.Load() {
			mark := w.inFlight.Load()
			if mark != 0 && w.inFlight.CompareAndSwap(mark, abandoned) {
				r.hung++
				break
			}
			time.Sleep(idleWait)
		}
	}
}

// wait reports whether done closed before stop did or d was over.
func wait(done, stop <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-stop:
	case <-t.C:
	}
	return false
}

// markMeasure calls back at the border between warm-up and measurement.
func (r *run) markMeasure(quit <-chan struct{}) {
	if r.env.Measuring == nil {
		return
	}
	if d := r.measure - r.env.Clock.Now(); d > 0 && wait(quit, nil, time.Duration(d)) {
		return
	}
	r.env.Measuring(r.measure)
}

func (r *run) outcome() Outcome {
	o := Outcome{
		Reason: oplog.ReasonDone, BeginNS: r.begin, MeasureNS: r.measure,
		FinishNS: r.env.Clock.Now(), Tried: r.tried(), Failed: r.errors.Load(),
	}
	if reason := r.reason.Load(); reason != nil {
		o.Reason = *reason
	}
	o.Abandoned = r.hung
	if r.pace != nil {
		o.Pace = r.pace.summary()
	}
	return o
}
