package record

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"bench/internal/clock"
	"bench/internal/oplog"
)

const (
	// tick is how often rings are emptied when nobody asks; flushAfter how
	// old an open frame may grow. Their sum stays well below the promised
	// second.
	tick       = 100 * time.Millisecond
	flushAfter = 400 * time.Millisecond

	// ringBytes bounds the rings of all workers together.
	ringBytes = 24 << 20
	opBytes   = 200
	minSlots  = 32
	maxSlots  = 1 << 13
)

// Sink takes the rows in order. [oplog.Writer] is one.
type Sink interface {
	Row(op *oplog.Op) error
	Sample(s *oplog.Sample) error
	Flush() error
	Pending() bool
	Safe() int64
	Finish(end *oplog.End) error
}

// Recorder owns the rings and the goroutine that empties them.
type Recorder struct {
	clock   clock.Clock
	sink    Sink
	storage oplog.Storage // nil for a null sink
	shards  []*Shard
	live    *Live
	tally   *tally
	stall   atomic.Int64
	kick    chan struct{}
	samples chan oplog.Sample
	quit    chan struct{}
	wg      sync.WaitGroup

	mu        sync.Mutex
	err       error
	failed    chan struct{}
	lastFlush int64
}

// New starts a recorder for workers 0 to workers-1. Rows go to sink; storage,
// where there is one, is synced and closed at the end.
func New(c clock.Clock, sink Sink, storage oplog.Storage, workers int) *Recorder {
	r := &Recorder{
		clock: c, sink: sink, storage: storage, live: newLive(), tally: newTally(),
		kick: make(chan struct{}, 1), samples: make(chan oplog.Sample, 4),
		quit: make(chan struct{}), failed: make(chan struct{}),
	}
	slots := slotsFor(workers)
	for range workers {
		r.shards = append(r.shards, newShard(r, slots))
	}
	r.wg.Go(r.loop)
	return r
}

// slotsFor returns a power of two.
func slotsFor(workers int) int {
	n := maxSlots
	for n > minSlots && n*workers*opBytes > ringBytes {
		n /= 2
	}
	return n
}

// Shard returns worker i's way into the record.
func (r *Recorder) Shard(i int) *Shard { return r.shards[i] }

// Live returns the figures of the running interval.
func (r *Recorder) Live() *Live { return r.live }

// Stall returns how long workers have waited for the recorder, in all.
func (r *Recorder) Stall() time.Duration { return time.Duration(r.stall.Load()) }

// Failed is closed when the record could not be written. The recorder goes on
// emptying rings so that no worker hangs, but their rows are lost.
func (r *Recorder) Failed() <-chan struct{} { return r.failed }

// Err returns the first error of the sink.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Sample adds one sample to the record.
func (r *Recorder) Sample(s oplog.Sample) {
	s.StallNS = r.stall.Load()
	select {
	case r.samples <- s:
	case <-r.quit:
	}
}

// BeginPhase marks a border: rows of this stage and phase follow.
func (r *Recorder) BeginPhase(b Border) { r.tally.begin(b) }

// FinishPhase marks the end of a stage's phase.
func (r *Recorder) FinishPhase(b Border) { r.tally.finish(b) }

func (r *Recorder) wake() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

func (r *Recorder) loop() {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-r.kick:
		case <-t.C:
		case s := <-r.samples:
			r.note(r.sink.Sample(&s))
		case <-r.quit:
			r.drain()
			r.drainSamples()
			return
		}
		r.drain()
		r.flushIfOld()
	}
}

func (r *Recorder) drain() {
	r.live.mu.Lock()
	r.tally.mu.Lock()
	defer r.live.mu.Unlock()
	defer r.tally.mu.Unlock()
	for _, s := range r.shards {
		s.drain(r.row)
	}
}

// drainSamples writes the samples that came just before the end.
func (r *Recorder) drainSamples() {
	for len(r.samples) > 0 {
		s := <-r.samples
		r.note(r.sink.Sample(&s))
	}
}

func (r *Recorder) row(op *oplog.Op) {
	if err := r.sink.Row(op); err != nil {
		r.note(err)
	}
	r.tally.add(op)
	r.live.add(op)
}

func (r *Recorder) flushIfOld() {
	now := r.clock.Now()
	if !r.sink.Pending() {
		r.lastFlush = now
		return
	}
	if now-r.lastFlush < int64(flushAfter) {
		return
	}
	r.lastFlush = now
	r.note(r.sink.Flush())
}

func (r *Recorder) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
		close(r.failed)
	}
}

// Close writes what is left, then the end, and publishes the file. It must be
// called once, after every worker has stopped. The sums in end are filled in
// here; the caller gives the reasons.
func (r *Recorder) Close(end *oplog.End) error {
	close(r.quit)
	r.wg.Wait()
	end.StallNS = r.stall.Load()
	end.Stages = r.tally.stages(end.Stages)
	r.note(r.sink.Finish(end))
	if r.storage == nil {
		return r.Err()
	}
	if r.Err() == nil {
		r.note(r.storage.Sync())
	}
	r.note(r.storage.Close(r.Err() == nil))
	if err := r.Err(); err != nil {
		return &LostError{Name: r.storage.Name(), Safe: r.sink.Safe(), Err: err}
	}
	return nil
}

// LostError says that the record could not be written to its end.
type LostError struct {
	// Name is the file that holds what could be written.
	Name string
	// Safe is the number of rows that can be read back from it.
	Safe int64
	Err  error
}

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("%v (%d rows are safe in %s)", e.Err, e.Safe, e.Name)
}

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Err }
