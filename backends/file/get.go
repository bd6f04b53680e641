package file

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"bench/backends"
)

// Get opens the object's file. A file that shrinks while it is read ends
// with io.ErrUnexpectedEOF.
func (b *Backend) Get(ctx context.Context, obj backends.Object, r backends.Range) (io.ReadCloser, error) {
	if err := admit(ctx, obj.Key); err != nil {
		return nil, wrap("get", obj.Key, err)
	}
	f, size, err := b.openFile(obj.Key, os.O_RDONLY)
	if err != nil {
		return nil, wrap("get", obj.Key, err)
	}
	off, n, err := r.Clip(size)
	if err != nil {
		return nil, wrap("get", obj.Key, errors.Join(err, f.Close()))
	}
	plain := reader{file: f, key: obj.Key, stopped: ctx.Err, off: off, end: off + n}
	if !b.direct {
		return &plain, nil
	}
	return &directReader{reader: plain, buffers: &b.buffers}, nil
}

// openFile opens an object that exists. It never waits, as opening a FIFO
// would.
func (b *Backend) openFile(key string, flag int) (f *os.File, size int64, err error) {
	if b.direct {
		flag |= directFlag
	}
	err = b.visit(key, func(d *dir, name string) error {
		f, err = d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
		if b.direct && errors.Is(err, syscall.EINVAL) {
			return explainRefusal(d.root, name, err)
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkRegular(info)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// explainRefusal says why a file cannot be opened for direct I/O: most things
// that are no files cannot.
func explainRefusal(root *os.Root, name string, refusal error) error {
	info, err := root.Lstat(name)
	if err != nil {
		return refusal
	}
	if err := checkRegular(info); err != nil {
		return err
	}
	return refusal
}

// A reader reads a range of a file straight into the caller's buffer.
type reader struct {
	file     *os.File
	key      string
	stopped  func() error
	off, end int64
}

// Read returns io.EOF together with the last bytes.
func (r *reader) Read(p []byte) (int, error) {
	return r.read(p, r.file.ReadAt)
}

// read lets readAt fill what fits of p.
func (r *reader) read(p []byte, readAt func([]byte, int64) (int, error)) (int, error) {
	if err := r.stopped(); err != nil {
		return 0, wrap("get", r.key, err)
	}
	if r.off == r.end {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.end-r.off)]
	n, err := readAt(p, r.off)
	r.off += int64(n)
	switch {
	case r.off == r.end:
		return n, io.EOF
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		return n, backends.Errorf(backends.ClassTruncated, "get %q: the file ends at %d, %d bytes early: %w",
			r.key, r.off, r.end-r.off, io.ErrUnexpectedEOF)
	}
	return n, wrap("get", r.key, err)
}

// Close closes the file.
func (r *reader) Close() error {
	if err := r.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return wrap("get", r.key, err)
	}
	return nil
}

// A directReader reads past the page cache. Where the caller's buffer is not
// aligned as the file is, bytes pass through a buffer of its own, which holds
// file bytes from at on.
type directReader struct {
	reader
	buffers *buffers
	buf     *[]byte
	held    []byte
	at      int64
}

// Read returns io.EOF together with the last bytes.
func (r *directReader) Read(p []byte) (int, error) {
	return r.read(p, r.readAt)
}

func (r *directReader) readAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if whole := len(p) / align * align; whole > 0 && off%align == 0 && aligned(p) {
		n, err := readDirect(r.file, p[:whole], off)
		return ended(n, err)
	}
	if off < r.at || off >= r.at+int64(len(r.held)) {
		if err := r.hold(off, len(p)); err != nil {
			return 0, err
		}
	}
	n := 0
	if skip := off - r.at; skip < int64(len(r.held)) {
		n = copy(p, r.held[skip:])
	}
	return ended(n, nil)
}

// hold reads the blocks that n bytes at off lie in, as far as they fit.
func (r *directReader) hold(off int64, n int) error {
	if r.buf == nil {
		r.buf = r.buffers.get()
	}
	r.at = off / align * align
	blocks := (off - r.at + int64(n) + align - 1) / align * align
	got, err := readDirect(r.file, (*r.buf)[:min(blocks, bufferSize)], r.at)
	r.held = (*r.buf)[:max(got, 0)]
	return err
}

// ended makes a read of nothing the end of the file.
func ended(n int, err error) (int, error) {
	if n <= 0 && err == nil {
		return 0, io.EOF
	}
	return max(n, 0), err
}

// Close closes the file and gives the buffer back.
func (r *directReader) Close() error {
	if r.buf != nil {
		r.buffers.put(r.buf)
		r.buf, r.held = nil, nil
	}
	return r.reader.Close()
}
