package workload

import (
	"context"

	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/payload"
	"bench/internal/population"
)

// prepareRetries is how often a failed put of a preparation is tried again, each
// time under a new key.
const prepareRetries = 3

// Put writes new objects.
type Put struct {
	env   *Env
	fresh *population.Extension
	room  *room
	// again makes failed puts be tried again under new keys.
	again bool
}

// NewPut writes limit new objects, or any number when limit is 0.
func NewPut(env *Env, limit int64) *Put {
	return &Put{env: env, fresh: env.Objects.Extend(uint64(limit), env.Workers), room: newRoom(env)}
}

// NewPrepare writes limit objects for other workloads and tries failed ones
// again under new keys.
func NewPrepare(env *Env, limit int64) *Put {
	p := NewPut(env, limit)
	p.again = true
	return p
}

// Worker implements [Workload].
func (p *Put) Worker(i int) engine.Worker {
	return &putWorker{putter: newPutter(p.env, i), ids: p.fresh.Claimer(), room: p.room, tryAgain: p.again}
}

// putter writes one object; put and mixed share it.
type putter struct {
	seat
	body payload.Body
	id   uint64
	key  string
	sent bool // op.Sent is called by the body
}

func newPutter(env *Env, i int) putter {
	return putter{seat: newSeat(env, i, 'p')}
}

// choose names the object to write.
func (p *putter) choose(op *engine.Op, id uint64) {
	if !p.sent {
		p.body.SetNotify(op.Sent)
		p.sent = true
	}
	p.id, p.key = id, p.env.Objects.Key(&p.keys, id)
	op.Name, op.Key = oplog.OpPut, p.key[len(p.env.Root):]
}

// write sends the object and returns what is needed to address it.
func (p *putter) write(ctx context.Context, op *engine.Op) (population.Ref, error) {
	p.body.Reset(p.content(p.key), p.env.Objects.Size(p.id))
	obj, err := p.env.Backend.Put(tryOf(ctx, op), p.key, &p.body)
	if err != nil {
		return population.Ref{}, nothing(op, err)
	}
	op.Bytes = p.body.Size()
	return population.Ref{Version: obj.Version, Handle: obj.Handle}, nil
}

type putWorker struct {
	putter
	ids      *population.Claimer
	room     *room
	trim     trimmer
	ref      population.Ref
	waiting  bool // an id was claimed, but there is no room for it yet
	tryAgain bool
	again    int // tries left for the object that failed last
}

// Next implements [engine.Worker].
func (w *putWorker) Next(op *engine.Op) engine.Verdict {
	if !w.waiting {
		id, ok := w.nextID()
		if !ok {
			return engine.Complete
		}
		w.id, w.waiting = id, true
	}
	switch {
	case w.room.take():
		w.waiting = false
		w.choose(op, w.id)
	case !w.trim.choose(&w.seat, op):
		return engine.Wait
	}
	return engine.Ready
}

func (w *putWorker) nextID() (uint64, bool) {
	if w.tryAgain && w.again > 0 {
		return w.ids.Extra(), true
	}
	w.again = 0
	return w.ids.Next()
}

// Do implements [engine.Worker].
func (w *putWorker) Do(ctx context.Context, op *engine.Op) (err error) {
	if op.Aside {
		return w.trim.delete(ctx, &w.seat, op)
	}
	w.ref, err = w.write(ctx, op)
	return err
}

// Settle implements [engine.Worker].
func (w *putWorker) Settle(op *engine.Op, err error) {
	if op.Aside {
		w.trim.settle(&w.seat, err)
		w.room.deleted(w.trim.id)
		return
	}
	if err == nil {
		w.env.Objects.Written(w.id, w.ref)
		w.again = 0
	} else {
		w.env.Objects.Doubtful(w.id)
		w.countFailure()
	}
	w.room.put(w.id, err == nil)
}

// countFailure lets a failed object be tried again a few times. The tries
// that are left reach 0 when it is given up.
func (w *putWorker) countFailure() {
	if w.again > 0 {
		w.again--
		return
	}
	w.again = prepareRetries
}
