package run_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bench/backends"
	"bench/backends/dummy"
	"bench/backends/file"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/run"
	"bench/internal/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// talk keeps what the user is told.
type talk struct {
	mu   sync.Mutex
	text strings.Builder
}

func (m *talk) add(kind, format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(&m.text, kind+format+"\n", args...)
}

func (m *talk) Say(format string, args ...any)  { m.add("", format, args...) }
func (m *talk) Warn(format string, args ...any) { m.add("warning: ", format, args...) }
func (m *talk) Hint(format string, args ...any) { m.add("hint: ", format, args...) }

func (m *talk) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.String()
}

// spy is a store that notes which keys are written and deleted, in order.
type spy struct {
	backends.Backend
	backends.Lister
	free func() int64 // bytes free of 100 GiB
	// deny fails calls.
	deny func(what, key string) error

	mu     sync.Mutex
	calls  []string
	closed int
}

func (s *spy) note(what, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, what+" "+key)
	if s.deny == nil {
		return nil
	}
	return s.deny(what, key)
}

func (s *spy) Put(ctx context.Context, key string, body backends.Body) (backends.Object, error) {
	if err := s.note("put", key); err != nil {
		return backends.Object{}, err
	}
	return s.Backend.Put(ctx, key, body)
}

func (s *spy) Delete(ctx context.Context, obj backends.Object) error {
	if err := s.note("delete", obj.Key); err != nil {
		return err
	}
	return s.Backend.Delete(ctx, obj)
}

func (s *spy) Space() (free, total int64, err error) {
	free = 50 << 30
	if s.free != nil {
		free = s.free()
	}
	return free, 100 << 30, nil
}

// Close leaves the store open, so that tests can look into it.
func (s *spy) Close() error {
	s.closed++
	return nil
}

func dummyStore(t testing.TB, query string) backends.Backend {
	t.Helper()
	store, err := dummy.Open(context.Background(), backends.Config{Target: &url.URL{Scheme: "dummy", RawQuery: query}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func newSpy(t testing.TB, query string) *spy {
	t.Helper()
	store := dummyStore(t, query)
	return &spy{Backend: store, Lister: backends.Discover(store).Lister}
}

func fileStore(t testing.TB, dir string) backends.Backend {
	t.Helper()
	store, err := file.Open(context.Background(), backends.Config{Target: &url.URL{Scheme: "file", Path: dir}, Sync: "none"})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// opens returns a function that opens the given store.
func opens(store backends.Backend) backends.OpenFunc {
	return func(context.Context, backends.Config) (backends.Backend, error) { return store, nil }
}

// stagesOf are the stages of bench run.
func stagesOf(t testing.TB, letters string, loops int) (out []run.Stage) {
	t.Helper()
	modes, err := workload.ParseModes(letters)
	if err != nil {
		t.Fatal(err)
	}
	for loop := range loops {
		for _, m := range modes {
			out = append(out, run.Stage{Mode: m, Loop: loop, Once: true})
		}
	}
	return out
}

// newPlan is a small run over the given store.
func newPlan(t testing.TB, store backends.Backend, letters string, loops int) *run.Plan {
	t.Helper()
	mix, err := workload.ParseMix(workload.DefaultMix)
	if err != nil {
		t.Fatal(err)
	}
	return &run.Plan{
		Command: "run", Stages: stagesOf(t, letters, loops), Target: "fake://x", Open: opens(store),
		Config: backends.Config{Target: &url.URL{Scheme: "fake", Host: "x"}}, Parent: "below/", Workers: 3, Objects: 200, Sizes: population.Fixed(100), Prefixes: 3,
		Batch: 1, MaxKeys: 50, Ops: 1000, Mix: mix, MaxErrors: -1, ErrorRate: 0.01, Timeout: time.Minute, Grace: time.Second,
		Seed: 5, Out: filepath.Join(t.TempDir(), "out.csv.zst"), Interval: time.Second,
	}
}

func signals(t testing.TB) run.Signals {
	t.Helper()
	return run.Signals{Issue: context.Background(), Flight: context.Background()}
}

// contents collects a record.
type contents struct {
	rows []oplog.Row
	meta oplog.Meta
	end  *oplog.End
}

func (c *contents) Row(r *oplog.Row) error {
	row := *r
	row.Key, row.Error = strings.Clone(r.Key), strings.Clone(r.Error)
	c.rows = append(c.rows, row)
	return nil
}

func (c *contents) Sample(*oplog.Sample) error { return nil }

func readRecord(t testing.TB, path string) *contents {
	t.Helper()
	f, err := oplog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	c := contents{meta: f.Meta}
	sum, err := f.Scan(context.Background(), oplog.ScanOptions{Workers: 1}, func(int) oplog.Visitor { return &c })
	if err != nil {
		t.Fatal(err)
	}
	c.end = sum.End
	return &c
}

// count counts the good rows of a stage, phase and operation.
func (c *contents) count(stage int, phase oplog.Phase, op string) (n int) {
	for i := range c.rows {
		r := &c.rows[i]
		if int(r.Stage) == stage && r.Phase == phase && r.Name == op && r.Level == 0 && r.OK() {
			n++
		}
	}
	return n
}

// stored lists all keys of a store.
func stored(t testing.TB, l backends.Lister) []string {
	t.Helper()
	var keys []string
	for token := ""; ; {
		page, err := l.List(context.Background(), backends.ListRequest{Token: token, Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Objects {
			keys = append(keys, o.Key)
		}
		if token = page.Next; token == "" {
			slices.Sort(keys)
			return keys
		}
	}
}

type textBody struct{ *strings.Reader }

func (b textBody) Size() int64 { return b.Reader.Size() }

func putText(t testing.TB, store backends.Backend, key, text string) {
	t.Helper()
	if _, err := store.Put(context.Background(), key, textBody{strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
}

var errStore = backends.Errorf(backends.ClassServer, "the store said no")
