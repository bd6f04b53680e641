package rowzstd

import "encoding/binary"

// A bitWriter packs numbers into bytes, low bits first, as the streams that
// a decoder reads from their end want it. The caller keeps eight bytes of
// room behind what is written, and calls flush before 64 bits are
// held: at most 56 may be added after a flush.
type bitWriter struct {
	out []byte
	pos int
	acc uint64
	n   uint
}

// add appends the low n bits of v, whose other bits must be zero.
func (w *bitWriter) add(v uint64, n uint) {
	w.acc |= v << (w.n & 63)
	w.n += n
}

func (w *bitWriter) flush() {
	binary.LittleEndian.PutUint64(w.out[w.pos:], w.acc)
	w.pos += int(w.n >> 3)
	w.acc >>= w.n & 56
	w.n &= 7
}

// closeAligned pads the last byte with zeros and returns the bytes written.
func (w *bitWriter) closeAligned() int {
	w.n += 7
	w.flush()
	return w.pos
}

// closeMarked adds the bit that tells a backward reader where the stream
// ends, and returns the bytes written.
func (w *bitWriter) closeMarked() int {
	w.add(1, 1)
	return w.closeAligned()
}
