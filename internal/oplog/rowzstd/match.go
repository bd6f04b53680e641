package rowzstd

import (
	"encoding/binary"
	"math/bits"
)

const (
	modelBits = 10
	litSlack  = 16 // whole words are stored
	// maxDist leaves room for the lines of one block to grow within the
	// window.
	maxDist = maxWindow - maxBlock
	// minMatch is the shortest run worth the bits and time of a sequence.
	minMatch = 6

	// chunk is the number of bytes compared at once. For the last few it is
	// not known whether an equal run goes on, so chunks begin stride apart.
	chunk  = 64
	stride = chunk - minMatch + 1
	// maxGap is the number of literals after which equal bytes are taken
	// for chance unless the ends of the fields say so too.
	maxGap = 16
)

// A model is an earlier line later ones are compared with.
type model struct {
	key   uint64 // the bytes behind its first field
	field int    // where its first field ends
	end   int    // behind its newline
}

// rowMatcher turns rows into literals and sequences.
//
// Every line has a model: the last line whose second field and what follows
// look the same, or else the line just before. Both are walked side by side.
// Where they differ, the rest of the field becomes literals and the walk
// goes on at the ends of the two fields, which moves the distance between
// line and model if the fields differ in length.
type rowMatcher struct {
	raw    []byte
	rep    [3]uint32
	seqs   *seqEncoder
	lits   *[maxBlock + litSlack]byte
	nlits  int
	anchor int // where the literals not yet in a sequence begin
	lim    int // the end of the block

	prev   *model // of the line before
	dist   int    // distance of the last match
	none   model
	models [1 << modelBits]model
}

// A lineStart is where a line begins, where its first field ends, and up to
// where it is in a match already.
type lineStart struct {
	line, field, at int
}

func newRowMatcher(seqs *seqEncoder) rowMatcher {
	return rowMatcher{lits: new([maxBlock + litSlack]byte), seqs: seqs}
}

// reset begins a frame.
func (m *rowMatcher) reset(raw []byte) {
	m.raw = raw
	m.rep = [3]uint32{1, 4, 8}
	m.prev = &m.none
	m.dist = 0
	clear(m.models[:])
}

// scan finds the literals and sequences of raw[start:end], which follows
// what was scanned before in this frame.
func (m *rowMatcher) scan(start, end int) {
	m.seqs.reset()
	m.nlits = 0
	m.anchor = start
	m.lim = end
	for at := m.lineAt(start); at.line < end; {
		at = m.line(at)
	}
	m.flushLits(end)
}

// lineAt says that a line begins at start, without matches.
func (m *rowMatcher) lineAt(start int) lineStart {
	return lineStart{start, m.fieldEnd(start), start}
}

// line handles one line and returns where the next one begins.
func (m *rowMatcher) line(s lineStart) lineStart {
	if s.at == s.line && m.dist > 0 {
		m.match(s.at, m.dist, s.field)
	}
	if s.field+8 > m.lim {
		return m.lineAt(m.lim)
	}
	key := load64(m.raw, s.field)
	slot := &m.models[key*prime1>>(64-modelBits)]
	like := slot
	if like.key != key || s.field-like.field > maxWindow/2 {
		like = m.prev
	}
	next := m.follow(s.field, like)
	slot.key, slot.field, slot.end = key, s.field, next.line
	m.prev = slot
	return next
}

// follow walks the rest of a line, from the end of its first field, along
// its model.
func (m *rowMatcher) follow(at int, like *model) lineStart {
	raw, lim, modelEnd, dist := m.raw, m.lim, like.end, at-like.field
	if modelEnd == 0 || dist > maxWindow/2 || dist <= 0 {
		return m.skipLine(at)
	}
	from := at
chunks:
	for at+chunk <= lim {
		diff := differences((*[chunk]byte)(raw[at:]), (*[chunk]byte)(raw[at-dist:]))
		runs := longRuns(^diff) & (1<<stride - 1)
		diff &= 1<<stride - 1
		for diff != 0 {
			n := bits.TrailingZeros64(diff)
			stop := at + n
			if stop-dist >= modelEnd {
				return m.crossLine(from, stop, dist, modelEnd+dist)
			}
			if stop-from >= minMatch {
				m.add(from, stop-from, dist)
			}
			n2 := bits.TrailingZeros64(runs &^ (1<<(uint(n)&63) - 1))
			from = at + n2
			if n2 == chunk && n > stride-maxGap {
				at, from = stop, stop // the gap may end in the next chunk
				continue chunks
			}
			if n2-n > maxGap || from-dist >= modelEnd {
				if at, dist = m.align(stop, dist); dist == 0 {
					return m.skipLine(at)
				}
				from = at
				continue chunks
			}
			diff &= ^uint64(0) << (uint(n2) & 63)
		}
		at += stride
		if at-dist >= modelEnd {
			return m.crossLine(from, at, dist, modelEnd+dist)
		}
	}
	return m.followTail(from, at, dist, modelEnd)
}

// followTail is follow where less than a chunk of the block is left.
func (m *rowMatcher) followTail(from, at, dist, modelEnd int) lineStart {
	for {
		at += matchLen(m.raw[at-dist:], m.raw[at:m.lim])
		if at-dist >= modelEnd {
			return m.crossLine(from, at, dist, modelEnd+dist)
		}
		if at-from >= minMatch {
			m.add(from, at-from, dist)
		}
		if at+8 > m.lim {
			return m.lineAt(m.lim)
		}
		if at, dist = m.align(at, dist); dist == 0 {
			return m.skipLine(at)
		}
		from = at
	}
}

