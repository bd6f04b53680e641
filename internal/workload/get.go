package workload

import (
	"context"
	"io"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
)

// Reading buffers: at most readBuffer each, less when many workers would
// make that a lot of memory.
const (
	readBuffer    = 256 << 10
	minReadBuffer = 16 << 10
	allBuffers    = 64 << 20
)

// Get reads objects, whole or in ranges.
type Get struct {
	env    *Env
	visits *visits
	Ranges Ranges
}

// Ranges says which part of an object each get reads: Length bytes at a
// random multiple of Align. The zero Ranges reads the whole object.
type Ranges struct{ Length, Align int64 }

// NewGet reads objects picked uniformly from the whole population; with once
// it reads each object one time, in shuffled order.
func NewGet(env *Env, ranges Ranges, once bool) *Get {
	return &Get{env: env, Ranges: ranges, visits: newVisits(env, once, 'g')}
}

// Worker implements [Workload].
func (g *Get) Worker(i int) engine.Worker {
	return &getWorker{getter: newGetter(g.env, i, g.Ranges), picks: g.visits.picker()}
}

// getter reads one object; get and mixed share it.
type getter struct {
	seat
	ranges Ranges
	buf    []byte
	obj    backends.Object
	want   backends.Range // with its length resolved
	whole  bool
}

func newGetter(env *Env, i int, ranges Ranges) getter {
	return getter{seat: newSeat(env, i, 'g'), ranges: ranges}
}

// choose names the object and the range to read.
func (g *getter) choose(op *engine.Op, id uint64) {
	if g.buf == nil {
		g.buf = alignedBuffer(bufferSize(g.env.Workers, g.env.Objects.Sizes().Max()))
	}
	op.Name = oplog.OpGet
	g.obj = g.object(op, id)
	g.want, g.whole = backends.Range{Length: g.obj.Size}, true
	if g.ranges.Length > 0 {
		g.whole = false
		g.want = backends.Range{Offset: g.randomOffset(), Length: g.ranges.Length}
		op.Offset = g.want.Offset
	}
}

func (g *getter) randomOffset() int64 {
	last := (g.obj.Size - g.ranges.Length) / g.ranges.Align
	if last <= 0 {
		return 0
	}
	return g.rng.Int64N(last+1) * g.ranges.Align
}

// read gets the object and drains it.
func (g *getter) read(ctx context.Context, op *engine.Op) error {
	r := g.want
	if g.whole {
		r = backends.Range{}
	}
	body, err := g.env.Backend.Get(tryOf(ctx, op), g.obj, r)
	if err != nil {
		return nothing(op, err)
	}
	err = g.drain(op, body)
	if cerr := body.Close(); err == nil && cerr != nil {
		err = cerr
	}
	if err != nil {
		op.Objects = 0
	}
	return err
}

// drain reads the body to its end through the worker's buffer. A body that is
// short, long or (with Verify) different is an error.
func (g *getter) drain(op *engine.Op, body io.Reader) error {
	for {
		n, err := body.Read(g.buf)
		if n > 0 {
			op.Received()
			if verr := g.check(op, g.buf[:n]); verr != nil {
				return verr
			}
			op.Bytes += int64(n)
		}
		switch {
		case err == io.EOF:
			return g.complete(op.Bytes)
		case err != nil:
			return err
		}
	}
}

func (g *getter) check(op *engine.Op, p []byte) error {
	if op.Bytes+int64(len(p)) > g.want.Length {
		return backends.Errorf(backends.ClassChecksum, "get %s: more than the %d bytes expected", g.obj.Key, g.want.Length)
	}
	if !g.env.Verify {
		return nil
	}
	off := g.want.Offset + op.Bytes
	if bad := g.content(g.obj.Key).Verify(off, p); bad >= 0 {
		return backends.Errorf(backends.ClassChecksum, "get %s: byte %d differs from what was written", g.obj.Key, off+int64(bad))
	}
	return nil
}

func (g *getter) complete(got int64) error {
	if got < g.want.Length {
		return backends.Errorf(backends.ClassTruncated, "get %s: %d bytes of %d", g.obj.Key, got, g.want.Length)
	}
	return nil
}

type getWorker struct {
	getter
	picks picker
}

// Next implements [engine.Worker].
func (w *getWorker) Next(op *engine.Op) engine.Verdict {
	id, verdict := w.picks.next(&w.seat)
	if verdict == engine.Ready {
		w.choose(op, id)
	}
	return verdict
}

// Do implements [engine.Worker].
func (w *getWorker) Do(ctx context.Context, op *engine.Op) error { return w.read(ctx, op) }

// Settle implements [engine.Worker].
func (w *getWorker) Settle(*engine.Op, error) {}
