package rowzstd

import (
	"encoding/binary"
	"math/bits"
)

// maxSeqBytes bounds what one sequence adds to the stream: 26 bits of state,
// 16 of each length, 21 of the offset.
const maxSeqBytes = 10

// outSlack is room for headers, tables and whole-word stores.
const outSlack = 1024

// A sequence copies literals and then at least three bytes of history. This
// is what the stream holds of one.
type sequence struct {
	extra uint64 // the low bits that the codes leave open
	codes uint64 // of literals, match and offset, and how many bits extra has
}

func pack(lit, match, offset, extraN uint64) uint64 {
	return lit | match<<8 | offset<<16 | extraN<<24
}

func (s *sequence) lit() uint8    { return uint8(s.codes) }
func (s *sequence) match() uint8  { return uint8(s.codes >> 8) }
func (s *sequence) offset() uint8 { return uint8(s.codes >> 16) }
func (s *sequence) extraN() uint  { return uint(s.codes >> 24 & 63) }

// The codes of short lengths; longer ones follow from the highest bit. The
// extra bits of a length are always its low bits, because every code's base
// is a multiple of its range.
const (
	litCodes = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
		"\x10\x10\x11\x11\x12\x12\x13\x13\x14\x14\x14\x14\x15\x15\x15\x15" +
		"\x16\x16\x16\x16\x16\x16\x16\x16\x17\x17\x17\x17\x17\x17\x17\x17" +
		"\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18"
	matchCodes = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
		"\x20\x20\x21\x21\x22\x22\x23\x23\x24\x24\x24\x24\x25\x25\x25\x25" +
		"\x26\x26\x26\x26\x26\x26\x26\x26\x27\x27\x27\x27\x27\x27\x27\x27" +
		"\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28\x28" +
		"\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29\x29" +
		"\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a" +
		"\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a\x2a"
	litExtra = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x01\x01\x01\x02\x02\x03\x03\x04\x06\x07\x08\x09\x0a\x0b\x0c" +
		"\x0d\x0e\x0f\x10" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	matchExtra = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x01\x01\x01\x02\x02\x03\x03\x04\x04\x05\x07\x08\x09\x0a\x0b" +
		"\x0c\x0d\x0e\x0f\x10" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)

func litCode(n uint32) uint32 {
	if n < uint32(len(litCodes)) {
		return uint32(litCodes[n])
	}
	return uint32(bits.Len32(n)) + 18
}

func matchCode(n uint32) uint32 {
	if n < uint32(len(matchCodes)) {
		return uint32(matchCodes[n])
	}
	return uint32(bits.Len32(n)) + 35
}

// Literal runs below shortLits have no extra bits, matches below shortMatch
// have a code in matchCodes.
const (
	shortLits  = 16
	shortMatch = uint32(len(matchCodes))
)

const (
	modeRLE = 1
	modeFSE = 2
)

// seqEncoder collects the sequences of a block and writes their section.
type seqEncoder struct {
	lit, match, offset codeEncoder
	seqs               []sequence
}

// codeEncoder is the state for one of the three kinds of code.
type codeEncoder struct {
	table fseTable
	count [64]uint32
}

func newSeqEncoder() seqEncoder {
	return seqEncoder{seqs: make([]sequence, 0, maxBlock/minMatch+1)}
}

// reset begins a block.
func (e *seqEncoder) reset() {
	e.seqs = e.seqs[:0]
	clear(e.lit.count[:])
	clear(e.match.count[:])
	clear(e.offset.count[:])
}

// add appends the sequence of lits literals and match+3 bytes of history, at
// an offset as the format codes it: 1 to 3 repeat, others are less by 3.
func (e *seqEncoder) add(lits, match, offset uint32) {
	var extra, codes uint64
	if lits >= shortLits || match >= shortMatch || offset != 1 {
		extra, codes = codeSequence(lits, match, offset)
	} else {
		// Nearly all are like this one: a few extra bits of the match, none
		// of the others.
		code := matchCodes[match]
		n := matchExtra[code&63]
		extra = uint64(match) & (1<<(n&63) - 1)
		codes = pack(uint64(lits), uint64(code), 0, uint64(n))
	}
	e.lit.count[codes&63]++
	e.match.count[codes>>8&63]++
	e.offset.count[codes>>16&63]++
	e.seqs = append(e.seqs, sequence{extra, codes})
}

func codeSequence(lits, match, offset uint32) (extra, codes uint64) {
	l, m, o := litCode(lits), matchCode(match), uint32(bits.Len32(offset)-1)
	ln, mn := uint(litExtra[l&63]), uint(matchExtra[m&63])
	x := uint64(offset) & (1<<o - 1)
	x = x<<mn | uint64(match)&(1<<mn-1)
	x = x<<ln | uint64(lits)&(1<<ln-1)
	return x, pack(uint64(l), uint64(m), uint64(o), uint64(o)+uint64(mn+ln))
}

