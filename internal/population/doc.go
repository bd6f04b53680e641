// Package population knows which objects exist: their keys, their sizes, and
// who may touch which. It sends nothing to a store and reads no clock.
//
// An object is a number, its id. Its key and its size follow from the id and
// the configuration, so what has to be remembered is two bits per object:
//
//	none    nothing is known to exist under this id
//	live    written and confirmed
//	doubt   a put or a delete is under way or ended in an error: it may exist
//
// Ids are claimed ([Population.Extend]) before objects are written, and every
// id ever claimed is below [Population.Bound]. Some claimed ids never become
// live: the put failed, or the stage ended first.
//
// # Memory
//
// The bits live in chunks of 65,536 ids behind a directory of pointers. A
// chunk in which everything is live is replaced by one shared chunk, a chunk
// in which nothing exists is dropped, so that a run that only writes, and one
// that deletes what it wrote, need 8 bytes per 65,536 objects. A chunk that is
// mixed takes 16 KiB. Nothing has to be announced for this: see chunk for how
// it is safe while others read and write the same chunk.
//
// # Concurrency
//
// Every method may be called by many goroutines at once and none takes a lock.
// [Claimer], [Visitor] and [KeyMaker] belong to one worker. That two workers do
// not work on the same id at the same time is what Claimer, [Visit],
// [Population.TakeOldest] and [Pool] are for; the bits themselves do not
// arbitrate between, say, a Written and a Gone of one id.
//
// The package imports the standard library and the backend contract only.
package population
