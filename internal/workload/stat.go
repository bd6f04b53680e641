package workload

import (
	"context"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
)

// Stat asks for the metadata of objects.
type Stat struct {
	env    *Env
	visits *visits
}

// NewStat asks for objects picked uniformly from the whole population; with
// once it visits each object one time.
func NewStat(env *Env, once bool) *Stat {
	return &Stat{env: env, visits: newVisits(env, once, 's')}
}

// Worker implements [Workload].
func (s *Stat) Worker(i int) engine.Worker {
	return &statWorker{statter: statter{seat: newSeat(s.env, i, 's')}, picks: s.visits.picker()}
}

// statter asks for one object; stat and mixed share it.
type statter struct {
	seat
	obj backends.Object
}

func (s *statter) choose(op *engine.Op, id uint64) {
	op.Name = oplog.OpStat
	s.obj = s.object(op, id)
}

func (s *statter) ask(ctx context.Context, op *engine.Op) error {
	info, err := s.env.Backend.Stat(tryOf(ctx, op), s.obj)
	if err != nil {
		return nothing(op, err)
	}
	if info.Size != s.obj.Size {
		return nothing(op, backends.Errorf(backends.ClassChecksum,
			"stat %s: %d bytes, want %d", s.obj.Key, info.Size, s.obj.Size))
	}
	return nil
}

type statWorker struct {
	statter
	picks picker
}

// Next implements [engine.Worker].
func (w *statWorker) Next(op *engine.Op) engine.Verdict {
	id, verdict := w.picks.next(&w.seat)
	if verdict == engine.Ready {
		w.choose(op, id)
	}
	return verdict
}

// Do implements [engine.Worker].
func (w *statWorker) Do(ctx context.Context, op *engine.Op) error { return w.ask(ctx, op) }

// Settle implements [engine.Worker].
func (w *statWorker) Settle(*engine.Op, error) {}
