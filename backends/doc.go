// Package backends is the contract between the benchmark and the stores it
// measures. It holds the types every store implements or exchanges and
// imports only the standard library, so that a new store needs nothing else
// of this module.
//
// # Rules for someone writing a backend
//
// A method sends exactly one request to the store. It never retries, hedges,
// splits, caches, prints or logs: the engine times each call as one
// operation, and whatever is hidden here is hidden from the user. Retries of
// an SDK are switched off. Holding connections or directory handles open
// between calls is not caching; holding answers is.
//
// The core is [Backend]. Everything a store may or may not be able to do is a
// separate small interface ([Lister], [BatchDeleter], [Appender], …). They are
// found once, by [Discover]; a method that answers "unsupported" is a defect.
// Each implementation states what it implements with lines such as
//
//	var _ backends.Lister = (*Backend)(nil)
//
// because an embedded interface silently loses abilities, and a method whose
// signature drifted silently never counts.
//
// Timing never lives here. No method reads a clock to measure itself.
//
// Errors keep the store's own error in their chain and map to one class
// through [Classify]: wrap with [Errorf] or implement Class() yourself.
//
// All methods may be called from many goroutines at once. A context that ends
// aborts the call where the system allows it; the error then satisfies
// errors.Is with the context's error.
package backends
