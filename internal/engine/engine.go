package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"bench/internal/clock"
	"bench/internal/oplog"
)

// Verdict is a worker's answer to the question for the next operation.
type Verdict uint8

const (
	// Ready means that the operation is chosen and can start.
	Ready Verdict = iota
	// Wait means that there is nothing to do now but may be soon, for example
	// because every object is in use.
	Wait
	// Complete means that the workload has done all it was asked to.
	Complete
	// Exhausted means that it has run out of what it needs, and nothing can
	// bring that back.
	Exhausted
)

// Worker performs one operation at a time. Its methods are called by one
// goroutine, in the order Next, Do (again for each retry), Settle.
type Worker interface {
	// Next chooses the next operation and prepares its data: it sets the
	// operation's name, key and what else is known. It must not contact the
	// store: its cost is not measured.
	Next(op *Op) Verdict
	// Do performs the operation. The engine stamps the start just before and
	// the end just after. Do sets Bytes and Objects to what was moved and
	// marks bytes and steps through op.
	Do(ctx context.Context, op *Op) error
	// Settle is told the outcome once the operation is over. It is not
	// timed.
	Settle(op *Op, err error)
}

// Recorder takes finished operations of one worker.
type Recorder interface {
	Put(op *oplog.Op)
}

// Load says what one phase of a stage runs, and when it ends.
type Load struct {
	Stage int
	// Phase labels the operations: prepare, measure or cleanup. With Warmup,
	// operations that start (or were planned) before its end are labelled
	// warmup.
	Phase   oplog.Phase
	Workers int
	// NewWorker makes worker i; it is called before the clock starts.
	NewWorker func(i int) Worker

	// Duration ends the phase; 0 means when the workers have nothing left or
	// Ops is reached. Warmup comes before it.
	Duration, Warmup time.Duration
	// Ops stops after so many measured operations, MinOps keeps going past
	// Duration until so many; 0 is off.
	Ops, MinOps int64

	// Rate plans operations per second; 0 is a closed load.
	Rate    float64
	Poisson bool
	Seed    uint64

	// MaxErrors stops at more than so many failures; negative is off.
	// MaxErrorRate is the fraction above which a run stops once minErrorUnits
	// objects were tried; negative is off.
	MaxErrors    int64
	MaxErrorRate float64

	// Timeout bounds one operation; 0 is off. Grace is how long running
	// operations may finish once issue has ended.
	Timeout, Grace time.Duration
	Retries        int
}

// minErrorUnits is how many operations an error rate needs to be believed.
const minErrorUnits = 100

// hang is how long Run waits for workers after it aborted their operations.
const hang = 2 * time.Second

// Env is what the engine is given of the outside.
type Env struct {
	Clock clock.Clock
	// Recorder returns worker i's way into the record.
	Recorder func(i int) Recorder
	// Classify returns an error's class for the record.
	Classify func(error) string
	// LastStretch waits until the clock reads at least ns; it is called for
	// the last milliseconds before a planned start. Nil sleeps.
	LastStretch func(c clock.Clock, ns int64)
	// Measuring, if set, is called at the border between warm-up and
	// measurement, or at the start where there is no warm-up.
	Measuring func(atNS int64)
	// Gauge, if set, shows the load while it runs.
	Gauge *Gauge
}

// Outcome tells how a phase went.
type Outcome struct {
	// Reason is one of the oplog reasons.
	Reason string
	// Times since the epoch. MeasureNS equals BeginNS without warm-up.
	BeginNS, MeasureNS, FinishNS int64
	// Tried and Failed count measured operations (any phase but warmup), in
	// objects; housekeeping is left out.
	Tried, Failed int64
	// Abandoned counts workers that hung in an operation when Run gave up.
	Abandoned int
	// Pace is set for an open load.
	Pace *oplog.PaceEnd
}

// Stop is the cause given to the issue context by whoever ends a run early;
// its text is the reason in the record.
type Stop string //nolint:errname // it is a cause, and reads as one: Stop("diskfull")

// Error implements error.
func (s Stop) Error() string { return "stopped: " + string(s) }

// reasonOf returns why the issue context ended.
func reasonOf(issue context.Context) string {
	var s Stop
	if errors.As(context.Cause(issue), &s) {
		return string(s)
	}
	return oplog.ReasonInterrupted
}

// Gauge lets others look at the load that is running. The zero Gauge is ready
// and may be read from any goroutine.
type Gauge struct{ run atomic.Pointer[run] }

// InFlight returns how many operations are running.
func (g *Gauge) InFlight() int {
	n := 0
	if r := g.run.Load(); r != nil {
		for _, w := range r.workers {
			if w.inFlight.Load() != 0 {
				n++
			}
		}
	}
	return n
}

// Backlog returns how many operations of an open load are due but have not
// started.
func (g *Gauge) Backlog() int64 {
	r := g.run.Load()
	if r == nil || r.pace == nil {
		return 0
	}
	return r.pace.backlog()
}
