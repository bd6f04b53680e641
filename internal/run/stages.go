package run

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"bench/backends"
	"bench/internal/clock"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/proc"
	"bench/internal/progress"
	"bench/internal/record"
	"bench/internal/workload"
)

// enoughPrepared is the share of the population without which a run makes no
// sense.
const enoughPrepared = 0.9

// stagePosition is the stage that runs, for samples.
type stagePosition struct{ atomic.Int64 }

// runStages runs every stage, until something ends the run.
func (r *runner) runStages() {
	for i, s := range r.plan.Stages {
		r.at.Store(int64(i))
		if r.issue.Err() != nil {
			return
		}
		if s.Mode.Reads && !r.prepare(i, s) {
			return
		}
		if i == 0 && !r.awaitStart() {
			return
		}
		if !r.measure(i, s) {
			return
		}
	}
}

// prepare writes the population, unless an earlier stage left one.
func (r *runner) prepare(i int, s Stage) bool {
	if _, ok := r.env.Objects.NextLive(0); ok || r.alreadyWritten(i) {
		return true
	}
	n := r.plan.Population
	if n == 0 {
		n = s.Mode.Objects
	}
	load := r.load(i, oplog.PhasePrepare, workload.NewPrepare(&r.env, n))
	out := r.phase(load, title(s, "prepare"), n)
	if r.issue.Err() != nil {
		r.ends = append(r.ends, oplog.StageEnd{Index: i, Reason: out.Reason})
		return false
	}
	if live := r.env.Objects.Len(); float64(live) < enoughPrepared*float64(n) {
		r.fatal = fmt.Errorf("%w: %d of %d objects were written", ErrTooFewObjects, live, n)
		r.ends = append(r.ends, oplog.StageEnd{Index: i, Reason: oplog.ReasonErrors})
		return false
	}
	return true
}

// alreadyWritten reports whether an earlier stage wrote, so that an empty
// population is the outcome of the run and not its beginning.
func (r *runner) alreadyWritten(i int) bool {
	for _, s := range r.plan.Stages[:i] {
		if s.Mode.Writes || s.Mode.Reads {
			return true
		}
	}
	return false
}

// measure runs a stage's measured phase.
func (r *runner) measure(i int, s Stage) bool {
	load := r.load(i, oplog.PhaseMeasure, r.workload(s))
	p := r.plan
	load.Duration, load.Warmup = p.Duration, p.Warmup
	load.Ops, load.MinOps = p.Ops, p.MinOps
	load.Rate, load.Poisson, load.Seed = p.Rate, p.Poisson, p.Seed^uint64(i)<<32
	load.MaxErrors, load.MaxErrorRate, load.Retries = p.MaxErrors, p.ErrorRate, p.Retries
	out := r.phase(load, title(s, ""), 0)
	r.result.Tried += out.Tried
	r.result.Failed += out.Failed
	r.ends = append(r.ends, oplog.StageEnd{Index: i, Reason: out.Reason})
	if out.Reason == oplog.ReasonErrors || overRate(out, p.ErrorRate) {
		r.result.OverErrors = true
		r.sayLimit(out)
	}
	return out.Reason != oplog.ReasonErrors && r.issue.Err() == nil
}

// sayLimit tells which limit failures have passed.
func (r *runner) sayLimit(out engine.Outcome) {
	limit := fmt.Sprintf("--max-error-rate %.3g%%", 100*r.plan.ErrorRate)
	if r.plan.MaxErrors >= 0 && out.Failed > r.plan.MaxErrors {
		limit = fmt.Sprintf("--max-errors %d", r.plan.MaxErrors)
	}
	r.msg.Warn("%d of %d operations failed, more than %s allows", out.Failed, out.Tried, limit)
}

func overRate(out engine.Outcome, rate float64) bool {
	return rate >= 0 && out.Failed > 0 && float64(out.Failed) > rate*float64(out.Tried)
}

func (r *runner) workload(s Stage) workload.Workload {
	p, env := r.plan, &r.env
	switch s.Mode.Name {
	case "get":
		return workload.NewGet(env, p.Ranges, s.Once)
	case "stat":
		return workload.NewStat(env, s.Once)
	case "del":
		return workload.NewDelete(env, p.Batch)
	case "list":
		return workload.NewList(env, p.MaxKeys)
	case "mixed":
		return workload.NewMixed(env, p.Mix, p.Ranges, p.Batch, p.MaxKeys)
	}
	return workload.NewPut(env, p.Objects)
}

// load returns the load of a phase whose errors end nothing.
func (r *runner) load(stage int, phase oplog.Phase, w workload.Workload) engine.Load {
	return engine.Load{
		Stage: stage, Phase: phase, Workers: r.plan.Workers, NewWorker: w.Worker,
		MaxErrors: -1, MaxErrorRate: -1, Timeout: r.plan.Timeout, Grace: r.plan.Grace,
		Seed: r.plan.Seed,
	}
}

