package dummy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"bench/backends"
	"bench/backends/backendtest"
	"bench/backends/dummy"
)

func open(t testing.TB, query string) backends.Backend {
	t.Helper()
	b, err := openConfig(query, backends.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openConfig(query string, cfg backends.Config) (backends.Backend, error) {
	cfg.Target = &url.URL{Scheme: "dummy", RawQuery: query}
	return dummy.Open(context.Background(), cfg)
}

func opener(query string) func(*testing.T) backends.Backend {
	return func(t *testing.T) backends.Backend { return open(t, query) }
}

func TestStorePassesTheSuite(t *testing.T) {
	const want = backends.CapList | backends.CapAppend
	t.Run("store", func(t *testing.T) {
		backendtest.RunBoth(t, backendtest.Options{Open: opener("store=1"), Want: want})
	})
	t.Run("batch", func(t *testing.T) {
		backendtest.RunBoth(t, backendtest.Options{Open: opener("store=1&batch=3"), Want: want | backends.CapBatchDelete})
	})
}

func TestKeepingNothingPassesTheSubset(t *testing.T) {
	backendtest.Run(t, backendtest.Options{Open: opener("objects=0"), Want: backends.CapList, Only: backendtest.Subset()})
	t.Run("batch", func(t *testing.T) {
		backendtest.Run(t, backendtest.Options{Open: opener("batch=5"), Want: backends.CapList | backends.CapBatchDelete, Only: backendtest.Subset()})
	})
}

func TestRefusesWhatItCannotHonour(t *testing.T) {
	check := func(query string, cfg backends.Config) {
		t.Helper()
		var usage *backends.UsageError
		if _, err := openConfig(query, cfg); !errors.As(err, &usage) {
			t.Errorf("open dummy://?%s %+v: %v, want a usage error", query, cfg, err)
		}
	}
	for _, query := range []string{
		"latency", "latency=", "latency=1", "latency=-1ms", "jitter=x", "error-rate=2", "error-rate=-0.1", "error-rate=NaN", "error-rate=",
		"error-class=", "error-class=none", "error-class=Server", "seed=-1", "seed=x", "batch=0", "batch=x", "store=2", "store=true", "objects=-1",
		"unknown=1", "latency=1ms&latency=2ms", "a;b", "%zz",
	} {
		check(query, backends.Config{})
	}
	check("", backends.Config{Sync: "close"})
	check("", backends.Config{Direct: true})
	var usage *backends.UsageError
	for _, target := range []string{"dummy://host", "dummy:///path", "dummy://u@", "dummy:x", "dummy://#f"} {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dummy.Open(t.Context(), backends.Config{Target: u}); !errors.As(err, &usage) {
			t.Errorf("open %s: %v, want a usage error", target, err)
		}
	}
}

func TestTakesWhatEveryTargetIsGiven(t *testing.T) {
	for _, query := range []string{"", "latency=1ms&jitter=200us&error-rate=0.01&error-class=throttled&seed=7&batch=100&store=1&objects=5", "error-rate=1", "error-rate=0"} {
		if _, err := openConfig(query, backends.Config{Sync: "none", Concurrency: 5, Seed: 3}); err != nil {
			t.Errorf("open dummy://?%s: %v", query, err)
		}
	}
}

func TestPutNeverReadsTheBody(t *testing.T) {
	body := backendtest.NewCountingBody(make([]byte, 1000))
	obj, err := open(t, "").Put(t.Context(), "k", body)
	if err != nil || obj.Size != 1000 || body.Bytes() != 0 {
		t.Errorf("put: size %d, read %d bytes, error %v; want 1000, 0, none", obj.Size, body.Bytes(), err)
	}
}

func TestGetLeavesTheBufferAlone(t *testing.T) {
	rc, err := open(t, "").Get(t.Context(), backends.Object{Key: "k", Size: 10}, backends.Range{Offset: 2, Length: 5})
	if err != nil {
		t.Fatal(err)
	}
	buf := []byte("untouched buffer")
	n, err := rc.Read(buf)
	if n != 5 || !errors.Is(err, io.EOF) || string(buf) != "untouched buffer" {
		t.Errorf("read: %d, %v, %q; want 5, EOF, untouched", n, err, buf)
	}
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
	if _, err := rc.Read(buf); err == nil || err == io.EOF {
		t.Errorf("read after close: %v, want an error", err)
	}
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
}

func TestGetFillsWhereContentIsVerified(t *testing.T) {
	fill := func(key string, off int64, p []byte) {
		for i := range p {
			p[i] = key[0] + byte(off) + byte(i)
		}
	}
	b, err := openConfig("", backends.Config{Fill: fill})
	if err != nil {
		t.Fatal(err)
	}
	rc, err := b.Get(t.Context(), backends.Object{Key: "A", Size: 10}, backends.Range{Offset: 3, Length: 4})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(iotestOneByte{rc})
	if err != nil || string(got) != "DEFG" {
		t.Errorf("got %q and %v, want DEFG", got, err)
	}
}

// iotestOneByte reads one byte at a time.
type iotestOneByte struct{ io.Reader }

func (r iotestOneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(1, len(p))]) }

