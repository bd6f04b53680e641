// Package engine runs operations against time. It holds the one loop that
// every workload goes through and is the only place that stamps when an
// operation starts and ends.
//
// A load is closed (each worker starts its next operation when the last one
// is done) or open (operations are planned at a rate; any free worker takes
// the next one; a late operation runs at once and keeps its planned start).
//
// Two contexts end a run: issue (no new operations) and flight (abort those
// that run). The engine knows no store, prints nothing, and reads no flags.
//
// [Run] owns every goroutine it starts and waits for them, except workers
// that hang in a call nothing can abort; those are counted as abandoned.
package engine
