package workload_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"bench/backends"
	"bench/internal/oplog"
	"bench/internal/population"
)

// guard is a store that keeps no content and watches that its objects are
// used in order: none is read before its put has ended or after its delete
// has begun, none is deleted under a reader, written twice or deleted twice.
type guard struct {
	t       *testing.T
	objects *population.Population
	// deny, if set, fails calls.
	deny func(what, key string) error

	mu      sync.Mutex
	state   map[string]*guarded
	bytes   int64
	most    int64
	reads   int
	deletes int
}

type guarded struct {
	size    int64
	readers int
	stage   string // writing, there, going, gone
}

func newGuard(t *testing.T) *guard {
	t.Helper()
	return &guard{t: t, state: map[string]*guarded{}}
}

// breathe lets other workers run in the middle of a call.
func (g *guard) breathe() {
	for range 3 {
		runtime.Gosched()
	}
}

func (g *guard) refuse(what, key string) error {
	if g.deny == nil {
		return nil
	}
	return g.deny(what, key)
}

func (g *guard) Put(_ context.Context, key string, body backends.Body) (backends.Object, error) {
	if err := g.refuse("put", key); err != nil {
		return backends.Object{}, err
	}
	g.mu.Lock()
	if g.state[key] != nil {
		g.t.Errorf("put %s: it was %s before", key, g.state[key].stage)
	}
	s := &guarded{size: body.Size(), stage: "writing"}
	g.state[key] = s
	g.bytes += s.size
	g.most = max(g.most, g.bytes)
	g.mu.Unlock()
	g.breathe()
	g.mu.Lock()
	defer g.mu.Unlock()
	s.stage = "there"
	return backends.Object{Key: key, Size: s.size}, nil
}

// use begins or ends a reading.
func (g *guard) use(what, key string, change int) *guarded {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reads++
	s := g.state[key]
	if s == nil || s.stage != "there" {
		g.t.Errorf("%s %s: the object is %+v", what, key, s)
		return &guarded{}
	}
	s.readers += change
	return s
}

func (g *guard) Get(_ context.Context, obj backends.Object, r backends.Range) (io.ReadCloser, error) {
	if err := g.refuse("get", obj.Key); err != nil {
		return nil, err
	}
	s := g.use("get", obj.Key, 1)
	_, n, err := r.Clip(s.size)
	if err != nil {
		return nil, err
	}
	return &guardBody{Reader: io.LimitReader(zeros{}, n), g: g, key: obj.Key}, nil
}

func (g *guard) Stat(_ context.Context, obj backends.Object) (backends.Info, error) {
	if err := g.refuse("stat", obj.Key); err != nil {
		return backends.Info{}, err
	}
	s := g.use("stat", obj.Key, 1)
	g.breathe()
	g.use("stat", obj.Key, -1)
	return backends.Info{Object: backends.Object{Key: obj.Key, Size: s.size}}, nil
}

func (g *guard) Delete(_ context.Context, obj backends.Object) error {
	if err := g.refuse("delete", obj.Key); err != nil {
		return err
	}
	g.mu.Lock()
	s := g.state[obj.Key]
	if s == nil || s.stage != "there" || s.readers > 0 {
		g.t.Errorf("delete %s: the object is %+v", obj.Key, s)
		s = &guarded{}
	}
	s.stage = "going"
	g.mu.Unlock()
	g.breathe()
	g.mu.Lock()
	defer g.mu.Unlock()
	s.stage = "gone"
	g.bytes -= s.size
	g.deletes++
	return nil
}

// List says that there is nothing, which mixed does not check.
func (g *guard) List(context.Context, backends.ListRequest) (backends.Page, error) {
	return backends.Page{}, nil
}

func (g *guard) Close() error { return nil }

type guardBody struct {
	io.Reader
	g   *guard
	key string
}

func (b *guardBody) Close() error {
	b.g.breathe()
	b.g.use("close", b.key, -1)
	return nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// check compares population, record and store after a load without errors.
func (g *guard) check(t *testing.T, tr *trial, limit int64) {
	t.Helper()
	var there int64
	keys := map[string]bool{}
	for key, s := range g.state {
		if s.stage == "there" {
			there += s.size
			keys[key[len(root):]] = true
		}
		if s.readers != 0 {
			t.Errorf("%s still has %d readers", key, s.readers)
		}
	}
	for _, key := range tr.live() {
		if !keys[key] {
			t.Errorf("%s is live but not in the store", key)
		}
	}
	if got := tr.Objects.Len(); got != uint64(len(keys)) || tr.Objects.LiveBytes() != there {
		t.Errorf("population has %d objects of %d bytes, the store %d of %d", got, tr.Objects.LiveBytes(), len(keys), there)
	}
	if limit > 0 && g.most > limit {
		t.Errorf("the store held up to %d bytes, the cap is %d", g.most, limit)
	}
	puts, gone := 0, int64(0)
	tr.book.mu.Lock()
	defer tr.book.mu.Unlock()
	for _, op := range tr.book.ops {
		switch {
		case op.Level != 0 || !op.OK():
		case op.Name == oplog.OpPut:
			puts++
		case op.Name == oplog.OpDelete:
			gone += op.Objects
		}
	}
	if puts != len(g.state) || gone != int64(g.deletes) || puts-g.deletes != len(keys) {
		t.Errorf("record: %d put, %d deleted; store: %d put, %d deleted, %d left", puts, gone, len(g.state), g.deletes, len(keys))
	}
	for key := range g.state {
		if !strings.HasPrefix(key, root) {
			t.Errorf("key %s is outside of the root", key)
		}
	}
}
