// Package file stores objects as files below one local directory: the key
// a/b/c is the file c in the directory a/b.
//
// Every path is resolved through [os.Root], one directory at a time, so that
// no key leaves the target. A put writes a temporary file beside its object
// and renames it, so that a reader sees the old content or the new, never a
// part. Directories come into being with the first object below them; those
// this value made are removed again by Close where they are empty, and
// nothing else is.
//
// The package holds directory handles open between calls, because walking to
// an object would otherwise cost more than small objects do. It caches no
// answer.
//
// All methods may be called from many goroutines. The package starts none.
package file

import "bench/backends"

var (
	_ backends.Backend  = (*Backend)(nil)
	_ backends.Lister   = (*Backend)(nil)
	_ backends.Appender = (*Backend)(nil)
	_ backends.Pruner   = (*Backend)(nil)
)
