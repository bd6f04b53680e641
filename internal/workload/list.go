package workload

import (
	"context"
	"strconv"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
)

// List pages through the population's prefixes; one page is one operation.
type List struct {
	env     *Env
	maxKeys int
	// counts holds the objects under each prefix, to check a listing that
	// was read to its end.
	counts []count
}

// count bounds the entries of a listing: objects in doubt may be among them.
type count struct{ least, most int64 }

// NewList asks for maxKeys entries a page. The population must not change
// while it runs.
func NewList(env *Env, maxKeys int) *List {
	l := &List{env: env, maxKeys: maxKeys}
	l.counts = make([]count, max(env.Objects.Prefixes(), 1))
	for id, ok := env.Objects.NextOwned(0); ok; id, ok = env.Objects.NextOwned(id + 1) {
		l.counts[env.Objects.PrefixOf(id)].add(env.Objects.Live(id))
	}
	if env.Objects.Prefixes() == 0 {
		l.counts[0].add(true) // the marker lies beside the objects
	}
	return l
}

func (c *count) add(certain bool) {
	c.most++
	if certain {
		c.least++
	}
}

// Worker implements [Workload].
func (l *List) Worker(i int) engine.Worker {
	return &listWorker{
		lister: lister{seat: newSeat(l.env, i, 'l'), maxKeys: l.maxKeys},
		counts: l.counts, at: i % len(l.counts), step: max(l.env.Workers, 1),
	}
}

// lister asks for one page; list and mixed share it.
type lister struct {
	seat
	maxKeys int
	req     backends.ListRequest
	next    string
}

// choose asks for a page of prefix number n, from the token on.
func (l *lister) choose(op *engine.Op, n int, token string) {
	name := ""
	if l.env.Objects.Prefixes() > 0 {
		name = strconv.Itoa(n) + "/"
	}
	op.Name, op.Key = oplog.OpList, name
	l.req = backends.ListRequest{Prefix: l.env.Root + name, Token: token, Max: l.maxKeys}
}

func (l *lister) page(ctx context.Context, op *engine.Op) error {
	l.next = ""
	page, err := l.env.Can.Lister.List(tryOf(ctx, op), l.req)
	if err != nil {
		return nothing(op, err)
	}
	if len(page.Objects) > 0 {
		op.Received()
	}
	op.Objects = int64(len(page.Objects))
	if page.Next != "" && page.Next == l.req.Token {
		return backends.Errorf(backends.ClassServer, "list %s: the server repeats its token", l.req.Prefix)
	}
	l.next = page.Next
	return nil
}

type listWorker struct {
	lister
	counts   []count
	at, step int
	token    string
	seen     int64
}

// Next implements [engine.Worker].
func (w *listWorker) Next(op *engine.Op) engine.Verdict {
	w.choose(op, w.at, w.token)
	return engine.Ready
}

// Do implements [engine.Worker].
func (w *listWorker) Do(ctx context.Context, op *engine.Op) error {
	if err := w.page(ctx, op); err != nil {
		return err
	}
	if w.next != "" {
		return nil
	}
	return w.check(w.seen + op.Objects)
}

// check compares a listing that is complete with what was written.
func (w *listWorker) check(seen int64) error {
	if w.env.Can.Synthetic {
		return nil
	}
	want := w.counts[w.at]
	switch {
	case seen < want.least:
		return backends.Errorf(backends.ClassTruncated, "list %s: %d entries, want %d", w.req.Prefix, seen, want.least)
	case seen > want.most:
		return backends.Errorf(backends.ClassChecksum, "list %s: %d entries, want %d", w.req.Prefix, seen, want.most)
	}
	return nil
}

// Settle moves on to the next page, or to the worker's next prefix.
func (w *listWorker) Settle(op *engine.Op, err error) {
	w.seen += op.Objects
	w.token = w.next
	if w.token == "" || err != nil {
		w.token, w.seen = "", 0
		w.at = (w.at + w.step) % len(w.counts)
	}
}
