// Package dummy is a store that does no I/O. It shows what the benchmark
// itself costs, and it scripts latency and failure for tests of everything
// above it.
//
// Without store=1 nothing is kept: an upload asks the body's size and never
// reads it, a download counts bytes without writing the caller's buffer
// (unless [backends.Config].Fill says what they are), a listing is made up.
// With store=1 objects live in memory and every rule of the contract holds.
//
// What an operation meets (its latency, its error) is a pure function of the
// seed, the key, the operation and [backends.Try]: a run repeats exactly,
// whatever the order of its operations.
//
// All methods may be called from many goroutines. The package starts none.
package dummy

import "bench/backends"

var (
	_ backends.Backend      = (*Backend)(nil)
	_ backends.Lister       = (*Backend)(nil)
	_ backends.BatchDeleter = batching{}
	_ backends.Lister       = batching{}
	_ backends.Backend      = (*store)(nil)
	_ backends.Lister       = (*store)(nil)
	_ backends.Appender     = (*store)(nil)
	_ backends.BatchDeleter = batchingStore{}
	_ backends.Lister       = batchingStore{}
	_ backends.Appender     = batchingStore{}
)