func TestListIsMadeUp(t *testing.T) {
	l := backends.Discover(open(t, "objects=2500")).Lister
	var keys []string
	req := backends.ListRequest{Prefix: "some/pre", Max: 1000}
	for pages := 0; ; pages++ {
		page, err := l.List(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, obj := range page.Objects {
			keys = append(keys, obj.Key)
		}
		if req.Token = page.Next; req.Token == "" {
			break
		}
	}
	if len(keys) != 2500 {
		t.Fatalf("listed %d keys, want 2500", len(keys))
	}
	for i, key := range keys {
		if key[:8] != "some/pre" || (i > 0 && keys[i-1] >= key) {
			t.Fatalf("key %d is %q after %q", i, key, keys[max(i-1, 0)])
		}
	}
	page, err := l.List(t.Context(), backends.ListRequest{Prefix: "some/pre", After: keys[2498], Max: 10})
	if err != nil || len(page.Objects) != 1 || page.Next != "" {
		t.Errorf("list after the last but one: %v and %v", page, err)
	}
}

func TestOneFailureIsOneError(t *testing.T) {
	for _, query := range []string{"error-rate=1&error-class=throttled", "error-rate=1&error-class=throttled&store=1"} {
		b := open(t, query)
		a := backends.Discover(b)
		obj := backends.Object{Key: "k", Size: 1}
		body := backendtest.NewCountingBody([]byte("x"))
		_, putErr := b.Put(t.Context(), "k", body)
		_, getErr := b.Get(t.Context(), obj, backends.Range{})
		_, statErr := b.Stat(t.Context(), obj)
		_, listErr := a.Lister.List(t.Context(), backends.ListRequest{Max: 1})
		for i, err := range []error{putErr, getErr, statErr, listErr, b.Delete(t.Context(), obj)} {
			if backends.Classify(err) != backends.ClassThrottled {
				t.Errorf("%s, call %d: %v, want class throttled", query, i, err)
			}
		}
		if body.Bytes() != 0 {
			t.Errorf("a failed put read %d bytes", body.Bytes())
		}
	}
}

// outcomes tells which of n keys fail.
func outcomes(ctx context.Context, t *testing.T, b backends.Backend, n int) (failed []int) {
	t.Helper()
	for i := range n {
		if b.Delete(ctx, backends.Object{Key: fmt.Sprintf("key-%d", i)}) != nil {
			failed = append(failed, i)
		}
	}
	return failed
}

func TestOutcomesAreAPureFunction(t *testing.T) {
	ctx := t.Context()
	first := outcomes(ctx, t, open(t, "error-rate=0.1&seed=7"), 20000)
	if n := len(first); n < 1800 || n > 2200 {
		t.Errorf("%d of 20000 failed, want about 2000", n)
	}
	again := outcomes(ctx, t, open(t, "error-rate=0.1&seed=7"), 20000)
	if fmt.Sprint(first) != fmt.Sprint(again) {
		t.Error("the same seed gave other outcomes")
	}
	byConfig, err := openConfig("error-rate=0.1", backends.Config{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(first) != fmt.Sprint(outcomes(ctx, t, byConfig, 20000)) {
		t.Error("the run's seed gave other outcomes than the same seed as parameter")
	}
	for what, other := range map[string][]int{
		"seed": outcomes(ctx, t, open(t, "error-rate=0.1&seed=8"), 20000),
		"try":  outcomes(backends.WithTry(ctx, 2), t, open(t, "error-rate=0.1&seed=7"), 20000),
	} {
		if n := common(first, other); n > 300 {
			t.Errorf("another %s: %d failures in common, want about 200", what, n)
		}
	}
}

func common(a, b []int) (n int) {
	in := make(map[int]bool)
	for _, x := range a {
		in[x] = true
	}
	for _, x := range b {
		if in[x] {
			n++
		}
	}
	return n
}

func TestBatchFailsObjectByObject(t *testing.T) {
	for _, query := range []string{"error-rate=0.3&batch=1000", "error-rate=0.3&batch=1000&store=1"} {
		b := open(t, query)
		objs := make([]backends.Object, 0, 1000)
		for i := range 1000 {
			objs = append(objs, backends.Object{Key: fmt.Sprintf("key-%d", i)})
		}
		want := outcomes(t.Context(), t, open(t, "error-rate=0.3"), 1000)
		failed, err := backends.Discover(b).BatchDeleter.DeleteBatch(t.Context(), objs)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, 0, len(failed))
		for _, f := range failed {
			got = append(got, f.Index)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: the batch failed other objects than single deletes", query)
		}
		if _, err := backends.Discover(b).BatchDeleter.DeleteBatch(t.Context(), make([]backends.Object, 1001)); backends.Classify(err) != backends.ClassClient {
			t.Errorf("%s: a batch beyond the limit: %v, want class client", query, err)
		}
	}
}

func TestLatencyInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, "latency=1s&jitter=500ms")
		least, most := time.Hour, time.Duration(0)
		for i := range 200 {
			begin := time.Now()
			if _, err := b.Stat(t.Context(), backends.Object{Key: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
			took := time.Since(begin)
			least, most = min(least, took), max(most, took)
		}
		if least < time.Second || most > 1500*time.Millisecond || most-least < 400*time.Millisecond {
			t.Errorf("latencies from %v to %v, want 1s to 1.5s", least, most)
		}
	})
}

func TestLatencyEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, "latency=1h")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		_, err := b.Put(ctx, "k", bytes.NewReader(nil))
		if backends.Classify(err) != backends.ClassTimeout || !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("put: %v after %v, want a timeout after 1s", err, time.Since(begin))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if err := b.Delete(ctx, backends.Object{Key: "k"}); backends.Classify(err) != backends.ClassCanceled {
			t.Errorf("delete: %v, want class canceled", err)
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	b := open(t, "batch=10")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body := bytes.NewReader(make([]byte, 10))
	obj := backends.Object{Key: "key", Size: 1 << 20}
	buf := make([]byte, 1<<20)
	for name, f := range calls(ctx, b, obj, body, buf) {
		if n := testing.AllocsPerRun(1000, f); n >= 0.5 && !raceEnabled {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func calls(ctx context.Context, b backends.Backend, obj backends.Object, body backends.Body, buf []byte) map[string]func() {
	return map[string]func(){
		"put":    func() { _, _ = b.Put(ctx, obj.Key, body) },
		"stat":   func() { _, _ = b.Stat(ctx, obj) },
		"delete": func() { _ = b.Delete(ctx, obj) },
		"get": func() {
			rc, _ := b.Get(ctx, obj, backends.Range{})
			_, _ = rc.Read(buf)
			_ = rc.Close()
		},
	}
}

func BenchmarkOps(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	buf := make([]byte, 1<<20)
	obj := backends.Object{Key: "bench-abcdefghijklmnopqrstuvwxyz/0/key", Size: 1 << 20}
	for name, f := range calls(ctx, open(b, ""), obj, bytes.NewReader(nil), buf) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	b.Run("stat with errors", func(b *testing.B) {
		b.ReportAllocs()
		s := open(b, "error-rate=0.0001")
		for b.Loop() {
			_, _ = s.Stat(ctx, obj)
		}
	})
}
