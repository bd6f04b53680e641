package workload

import (
	"context"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/population"
)

// Delete removes objects, oldest first, each one time.
type Delete struct {
	env   *Env
	batch int
	visit *population.Visit
}

// NewDelete deletes batch objects with one request where the store can, else
// one.
func NewDelete(env *Env, batch int) *Delete {
	return &Delete{env: env, batch: batchSize(env, batch), visit: env.Objects.Visit(nil, env.Workers)}
}

// batchSize cuts a batch to what the store takes; 1 is a plain delete.
func batchSize(env *Env, batch int) int {
	if env.Can.BatchDeleter == nil || batch < 1 {
		return 1
	}
	return min(batch, env.Can.BatchDeleter.MaxBatch())
}

// Worker implements [Workload].
func (d *Delete) Worker(i int) engine.Worker {
	return &deleteWorker{deleter: newDeleter(d.env, i, d.batch), visitor: d.visit.Visitor()}
}

// deleter deletes a group of objects; del, mixed and cleanup share it.
type deleter struct {
	seat
	batch int
	ids   []uint64
	objs  []backends.Object
	// failed lists the places in objs that failed in the last try, in order.
	failed []backends.BatchError
	// send and request are the places and objects of one try of a batch; step
	// is what its failed keys have in common in the record.
	send    []int
	request []backends.Object
	step    oplog.Op
}

func newDeleter(env *Env, i, batch int) deleter {
	return deleter{seat: newSeat(env, i, 'd'), batch: batch}
}

// begin forgets the last group.
func (d *deleter) begin() { d.ids, d.objs = d.ids[:0], d.objs[:0] }

// add puts an object into the group; the row is named by the first.
func (d *deleter) add(op *engine.Op, id uint64) {
	d.ids = append(d.ids, id)
	obj := d.env.Objects.Object(&d.keys, id)
	if len(d.objs) == 0 {
		op.Name, op.Key = oplog.OpDelete, obj.Key[len(d.env.Root):]
	}
	d.objs = append(d.objs, obj)
}

// gather fills a new group with the objects that next returns.
func (d *deleter) gather(op *engine.Op, next func() (uint64, bool)) engine.Verdict {
	d.begin()
	for !d.full() {
		id, ok := next()
		if !ok {
			break
		}
		d.add(op, id)
	}
	if len(d.ids) == 0 {
		return engine.Complete
	}
	return engine.Ready
}

// full reports whether the group needs no more objects.
func (d *deleter) full() bool { return len(d.objs) >= d.batch }

// remove sends the delete. Another try of a batch names only the keys that
// failed in the one before.
func (d *deleter) remove(ctx context.Context, op *engine.Op) error {
	ctx = tryOf(ctx, op)
	if d.batch <= 1 {
		d.failed = d.failed[:0]
		if err := d.env.Backend.Delete(ctx, d.objs[0]); err != nil {
			d.failed = append(d.failed, backends.BatchError{Err: err})
			return nothing(op, err)
		}
		return nil
	}
	d.send = d.send[:0]
	for i := range d.objs {
		d.send = append(d.send, i)
	}
	if op.Tries > 1 {
		d.onlyFailed()
	}
	return d.sendBatch(ctx, op)
}

// onlyFailed keeps the places that failed in the try before.
func (d *deleter) onlyFailed() {
	d.send = d.send[:0]
	for _, f := range d.failed {
		d.send = append(d.send, f.Index)
	}
}

// sendBatch deletes the objects at the places to send and keeps which failed.
func (d *deleter) sendBatch(ctx context.Context, op *engine.Op) error {
	d.request = d.request[:0]
	for _, i := range d.send {
		d.request = append(d.request, d.objs[i])
	}
	d.step = op.Begin(oplog.StepDeleteOne)
	failed, err := d.env.Can.BatchDeleter.DeleteBatch(ctx, d.request)
	op.Stamp(&d.step)
	d.failed = d.failed[:0]
	for _, f := range failed {
		d.failed = append(d.failed, backends.BatchError{Index: d.send[f.Index], Err: f.Err})
	}
	if err != nil {
		d.allFailed(err)
	}
	op.Failed = int32(len(d.failed))
	op.Objects = int64(len(d.objs) - len(d.failed))
	if len(d.failed) == 0 {
		return nil
	}
	return d.failed[0].Err
}

func (d *deleter) allFailed(err error) {
	d.failed = d.failed[:0]
	for _, i := range d.send {
		d.failed = append(d.failed, backends.BatchError{Index: i, Err: err})
	}
}

// recordFailed writes a step for each key of a batch that failed for good.
func (d *deleter) recordFailed(op *engine.Op) {
	if d.batch <= 1 {
		return
	}
	for _, f := range d.failed {
		step := d.step
		step.Key = d.objs[f.Index].Key[len(d.env.Root):]
		step.Objects = 0
		step.Class, step.Error = string(backends.Classify(f.Err)), f.Err.Error()
		op.Record(&step)
	}
}

// outcomes calls fn with every object of the group and its error.
func (d *deleter) outcomes(fn func(id uint64, err error)) {
	f := 0
	for i, id := range d.ids {
		var err error
		if f < len(d.failed) && d.failed[f].Index == i {
			err = d.failed[f].Err
			f++
		}
		fn(id, err)
	}
}

// forget tells the population what became of an object.
func (s *seat) forget(id uint64, err error) {
	if isGone(err) {
		s.env.Objects.Gone(id)
		return
	}
	s.env.Objects.Doubtful(id)
}

// isGone reports whether a delete that ended with err left no object.
func isGone(err error) bool {
	return err == nil || backends.Classify(err) == backends.ClassNotFound
}

type deleteWorker struct {
	deleter
	visitor *population.Visitor
}

// Next implements [engine.Worker].
func (w *deleteWorker) Next(op *engine.Op) engine.Verdict {
	return w.gather(op, w.visitor.Next)
}

// Do implements [engine.Worker].
func (w *deleteWorker) Do(ctx context.Context, op *engine.Op) error { return w.remove(ctx, op) }

// Settle implements [engine.Worker].
func (w *deleteWorker) Settle(op *engine.Op, _ error) {
	w.recordFailed(op)
	w.outcomes(w.forget)
}
