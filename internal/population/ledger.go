package population

import (
	"runtime"
	"sync/atomic"
)

// Written says that the put of id was confirmed: id is live, and the store
// addresses it with ref. An earlier ref is replaced.
func (p *Population) Written(id uint64, ref Ref) {
	if id >= p.next.Load() {
		p.Reserve(id + 1)
	}
	var stored *Ref
	if ref != (Ref{}) {
		// A copy, so that only calls that bring a ref allocate.
		kept := ref
		stored = &kept
	}
	p.apply(id, change{to: live, setRef: true, ref: stored})
}

// Doubtful says that a put or a delete of id has begun or ended in an error:
// the object may exist. It is no longer live, but [Population.Owned]. What is
// known of its ref stays.
func (p *Population) Doubtful(id uint64) {
	if id >= p.next.Load() {
		p.Reserve(id + 1)
	}
	p.apply(id, change{to: doubt})
}

// Gone says that id does not exist: its delete was confirmed, or its put
// failed for certain.
func (p *Population) Gone(id uint64) {
	p.apply(id, change{to: none, setRef: true})
}

// Live reports whether id was written and confirmed.
func (p *Population) Live(id uint64) bool { return p.state(id) == live }

// Owned reports whether id exists or may exist.
func (p *Population) Owned(id uint64) bool { return p.state(id) != none }

// state returns what is known of id.
func (p *Population) state(id uint64) state {
	place := p.dir.find(id >> chunkBits)
	if place == nil {
		return none
	}
	if c := place.Load(); c != nil {
		return c.state(id)
	}
	return none
}

// apply makes a change, keeps LiveBytes and returns the former state.
func (p *Population) apply(id uint64, ch change) state {
	was := p.set(id, ch)
	if !p.cfg.TrackBytes || (was == live) == (ch.to == live) || (ch.onlyLive && was != live) {
		return was
	}
	if ch.to == live {
		p.bytes.Add(p.Size(id))
	} else {
		p.bytes.Add(-p.Size(id))
	}
	return was
}

// set makes a change and returns the former state. A ref is stored before an
// object goes live and removed after it is gone, so that whoever sees a live
// object sees its ref.
func (p *Population) set(id uint64, ch change) state {
	for {
		at, c := p.writable(id, ch)
		if c == nil {
			return ch.to
		}
		if ch.setRef && ch.to != none {
			c.setRef(id, ch.ref)
		}
		was, border, ok := c.set(id, ch)
		if !ok {
			runtime.Gosched()
			continue
		}
		if ch.setRef && ch.to == none {
			c.setRef(id, nil)
		}
		if border {
			p.collapse(at, c, id)
		}
		return was
	}
}

// writable returns the chunk in which id can be changed, and its place in the
// directory. It creates the chunk or copies the shared one if it must; it
// returns nil where id is in the wanted state already and there is no ref.
func (p *Population) writable(id uint64, ch change) (*atomic.Pointer[chunk], *chunk) {
	var at *atomic.Pointer[chunk]
	if ch.to == none {
		at = p.dir.find(id >> chunkBits)
	} else {
		at = p.dir.make(id >> chunkBits)
	}
	for at != nil {
		switch c := at.Load(); {
		case c == nil && ch.to == none, c == p.full && ch.to == live && ch.ref == nil:
			return nil, nil
		case c == nil:
			at.CompareAndSwap(nil, new(chunk))
		case c == p.full:
			at.CompareAndSwap(p.full, fullChunk())
		default:
			return at, c
		}
	}
	return nil, nil
}

// collapse replaces a chunk that has become uniform. An empty one is kept
// while its ids are still being claimed: it would be needed again at once.
func (p *Population) collapse(at *atomic.Pointer[chunk], c *chunk, id uint64) {
	switch {
	case c.full.Load() == chunkWords && c.refs.Load() == nil:
		if c.freeze(toFull, allLive) {
			at.Store(p.full)
		}
	case c.used.Load() == 0 && p.next.Load() > id|(chunkIDs-1):
		if c.freeze(toEmpty, allNone) {
			at.Store(nil)
		}
	}
}

// Len counts the live ids. It reads every chunk that is neither full nor
// empty, so it is not for the hot path; while others write, the count is one
// that was true of each chunk at some moment of the call.
func (p *Population) Len() uint64 {
	var n uint64
	p.chunks(0, p.Bound(), func(first, _ uint64, c *chunk) bool {
		if c == p.full {
			n += chunkIDs
		} else {
			n += c.lives()
		}
		return true
	})
	return n
}

// NextLive returns the smallest live id that is at least from.
func (p *Population) NextLive(from uint64) (id uint64, ok bool) {
	return p.seek(from, p.Bound(), live)
}

// NextOwned returns the smallest id from on that exists or may exist.
func (p *Population) NextOwned(from uint64) (id uint64, ok bool) {
	return p.seek(from, p.Bound(), live|doubt)
}

// seek returns the first id in [from, end) that is in a state of mask.
func (p *Population) seek(from, end uint64, mask state) (id uint64, ok bool) {
	p.chunks(from, end, func(first, last uint64, c *chunk) bool {
		id, ok = c.seek(first, last, mask)
		return !ok
	})
	return id, ok
}

// chunks calls f for every chunk that holds anything in [from, end), with the
// piece of that range it covers, until f returns false.
func (p *Population) chunks(from, end uint64, f func(first, last uint64, c *chunk) bool) {
	end = min(end, MaxIDs)
	for from < end {
		place := p.dir.find(from >> chunkBits)
		if place == nil {
			from = (from>>(chunkBits+pageBits) + 1) << (chunkBits + pageBits)
			continue
		}
		last := min((from>>chunkBits+1)<<chunkBits, end)
		if c := place.Load(); c != nil && !f(from, last, c) {
			return
		}
		from = last
	}
}
