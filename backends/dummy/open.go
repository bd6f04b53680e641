package dummy

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bench/backends"
)

// options are the parameters of a target.
type options struct {
	script  script
	batch   int
	store   bool
	objects int
}

// Open opens dummy://. Its parameters are latency, jitter, error-rate,
// error-class, seed, batch, store and objects; an unknown or malformed one is
// a [backends.UsageError].
func Open(_ context.Context, cfg backends.Config) (backends.Backend, error) {
	o, err := parse(cfg)
	if err != nil {
		return nil, &backends.UsageError{Err: fmt.Errorf("open dummy://: %w", err)}
	}
	if o.store {
		return openStore(o), nil
	}
	b := &Backend{script: o.script, fill: cfg.Fill, objects: o.objects}
	if o.batch > 0 {
		return batching{Backend: b, limit: o.batch}, nil
	}
	return b, nil
}

func openStore(o options) backends.Backend {
	s := &store{script: o.script, objects: make(map[string][]byte)}
	if o.batch > 0 {
		return batchingStore{store: s, limit: o.batch}
	}
	return s
}

func parse(cfg backends.Config) (options, error) {
	o := options{script: script{seed: cfg.Seed, class: backends.ClassServer}, objects: 10000}
	if err := checkConfig(cfg); err != nil {
		return o, err
	}
	query, err := url.ParseQuery(cfg.Target.RawQuery)
	if err != nil {
		return o, fmt.Errorf("read parameters %q: %w", cfg.Target.RawQuery, err)
	}
	for name, values := range query {
		if len(values) != 1 {
			return o, fmt.Errorf("parameter %s: given %d times", name, len(values))
		}
		if err := o.set(name, values[0]); err != nil {
			return o, fmt.Errorf("parameter %s=%s: %w", name, values[0], err)
		}
	}
	return o, nil
}

// checkConfig refuses what this store cannot honour.
func checkConfig(cfg backends.Config) error {
	t := cfg.Target
	switch {
	case t == nil:
		return errors.New("no target")
	case t.Host != "" || t.User != nil || t.Opaque != "" || t.Fragment != "" || (t.Path != "" && t.Path != "/"):
		return fmt.Errorf("target %q: only parameters can follow dummy://", t.Redacted())
	case cfg.Sync != "" && cfg.Sync != "none":
		return fmt.Errorf("sync %s: only file:// can flush", cfg.Sync)
	case cfg.Direct:
		return errors.New("direct I/O: only file:// has it")
	}
	return nil
}

func (o *options) set(name, value string) (err error) {
	switch name {
	case "latency":
		o.script.latency, err = parseDuration(value)
	case "jitter":
		o.script.jitter, err = parseDuration(value)
	case "error-rate":
		o.script.threshold, err = parseRate(value)
	case "error-class":
		o.script.class, err = parseClass(value)
	case "seed":
		o.script.seed, err = strconv.ParseUint(value, 10, 64)
	case "batch":
		o.batch, err = parseCount(value, 1)
	case "objects":
		o.objects, err = parseCount(value, 0)
	case "store":
		o.store, err = parseSwitch(value)
	default:
		err = errors.New("there is no such parameter (latency, jitter, error-rate, error-class, seed, batch, store, objects)")
	}
	return err
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = errors.New("negative duration")
	}
	return d, err
}

func parseCount(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	if err == nil && n < least {
		err = fmt.Errorf("must be at least %d", least)
	}
	return n, err
}

func parseSwitch(s string) (bool, error) {
	switch s {
	case "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, errors.New("must be 0 or 1")
}

func parseClass(s string) (backends.Class, error) {
	c := backends.Class(s)
	if !slices.Contains(backends.Classes(), c) {
		return c, fmt.Errorf("must be one of %v", backends.Classes())
	}
	return c, nil
}
