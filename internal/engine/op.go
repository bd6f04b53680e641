package engine

import (
	"sync/atomic"

	"bench/internal/clock"
	"bench/internal/oplog"
)

// Op is one operation on its way through the loop. The engine owns the
// stamps; a workload fills the rest and marks moments through the methods.
// An Op belongs to its worker's goroutine.
type Op struct {
	oplog.Op
	// Aside marks housekeeping: it is recorded in phase cleanup and counts
	// for no limit.
	Aside bool

	clock clock.Clock
	rec   Recorder
	// running is the worker's inFlight word.
	running *atomic.Int64
}

// Received marks that body bytes (or the first entries of a listing) arrived.
func (o *Op) Received() {
	now := o.clock.Now()
	if o.FirstByte == oplog.None {
		o.FirstByte = now
	}
	o.LastByte = now
}

// Sent marks that the last body byte was handed over.
func (o *Op) Sent() { o.LastByte = o.clock.Now() }

// Begin starts a step inside the operation.
func (o *Op) Begin(name string) oplog.Op {
	var s oplog.Op
	s.Reset()
	s.Name, s.Key, s.Level = name, o.Key, 1
	s.Start = o.clock.Now()
	return s
}

// Stamp ends a step without recording it.
func (o *Op) Stamp(s *oplog.Op) { s.End = o.clock.Now() }

// Record records a step that was stamped. It may be called from Settle, when
// it is known what became of the operation.
func (o *Op) Record(s *oplog.Op) {
	s.Error = bound(s.Error)
	o.recordStep(s)
}

// Finish ends and records a step. Its error, if any, is given as a class and
// a text.
func (o *Op) Finish(s *oplog.Op, class, text string) {
	o.Stamp(s)
	s.Class, s.Error = class, text
	o.Record(s)
}

func (o *Op) recordStep(s *oplog.Op) {
	if o.running.Load() == abandoned {
		return
	}
	s.Thread, s.Stage, s.Phase, s.Level = o.Thread, o.Stage, o.Phase, 1
	s.Endpoint, s.Peer = o.Endpoint, o.Peer
	o.rec.Put(s)
}
