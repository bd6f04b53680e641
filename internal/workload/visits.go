package workload

import (
	"bench/internal/engine"
	"bench/internal/population"
)

// visits decides which objects reading workloads see.
type visits struct {
	env  *Env
	once *population.Visit // nil to pick at random
}

// newVisits picks at random, or visits each object once in an order shuffled
// by the seed.
func newVisits(env *Env, once bool, stream uint64) *visits {
	v := &visits{env: env}
	if once {
		order := population.NewPermutation(env.Objects.Bound(), env.Seed^stream)
		v.once = env.Objects.Visit(order, env.Workers)
	}
	return v
}

// picker is one worker's view of the visits.
type picker struct {
	env     *Env
	visitor *population.Visitor
}

func (v *visits) picker() picker {
	p := picker{env: v.env}
	if v.once != nil {
		p.visitor = v.once.Visitor()
	}
	return p
}

func (p picker) next(s *seat) (uint64, engine.Verdict) {
	if p.visitor != nil {
		if id, ok := p.visitor.Next(); ok {
			return id, engine.Ready
		}
		return 0, engine.Complete
	}
	if id, ok := p.env.Objects.Pick(s.rng); ok {
		return id, engine.Ready
	}
	return 0, engine.Exhausted
}
