package backendtest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"bench/backends"
)

// An env is what one test works with: a fresh backend, and calls that fail
// the test where the backend fails.
type env struct {
	t    *testing.T
	o    Options
	b    backends.Backend
	able backends.Abilities
}

func newEnv(t *testing.T, o Options) *env {
	t.Helper()
	b := o.Open(t)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &env{t: t, o: o, b: b, able: backends.Discover(b)}
}

func (e *env) ctx() context.Context { return e.t.Context() }

// key puts name below the suite's prefix.
func (e *env) key(name string) string { return e.o.Prefix + name }

// obj addresses an object by name, of unknown size.
func (e *env) obj(name string) backends.Object {
	return backends.Object{Key: e.key(name), Size: -1}
}

// put stores content under name.
func (e *env) put(name string, content []byte) backends.Object {
	e.t.Helper()
	obj, err := e.b.Put(e.ctx(), e.key(name), bytes.NewReader(content))
	if err != nil {
		e.t.Fatalf("put %q: %v", name, err)
	}
	if obj.Key != e.key(name) || obj.Size != int64(len(content)) {
		e.t.Fatalf("put %q: returned key %q and size %d, want %q and %d", name, obj.Key, obj.Size, e.key(name), len(content))
	}
	return obj
}

// puts stores a small object under each name.
func (e *env) puts(names ...string) []backends.Object {
	e.t.Helper()
	objs := make([]backends.Object, 0, len(names))
	for _, name := range names {
		objs = append(objs, e.put(name, []byte("content of "+name)))
	}
	return objs
}

// read gets a range of an object to its end.
func (e *env) read(obj backends.Object, r backends.Range) ([]byte, error) {
	rc, err := e.b.Get(e.ctx(), obj, r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(rc)
	if closeErr := rc.Close(); err == nil {
		err = closeErr
	}
	return content, err
}

// wantContent fails unless obj holds exactly content.
func (e *env) wantContent(obj backends.Object, content []byte) {
	e.t.Helper()
	got, err := e.read(obj, backends.Range{})
	if err != nil {
		e.t.Fatalf("get %q: %v", obj.Key, err)
	}
	if !bytes.Equal(got, content) {
		e.t.Fatalf("get %q: got %d bytes that differ from the %d stored", obj.Key, len(got), len(content))
	}
}

// wantClass fails unless err has the class.
func (e *env) wantClass(what string, err error, want backends.Class) {
	e.t.Helper()
	if got := backends.Classify(err); got != want {
		e.t.Errorf("%s: class %q, want %q (error: %v)", what, got, want, err)
	}
}

// wantMissing fails unless get and stat of obj say that there is none.
func (e *env) wantMissing(obj backends.Object) {
	e.t.Helper()
	_, err := e.read(obj, backends.Range{})
	e.wantClass("get "+obj.Key, err, backends.ClassNotFound)
	_, err = e.b.Stat(e.ctx(), obj)
	e.wantClass("stat "+obj.Key, err, backends.ClassNotFound)
}

// content returns n bytes that no run of another seed shares.
func content(seed uint64, n int) []byte {
	out := make([]byte, n)
	var key [32]byte
	key[0], key[1] = byte(seed), byte(seed>>8)
	_, _ = rand.NewChaCha8(key).Read(out) // never fails
	return out
}
