package payload

import (
	"errors"
	"fmt"
	"io"

	"bench/backends"
)

var _ backends.Body = (*Body)(nil)

// A Body is the content of one upload. Its zero value is an empty body; one
// Body serves a worker for all its uploads, see [Body.Reset]. It allocates
// nothing. It belongs to one call at a time, except that ReadAt may be called
// by many goroutines at once.
//
// Note: there is no WriteTo. It would have to bring a buffer of its own, and
// would hide from the transport what was sent when.
type Body struct {
	content   Content
	base      int64
	size, pos int64
	notify    func()
}

// Reset makes b the first size bytes of c, to be read from the start. The
// function given to [Body.SetNotify] stays. It panics if size is negative.
func (b *Body) Reset(c Content, size int64) { b.ResetAt(c, 0, size) }

// ResetAt makes b size bytes of c from offset off on, for one part of an
// object that is uploaded in several.
func (b *Body) ResetAt(c Content, off, size int64) {
	if off < 0 || size < 0 {
		panic("payload: negative offset or size of a body")
	}
	b.content, b.base, b.size, b.pos = c, off, size, 0
}

// SetNotify makes f be called each time the last byte of the body has been
// read, before Read or ReadAt returns it; nil is no call. A body that is sent
// again calls again, so that the last call marks the last byte sent. f is
// called by whichever goroutine reads, must not block, and is never called for
// an empty body.
func (b *Body) SetNotify(f func()) { b.notify = f }

// Size returns the length in bytes.
func (b *Body) Size() int64 { return b.size }

// Read implements [io.Reader]. It fills p as long as there is content.
func (b *Body) Read(p []byte) (int, error) {
	if b.pos >= b.size {
		return 0, io.EOF
	}
	n := b.read(b.pos, p)
	b.pos += int64(n)
	return n, nil
}

// ReadAt implements [io.ReaderAt].
func (b *Body) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read body at %d: negative offset", off)
	}
	if off >= b.size {
		return 0, io.EOF
	}
	n := b.read(off, p)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read fills p from off, which is inside the body.
func (b *Body) read(off int64, p []byte) int {
	n := int(min(int64(len(p)), b.size-off))
	b.content.Fill(b.base+off, p[:n])
	if n > 0 && off+int64(n) == b.size && b.notify != nil {
		b.notify()
	}
	return n
}

// Seek implements [io.Seeker]. A position behind the end is allowed, as
// everywhere in io; reading there returns [io.EOF].
func (b *Body) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += b.pos
	case io.SeekEnd:
		offset += b.size
	default:
		return 0, fmt.Errorf("seek in body: unknown whence %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("seek in body: position before the start")
	}
	b.pos = offset
	return offset, nil
}
