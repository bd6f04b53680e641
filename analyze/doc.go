// Package analyze computes what a record of operations says: throughput in
// the active window and its segments, errors, whole-run percentiles, CPU.
// docs/methodology.md defines the words.
//
// It streams: memory does not depend on the number of operations. Everything
// is summed up as integers, so a result is the same however many goroutines
// computed it. The package measures nothing, prints nothing, and knows no
// store; package analyze/report turns an [Analysis] into text or JSON.
package analyze
