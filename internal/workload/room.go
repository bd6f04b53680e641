package workload

import (
	"sync/atomic"

	"bench/internal/population"
)

// room keeps what a load stores below Env.Cap. Each put holds room for the
// largest object before it begins, and an object that is being deleted is
// counted until it is gone, so that all workers together stay below the cap.
// Objects in doubt are not counted.
type room struct {
	objects *population.Population
	cap     int64 // 0 for no limit
	stored  atomic.Int64
}

func newRoom(env *Env) *room {
	r := &room{objects: env.Objects, cap: env.Cap}
	r.stored.Store(env.Objects.LiveBytes())
	return r
}

// take holds room for one put and reports whether there was any.
func (r *room) take() bool {
	if r.cap <= 0 {
		return true
	}
	largest := r.objects.Sizes().Max()
	if r.stored.Add(largest) <= r.cap {
		return true
	}
	r.stored.Add(-largest)
	return false
}

// put ends what take began: id was written, or nothing was.
func (r *room) put(id uint64, written bool) {
	if r.cap <= 0 {
		return
	}
	change := -r.objects.Sizes().Max()
	if written {
		change += r.objects.Size(id)
	}
	r.stored.Add(change)
}

// deleted returns the room of an object.
func (r *room) deleted(id uint64) {
	if r.cap > 0 {
		r.stored.Add(-r.objects.Size(id))
	}
}
