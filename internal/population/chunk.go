package population

import (
	"math/bits"
	"sync/atomic"
)

const (
	chunkBits  = 16
	chunkIDs   = 1 << chunkBits
	wordIDs    = 32
	chunkWords = chunkIDs / wordIDs
)

// A word holds the state of 32 ids: the live bits in its lower half, the doubt
// bits in its upper one. No id is both, so all ones is free to mean frozen.
const (
	allNone uint64 = 0
	allLive uint64 = 1<<wordIDs - 1
	frozen  uint64 = 1<<64 - 1
)

// state is what is known of an id, in the bits of id 0 of a word.
type state uint64

const (
	none  state = 0
	live  state = 1
	doubt state = 1 << wordIDs
)

// A change is what is to become of an id.
type change struct {
	to state
	// onlyLive makes no change to an id that is not live.
	onlyLive bool
	// setRef replaces what is known of the ref by ref.
	setRef bool
	ref    *Ref
}

// What a chunk is being collapsed to.
const (
	noTarget uint32 = iota
	toFull
	toEmpty
)

// A chunk holds the state of 65,536 consecutive ids.
//
// A chunk that has become uniform (all live, or all none) is collapsed: its
// pointer in the directory is replaced by the shared full chunk or by nil. So
// that no change made meanwhile is lost, the chunk is frozen first, word by
// word, each by a compare-and-swap that fails if the word is not uniform:
//
//	who                 on a frozen word
//	reads               takes the value the chunk is being collapsed to
//	changes             waits until the directory has the new pointer (or the
//	                    word is thawed because another was not uniform)
//
// A frozen word of a replaced chunk stays frozen, so a change that still holds
// the old pointer cannot go astray. Only a change of an id in the very chunk
// that has just become uniform can meet this, for some microseconds per 65,536
// objects.
//
// Note: one bitmap per fact would need an epoch or a mode in which nothing
// collapses, since a full 64-bit word has no room for "frozen".
type chunk struct {
	words [chunkWords]atomic.Uint64
	// target is what a frozen word stands for.
	target atomic.Uint32
	_      [60]byte
	// used counts words that are not allNone, full those that are allLive.
	// Both may lag behind the words; the last change to arrive is exact.
	used, full atomic.Int32
	_          [56]byte
	refs       atomic.Pointer[refs]
}

// fullChunk returns a chunk in which every id is live.
func fullChunk() *chunk {
	c := new(chunk)
	for i := range c.words {
		c.words[i].Store(allLive)
	}
	c.used.Store(chunkWords)
	c.full.Store(chunkWords)
	return c
}

// place returns the index of the word that holds id. Neighbours in id are a
// cache line apart, because workers claim neighbouring blocks of ids.
func place(id uint64) uint64 {
	w := id / wordIDs % chunkWords
	return w%(chunkWords/8)*8 + w/(chunkWords/8)
}

// load returns the word that holds id; it is never frozen.
func (c *chunk) load(id uint64) uint64 {
	word := &c.words[place(id)]
	for {
		if w := word.Load(); w != frozen {
			return w
		}
		switch c.target.Load() {
		case toFull:
			return allLive
		case toEmpty:
			return allNone
		}
	}
}

// state returns what is known of id.
func (c *chunk) state(id uint64) state {
	return state(c.load(id)>>(id%wordIDs)) & (live | doubt)
}

// set makes a change to id and returns the former state, and whether a word
// became or ceased to be uniform. It does nothing and ok is false where the
// chunk is frozen.
func (c *chunk) set(id uint64, ch change) (was state, border, ok bool) {
	shift := id % wordIDs
	word := &c.words[place(id)]
	for {
		old := word.Load()
		if old == frozen {
			return none, false, false
		}
		was = state(old>>shift) & (live | doubt)
		if was == ch.to || (ch.onlyLive && was != live) {
			return was, false, true
		}
		now := old&^(uint64(live|doubt)<<shift) | uint64(ch.to)<<shift
		if word.CompareAndSwap(old, now) {
			return was, c.count(old, now), true
		}
	}
}

// count keeps used and full up to date and reports whether one changed.
func (c *chunk) count(old, now uint64) bool {
	used := b2i(now != allNone) - b2i(old != allNone)
	full := b2i(now == allLive) - b2i(old == allLive)
	if used != 0 {
		c.used.Add(used)
	}
	if full != 0 {
		c.full.Add(full)
	}
	return used != 0 || full != 0
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// freeze makes every word of a uniform chunk frozen and reports whether it
// was uniform; if not, no word is left frozen. One caller at a time wins.
func (c *chunk) freeze(target uint32, uniform uint64) bool {
	if !c.target.CompareAndSwap(noTarget, target) {
		return false
	}
	for i := range c.words {
		if !c.words[i].CompareAndSwap(uniform, frozen) {
			c.thaw(i, uniform)
			return false
		}
	}
	if target == toFull && c.refs.Load() != nil {
		c.thaw(chunkWords, uniform)
		return false
	}
	return true
}

// thaw undoes freezing of the first n words.
func (c *chunk) thaw(n int, uniform uint64) {
	for i := range n {
		c.words[i].Store(uniform)
	}
	c.target.Store(noTarget)
}

// seek returns the first id of the chunk from id on that is in one of the
// states of mask. id and end are ids of the whole population.
func (c *chunk) seek(id, end uint64, mask state) (uint64, bool) {
	for id < end {
		if found := pickStates(c.load(id), mask) >> (id % wordIDs); found != 0 {
			id += uint64(bits.TrailingZeros32(found))
			return id, id < end
		}
		id = (id/wordIDs + 1) * wordIDs
	}
	return end, false
}

// pickStates returns one bit for each id of word that is in a state of mask.
func pickStates(word uint64, mask state) uint32 {
	var found uint32
	if mask&live != 0 {
		found |= uint32(word)
	}
	if mask&doubt != 0 {
		found |= uint32(word >> wordIDs)
	}
	return found
}

// lives returns the number of live ids.
func (c *chunk) lives() uint64 {
	var n int
	for i := uint64(0); i < chunkIDs; i += wordIDs {
		n += bits.OnesCount32(uint32(c.load(i)))
	}
	return uint64(n)
}
