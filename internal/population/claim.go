package population

import "sync/atomic"

// blockIDs is how many ids a worker claims at once. A block has one prefix.
const blockIDs = 64

// nearBlocks: with fewer than this many blocks per worker left, tickets are
// taken one by one, so that no worker is left with a long tail.
const nearBlocks = 4

// tickets hands out the numbers 0 to limit-1, in blocks at first.
type tickets struct {
	taken       atomic.Uint64
	limit, near uint64
}

func (t *tickets) init(limit uint64, workers int) {
	t.limit, t.near = limit, blockIDs*nearBlocks*uint64(max(workers, 1))
}

// take returns the first of n numbers, n being 0 when all are taken.
func (t *tickets) take() (first, n uint64) {
	for {
		first = t.taken.Load()
		left := t.limit - first
		n = min(left, 1)
		if left > t.near {
			n = blockIDs
		}
		if n == 0 || t.taken.CompareAndSwap(first, first+n) {
			return first, n
		}
	}
}

// An Extension is the right to add a number of objects to a population, shared
// by the workers of one stage.
type Extension struct {
	p       *Population
	tickets tickets
}

// Extend begins a stage that adds limit objects, 0 for as many as there is
// time for, by that many workers.
func (p *Population) Extend(limit uint64, workers int) *Extension {
	if limit == 0 || limit > MaxIDs {
		limit = MaxIDs
	}
	e := &Extension{p: p}
	e.tickets.init(limit, workers)
	return e
}

// Claimer returns a new worker's share in e.
func (e *Extension) Claimer() *Claimer { return &Claimer{e: e} }

// A Claimer hands ids to one worker. All claimers of an extension together
// hand out exactly its limit, each id once.
type Claimer struct {
	e         *Extension
	next, end uint64
	_         [40]byte
}

// Next claims an id that nobody had before. It returns false when the limit
// is reached.
func (c *Claimer) Next() (id uint64, ok bool) {
	if c.next == c.end && !c.refill() {
		return 0, false
	}
	id = c.next
	c.next++
	return id, true
}

// refill claims a block, or a single id near the limit.
func (c *Claimer) refill() bool {
	_, n := c.e.tickets.take()
	if n == 0 {
		return false
	}
	if n == blockIDs {
		c.next = c.e.p.claimBlock()
	} else {
		c.next = c.e.p.next.Add(1) - 1
	}
	c.end = c.next + n
	if c.end > MaxIDs {
		c.next = c.end
		return false
	}
	return true
}

// Extra claims an id beyond the limit: for an object that is written again
// under a new key because its put failed.
func (c *Claimer) Extra() uint64 { return c.e.p.next.Add(1) - 1 }

// claimBlock claims an aligned block and leaves out the ids before it.
func (p *Population) claimBlock() (first uint64) {
	for {
		old := p.next.Load()
		first = (old + blockIDs - 1) / blockIDs * blockIDs
		if p.next.CompareAndSwap(old, first+blockIDs) {
			return first
		}
	}
}
