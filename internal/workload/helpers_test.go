package workload_test

import (
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bench/backends"
	"bench/backends/dummy"
	"bench/internal/clock"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/payload"
	"bench/internal/population"
	"bench/internal/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const root = "bench-test/"

// book keeps the rows of all workers.
type book struct {
	mu  sync.Mutex
	ops []oplog.Op
}

func (b *book) Put(op *oplog.Op) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ops = append(b.ops, *op)
}

// rows returns the operations of a phase.
func (b *book) rows(phase oplog.Phase) []oplog.Op {
	return b.filter(func(op *oplog.Op) bool { return op.Level == 0 && op.Phase == phase })
}

// steps returns the steps of a name.
func (b *book) steps(name string) []oplog.Op {
	return b.filter(func(op *oplog.Op) bool { return op.Level == 1 && op.Name == name })
}

func (b *book) filter(keep func(*oplog.Op) bool) []oplog.Op {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []oplog.Op
	for i := range b.ops {
		if keep(&b.ops[i]) {
			out = append(out, b.ops[i])
		}
	}
	return out
}

// trial is a population, a store and a record for some loads.
type trial struct {
	workload.Env
	book book
}

// config is what differs from trial to trial.
type config struct {
	store    backends.Backend
	sizes    population.Sizes
	workers  int
	prefixes int
	seed     uint64
	cap      int64
	verify   bool
	// untracked leaves out the count of bytes, as a run without a cap does.
	untracked bool
}

func newTrial(c config) *trial {
	c.workers = max(c.workers, 1)
	return &trial{Env: workload.Env{
		Backend: c.store, Can: backends.Discover(c.store), Source: payload.NewSource(c.seed), Root: root, Seed: c.seed,
		Workers: c.workers, Verify: c.verify, Cap: c.cap,
		Objects: population.New(population.Config{
			Root: root, Prefixes: c.prefixes, Seed: c.seed, Sizes: c.sizes, TrackBytes: !c.untracked,
		}),
	}}
}

// run runs a load to its end.
func (tr *trial) run(t *testing.T, phase oplog.Phase, w workload.Workload, changes ...func(*engine.Load)) engine.Outcome {
	t.Helper()
	load := engine.Load{
		Phase: phase, Workers: tr.Workers, NewWorker: w.Worker, MaxErrors: -1, MaxErrorRate: -1, Grace: time.Second,
	}
	for _, change := range changes {
		change(&load)
	}
	return engine.Run(t.Context(), t.Context(), load, engine.Env{
		Clock: clock.New(), Recorder: func(int) engine.Recorder { return &tr.book },
		Classify: func(err error) string { return string(backends.Classify(err)) },
	})
}

// ops ends a load after n operations.
func ops(n int64) func(*engine.Load) { return func(l *engine.Load) { l.Ops = n } }

// prepare writes n objects, all of which have to succeed.
func (tr *trial) prepare(t *testing.T, n int64) {
	t.Helper()
	tr.run(t, oplog.PhasePrepare, workload.NewPrepare(&tr.Env, n))
	if got := tr.Objects.Len(); got != uint64(n) {
		t.Fatalf("prepared %d objects, want %d", got, n)
	}
}

// live returns the keys of the live objects without the root.
func (tr *trial) live() []string {
	return tr.keys(tr.Objects.NextLive)
}

// owned returns the keys of the objects that exist or may exist.
func (tr *trial) owned() []string {
	return tr.keys(tr.Objects.NextOwned)
}

func (tr *trial) keys(next func(uint64) (uint64, bool)) (keys []string) {
	var m population.KeyMaker
	for id, ok := next(0); ok; id, ok = next(id + 1) {
		keys = append(keys, tr.Objects.Key(&m, id)[len(root):])
	}
	slices.Sort(keys)
	return keys
}

// inStore returns the keys that the store lists below the root.
func (tr *trial) inStore(t *testing.T) []string {
	t.Helper()
	lister := tr.Can.Lister
	keys := []string{}
	for token := ""; ; {
		page, err := lister.List(t.Context(), backends.ListRequest{Prefix: root, Token: token, Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Objects {
			keys = append(keys, o.Key[len(root):])
		}
		if token = page.Next; token == "" {
			slices.Sort(keys)
			return keys
		}
	}
}

// open opens dummy:// with parameters.
func open(t testing.TB, query string) backends.Backend {
	t.Helper()
	store, err := dummy.Open(t.Context(), backends.Config{Target: &url.URL{Scheme: "dummy", RawQuery: query}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

var errStore = backends.Errorf(backends.ClassServer, "the store said no")

// hooks is a store whose calls tests can answer themselves; a nil hook, or
// one that has no opinion, leaves the call to the store below.
type hooks struct {
	backends.Backend
	list  backends.Lister
	put   func(key string) error
	get   func(obj backends.Object, r backends.Range, body io.ReadCloser) (io.ReadCloser, error)
	stat  func(info *backends.Info) error
	del   func(key string) error
	batch func(keys []string) ([]backends.BatchError, error)
	page  func(req backends.ListRequest, page *backends.Page) error
}

func hook(store backends.Backend) *hooks {
	return &hooks{Backend: store, list: backends.Discover(store).Lister}
}

func (h *hooks) Put(ctx context.Context, key string, body backends.Body) (backends.Object, error) {
	if h.put != nil {
		if err := h.put(key); err != nil {
			return backends.Object{}, err
		}
	}
	return h.Backend.Put(ctx, key, body)
}

func (h *hooks) Get(ctx context.Context, obj backends.Object, r backends.Range) (io.ReadCloser, error) {
	body, err := h.Backend.Get(ctx, obj, r)
	if err == nil && h.get != nil {
		return h.get(obj, r, body)
	}
	return body, err
}

func (h *hooks) Stat(ctx context.Context, obj backends.Object) (backends.Info, error) {
	info, err := h.Backend.Stat(ctx, obj)
	if err == nil && h.stat != nil {
		err = h.stat(&info)
	}
	return info, err
}

func (h *hooks) Delete(ctx context.Context, obj backends.Object) error {
	if h.del != nil {
		if err := h.del(obj.Key); err != nil {
			return err
		}
	}
	return h.Backend.Delete(ctx, obj)
}

func (h *hooks) List(ctx context.Context, req backends.ListRequest) (backends.Page, error) {
	page, err := h.list.List(ctx, req)
	if err == nil && h.page != nil {
		err = h.page(req, &page)
	}
	return page, err
}

// batcher is a hooks that deletes in batches.
type batcher struct {
	*hooks
	limit int
}

func (b batcher) MaxBatch() int { return b.limit }

func (b batcher) DeleteBatch(ctx context.Context, objs []backends.Object) ([]backends.BatchError, error) {
	var keys []string
	for _, o := range objs {
		keys = append(keys, o.Key)
	}
	failed, err := b.batch(keys)
	if err != nil {
		return nil, err
	}
	for i, o := range objs {
		if !slices.ContainsFunc(failed, func(f backends.BatchError) bool { return f.Index == i }) {
			if err := b.Delete(ctx, o); err != nil && backends.Classify(err) != backends.ClassNotFound {
				return nil, errors.Join(errors.New("the fake itself failed"), err)
			}
		}
	}
	return failed, nil
}

func equalKeys(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %d keys %.200q, want %d keys %.200q", what, len(got), got, len(want), want)
	}
}
