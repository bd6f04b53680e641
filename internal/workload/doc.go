// Package workload decides what each operation does: which object, how many
// bytes, which call of the store. One file holds one workload; all run
// through the engine's loop and none of them reads a clock.
//
// A workload is shared by its workers; a worker belongs to one goroutine.
package workload