// encode writes the section for what was added since the last reset.
func (e *seqEncoder) encode(out []byte) int {
	total := len(e.seqs)
	n := putSeqCount(out, total)
	if total == 0 {
		return n
	}
	modes := &out[n]
	n++
	lit, k := e.lit.prepare(out[n:], total, 9)
	n += k
	offset, k := e.offset.prepare(out[n:], total, 8)
	n += k
	match, k := e.match.prepare(out[n:], total, 9)
	n += k
	*modes = lit<<6 | offset<<4 | match<<2
	return n + e.encodeStream(out[n:])
}

func putSeqCount(out []byte, n int) int {
	switch {
	case n < 128:
		out[0] = byte(n)
		return 1
	case n < 0x7F00:
		binary.BigEndian.PutUint16(out, uint16(n)|0x8000)
		return 2
	}
	out[0] = 255
	binary.LittleEndian.PutUint16(out[1:], uint16(n-0x7F00))
	return 3
}

// prepare chooses how a code is written and writes its table.
func (c *codeEncoder) prepare(out []byte, total int, maxLog uint) (mode byte, n int) {
	last := len(c.count) - 1
	for c.count[last] == 0 {
		last--
	}
	if c.count[last] == uint32(total) {
		c.table.constant(last)
		out[0] = byte(last)
		return modeRLE, 1
	}
	c.table.plan(c.count[:last+1], uint(total), maxLog)
	c.table.build(last + 1)
	return modeFSE, c.table.describe(out, last+1)
}

// encodeStream writes the sequences from the last to the first, as the
// decoder reads the stream from its end.
func (e *seqEncoder) encodeStream(out []byte) int {
	last := len(e.seqs) - 1
	s := &e.seqs[last]
	states := [3]uint32{
		e.lit.table.start(s.lit()), e.match.table.start(s.match()), e.offset.table.start(s.offset()),
	}
	acc, n, pos := e.encodeRest(out, &states, s.extra, s.extraN())
	w := bitWriter{out: out, pos: pos, acc: acc, n: n}
	w.flush()
	addState(&w, states[1], e.match.table.log)
	addState(&w, states[2], e.offset.table.log)
	addState(&w, states[0], e.lit.table.log)
	return w.closeMarked()
}

// encodeRest writes all but the last sequence behind the n bits in acc. Its
// variables are its own, not a bitWriter's, to stay in registers.
func (e *seqEncoder) encodeRest(out []byte, states *[3]uint32, acc uint64, n uint) (uint64, uint, int) {
	lt, mt, ft := &e.lit.table, &e.match.table, &e.offset.table
	ls, ms, fs := states[0], states[1], states[2]
	masks := [16]uint16{0, 1, 3, 7, 15, 31, 63, 127, 255, 511}
	pos := 0
	for i := len(e.seqs) - 2; i >= 0; i-- {
		binary.LittleEndian.PutUint64(out[pos:], acc)
		pos += int(n >> 3)
		acc >>= n & 56
		n &= 7

		s := &e.seqs[i]
		y := ft.sym[s.offset()&63]
		k := (fs + y.bits) >> 16
		v, sum := uint64(fs)&uint64(masks[k&15]), k
		fs = uint32(ft.next[(int32(fs>>(k&31))+y.find)&(1<<maxFSELog-1)])

		y = mt.sym[s.match()&63]
		k = (ms + y.bits) >> 16
		v |= (uint64(ms) & uint64(masks[k&15])) << (sum & 63)
		sum += k
		ms = uint32(mt.next[(int32(ms>>(k&31))+y.find)&(1<<maxFSELog-1)])

		y = lt.sym[s.lit()&63]
		k = (ls + y.bits) >> 16
		v |= (uint64(ls) & uint64(masks[k&15])) << (sum & 63)
		sum += k
		ls = uint32(lt.next[(int32(ls>>(k&31))+y.find)&(1<<maxFSELog-1)])

		acc |= v << (n & 63)
		n += uint(sum)
		if n+s.extraN() > 63 {
			binary.LittleEndian.PutUint64(out[pos:], acc)
			pos += int(n >> 3)
			acc >>= n & 56
			n &= 7
		}
		acc |= s.extra << (n & 63)
		n += s.extraN()
	}
	states[0], states[1], states[2] = ls, ms, fs
	return acc, n, pos
}

func addState(w *bitWriter, state uint32, log uint) {
	w.add(uint64(state)&(1<<log-1), log)
}
