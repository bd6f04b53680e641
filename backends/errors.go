package backends

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
)

// Class says what kind of failure an operation met. The record stores it.
type Class string

// The classes. They are part of the record format: add, never rename.
const (
	ClassNone         Class = ""
	ClassNotFound     Class = "notfound"
	ClassThrottled    Class = "throttled"
	ClassTimeout      Class = "timeout"
	ClassCanceled     Class = "canceled"
	ClassAuth         Class = "auth"
	ClassConflict     Class = "conflict"
	ClassPrecondition Class = "precondition"
	ClassServer       Class = "server"
	ClassNetwork      Class = "network"
	ClassChecksum     Class = "checksum"
	ClassTruncated    Class = "truncated"
	ClassClient       Class = "client"
	ClassOther        Class = "other"
)

// Classes returns every class a failed operation can have, in the order
// reports list them.
func Classes() []Class {
	return []Class{
		ClassNotFound, ClassThrottled, ClassTimeout, ClassCanceled, ClassAuth, ClassConflict,
		ClassPrecondition, ClassServer, ClassNetwork, ClassChecksum, ClassTruncated, ClassClient, ClassOther,
	}
}

// ErrNotOurs means that something was left alone because no put can have
// written it.
var ErrNotOurs = errors.New("it is no object and is left alone")

// ErrInUse means that something was left alone because a process may still be
// working on it.
var ErrInUse = errors.New("it may be in use; try again in two minutes")

// Error is an error with a class. It keeps the store's error in its chain.
type Error struct {
	class Class
	err   error
}

// Errorf formats an error as [fmt.Errorf] does and gives it a class.
func Errorf(class Class, format string, args ...any) *Error {
	return &Error{class: class, err: fmt.Errorf(format, args...)}
}

// Error implements error.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the error that was classified.
func (e *Error) Unwrap() error { return e.err }

// Class returns the error's class.
func (e *Error) Class() Class { return e.class }

// Classify returns the class of err: the one it carries, else what the
// standard library's errors tell, else [ClassOther]. A nil error has
// [ClassNone].
func Classify(err error) Class {
	if err == nil {
		return ClassNone
	}
	var classed interface{ Class() Class }
	if errors.As(err, &classed) {
		return classed.Class()
	}
	var netErr net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return ClassCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return ClassTimeout
	case errors.Is(err, fs.ErrNotExist):
		return ClassNotFound
	case errors.Is(err, fs.ErrPermission):
		return ClassAuth
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ClassTruncated
	case errors.As(err, &netErr) && netErr.Timeout():
		return ClassTimeout
	case errors.As(err, &netErr):
		return ClassNetwork
	}
	return ClassOther
}
