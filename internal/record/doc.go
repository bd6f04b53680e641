// Package record carries finished operations from the workers to the one
// writer of the record, keeps the sums that end the record, and feeds the
// live display.
//
// Each worker owns a [Shard], a ring it alone fills without a lock. One
// goroutine, owned by the [Recorder], empties all rings, so that a row is
// written at most a second after its operation ended, also while other
// operations hang. Nothing is dropped: a worker whose ring is full waits, and
// the time it waited is counted.
package record
