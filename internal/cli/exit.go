package cli

import (
	"errors"

	"bench/backends"
	"bench/internal/run"
)

// Exit codes. docs/exit-codes.md explains them.
const (
	exitOK          = 0
	exitEnvironment = 1
	exitUsage       = 2
	exitErrors      = 3
	exitInterrupted = 130
)

// codeError is an error that already knows its exit code. A silent one has
// been reported in another way.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }

func (e *codeError) Unwrap() error { return e.err }

// usage marks an error as the user's.
func usage(err error) error { return &codeError{exitUsage, err} }

// codeOf maps an error to the exit code; it is the only place that does.
func codeOf(err error) int {
	var coded *codeError
	var usageErr *backends.UsageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &usageErr):
		return exitUsage
	}
	return exitEnvironment
}

// codeOfRun maps how a run ended to the exit code. Where several hold the
// order is 2, 1, 130, 3.
func codeOfRun(result *run.Result, err error) int {
	switch {
	case err != nil:
		return codeOf(err)
	case result.Interrupted:
		return exitInterrupted
	case result.OverErrors || result.Tried > 0 && result.Failed == result.Tried:
		return exitErrors
	}
	return exitOK
}
