package engine

import (
	"sync/atomic"
	"time"

	"bench/internal/clock"
	"bench/internal/oplog"
)

// lead is how long before a planned start a worker takes the operation: the
// workload chooses it, and the rest is waited for precisely.
const lead = 2 * time.Millisecond

// late is how far behind its plan an operation starts before it counts as
// late.
const late = int64(time.Millisecond)

// pacer hands out planned starts. Any free worker takes the next one, with
// one atomic step. While it is not near, one worker at a time (the holder of
// the baton) sleeps until it is, so that idle workers cost nothing.
type pacer struct {
	run   *run
	plan  *schedule
	next  atomic.Int64
	baton chan struct{}

	// warmup counts plans before the measurement; they are in no sum.
	warmup atomic.Int64
	// refused counts plans that were taken but not carried out, because the
	// run was over.
	refused atomic.Int64

	lateStore, lateClient, maxBacklog atomic.Int64
}

func newPacer(r *run) *pacer {
	return &pacer{run: r, plan: newSchedule(r.load), baton: make(chan struct{}, 1)}
}

// at returns the planned start of operation n, since the clock's epoch.
func (p *pacer) at(n int64) int64 { return p.run.begin + p.plan.at(n) }

// claim takes the next planned start and returns it at most lead before it
// is due.
func (p *pacer) claim(w *worker) (int64, bool) {
	for {
		now := p.run.env.Clock.Now()
		n := p.next.Load()
		at := p.at(n)
		if p.run.over(now) || p.beyond(at) {
			return 0, false
		}
		if at-now > int64(lead) {
			if !p.sleep() {
				return 0, false
			}
			continue
		}
		if !p.next.CompareAndSwap(n, n+1) {
			continue
		}
		w.punctual = at >= now || len(p.baton) > 0
		if at < p.run.measure {
			p.warmup.Add(1)
			return at, true
		}
		p.noteBacklog(now - at)
		if !p.run.claimCount(at) {
			p.refused.Add(1)
			return 0, false
		}
		return at, true
	}
}

// beyond reports whether a planned start lies behind the end of the phase.
func (p *pacer) beyond(at int64) bool {
	return p.run.end > 0 && at >= p.run.end && !p.run.short()
}

// sleep waits as the holder of the baton until the next start is near, or
// until the baton is free, in which case the plan has moved on. It reports
// false when the run has stopped.
func (p *pacer) sleep() bool {
	select {
	case p.baton <- struct{}{}:
	case <-p.run.stopped:
		return false
	}
	defer func() { <-p.baton }()
	at := p.at(p.next.Load())
	d := time.Duration(at-p.run.env.Clock.Now()) - lead
	return d <= 0 || p.beyond(at) || !wait(p.run.stopped, nil, d)
}

// noteBacklog keeps the largest number of operations that were due at once.
func (p *pacer) noteBacklog(behindNS int64) {
	n := p.due(behindNS)
	for {
		most := p.maxBacklog.Load()
		if n <= most || p.maxBacklog.CompareAndSwap(most, n) {
			return
		}
	}
}

// due returns how many operations a plan that is behind by so much has
// waiting.
func (p *pacer) due(behindNS int64) int64 {
	if behindNS <= 0 {
		return 0
	}
	return int64(float64(behindNS) * p.run.load.Rate / 1e9)
}

// note counts an operation that started late, and by whose fault: the store's
// when every worker was busy, ours when one was idle.
func (p *pacer) note(w *worker, behindNS int64) {
	switch {
	case behindNS <= late || w.op.Phase == oplog.PhaseWarmup:
	case w.punctual:
		p.lateClient.Add(1)
	default:
		p.lateStore.Add(1)
	}
}

// backlog returns how many operations are due but not started now.
func (p *pacer) backlog() int64 {
	return p.due(p.run.env.Clock.Now() - p.at(p.next.Load()))
}

// summary is called once the workers have stopped.
func (p *pacer) summary() *oplog.PaceEnd {
	next := p.next.Load()
	sent := next - p.refused.Load() - p.warmup.Load()
	e := &oplog.PaceEnd{
		Planned: sent, LateStore: p.lateStore.Load(), LateClient: p.lateClient.Load(),
		MaxBacklog: p.maxBacklog.Load(),
	}
	if p.run.allClaimed() {
		return e // what was planned beyond Ops was never asked for
	}
	until := p.run.env.Clock.Now()
	if p.run.end > 0 {
		until = min(until, p.run.end)
	}
	e.Unsent = p.refused.Load() + p.plan.countBefore(next, until-p.run.begin)
	e.Planned += e.Unsent
	e.MaxBacklog = max(e.MaxBacklog, e.Unsent)
	return e
}

// sleepUntil is the last stretch in virtual time.
func sleepUntil(c clock.Clock, ns int64) {
	if d := ns - c.Now(); d > 0 {
		time.Sleep(time.Duration(d))
	}
}
