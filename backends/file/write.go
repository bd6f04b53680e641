package file

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"unsafe"

	"bench/backends"
)

const (
	// align is what direct I/O asks of addresses, offsets and lengths.
	align = 4096
	// bufferSize is how much is copied at once. See BenchmarkPutRatio.
	bufferSize = 256 << 10
	// sinkPiece is how much a body writes at once of itself.
	sinkPiece = 4 << 20
)

// buffers recycles aligned buffers.
type buffers struct{ pool sync.Pool }

func (p *buffers) get() *[]byte {
	if buf, ok := p.pool.Get().(*[]byte); ok {
		return buf
	}
	raw := make([]byte, bufferSize+align)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (align - 1))
	buf := raw[skip : skip+bufferSize : skip+bufferSize]
	return &buf
}

func (p *buffers) put(buf *[]byte) { p.pool.Put(buf) }

// aligned reports whether p begins where direct I/O can reach it.
func aligned(p []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(p)))%align == 0
}

// write stores exactly body.Size() bytes in f, from offset on. A body that can
// write itself is spared the copy, unless direct I/O needs it aligned.
func (b *Backend) write(ctx context.Context, f *os.File, offset int64, body backends.Body) error {
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return backends.Errorf(backends.ClassOther, "rewind the body: %w", err)
	}
	if from, ok := body.(io.WriterTo); ok && !b.direct {
		return writeFrom(ctx, f, offset, from, body.Size())
	}
	if err := b.copyBody(ctx, f, offset, body); err != nil {
		return err
	}
	return checkEnd(body)
}

func (b *Backend) copyBody(ctx context.Context, f *os.File, offset int64, body backends.Body) error {
	buf := b.buffers.get()
	defer b.buffers.put(buf)
	w := writer{file: f, direct: b.direct}
	size := body.Size()
	for done := int64(0); done < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		// A piece lies in the buffer as it lies in the file, so that its
		// whole blocks are aligned in both.
		skip := (offset + done) % align
		piece := (*buf)[skip:min(bufferSize, skip+size-done)]
		n, err := io.ReadFull(body, piece)
		if err != nil {
			return shortBody(done+int64(n), size, err)
		}
		if err := w.writeAt(piece, offset+done); err != nil {
			return err
		}
		done += int64(n)
	}
	return nil
}

// writeFrom lets a body write itself.
func writeFrom(ctx context.Context, f *os.File, offset int64, body io.WriterTo, size int64) error {
	s := sink{file: f, stopped: ctx.Err, offset: offset, rest: size}
	if _, err := body.WriteTo(&s); err != nil {
		return err
	}
	if s.rest > 0 {
		return shortBody(size-s.rest, size, io.EOF)
	}
	return nil
}

// A sink takes rest bytes and refuses more.
type sink struct {
	file         *os.File
	stopped      func() error
	offset, rest int64
}

// Write looks at the context between pieces.
func (s *sink) Write(p []byte) (n int, err error) {
	if int64(len(p)) > s.rest {
		return 0, errLongBody()
	}
	for n < len(p) {
		if err := s.stopped(); err != nil {
			return n, err
		}
		m, err := s.file.WriteAt(p[n:min(len(p), n+sinkPiece)], s.offset)
		n += m
		s.offset += int64(m)
		s.rest -= int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func shortBody(done, size int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return backends.Errorf(backends.ClassTruncated, "the body of %d bytes ended after %d: %w", size, done, io.ErrUnexpectedEOF)
	}
	return backends.Errorf(backends.Classify(err), "read the body: %w", err)
}

func errLongBody() error {
	return backends.Errorf(backends.ClassTruncated, "the body is longer than its size")
}

// checkEnd refuses a body that goes on after its size.
func checkEnd(body io.Reader) error {
	var probe [1]byte
	_, err := io.ReadFull(body, probe[:])
	switch {
	case err == nil:
		return errLongBody()
	case errors.Is(err, io.EOF):
		return nil
	}
	return shortBody(0, 0, err)
}

// A writer writes pieces. With direct I/O it hands whole blocks past the
// page cache and only what is left of a block through it.
type writer struct {
	file   *os.File
	direct bool
	// through says that direct I/O is switched off at present.
	through bool
}

func (w *writer) writeAt(p []byte, offset int64) error {
	if !w.direct {
		_, err := w.file.WriteAt(p, offset)
		return err
	}
	head := min(int((align-offset%align)%align), len(p))
	tail := len(p) - (len(p)-head)%align
	for _, part := range [3]struct {
		from, to int
		through  bool
	}{{0, head, true}, {head, tail, false}, {tail, len(p), true}} {
		if part.from == part.to {
			continue
		}
		if err := w.pass(part.through); err != nil {
			return err
		}
		if _, err := w.file.WriteAt(p[part.from:part.to], offset+int64(part.from)); err != nil {
			return err
		}
	}
	return nil
}

// pass switches direct I/O off for a part of a block and on again.
func (w *writer) pass(through bool) error {
	if w.through == through {
		return nil
	}
	w.through = through
	return setDirect(w.file, !through)
}
