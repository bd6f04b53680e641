// Package stat is the arithmetic under the analysis: histograms of durations
// with whole-run percentiles, and integer proportions. It does not know what
// an operation or an object is.
//
// Its types belong to one goroutine each. Everything sums up as integers, so
// a result does not depend on the order in which parts were added.
package stat
