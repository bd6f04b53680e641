package run

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"strings"

	"bench/backends"
	"bench/internal/clock"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/payload"
	"bench/internal/population"
	"bench/internal/record"
	"bench/internal/workload"
)

// ErrTooFewObjects means that the preparation failed for more than a tenth of
// the objects.
var ErrTooFewObjects = errors.New("prepare: too many puts failed")

// ErrDiskFull means that the run was ended before it filled the disk.
var ErrDiskFull = errors.New("the disk is almost full")

// runner is one run while it lasts.
type runner struct {
	plan  *Plan
	msg   Messenger
	sig   Signals
	id    string
	root  string // parent + bench-<id>/
	store backends.Backend
	env   workload.Env
	clock clock.Clock
	rec   *record.Recorder
	gauge engine.Gauge
	at    stagePosition

	// issue is what the phases obey: the user's signal, a full disk or a
	// record that cannot be written end it.
	issue context.Context //nolint:containedctx // the lifetime of the run
	end   context.CancelCauseFunc

	result Result
	ends   []oplog.StageEnd
	lost   int // abandoned operations
	fatal  error
}

// Execute runs the plan. An error means that the run could not be carried out
// or recorded; failed operations are no error but part of the result.
func Execute(plan *Plan, sig Signals, msg Messenger) (*Result, error) {
	r := &runner{plan: plan, msg: msg, sig: sig, id: newRunID(), clock: clock.New()}
	r.root = plan.Parent + dirOf(r.id)
	r.result.RunID = r.id
	r.issue, r.end = context.WithCancelCause(sig.Issue)
	defer r.end(nil)
	if err := r.open(); err != nil {
		return &r.result, err
	}
	err := r.recordAll()
	if cerr := r.store.Close(); cerr != nil && err == nil {
		err = fmt.Errorf("close the store: %w", cerr)
	}
	return &r.result, err
}

// newRunID returns 26 base32 characters, 128 random bits.
func newRunID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// open opens the store and checks that it can do what the stages need.
func (r *runner) open() error {
	cfg := r.plan.Config
	cfg.Seed = r.plan.Seed
	source := payload.NewSource(r.plan.Seed)
	if r.plan.Verify {
		cfg.Fill = func(key string, off int64, p []byte) { source.Content(key, 0).Fill(off, p) }
	}
	store, err := r.plan.Open(r.sig.Issue, cfg)
	if err != nil {
		return err // the store names itself
	}
	r.store = store
	r.env = workload.Env{
		Backend: store, Can: backends.Discover(store), Source: source, Root: r.root, Seed: r.plan.Seed,
		Workers: r.plan.Workers, Verify: r.plan.Verify, Cap: r.plan.Cap,
		Objects: population.New(population.Config{
			Root: r.root, Prefixes: r.plan.Prefixes, Seed: r.plan.Seed,
			Sizes: r.plan.Sizes, TrackBytes: r.plan.Cap > 0,
		}),
	}
	if err := r.checkAbilities(); err != nil {
		return errors.Join(err, store.Close())
	}
	return nil
}

// checkAbilities refuses, before anything is sent, what the store cannot do.
func (r *runner) checkAbilities() error {
	can := r.env.Can.Caps()
	for _, s := range r.plan.Stages {
		if missing := can.Missing(s.Mode.Needs(r.plan.Mix)); missing != 0 {
			return &backends.UsageError{Err: fmt.Errorf("%s cannot %v", scheme(r.plan.Target), missing)}
		}
	}
	return nil
}

func scheme(target string) string {
	before, _, _ := strings.Cut(target, "://")
	return before + "://"
}

// recordAll opens the record, runs everything, and closes the record.
func (r *runner) recordAll() error {
	storage, err := r.createRecord()
	if err != nil {
		return err
	}
	writer, err := oplog.NewWriter(storage, r.meta())
	if err != nil {
		return errors.Join(err, storage.Close(false))
	}
	r.rec = record.New(r.clock, writer, storage, r.plan.Workers)
	if r.plan.Out == NoRecord {
		r.msg.Say("run %s on %s, no record is kept", r.id, r.plan.Target)
	} else {
		r.msg.Say("run %s on %s, record %s", r.id, r.plan.Target, r.result.Record)
	}
	if err := r.placeMarker(); err != nil {
		return r.abandon(err)
	}
	stop := r.monitor()
	r.runStages()
	r.cleanUp()
	stop()
	return r.closeRecord()
}

// abandon ends a run that could not place its marker. Nothing was recorded,
// so no record is left; and the marker, should it have arrived after all, is
// taken back.
func (r *runner) abandon(err error) error {
	_ = r.rec.Close(&oplog.End{Reason: oplog.ReasonErrors})
	err = errors.Join(err, os.Remove(r.result.Record))
	if r.sig.Issue.Err() == nil {
		return err
	}
	r.result.Interrupted = true
	_ = r.removeMarker()
	return nil
}

// closeRecord ends the record and decides which error, if any, the run has.
func (r *runner) closeRecord() error {
	r.result.Reason = r.reason()
	err := r.rec.Close(&oplog.End{Reason: r.result.Reason, Abandoned: r.lost, Stages: r.ends})
	if err != nil {
		return fmt.Errorf("record %s: %w", r.result.Record, err)
	}
	if r.result.Reason == oplog.ReasonDiskFull {
		return ErrDiskFull
	}
	return r.fatal
}

// reason is why the run as a whole ended: the last stage's reason, unless
// something ended all stages.
func (r *runner) reason() string {
	reason := oplog.ReasonDone
	if n := len(r.ends); n > 0 {
		reason = r.ends[n-1].Reason
	}
	var stop engine.Stop
	if errors.As(context.Cause(r.issue), &stop) {
		reason = string(stop)
	}
	r.result.Interrupted = r.sig.Issue.Err() != nil
	return reason
}