// phase runs one load between two borders of the record.
func (r *runner) phase(load engine.Load, name string, total int64) engine.Outcome {
	issue := r.issue
	if load.Phase == oplog.PhaseCleanup {
		issue = r.sig.Flight // a first signal does not stop cleaning up
	}
	now := load.Phase
	if load.Warmup > 0 {
		now = oplog.PhaseWarmup
	}
	r.rec.BeginPhase(r.border(load, now))
	line := r.progressLine(load, name, total)
	env := r.engineEnv()
	if load.Warmup > 0 {
		// The engine has returned from this before Run returns.
		env.Measuring = func(int64) {
			r.rec.FinishPhase(r.border(load, now))
			now = load.Phase
			r.rec.BeginPhase(r.border(load, now))
		}
	}
	out := engine.Run(issue, r.sig.Flight, load, env)
	if line != nil {
		line.Stop()
	}
	b := r.border(load, now)
	b.AtNS, b.Reason, b.Pace = out.FinishNS, out.Reason, out.Pace
	r.rec.FinishPhase(b)
	r.lost += out.Abandoned
	return out
}

func (r *runner) engineEnv() engine.Env {
	return engine.Env{
		Clock: r.clock, Gauge: &r.gauge, LastStretch: clock.Stretch,
		Recorder: func(i int) engine.Recorder { return r.rec.Shard(i) },
		Classify: func(err error) string { return string(backends.Classify(err)) },
	}
}

func (r *runner) border(load engine.Load, phase oplog.Phase) record.Border {
	user, system := proc.CPU()
	return record.Border{
		Stage: load.Stage, Phase: phase, AtNS: r.clock.Now(),
		UserNS: int64(user), SystemNS: int64(system),
	}
}

func (r *runner) progressLine(load engine.Load, name string, total int64) *progress.Line {
	if r.plan.Progress == nil {
		return nil
	}
	line := &progress.Line{
		Out: r.plan.Progress, Live: r.rec.Live(), Title: name, Stage: load.Stage, Phase: load.Phase,
		Every: r.plan.Interval, Total: total,
	}
	if load.Rate > 0 {
		line.Backlog = r.gauge.Backlog
	}
	line.Start()
	return line
}

// title names a stage in interval lines.
func title(s Stage, phase string) string {
	text := fmt.Sprintf("loop %d, %s", s.Loop, s.Mode.Name)
	if phase != "" {
		text += " " + phase
	}
	return text
}

// awaitStart waits for the agreed moment.
func (r *runner) awaitStart() bool {
	if r.plan.StartAt.IsZero() {
		return true
	}
	d := time.Until(r.plan.StartAt)
	if d <= 0 {
		r.msg.Warn("preparing took until %v after the start at %s", -d.Round(time.Millisecond), r.plan.StartAt.Format(time.TimeOnly))
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.issue.Done():
		return false
	}
}

// cleanUp deletes what the run wrote, unless it is to be kept.
func (r *runner) cleanUp() {
	if r.plan.Keep {
		r.msg.Say("objects are kept below %s; remove them with: %s", r.root, r.cleanCommand())
		return
	}
	if r.sig.Issue.Err() != nil && r.sig.Flight.Err() == nil {
		r.msg.Say("interrupted; removing what the run wrote (interrupt again to stop at once and leave it)")
	}
	last := int(r.at.Load())
	load := r.load(last, oplog.PhaseCleanup, workload.NewCleanup(&r.env))
	r.phase(load, "cleanup", int64(r.countOwned()))
	left := r.countOwned()
	if left == 0 {
		err := r.removeMarker()
		if err == nil {
			return
		}
		r.msg.Warn("%v", err)
	}
	if r.env.Can.Synthetic {
		r.msg.Warn("%d deletes failed; %s keeps nothing, so nothing is left", left, scheme(r.plan.Target))
		return
	}
	r.msg.Warn("up to %d objects are left below %s", left, r.root)
	r.msg.Hint("remove them with: %s", r.cleanCommand())
}

func (r *runner) countOwned() (n int) {
	for id, ok := r.env.Objects.NextOwned(0); ok; id, ok = r.env.Objects.NextOwned(id + 1) {
		n++
	}
	return n
}

func (r *runner) cleanCommand() string {
	return "bench clean " + shellQuoted(r.plan.Target) + " --run-id " + r.id
}

// shellQuoted makes a command in a message safe to paste.
func shellQuoted(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return strings.ContainsRune(" \t&;|<>()$`\\\"'*?[]#~{}", c) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