// align returns where a walk goes on after a difference at position at, and
// at which distance: at the ends of the two fields, or at what the two have
// in common before. A distance of zero says nowhere in this line.
func (m *rowMatcher) align(at, dist int) (nextAt, nextDist int) {
	cur, old := load64(m.raw, at), load64(m.raw, at-dist)
	c, o := controls(cur), controls(old)
	if c == 0 || o == 0 {
		return m.alignFar(at, dist)
	}
	nc, no := bits.TrailingZeros64(c)>>3, bits.TrailingZeros64(o)>>3
	if nc != no {
		return at + nc, max(0, dist+nc-no)
	}
	if nc == 0 {
		return at, 0
	}
	same := bits.LeadingZeros64((cur^old)<<(64-8*uint(nc)&63)) >> 3
	return at + nc - same, dist
}

// alignFar is align for fields that go on for more than a few bytes.
func (m *rowMatcher) alignFar(at, dist int) (nextAt, nextDist int) {
	cur, old := m.fieldEnd(at), m.fieldEnd(at-dist)
	switch {
	case old >= at || cur+8 > m.lim || cur-old > maxDist:
		return at, 0
	case cur-old == dist:
		return cur - commonSuffix(m.raw[at:cur], m.raw[at-dist:old]), dist
	}
	return cur, cur - old
}

// crossLine adds a match that reaches the end of the model's line and so of
// the current one. It may go on in the first field of the next line.
func (m *rowMatcher) crossLine(from, at, dist, next int) lineStart {
	if next <= from {
		// The model ended at a block's end, not at a newline, and the walk
		// has left it.
		return m.skipLine(at)
	}
	field := m.fieldEnd(next)
	at = min(at, field)
	if at-from >= minMatch {
		m.add(from, at-from, dist)
	}
	return lineStart{next, field, at}
}

// match adds the match at distance dist, up to lim, if there is one.
func (m *rowMatcher) match(at, dist, lim int) {
	n := matchLen(m.raw[at-dist:], m.raw[at:lim])
	if n >= minMatch {
		m.add(at, n, dist)
	}
}

// skipLine leaves the rest of the line to the literals.
func (m *rowMatcher) skipLine(at int) lineStart {
	for ; at < m.lim; at++ {
		if m.raw[at] == '\n' {
			return m.lineAt(at + 1)
		}
	}
	return m.lineAt(m.lim)
}

// fieldEnd returns where the field at position i ends: at its tab or
// newline, or at any other control byte, or at the end of the block.
func (m *rowMatcher) fieldEnd(i int) int {
	for ; i+8 <= m.lim; i += 8 {
		if c := controls(binary.LittleEndian.Uint64(m.raw[i:])); c != 0 {
			return i + bits.TrailingZeros64(c)>>3
		}
	}
	for i < m.lim && m.raw[i] >= 0x20 {
		i++
	}
	return i
}

func load64(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(b[i:])
}

// longRuns keeps the bits of equal that begin minMatch set ones.
func longRuns(equal uint64) uint64 {
	two := equal & (equal >> 1)
	return two & (two >> 2) & (two >> 4)
}

// controls marks, with its highest bit, the first byte of v below 0x20, and
// perhaps some after it.
func controls(v uint64) uint64 {
	return (v - 0x2020202020202020) &^ v & 0x8080808080808080
}

// add appends a match of n bytes at position at.
func (m *rowMatcher) add(at, n, dist int) {
	m.dist = dist
	lits := at - m.anchor
	m.flushLits(at)
	offset := uint32(1)
	if lits == 0 || m.rep[0] != uint32(dist) {
		offset = m.code(uint32(dist), lits)
	}
	m.seqs.add(uint32(lits), uint32(n-3), offset)
	m.anchor = at + n
}

// flushLits copies the literals before position at. There are few of them,
// mostly, so it copies two words whatever their number.
func (m *rowMatcher) flushLits(at int) {
	n := at - m.anchor
	if n > 16 || m.anchor+16 > len(m.raw) {
		m.nlits += copy(m.lits[m.nlits:], m.raw[m.anchor:at])
		return
	}
	*(*[16]byte)(m.lits[m.nlits:]) = *(*[16]byte)(m.raw[m.anchor:])
	m.nlits += n
}

// code returns how the format writes a distance, and moves the three it
// remembers. Without literals the first of them is not among the choices and
// the first less one is.
func (m *rowMatcher) code(dist uint32, lits int) uint32 {
	a, b, c := m.rep[0], m.rep[1], m.rep[2]
	if dist == a && lits > 0 {
		return 1
	}
	skip := uint32(0)
	if lits == 0 {
		skip = 1
	}
	switch dist {
	case b:
		m.rep = [3]uint32{b, a, c}
		return 2 - skip
	case c:
		m.rep = [3]uint32{c, a, b}
		return 3 - skip
	}
	m.rep = [3]uint32{dist, a, b}
	if lits == 0 && dist == a-1 {
		return 3
	}
	return dist + 3
}

// matchLen returns how many bytes at the beginning of b equal those of a,
// which is not shorter.
func matchLen(a, b []byte) int {
	n := 0
	for len(b) >= 8 && len(a) >= 8 {
		x := binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b)
		if x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		a, b = a[8:], b[8:]
		n += 8
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return n + i
		}
	}
	return n + min(len(a), len(b))
}

// commonSuffix returns how many bytes at the end of a and b, of one length,
// are equal.
func commonSuffix(a, b []byte) int {
	n := 0
	for n < len(a) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
