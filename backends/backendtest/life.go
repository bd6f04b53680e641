package backendtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"bench/backends"
)

func lifeCases() []testCase {
	return []testCase{
		{"canceled context", 0, testCanceled},
		{"canceled append", backends.CapAppend, testCanceledAppend},
		{"canceled list", backends.CapList, testCanceledList},
		{"context canceled while the body is read", 0, testCanceledPut},
		{"context canceled while an object is read", 0, testCanceledGet},
		{"concurrent use", 0, testConcurrent},
		{"concurrent overwrite", 0, testConcurrentOverwrite},
		{"concurrent append", backends.CapAppend, testConcurrentAppend},
		{"double close", 0, testDoubleClose},
	}
}

func (e *env) wantCanceled(what string, err error) {
	e.t.Helper()
	e.wantClass(what, err, backends.ClassCanceled)
	if !errors.Is(err, context.Canceled) {
		e.t.Errorf("%s: error %v does not wrap context.Canceled", what, err)
	}
}

func (e *env) canceled() context.Context {
	ctx, cancel := context.WithCancel(e.ctx())
	cancel()
	return ctx
}

func testCanceled(e *env) {
	obj := e.put("object", []byte("content"))
	ctx := e.canceled()
	_, err := e.b.Put(ctx, e.key("new"), bytes.NewReader([]byte("content")))
	e.wantCanceled("put", err)
	_, err = e.b.Get(ctx, obj, backends.Range{})
	e.wantCanceled("get", err)
	_, err = e.b.Stat(ctx, obj)
	e.wantCanceled("stat", err)
	e.wantCanceled("delete", e.b.Delete(ctx, obj))
	if _, err = e.b.Stat(e.ctx(), obj); err != nil {
		e.t.Errorf("stat after a canceled delete: %v", err)
	}
}

func testCanceledAppend(e *env) {
	e.put("object", []byte("content"))
	_, err := e.able.Appender.Append(e.canceled(), e.key("object"), 7, bytes.NewReader([]byte("more")))
	e.wantCanceled("append", err)
	e.wantContent(e.obj("object"), []byte("content"))
}

func testCanceledList(e *env) {
	e.puts("object")
	_, err := e.able.Lister.List(e.canceled(), backends.ListRequest{Prefix: e.key(""), Max: 10})
	e.wantCanceled("list", err)
}

// A cancelingBody cancels the upload once its first half was read.
type cancelingBody struct {
	backends.Body
	cancel context.CancelFunc
	done   int64
}

func (b *cancelingBody) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	if b.done += int64(n); b.done > b.Size()/2 {
		b.cancel()
	}
	return n, err
}

func testCanceledPut(e *env) {
	ctx, cancel := context.WithCancel(e.ctx())
	defer cancel()
	body := &cancelingBody{Body: bytes.NewReader(content(1, largeSize)), cancel: cancel}
	_, err := e.b.Put(ctx, e.key("object"), body)
	e.wantCanceled("put", err)
}

func testCanceledGet(e *env) {
	obj := e.put("object", content(1, 8<<20))
	ctx, cancel := context.WithCancel(e.ctx())
	defer cancel()
	rc, err := e.b.Get(ctx, obj, backends.Range{})
	if err != nil {
		e.t.Fatalf("get: %v", err)
	}
	buf := make([]byte, 1000)
	if _, err := rc.Read(buf); err != nil {
		e.t.Fatalf("read: %v", err)
	}
	cancel()
	for err == nil {
		_, err = rc.Read(buf)
	}
	e.wantCanceled("read", err)
	if err := rc.Close(); err != nil {
		e.t.Logf("close after cancellation: %v", err)
	}
}

// parallel runs f in n goroutines at once.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func testConcurrent(e *env) {
	parallel(8, func(i int) {
		for round := range 20 {
			if err := e.cycle(fmt.Sprintf("dir-%d/sub-%d/object-%d", round%3, i%2, i)); err != nil {
				e.t.Errorf("worker %d, round %d: %v", i, round, err)
				return
			}
		}
	})
}

// cycle does everything the core can to one object.
func (e *env) cycle(name string) error {
	want := content(uint64(len(name)), 5000)
	obj, err := e.b.Put(e.ctx(), e.key(name), bytes.NewReader(want))
	if err != nil {
		return err
	}
	if info, err := e.b.Stat(e.ctx(), obj); err != nil || info.Size != 5000 {
		return fmt.Errorf("stat: size %d: %w", info.Size, err)
	}
	got, err := e.read(obj, backends.Range{})
	if err != nil || len(got) != len(want) {
		return fmt.Errorf("get: %d bytes: %w", len(got), err)
	}
	return e.b.Delete(e.ctx(), obj)
}

func testConcurrentOverwrite(e *env) {
	versions := [2][]byte{content(1, 100000), content(2, 100000)}
	e.put("object", versions[0])
	parallel(4, func(i int) {
		for range 10 {
			if _, err := e.b.Put(e.ctx(), e.key("object"), bytes.NewReader(versions[i%2])); err != nil {
				e.t.Errorf("put: %v", err)
			}
			got, err := e.read(e.obj("object"), backends.Range{})
			if err != nil || (!bytes.Equal(got, versions[0]) && !bytes.Equal(got, versions[1])) {
				e.t.Errorf("get: %d bytes of neither version, error %v", len(got), err)
			}
		}
	})
}

func testConcurrentAppend(e *env) {
	e.put("object", content(1, 100))
	var won, conflicts int
	var mu sync.Mutex
	parallel(8, func(int) {
		_, err := e.able.Appender.Append(e.ctx(), e.key("object"), 100, bytes.NewReader(content(2, 50)))
		mu.Lock()
		defer mu.Unlock()
		switch backends.Classify(err) {
		case backends.ClassNone:
			won++
		case backends.ClassConflict:
			conflicts++
		default:
			e.t.Errorf("append: %v", err)
		}
	})
	if won != 1 || conflicts != 7 {
		e.t.Errorf("8 appends at one offset: %d succeeded and %d conflicted, want 1 and 7", won, conflicts)
	}
}

func testDoubleClose(e *env) {
	for range 3 {
		if err := e.b.Close(); err != nil {
			e.t.Errorf("close: %v", err)
		}
	}
}
