package oplog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxFrame bounds the text of one frame that is decoded in one piece.
	// The writer stays below half of it.
	maxFrame = 8 << 20
	// maxBlock is the most text one zstd block can hold.
	maxBlock = 128 << 10
	// maxWindow bounds the history a frame may ask the decoder to keep.
	maxWindow = 32 << 20
	// maxPacked bounds the compressed size of a frame decoded in one piece.
	maxPacked = maxFrame + maxFrame/8
)

// errTorn tells that the file ends inside a frame.
var errTorn = errors.New("the file ends inside a frame")

// A frame is one zstd frame as it lies in the file, not yet decoded.
type frame struct {
	number    int // from 1, skippable ones included
	offset    int64
	size      int64
	maxRaw    int64 // the most text it can hold, whatever its header says
	skippable bool
}

// small reports whether the frame may be decoded in one piece.
func (f *frame) small() bool { return f.maxRaw <= maxFrame && f.size <= maxPacked }

// A frameWalker finds the frames of a file by hopping from block header to
// block header. It decompresses nothing. It belongs to one goroutine.
type frameWalker struct {
	src    io.ReaderAt
	size   int64
	offset int64
	number int
	buf    [zstd.HeaderMaxSize + 1]byte
}

// next returns the next frame, [io.EOF] after the last. When the file ends
// inside the frame it returns the frame with errTorn; other errors tell why
// no frame can begin here.
func (w *frameWalker) next() (frame, error) {
	if w.offset >= w.size {
		return frame{}, io.EOF
	}
	w.number++
	f := frame{number: w.number, offset: w.offset}
	if err := w.measure(&f); err != nil {
		f.size = w.size - w.offset
		w.offset = w.size
		return f, err
	}
	w.offset += f.size
	return f, nil
}

func (w *frameWalker) measure(f *frame) error {
	var h zstd.Header
	switch err := h.Decode(w.peek(f.offset, len(w.buf))); {
	case errors.Is(err, io.ErrUnexpectedEOF) && w.size-f.offset < int64(len(w.buf)):
		return errTorn
	case err != nil:
		return err
	}
	if h.Skippable {
		f.skippable = true
		f.size = int64(h.HeaderSize) + int64(h.SkippableSize)
		return w.whole(f)
	}
	if err := w.blocks(f, int64(h.HeaderSize)); err != nil {
		return err
	}
	if h.HasCheckSum {
		f.size += 4
	}
	if h.HasFCS && h.FrameContentSize > uint64(f.maxRaw) {
		return fmt.Errorf("its header promises %d bytes, its blocks hold at most %d", h.FrameContentSize, f.maxRaw)
	}
	return w.whole(f)
}

// blocks hops over the blocks that begin size bytes into the frame.
func (w *frameWalker) blocks(f *frame, size int64) error {
	for last := false; !last; {
		b := w.peek(f.offset+size, 3)
		if len(b) < 3 {
			return errTorn
		}
		h := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last = h&1 != 0
		length := int64(h >> 3)
		if length > maxBlock || h>>1&3 == 3 {
			return errors.New("it has an invalid block header")
		}
		size += 3
		switch h >> 1 & 3 {
		case 0: // stored
			size += length
			f.maxRaw += length
		case 1: // one byte, repeated
			size++
			f.maxRaw += length
		default:
			size += length
			f.maxRaw += maxBlock
		}
	}
	f.size = size
	return nil
}

func (w *frameWalker) whole(f *frame) error {
	if f.offset+f.size > w.size {
		return errTorn
	}
	return nil
}

// peek returns up to n bytes at off, fewer at the file's end.
func (w *frameWalker) peek(off int64, n int) []byte {
	got, _ := w.src.ReadAt(w.buf[:n], off)
	return w.buf[:got]
}

// A frameDecoder decodes whole frames. It belongs to one goroutine and reuses
// its buffers.
type frameDecoder struct {
	zstd   *zstd.Decoder
	packed []byte
	raw    []byte
}

func newFrameDecoder() (*frameDecoder, error) {
	d, err := newDecoder(maxFrame)
	if err != nil {
		return nil, err
	}
	return &frameDecoder{zstd: d}, nil
}

func newDecoder(maxMemory uint64) (*zstd.Decoder, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxMemory))
	if err != nil {
		return nil, fmt.Errorf("make zstd decoder: %w", err)
	}
	return d, nil
}

// decode returns the frame's text once its checksum has passed. The text is
// valid until the next call.
func (d *frameDecoder) decode(src io.ReaderAt, f *frame) ([]byte, error) {
	if !f.small() {
		return nil, fmt.Errorf("it may hold %d bytes, a record's frame at most %d", f.maxRaw, int64(maxFrame))
	}
	if int64(cap(d.packed)) < f.size {
		d.packed = make([]byte, f.size+f.size/8)
	}
	d.packed = d.packed[:f.size]
	if _, err := src.ReadAt(d.packed, f.offset); err != nil {
		return nil, err
	}
	text, err := d.zstd.DecodeAll(d.packed, d.raw[:0])
	if cap(text) > cap(d.raw) {
		d.raw = text
	}
	return text, err
}

func (d *frameDecoder) close() { d.zstd.Close() }

// findEnd reads the end line of a record whose writer finished: its frame's
// offset is the last word of the frame index, else it is the last frame with
// data. It returns nil where there is none.
func findEnd(src io.ReaderAt, size int64) *End {
	d, err := newFrameDecoder()
	if err != nil {
		return nil
	}
	defer d.close()
	f, ok := endFromIndex(src, size)
	if !ok {
		f, ok = lastFrame(src, size)
	}
	if !ok || !f.small() {
		return nil
	}
	text, err := d.decode(src, &f)
	if err != nil {
		return nil
	}
	end, err := parseEnd(text)
	if err != nil {
		return nil
	}
	return end
}

// endFromIndex finds the end line's frame by the frame index. It trusts the
// index only if the frame there is followed by nothing but the index.
func endFromIndex(src io.ReaderAt, size int64) (frame, bool) {
	var b [8]byte
	if size < 8 {
		return frame{}, false
	}
	if _, err := src.ReadAt(b[:], size-8); err != nil {
		return frame{}, false
	}
	offset := binary.LittleEndian.Uint64(b[:])
	if offset >= uint64(size) {
		return frame{}, false
	}
	w := frameWalker{src: src, size: size, offset: int64(offset)}
	f, err := w.next()
	if err != nil || f.skippable {
		return frame{}, false
	}
	if index, err := w.next(); err != nil || !index.skippable || w.offset != size {
		return frame{}, false
	}
	return f, true
}

func lastFrame(src io.ReaderAt, size int64) (last frame, ok bool) {
	w := frameWalker{src: src, size: size}
	for {
		f, err := w.next()
		if err != nil {
			return last, ok && errors.Is(err, io.EOF)
		}
		if !f.skippable {
			last, ok = f, true
		}
	}
}
