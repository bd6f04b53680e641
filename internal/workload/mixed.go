package workload

import (
	"context"

	"bench/internal/engine"
	"bench/internal/population"
)

// Mixed runs several kinds of operations over one pool of objects. Reads
// share an object; a delete takes one that nobody uses, so that no object is
// deleted under a reader.
type Mixed struct {
	env     *Env
	mix     Mix
	ranges  Ranges
	batch   int
	maxKeys int
	pool    *population.Pool
	fresh   *population.Extension
	room    *room
}

// NewMixed runs the mix over what is live.
func NewMixed(env *Env, mix Mix, ranges Ranges, batch, maxKeys int) *Mixed {
	return &Mixed{
		env: env, mix: mix, ranges: ranges, batch: batchSize(env, batch), maxKeys: maxKeys,
		pool:  population.NewPool(env.Objects, env.Workers),
		fresh: env.Objects.Extend(0, env.Workers), room: newRoom(env),
	}
}

// Worker implements [Workload].
func (m *Mixed) Worker(i int) engine.Worker {
	return &mixedWorker{
		mixed: m, seat: newSeat(m.env, i, 'm'), ids: m.fresh.Claimer(),
		get: newGetter(m.env, i, m.ranges), stat: statter{seat: newSeat(m.env, i, 's')},
		put: newPutter(m.env, i), del: newDeleter(m.env, i, m.batch),
		list: lister{seat: newSeat(m.env, i, 'l'), maxKeys: m.maxKeys},
	}
}

type mixedWorker struct {
	seat
	mixed  *Mixed
	ids    *population.Claimer
	kind   kind
	get    getter
	stat   statter
	put    putter
	del    deleter
	list   lister
	lease  population.Lease   // of the object being read
	leases []population.Lease // of the objects being deleted
	ref    population.Ref
	owed   bool // a put was picked that had to wait for room
}

// Next implements [engine.Worker].
func (w *mixedWorker) Next(op *engine.Op) engine.Verdict {
	w.kind = kindPut
	if !w.owed {
		w.kind = w.mixed.mix.pick(w.rng.Float64())
	}
	if w.kind == kindPut && !w.mixed.room.take() {
		return w.makeRoom(op)
	}
	w.owed = false
	if w.choose(op) {
		return engine.Ready
	}
	return w.fallback(op)
}

// makeRoom deletes an object before the put that was picked, which is not
// forgotten meanwhile.
func (w *mixedWorker) makeRoom(op *engine.Op) engine.Verdict {
	w.owed = true
	if !w.takeBatch(op, 1) {
		return engine.Wait
	}
	w.kind, op.Aside = kindDel, true
	return engine.Ready
}

// choose prepares an operation of the kind that was picked. It reports false
// when no object is free for it.
func (w *mixedWorker) choose(op *engine.Op) bool {
	switch w.kind {
	case kindGet, kindStat:
		return w.share(op)
	case kindDel:
		return w.takeBatch(op, w.mixed.batch)
	case kindList:
		w.list.choose(op, w.rng.IntN(max(w.env.Objects.Prefixes(), 1)), "")
		return true
	case kindPut:
		return w.write(op)
	}
	return false
}

func (w *mixedWorker) share(op *engine.Op) bool {
	lease, ok := w.mixed.pool.Share(w.rng)
	if !ok {
		return false
	}
	w.lease = lease
	if w.kind == kindGet {
		w.get.choose(op, lease.ID)
	} else {
		w.stat.choose(op, lease.ID)
	}
	return true
}

// takeBatch takes up to n objects that nobody uses.
func (w *mixedWorker) takeBatch(op *engine.Op, n int) bool {
	w.del.begin()
	w.leases = w.leases[:0]
	for len(w.leases) < n {
		lease, ok := w.mixed.pool.Take(w.rng)
		if !ok {
			break
		}
		w.leases = append(w.leases, lease)
		w.del.add(op, lease.ID)
	}
	return len(w.leases) > 0
}

// write chooses the next new object, for which there is room.
func (w *mixedWorker) write(op *engine.Op) bool {
	id, ok := w.ids.Next()
	if !ok {
		w.mixed.room.put(0, false)
		return false
	}
	w.put.choose(op, id)
	return true
}

// fallback keeps an empty pool from ending or spinning the run: what cannot
// be read or deleted now is written instead, where the mix writes at all.
func (w *mixedWorker) fallback(op *engine.Op) engine.Verdict {
	switch {
	case w.kind == kindPut: // there are no ids left
		return engine.Exhausted
	case w.mixed.mix.Put > 0:
		if !w.mixed.room.take() {
			return engine.Wait
		}
		w.kind = kindPut
		if w.write(op) {
			return engine.Ready
		}
		return engine.Exhausted
	case w.mixed.pool.Empty() && w.mixed.mix.List == 0:
		return engine.Exhausted
	}
	return engine.Wait
}

// Do implements [engine.Worker].
func (w *mixedWorker) Do(ctx context.Context, op *engine.Op) (err error) {
	switch w.kind {
	case kindGet:
		return w.get.read(ctx, op)
	case kindStat:
		return w.stat.ask(ctx, op)
	case kindDel:
		return w.del.remove(ctx, op)
	case kindList:
		return w.list.page(ctx, op)
	case kindPut:
		w.ref, err = w.put.write(ctx, op)
	}
	return err
}

// Settle implements [engine.Worker].
func (w *mixedWorker) Settle(op *engine.Op, err error) {
	switch w.kind {
	case kindGet, kindStat:
		w.lease.Release()
	case kindDel:
		w.del.recordFailed(op)
		w.settleDelete()
	case kindPut:
		w.settlePut(err)
	case kindList:
	}
}

func (w *mixedWorker) settlePut(err error) {
	w.mixed.room.put(w.put.id, err == nil)
	if err != nil {
		w.env.Objects.Doubtful(w.put.id)
		return
	}
	w.env.Objects.Written(w.put.id, w.ref)
	w.mixed.pool.Add(w.id, w.put.id)
}

// settleDelete takes deleted objects out of the pool. One whose delete failed
// is not read any more: nobody knows whether it is still there.
func (w *mixedWorker) settleDelete() {
	i := 0
	w.del.outcomes(func(id uint64, err error) {
		w.mixed.room.deleted(id)
		if isGone(err) {
			w.mixed.pool.Deleted(w.id, w.leases[i])
		} else {
			w.mixed.pool.Drop(w.id, w.leases[i])
		}
		i++
	})
}
