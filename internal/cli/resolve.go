package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"bench/backends"
	"bench/internal/population"
	"bench/internal/run"
	"bench/internal/units"
	"bench/internal/workload"
)

// temporaryCap is the most a run without a TARGET stores at a time.
const temporaryCap = 256 << 20

// Bounds against absurd numbers.
const (
	maxWorkers  = 100_000
	maxObjects  = 1 << 40
	maxDuration = 366 * 24 * time.Hour
)

// resolve turns flags into a plan. Whatever is wrong with them is found here,
// before anything is touched. It also returns the temporary directory it
// made, if any.
func (f *loadFlags) resolve(env *Env, fs *pflag.FlagSet, req request) (*run.Plan, string, error) {
	if err := f.validate(); err != nil {
		return nil, "", usage(err)
	}
	plan, err := f.plan(fs, req)
	if err != nil {
		return nil, "", usage(err)
	}
	t, err := f.target(req.args)
	if err != nil {
		return nil, "", err
	}
	if t.temporary != "" {
		if err := f.fitTemporary(env, fs, plan, req); err != nil {
			return nil, t.temporary, usage(err)
		}
	}
	plan.Target, plan.Open, plan.Parent = t.shown, t.open, t.parent
	plan.Config = backends.Config{
		Target: t.url, Concurrency: f.concurrency, Sync: f.store.sync, Direct: f.store.direct,
	}
	plan.Options = f.effective(fs, plan, req)
	if f.output.progress != "none" && !env.Quiet {
		plan.Progress = env.Stderr
	}
	return plan, t.temporary, nil
}

func (f *loadFlags) target(args []string) (target, error) {
	switch len(args) {
	case 0:
		return temporaryTarget()
	case 1:
		return parseTarget(args[0])
	}
	return target{}, usage(fmt.Errorf("want one TARGET, got %q", args))
}

// validate checks each number by itself.
func (f *loadFlags) validate() error {
	for _, err := range []error{
		within("concurrency", f.concurrency, 1, maxWorkers),
		within("duration", f.duration, 0, maxDuration),
		within("warmup", f.warmup, 0, maxDuration),
		within("objects", f.objects, 0, maxObjects),
		within("ops", f.ops, 0, math.MaxInt64),
		within("min-ops", f.minOps, 0, math.MaxInt64),
		within("batch", f.batch, 0, 100_000),
		within("max-keys", f.maxKeys, 1, 1_000_000),
		within("prefixes", f.prefixes, -1, 1_000_000),
		within("max-errors", f.maxErrors, -1, math.MaxInt64),
		within("timeout", f.timeout, 0, maxDuration),
		within("grace", f.grace, 0, maxDuration),
		within("retries", f.retries, 0, 1000),
		within("interval", f.output.interval, 10*time.Millisecond, time.Hour),
	} {
		if err != nil {
			return err
		}
	}
	return f.validateWords()
}

// within refuses a flag's value that is outside of its range.
func within[T cmp.Ordered](flag string, v, lowest, highest T) error {
	if v < lowest || v > highest {
		return fmt.Errorf("--%s %v: want %v to %v", flag, v, lowest, highest)
	}
	return nil
}

func (f *loadFlags) validateWords() error {
	switch {
	case f.arrival != "constant" && f.arrival != "poisson":
		return fmt.Errorf("--arrival %q: want constant or poisson", f.arrival)
	case f.output.progress != "auto" && f.output.progress != "plain" && f.output.progress != "none":
		return fmt.Errorf("--progress %q: want auto, plain or none", f.output.progress)
	case !(f.rate >= 0 && f.rate <= 1e9):
		return fmt.Errorf("--rate %v: want operations per second, up to 1e9", f.rate)
	case f.ops > 0 && f.minOps > f.ops:
		return fmt.Errorf("--min-ops %d is more than --ops %d", f.minOps, f.ops)
	}
	return nil
}

