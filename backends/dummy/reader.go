package dummy

import (
	"io"
	"io/fs"
	"sync"
)

// readers recycles readers, so that a download allocates nothing.
type readers struct{ pool sync.Pool }

func (p *readers) open(fill func(string, int64, []byte), key string, off, n int64) *reader {
	r, ok := p.pool.Get().(*reader)
	if !ok {
		r = new(reader)
	}
	*r = reader{home: p, fill: fill, key: key, off: off, rest: n}
	return r
}

// A reader counts bytes. It writes them only where fill is set.
type reader struct {
	fill func(key string, offset int64, p []byte)
	key  string
	off  int64
	rest int64
	// stopped is the error of a download that was aborted, nil where nothing
	// aborts one.
	stopped func() error
	// home is where a closed reader goes; a closed one has none.
	home *readers
}

// Read returns io.EOF together with the last bytes.
func (r *reader) Read(p []byte) (int, error) {
	if r.home == nil {
		return 0, fs.ErrClosed
	}
	if r.stopped != nil {
		if err := r.stopped(); err != nil {
			return 0, stopped(opGet, r.key, err)
		}
	}
	n := min(int64(len(p)), r.rest)
	if r.fill != nil && n > 0 {
		r.fill(r.key, r.off, p[:n])
	}
	r.off += n
	r.rest -= n
	if r.rest == 0 {
		return int(n), io.EOF
	}
	return int(n), nil
}

// Close returns the reader to the pool.
func (r *reader) Close() error {
	if home := r.home; home != nil {
		*r = reader{}
		home.pool.Put(r)
	}
	return nil
}
