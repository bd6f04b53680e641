package backends

import "context"

// A Lister lists objects by prefix in ascending byte order of their keys.
type Lister interface {
	// List returns one page and sends one request.
	List(ctx context.Context, req ListRequest) (Page, error)
}

// ListRequest asks for one page of a listing.
type ListRequest struct {
	// Prefix restricts the listing to keys that begin with it. It is a plain
	// string prefix and may end inside a key component.
	Prefix string
	// After starts the listing behind this key. It is ignored when Token is
	// set.
	After string
	// Token continues a listing where an earlier page's Next said.
	Token string
	// Max is the number of entries asked for, at least 1. A store may return
	// fewer.
	Max int
}

// Page is one page of a listing.
type Page struct {
	// Objects are owned by the caller.
	Objects []Object
	// Next is the token of the following page, empty on the last one.
	Next string
}

// A BatchDeleter deletes many objects with one request.
type BatchDeleter interface {
	// DeleteBatch deletes the objects and returns those that failed, in
	// ascending order of index. The error is for the request as a whole: when
	// it is not nil nothing is known about any object.
	DeleteBatch(ctx context.Context, objs []Object) ([]BatchError, error)
	// MaxBatch is the largest number of objects one request can name.
	MaxBatch() int
}

// BatchError is the failure of one object of a batch.
type BatchError struct {
	// Index is the object's place in the slice given to DeleteBatch.
	Index int
	Err   error
}

// An Appender extends an object in place.
type Appender interface {
	// Append writes body at offset, which must be the object's present size;
	// offset 0 creates the object, or replaces it. A wrong offset is an error
	// of [ClassConflict] and changes nothing.
	Append(ctx context.Context, key string, offset int64, body Body) (Object, error)
}

// A Pruner removes the empty containers (directories) that deleted objects
// leave behind. Stores without containers do not implement it.
type Pruner interface {
	// Prune removes every empty container below prefix, deepest first, and
	// leaves those that hold anything. What a writer may still be working
	// on is left too, and so is what is no object; the error then satisfies
	// errors.Is with [ErrInUse] or [ErrNotOurs].
	Prune(ctx context.Context, prefix string) error
}

// A Synthesizer may make up what it lists and reads instead of keeping what
// was written.
type Synthesizer interface {
	// Synthesizes reports whether it does, so that nobody compares its
	// listings with what was written.
	Synthesizes() bool
}

// A SpaceReporter knows how much room its storage has.
type SpaceReporter interface {
	// Space returns the bytes free to this process and the bytes in all.
	Space() (free, total int64, err error)
}
