package oplog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"bench/internal/oplog/rowzstd"
)

// frameSize is the raw size at which a frame is closed. Small enough that a
// reader decodes frames in parallel within little memory, large enough that
// the compression ratio is that of one long frame.
const frameSize = 1 << 20

// indexMagic is the zstd skippable frame that holds the frame offsets.
const indexMagic = 0x184D2A5E

const indexWord = "BENCHIDX"

// Writer writes the record. Rows gather in a frame until it is full or
// [Writer.Flush] closes it; each frame is compressed and written whole, so
// what a crash leaves is readable up to the last frame.
//
// Errors are sticky: after the first every method returns it, and
// [Writer.Safe] tells how many rows had been written.
type Writer struct {
	out     io.Writer
	enc     rowEncoder
	frames  *rowzstd.Encoder
	raw     []byte
	packed  []byte
	offset  int64
	offsets []int64
	rows    int64
	safe    int64
	err     error
}

// NewWriter writes the first frame, metadata and header, to out.
func NewWriter(out io.Writer, meta *Meta) (*Writer, error) {
	w := &Writer{
		out: out, frames: rowzstd.New(),
		enc: newRowEncoder(meta.Epoch, meta.ClientID),
		raw: make([]byte, 0, frameSize+64<<10),
	}
	if err := w.comment(metaWord, meta); err != nil {
		return nil, err
	}
	w.raw = append(w.raw, strings.Join(Columns(), "\t")...)
	w.raw = append(w.raw, '\n')
	return w, w.Flush()
}

// Row adds one row and closes the frame when it is full.
func (w *Writer) Row(op *Op) error {
	if w.err != nil {
		return w.err
	}
	w.raw = w.enc.appendRow(w.raw, op)
	w.rows++
	if len(w.raw) >= frameSize {
		return w.Flush()
	}
	return nil
}

// Sample adds a sample line.
func (w *Writer) Sample(s *Sample) error { return w.comment(sampleWord, s) }

func (w *Writer) comment(word string, v any) error {
	if w.err != nil {
		return w.err
	}
	text, err := json.Marshal(v)
	if err != nil {
		w.err = fmt.Errorf("encode %sline: %w", word, err)
		return w.err
	}
	w.raw = append(append(append(w.raw, word...), text...), '\n')
	return nil
}

// Flush closes the frame and writes it. Afterwards every row so far can be
// read back.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.raw) == 0 {
		return w.err
	}
	w.packed = w.frames.AppendFrame(w.packed[:0], w.raw)
	w.raw = w.raw[:0]
	w.offsets = append(w.offsets, w.offset)
	if err := w.write(w.packed); err != nil {
		return err
	}
	w.safe = w.rows
	return nil
}

func (w *Writer) write(p []byte) error {
	n, err := w.out.Write(p)
	w.offset += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("write record: %w", err)
	}
	return w.err
}

// Rows returns the number of rows given so far.
func (w *Writer) Rows() int64 { return w.rows }

// Safe returns the number of rows that have been written.
func (w *Writer) Safe() int64 { return w.safe }

// Pending reports whether anything waits for the next Flush.
func (w *Writer) Pending() bool { return len(w.raw) > 0 }

// Finish writes the end line in a frame of its own and the index of frames.
// It sets end.Rows. It does not close the underlying writer.
func (w *Writer) Finish(end *End) error {
	if err := w.Flush(); err != nil {
		return err
	}
	end.Rows = w.rows
	if err := w.comment(endWord, end); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return w.write(appendIndex(nil, w.offsets))
}

// appendIndex appends the skippable frame: a word, then the offset of every
// frame as little-endian uint64.
func appendIndex(b []byte, offsets []int64) []byte {
	b = binary.LittleEndian.AppendUint32(b, indexMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(indexWord)+8*len(offsets)))
	b = append(b, indexWord...)
	for _, o := range offsets {
		b = binary.LittleEndian.AppendUint64(b, uint64(o))
	}
	return b
}