// plan resolves what depends on several flags.
func (f *loadFlags) plan(fs *pflag.FlagSet, req request) (*run.Plan, error) {
	p := &run.Plan{
		Command: req.command, Stages: req.stages, Workers: f.concurrency, Objects: f.objects, Population: f.objects,
		Prefixes: f.prefixes, Duration: f.duration, Warmup: f.warmup, Ops: f.ops, MinOps: f.minOps,
		Rate: f.rate, Poisson: f.arrival == "poisson", MaxKeys: f.maxKeys, MaxErrors: f.maxErrors,
		Timeout: f.timeout, Grace: f.grace, Retries: f.retries, Verify: f.verify, Keep: f.keep,
		Seed: f.seed, Out: f.output.out, Interval: f.output.interval, Batch: f.batch,
	}
	if !fs.Changed("seed") {
		p.Seed = rand.Uint64()
	}
	if p.Prefixes < 0 {
		p.Prefixes = f.concurrency
	}
	if p.Batch == 0 {
		p.Batch = f.defaultBatch(req)
	}
	if fs.Changed("objects") && f.objects == 0 {
		return nil, errors.New("--objects 0: want at least one object")
	}
	for _, resolve := range []func(*run.Plan, request) error{f.sizes, f.ranges, f.words, f.bounded} {
		if err := resolve(p, req); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (f *loadFlags) defaultBatch(req request) int {
	for _, s := range req.stages {
		if s.Mode.Batch > 1 && req.command != "run" {
			return s.Mode.Batch
		}
	}
	return 1
}

func (f *loadFlags) sizes(p *run.Plan, req request) (err error) {
	size := f.size
	if size == "" {
		size = req.mode.Size
	}
	p.Sizes, err = population.ParseSizes(size, f.dist)
	return err
}

// ranges checks that every object holds a ranged read.
func (f *loadFlags) ranges(p *run.Plan, _ request) error {
	align, err := units.ParseSize(f.align)
	if err != nil || align < 1 {
		return fmt.Errorf("--range-align %q: want a size of at least one byte", f.align)
	}
	if f.rng == "" {
		return nil
	}
	length, err := units.ParseSize(f.rng)
	if err != nil || length < 1 {
		return fmt.Errorf("--range %q: want a size of at least one byte", f.rng)
	}
	if length > p.Sizes.Min() {
		return fmt.Errorf("--range %s is larger than the smallest object (%d bytes)", f.rng, p.Sizes.Min())
	}
	p.Ranges = workload.Ranges{Length: length, Align: align}
	return nil
}

func (f *loadFlags) words(p *run.Plan, _ request) (err error) {
	if p.ErrorRate, err = units.ParsePercent(f.errorRate); err != nil {
		return fmt.Errorf("--max-error-rate: %w", err)
	}
	if p.Mix, err = workload.ParseMix(f.mix); err != nil {
		return err
	}
	if p.StartAt, err = parseStartAt(f.startAt, time.Now()); err != nil {
		return err
	}
	p.Labels, err = parseLabels(f.labels)
	return err
}

// bounded refuses a load that nothing would end.
func (f *loadFlags) bounded(p *run.Plan, req request) error {
	if p.Duration > 0 || p.Ops > 0 {
		return nil
	}
	for _, s := range req.stages {
		once := s.Once && !s.Mode.Writes && s.Mode.Name != "list"
		if !once && s.Mode.Name != "del" && (s.Mode.Name != "put" || p.Objects == 0) {
			return fmt.Errorf("--duration 0: %s would never end; give --ops, or -n for put", s.Mode.Name)
		}
	}
	return nil
}

// fitTemporary keeps a run without a TARGET small: the temporary directory
// may be memory.
func (f *loadFlags) fitTemporary(env *Env, fs *pflag.FlagSet, p *run.Plan, req request) error {
	p.Cap = temporaryCap
	largest := max(p.Sizes.Max(), 1)
	if largest > temporaryCap/4 {
		return fmt.Errorf("--size %s is too large for a temporary directory of 256MiB; give a TARGET", f.size)
	}
	n := p.Objects
	if n == 0 {
		n = req.mode.Objects
	}
	// Half of the room is for what the run itself writes.
	room := int64(temporaryCap) / 2 / largest
	if n <= room || !req.reads() {
		return nil
	}
	if fs.Changed("objects") {
		return fmt.Errorf("--objects %d of up to %d bytes do not fit into a temporary directory; give a TARGET or at most %d", n, largest, room)
	}
	env.Say("no TARGET: preparing %d objects instead of %d, so that at most 256 MiB are stored", room, n)
	p.Population = room
	return nil
}

// reads reports whether any stage prepares a population.
func (r request) reads() bool {
	for _, s := range r.stages {
		if s.Mode.Reads {
			return true
		}
	}
	return false
}

// parseStartAt reads HH:MM[:SS] of today, or an RFC 3339 time. Empty is zero.
func parseStartAt(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	for _, layout := range []string{"15:04:05", "15:04"} {
		if err == nil {
			break
		}
		var clock time.Time
		if clock, err = time.Parse(layout, s); err == nil {
			y, m, d := now.Date()
			at = time.Date(y, m, d, clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location())
		}
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("--start-at %q: want HH:MM, HH:MM:SS or an RFC 3339 time", s)
	}
	if at.Before(now) {
		return time.Time{}, fmt.Errorf("--start-at %q is in the past", s)
	}
	return at, nil
}

func parseLabels(pairs []string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range pairs {
		k, v, ok := strings.Cut(pair, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--label %q: want k=v", pair)
		}
		if _, twice := out[k]; twice {
			return nil, fmt.Errorf("--label %q: %s is given twice", pair, k)
		}
		out[k] = v
	}
	return out, nil
}

// effective is what the record keeps of the flags: those of an allow-list
// that the command uses, with their resolved values.
func (f *loadFlags) effective(fs *pflag.FlagSet, p *run.Plan, req request) map[string]string {
	out := map[string]string{
		"size": p.Sizes.String(), "objects": fmt.Sprint(f.resolvedObjects(p, req)), "prefixes": fmt.Sprint(p.Prefixes),
	}
	names := []string{
		"concurrency", "duration", "ops", "min-ops", "rate", "arrival", "warmup", "max-errors", "max-error-rate",
		"timeout", "grace", "retries", "verify", "keep", "sync", "direct", "modes", "loops",
	}
	if req.has("get", "mixed") && f.rng != "" {
		names = append(names, "range", "range-align")
	}
	if req.has("list", "mixed") {
		names = append(names, "max-keys")
	}
	if req.has("mixed") {
		names = append(names, "mix")
	}
	for _, name := range names {
		if flag := fs.Lookup(name); flag != nil {
			out[name] = flag.Value.String()
		}
	}
	if req.has("del", "mixed") {
		out["batch"] = fmt.Sprint(p.Batch)
	}
	return out
}

// resolvedObjects is the population, or what put writes; 0 is no limit.
func (f *loadFlags) resolvedObjects(p *run.Plan, req request) int64 {
	switch {
	case p.Objects > 0:
		return p.Objects
	case p.Population > 0:
		return p.Population
	}
	return req.mode.Objects
}

// has reports whether any stage runs one of the modes.
func (r request) has(modes ...string) bool {
	for _, s := range r.stages {
		if slices.Contains(modes, s.Mode.Name) {
			return true
		}
	}
	return false
}
