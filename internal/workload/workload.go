package workload

import (
	"context"
	"math/rand/v2"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/payload"
	"bench/internal/population"
)

// Env is what every workload works with.
type Env struct {
	Backend backends.Backend
	Can     backends.Abilities
	Objects *population.Population
	Source  *payload.Source
	// Root stands before every key; the record leaves it out.
	Root string
	Seed uint64
	// Workers is the number of workers of a load.
	Workers int
	// Verify compares every byte that is read with what was written.
	Verify bool
	// Cap is the most bytes the run keeps stored, 0 for no limit. Above it a
	// put is preceded by deletes of the oldest objects, as housekeeping.
	Cap int64
}

// Workload makes the workers of one load.
type Workload interface {
	// Worker makes worker i.
	Worker(i int) engine.Worker
}

// seat is what every worker has of its own.
type seat struct {
	env  *Env
	keys population.KeyMaker
	rng  *rand.Rand
	id   int
}

// stream separates the random choices of the workloads from one another.
func newSeat(env *Env, i int, stream uint64) seat {
	return seat{env: env, id: i, rng: rand.New(rand.NewPCG(env.Seed^stream, uint64(i)+1))}
}

// object looks up an object and names it in the operation.
func (s *seat) object(op *engine.Op, id uint64) backends.Object {
	obj := s.env.Objects.Object(&s.keys, id)
	op.Key = obj.Key[len(s.env.Root):]
	return obj
}

// content is what was written under an object's key.
func (s *seat) content(key string) payload.Content { return s.env.Source.Content(key, 0) }

// tryOf tells the store which try of the operation a call is.
func tryOf(ctx context.Context, op *engine.Op) context.Context {
	if op.Tries > 1 {
		return backends.WithTry(ctx, int(op.Tries))
	}
	return ctx
}

// nothing says that a failed operation moved nothing.
func nothing(op *engine.Op, err error) error {
	op.Bytes, op.Objects = 0, 0
	return err
}
