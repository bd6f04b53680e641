package backends

import (
	"context"
	"io"
	"time"
)

// MarkerName is the last part of the key of a run's marker: the object that
// says whose directory this is. It is no part of any load.
const MarkerName = ".bench-run"

// Object addresses one stored object. The zero Version and Handle mean that
// the store addresses objects by key alone.
type Object struct {
	// Key is the object's name below the target, as the caller chose it.
	Key string
	// Version is the store's version id, empty where there is none.
	Version string
	// Handle is the opaque location a store without names returned from Put.
	Handle string
	// Size is the object's size in bytes, -1 where it is unknown.
	Size int64
}

// Info is what a store says about an object without sending its content.
type Info struct {
	Object
	// ETag is the store's entity tag, empty where there is none.
	ETag string
	// ModTime is the store's last modification time, zero where unknown.
	ModTime time.Time
}

// Body is the content of one upload. It can be read again from the start by
// seeking, and its size never changes. A Body belongs to one call at a time;
// a backend must not touch it after the call has returned.
type Body interface {
	io.ReadSeeker
	io.ReaderAt
	// Size returns the length in bytes, whatever the read position is.
	Size() int64
}

// Range selects bytes of an object. The zero Range is the whole object. A
// Length of 0 means to the end.
type Range struct {
	Offset, Length int64
}

// Whole reports whether r selects the whole object.
func (r Range) Whole() bool { return r == Range{} }

// Clip applies r to an object of size bytes and returns the first byte and
// the number of bytes to send. It states the rule of [Backend].Get: a range
// that starts at or beyond the end is an error of [ClassClient], unless it is
// the whole object.
func (r Range) Clip(size int64) (offset, length int64, err error) {
	switch {
	case r.Whole():
		return 0, size, nil
	case r.Offset < 0 || r.Length < 0:
		return 0, 0, Errorf(ClassClient, "range of %d bytes at %d: negative", r.Length, r.Offset)
	case r.Offset >= size:
		return 0, 0, Errorf(ClassClient, "range at %d: starts at or beyond the end of an object of %d bytes", r.Offset, size)
	}
	rest := size - r.Offset
	if r.Length == 0 || r.Length > rest {
		return r.Offset, rest, nil
	}
	return r.Offset, r.Length, nil
}

// Backend stores whole objects by key below one target.
//
// Implementations also answer the classes of errors.go: a missing object is
// [ClassNotFound] from Get, Stat and Delete where the store tells (a store
// whose delete is idempotent returns nil).
type Backend interface {
	// Put stores body under key, replacing what is there, and returns how to
	// address it. On an error the object may or may not exist.
	Put(ctx context.Context, key string, body Body) (Object, error)
	// Get returns once the response has begun. The caller reads it to its end
	// through its own buffer and closes it; a body that ends early returns
	// io.ErrUnexpectedEOF, never io.EOF. A range that starts at or beyond the
	// end of the object is an error of [ClassClient]; one that extends beyond
	// the end returns what there is.
	Get(ctx context.Context, obj Object, r Range) (io.ReadCloser, error)
	// Stat asks for the object's size without its content.
	Stat(ctx context.Context, obj Object) (Info, error)
	// Delete removes exactly this object (and version, where it names one).
	Delete(ctx context.Context, obj Object) error
	// Close releases what the backend holds. Further calls are no-ops that
	// return nil; other methods must not be called afterwards.
	Close() error
}
