package population

// A Visit hands every id that is live once to one of several workers.
type Visit struct {
	p       *Population
	order   *Permutation
	tickets tickets
}

// Visit begins a visit of the ids below the present bound: in ascending order,
// or in that of a permutation of the numbers below that bound. Objects written
// later are not visited.
func (p *Population) Visit(order *Permutation, workers int) *Visit {
	v := &Visit{p: p, order: order}
	limit := p.Bound()
	if order != nil {
		limit = order.Len()
	}
	v.tickets.init(limit, workers)
	return v
}

// Visitor returns a new worker's share in v.
func (v *Visit) Visitor() *Visitor { return &Visitor{v: v} }

// A Visitor hands ids to one worker.
type Visitor struct {
	v         *Visit
	next, end uint64
	_         [40]byte
}

// Next returns a live id that no other Next of the visit returns. It returns
// false at the end.
func (w *Visitor) Next() (id uint64, ok bool) {
	for {
		if w.next == w.end && !w.refill() {
			return 0, false
		}
		id = w.next
		w.next++
		if w.v.order != nil {
			id = w.v.order.At(id)
		}
		if w.v.p.Live(id) {
			return id, true
		}
	}
}

func (w *Visitor) refill() bool {
	first, n := w.v.tickets.take()
	w.next, w.end = first, first+n
	return n > 0
}
