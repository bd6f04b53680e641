package population

import (
	"math/rand/v2"
	"sync/atomic"
)

const (
	slotBits   = 10
	slotChunk  = 1 << slotBits
	poolProbes = 64
	// poolTries bounds how often one slot is tried while others change it.
	poolTries = 16
)

// A slot is one word: an id, the number of its readers, and its state. In a
// free slot the place of the id holds the next free slot plus one.
//
//	bits 0–40 id | 41–60 readers | 61–62 state
const (
	slotID     uint64 = 1<<41 - 1
	oneReader  uint64 = 1 << 41
	slotCount  uint64 = (1<<20 - 1) << 41
	slotState  uint64 = 3 << 61
	slotFree   uint64 = 0
	slotLive   uint64 = 1 << 61
	slotTaken  uint64 = 2 << 61
	freeHead   uint64 = 1<<41 - 1
	freeChange uint64 = 1 << 41
)

type slots [slotChunk]atomic.Uint64

// A Pool arbitrates between workers that read, write and delete the objects
// of one population at the same time: an object that is being deleted is read
// by nobody, and one that is being read is not deleted.
//
// Each object has a slot, an atomic word. Readers are counted in it; a deleter
// takes the slot, which succeeds only where there is no reader. Slots that
// deletes leave behind are used again for new objects, first by the same
// worker and beyond some dozens by all, so that in long runs nearly every slot
// holds an object and a random probe meets one.
//
// All methods may be called by many goroutines; a worker number is used by one
// goroutine at a time. Nothing locks, waits or allocates, but for 8 KiB per
// thousand slots as the pool grows.
type Pool struct {
	p       *Population
	dir     directory[slots]
	workers []freeList

	_    [64]byte
	size atomic.Uint64
	_    [64]byte
	// free is the head of the shared list of free slots: a slot's place plus
	// one, and above it a counter of changes, so that a head that was taken
	// and returned meanwhile is not mistaken for the same.
	free atomic.Uint64
}

// freeList holds the free slots one worker keeps to itself.
type freeList struct {
	slots [30]uint64
	n     int
	_     [8]byte
}

// A Lease is the right to read or to delete one object. It is returned to the
// pool exactly once: by [Lease.Release] if it came from [Pool.Share], by
// [Pool.Deleted], [Pool.Keep] or [Pool.Drop] if it came from [Pool.Take].
type Lease struct {
	// ID is the object.
	ID   uint64
	slot *atomic.Uint64
	at   uint64
}

// NewPool returns a pool of the objects that are live in p, for workers 0 to
// workers-1. Afterwards objects enter by [Pool.Add] and leave by
// [Pool.Deleted] and [Pool.Drop] only.
func NewPool(p *Population, workers int) *Pool {
	pool := &Pool{p: p, workers: make([]freeList, max(workers, 1))}
	for id, ok := p.NextLive(0); ok; id, ok = p.NextLive(id + 1) {
		pool.slot(pool.size.Add(1) - 1).Store(slotLive | id)
	}
	return pool
}

// Share leases a live object for reading; each has the same probability. Many
// readers may share one. It returns false when there is nothing to read.
func (p *Pool) Share(r *rand.Rand) (Lease, bool) { return p.pick(r, share) }

// Take leases for deleting a live object that nobody reads. No reader gets it
// from then on. It returns false when there is none.
func (p *Pool) Take(r *rand.Rand) (Lease, bool) { return p.pick(r, take) }

// Release ends a reader's lease.
func (l Lease) Release() { l.slot.Add(^(oneReader - 1)) }

// Add makes an object readable after its put was confirmed, that is, after
// [Population.Written].
func (p *Pool) Add(worker int, id uint64) {
	p.slot(p.vacant(&p.workers[worker])).Store(slotLive | id)
}

// Keep makes an object live again whose delete certainly did nothing.
func (p *Pool) Keep(l Lease) { l.slot.Store(slotLive | l.ID) }

// Deleted ends a lease whose delete was confirmed, and calls
// [Population.Gone].
func (p *Pool) Deleted(worker int, l Lease) {
	p.p.Gone(l.ID)
	p.vacate(&p.workers[worker], l.at)
}

// Drop ends a lease whose delete ended in an error that leaves open whether
// the object exists, and calls [Population.Doubtful]. The object is not read
// again.
func (p *Pool) Drop(worker int, l Lease) {
	p.p.Doubtful(l.ID)
	p.vacate(&p.workers[worker], l.at)
}

// Slots returns how many slots there are, free ones included.
func (p *Pool) Slots() uint64 { return p.size.Load() }

// share adds a reader to a live slot.
func share(slot *atomic.Uint64) (id uint64, ok bool) {
	for range poolTries {
		w := slot.Load()
		if w&slotState != slotLive || w&slotCount == slotCount {
			return 0, false
		}
		if slot.CompareAndSwap(w, w+oneReader) {
			return w & slotID, true
		}
	}
	return 0, false
}

// take turns a live slot without readers into a taken one.
func take(slot *atomic.Uint64) (id uint64, ok bool) {
	w := slot.Load()
	if w&slotState != slotLive || w&slotCount != 0 {
		return 0, false
	}
	id = w & slotID
	return id, slot.CompareAndSwap(w, slotTaken|id)
}

// pick tries random slots, then each slot once from a random one on.
func (p *Pool) pick(r *rand.Rand, lease func(*atomic.Uint64) (uint64, bool)) (Lease, bool) {
	size := p.size.Load()
	if size == 0 {
		return Lease{}, false
	}
	for range poolProbes {
		if l, ok := p.try(r.Uint64N(size), lease); ok {
			return l, true
		}
	}
	start := r.Uint64N(size)
	for i := range size {
		if l, ok := p.try((start+i)%size, lease); ok {
			return l, true
		}
	}
	return Lease{}, false
}

// try leases the object in slot at, if it can.
func (p *Pool) try(at uint64, lease func(*atomic.Uint64) (uint64, bool)) (Lease, bool) {
	slot := p.slot(at)
	id, ok := lease(slot)
	return Lease{ID: id, slot: slot, at: at}, ok
}

// slot returns a slot, which exists from then on.
func (p *Pool) slot(at uint64) *atomic.Uint64 {
	place := p.dir.make(at >> slotBits)
	chunk := place.Load()
	if chunk == nil {
		place.CompareAndSwap(nil, new(slots))
		chunk = place.Load()
	}
	return &chunk[at%slotChunk]
}

// vacant returns a free slot: the worker's, a shared one, or a new one.
func (p *Pool) vacant(own *freeList) uint64 {
	if own.n > 0 {
		own.n--
		return own.slots[own.n]
	}
	for {
		head := p.free.Load()
		if head&freeHead == 0 {
			return p.size.Add(1) - 1
		}
		at := head&freeHead - 1
		next := p.slot(at).Load() & slotID
		if p.free.CompareAndSwap(head, head&^freeHead+freeChange|next) {
			return at
		}
	}
}

// vacate frees a taken slot. The worker keeps it, or passes it on if it has
// many: a worker that deletes more than it writes must not hoard.
func (p *Pool) vacate(own *freeList, at uint64) {
	if own.n < len(own.slots) {
		p.slot(at).Store(slotFree)
		own.slots[own.n] = at
		own.n++
		return
	}
	for {
		head := p.free.Load()
		p.slot(at).Store(slotFree | head&freeHead)
		if p.free.CompareAndSwap(head, head&^freeHead+freeChange|(at+1)) {
			return
		}
	}
}
