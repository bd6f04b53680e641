package record

import (
	"sync/atomic"

	"bench/internal/oplog"
)

// Shard is one worker's way into the record. Put must be called by one
// goroutine at a time.
type Shard struct {
	rec   *Recorder
	slots []oplog.Op
	mask  uint64
	head  uint64 // rows put, the worker's own
	room  uint64 // the worker's last view of tail + len(slots)

	_         [64]byte // the reader's words stay off the worker's cache line
	published atomic.Uint64
	_         [56]byte
	tail      atomic.Uint64
	waiting   atomic.Bool
	space     chan struct{}
}

func newShard(rec *Recorder, slots int) *Shard {
	return &Shard{
		rec: rec, slots: make([]oplog.Op, slots), mask: uint64(slots - 1),
		room: uint64(slots), space: make(chan struct{}, 1),
	}
}

// Put copies op into the record. It waits only when the recorder is behind by
// the whole ring.
func (s *Shard) Put(op *oplog.Op) {
	if s.head == s.room {
		s.waitForRoom()
	}
	s.slots[s.head&s.mask] = *op
	s.head++
	s.published.Store(s.head)
	if s.head&(s.mask>>1) == 0 {
		s.rec.wake()
	}
}

func (s *Shard) waitForRoom() {
	size := uint64(len(s.slots))
	if s.room = s.tail.Load() + size; s.head != s.room {
		return
	}
	began := s.rec.clock.Now()
	for s.head == s.room {
		s.waiting.Store(true)
		s.rec.wake()
		if s.room = s.tail.Load() + size; s.head == s.room {
			<-s.space
			s.room = s.tail.Load() + size
		}
	}
	s.rec.stall.Add(s.rec.clock.Now() - began)
}

// drain hands every published row to fn and frees its slot.
func (s *Shard) drain(fn func(*oplog.Op)) {
	tail, head := s.tail.Load(), s.published.Load()
	if tail == head {
		return
	}
	for ; tail != head; tail++ {
		fn(&s.slots[tail&s.mask])
	}
	s.tail.Store(tail)
	if s.waiting.Swap(false) {
		select {
		case s.space <- struct{}{}:
		default:
		}
	}
}
