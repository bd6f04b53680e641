package backends

import (
	"context"
	"net/url"
)

// Config is what the command line knows about a target. A backend takes what
// concerns it and refuses, with an [UsageError], what it cannot honour.
type Config struct {
	// Target is the parsed TARGET, for example file:///mnt/disk.
	Target *url.URL
	// Concurrency is how many operations will be in flight at once.
	Concurrency int
	// Seed is the run's seed, for stores that behave at random.
	Seed uint64
	// Fill writes the content that was stored under key, from offset on, into
	// p. It is set when content is to be verified, for backends that keep
	// none.
	Fill func(key string, offset int64, p []byte)
	// Sync says when a local file is flushed: none, close, every:N or dsync.
	Sync string
	// Direct asks for O_DIRECT on local files.
	Direct bool
}

// OpenFunc opens a backend. It may contact the store, but changes nothing in
// it beyond creating the target's directory.
type OpenFunc func(ctx context.Context, cfg Config) (Backend, error)

// UsageError is a request that no state of the machine could make right: a
// malformed target, an option the store does not have.
type UsageError struct{ Err error }

// Error implements error.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }
