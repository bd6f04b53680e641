package population

import "math/rand/v2"

// pickProbes bounds how often Pick tries before it searches. With one id in
// eight live, fewer than one pick in five thousand has to search.
const pickProbes = 64

// Pick returns a live id, each with the same probability. Where so few of the
// ids ever claimed are live that random probes do not meet one, it takes the
// next live id behind a random place, which favours those behind gaps. It
// returns false when nothing is live.
func (p *Population) Pick(r *rand.Rand) (id uint64, ok bool) {
	bound := p.Bound()
	if bound == 0 {
		return 0, false
	}
	for range pickProbes {
		if id = r.Uint64N(bound); p.Live(id) {
			return id, true
		}
	}
	start := r.Uint64N(bound)
	if id, ok = p.seek(start, bound, live); ok {
		return id, true
	}
	return p.seek(0, start, live)
}

// TakeOldest claims the live object with the smallest id for deletion. The
// object is in doubt from then on, so that no other call returns it, nobody
// picks it and [Population.LiveBytes] has lost it; afterwards the caller
// reports [Population.Gone], leaves it in doubt, or makes it live again with
// [Population.Written]. Its ref is kept meanwhile. It returns false when
// nothing is live.
//
// With other callers at work the order is nearly that of the ids: an object
// that becomes live behind the search is found in its next round.
//
// Do not use it while a [Pool] over the same population is in use, which would
// go on handing out the object; use [Pool.Take] there.
func (p *Population) TakeOldest() (id uint64, ok bool) {
	start := p.oldest.Load()
	bound := p.Bound()
	if id, ok = p.takeFrom(start, bound); !ok {
		if id, ok = p.takeFrom(0, min(start, bound)); !ok {
			return 0, false
		}
	}
	// Whoever loses this race leaves a hint that is old, not wrong.
	p.oldest.Store(id)
	return id, true
}

// takeFrom moves the first live id in [from, end) to doubt.
func (p *Population) takeFrom(from, end uint64) (id uint64, ok bool) {
	for {
		if id, ok = p.seek(from, end, live); !ok {
			return 0, false
		}
		if p.apply(id, change{to: doubt, onlyLive: true}) == live {
			return id, true
		}
		from = id + 1
	}
}
