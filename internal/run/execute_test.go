package run_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/record"
	"bench/internal/run"
)

// TestMarkerIsFirstAndLast checks the order of all writes and deletes, and
// that every key lies in the run's own directory.
func TestMarkerIsFirstAndLast(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	putText(t, store.Backend, "below/other", "x")
	putText(t, store.Backend, "bench-x/1/1", "x")
	var msg talk
	result, err := run.Execute(newPlan(t, store, "pgslm", 1), signals(t), &msg)
	if err != nil {
		t.Fatalf("%v\n%s", err, msg.String())
	}
	dir := "below/bench-" + result.RunID + "/"
	marker := dir + ".bench-run"
	if n := len(store.calls); n < 400 || store.calls[0] != "put "+marker || store.calls[n-1] != "delete "+marker {
		t.Errorf("%d calls, first %q, last %q", n, store.calls[0], store.calls[n-1])
	}
	for _, call := range store.calls[1 : len(store.calls)-1] {
		_, key, _ := strings.Cut(call, " ")
		if !strings.HasPrefix(key, dir) || key == marker || !population.OwnName(key[len(dir):]) {
			t.Errorf("%s is not a call of this run in %s", call, dir)
		}
	}
	if got, want := stored(t, store), []string{"below/other", "bench-x/1/1"}; !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("left in the store: %q, want %q", got, want)
	}
	if store.closed != 1 {
		t.Errorf("the store was closed %d times", store.closed)
	}
	if !run.ValidRunID(result.RunID) || !strings.Contains(msg.String(), result.RunID) {
		t.Errorf("run id %q, said %q", result.RunID, msg.String())
	}
}

// TestStagesAccountForAllObjects runs pgd twice.
func TestStagesAccountForAllObjects(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) backends.Backend{
		"dummy": func(t *testing.T) backends.Backend { t.Helper(); return dummyStore(t, "store=1") },
		"file":  func(t *testing.T) backends.Backend { t.Helper(); return fileStore(t, t.TempDir()) },
	} {
		plan := newPlan(t, open(t), "pgd", 2)
		plan.Verify = true
		result, err := run.Execute(plan, signals(t), &talk{})
		if err != nil || result.Reason != oplog.ReasonDone || result.Failed != 0 || result.Tried != 1200 || result.OverErrors {
			t.Fatalf("%s: got %+v, %v", name, result, err)
		}
		c := readRecord(t, result.Record)
		for stage, op := range []string{oplog.OpPut, oplog.OpGet, oplog.OpDelete, oplog.OpPut, oplog.OpGet, oplog.OpDelete} {
			if got := c.count(stage, oplog.PhaseMeasure, op); got != 200 {
				t.Errorf("%s: stage %d has %d rows of %s, want 200", name, stage, got, op)
			}
		}
		if len(c.rows) != 1200 {
			t.Errorf("%s: got %d rows, want 1200: nothing was left to prepare or to clean up", name, len(c.rows))
		}
		first, second := map[string]bool{}, map[string]bool{}
		for i := range c.rows {
			if c.rows[i].Stage < 3 {
				first[c.rows[i].Key] = true
			} else {
				second[c.rows[i].Key] = true
			}
		}
		if len(first) != 200 || len(second) != 200 {
			t.Errorf("%s: got %d and %d keys", name, len(first), len(second))
		}
		for key := range second {
			if first[key] {
				t.Errorf("%s: key %s is used in both loops", name, key)
			}
		}
		if c.end == nil || len(c.end.Stages) != 6 || c.end.Rows != 1200 || c.meta.RunID != result.RunID || c.meta.KeyPrefix != "below/bench-"+result.RunID+"/" {
			t.Errorf("%s: end %+v, meta %+v", name, c.end, c.meta)
		}
		for i, s := range c.end.Stages {
			if s.Index != i || s.Reason != oplog.ReasonDone || c.meta.Stages[i].Mode != plan.Stages[i].Mode.Name || c.meta.Stages[i].Loop != i/3 {
				t.Errorf("%s: stage %d is %+v, %+v", name, i, s, c.meta.Stages[i])
			}
		}
	}
}

// TestFilesOutsideAreLeft runs in a directory that holds other files.
func TestFilesOutsideAreLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	others := map[string]string{"data": "1", "bench-x/0/1": "2", "below/bench-aaaaaaaaaaaaaaaaaaaaaaaaaa/0/5": "3"}
	for name, text := range others {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run.Execute(newPlan(t, fileStore(t, dir), "pmd", 1), signals(t), &talk{}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		got[rel] = string(text)
		return err
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(others) {
		t.Errorf("got %v, %v, want %v", got, err, others)
	}
}

func TestTooFewPrepared(t *testing.T) {
	t.Parallel()
	check := func(query string, want bool) {
		t.Helper()
		store := newSpy(t, "store=1")
		store.deny = func(what, key string) error {
			if what == "put" && !strings.HasSuffix(key, ".bench-run") && (query == "all" || query == "most" && !strings.HasSuffix(key, "1")) {
				return errStore
			}
			return nil
		}
		plan := newPlan(t, store, "g", 1)
		result, err := run.Execute(plan, signals(t), &talk{})
		if errors.Is(err, run.ErrTooFewObjects) != want {
			t.Errorf("%s fail: got %v", query, err)
		}
		if want && result.Reason != oplog.ReasonErrors {
			t.Errorf("%s fail: reason %s", query, result.Reason)
		}
		if want && (result.Tried != 0 || readRecord(t, result.Record).count(0, oplog.PhaseMeasure, oplog.OpGet) != 0) {
			t.Errorf("%s fail: measured nevertheless: %+v", query, result)
		}
		if left := stored(t, store); len(left) != 0 {
			t.Errorf("%s fail: left %q", query, left)
		}
	}
	check("none", false)
	check("most", true)
	check("all", true)
}

// TestMarkerCannotBeWritten checks that nothing but three tries happens then,
// and that no record stays.
func TestMarkerCannotBeWritten(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	store.deny = func(string, string) error { return errStore }
	plan := newPlan(t, store, "p", 1)
	result, err := run.Execute(plan, signals(t), &talk{})
	if !errors.Is(err, errStore) || len(store.calls) != 3 || store.closed != 1 {
		t.Errorf("got %v, calls %q, closed %d", err, store.calls, store.closed)
	}
	if left, _ := filepath.Glob(filepath.Dir(plan.Out) + "/*"); len(left) != 0 {
		t.Errorf("left %q of record %s", left, result.Record)
	}
}

// TestOutputExists checks that an existing record is wrong usage, and kept.
func TestOutputExists(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", ".partial"} {
		store := newSpy(t, "store=1")
		plan := newPlan(t, store, "p", 1)
		if err := os.WriteFile(plan.Out+suffix, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := run.Execute(plan, signals(t), &talk{})
		var usage *backends.UsageError
		if !errors.As(err, &usage) || len(store.calls) != 0 || store.closed != 1 {
			t.Errorf("name%s exists: got %v, calls %q, closed %d", suffix, err, store.calls, store.closed)
		}
		if text, err := os.ReadFile(plan.Out + suffix); string(text) != "old" {
			t.Errorf("name%s exists: it holds %q now, %v", suffix, text, err)
		}
	}
}

// TestStoreThatCannotList checks that it is refused before anything is sent.
func TestStoreThatCannotList(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	for _, letters := range []string{"l", "pgl", "m"} {
		plan := newPlan(t, struct{ backends.Backend }{store}, letters, 1)
		plan.Mix.List = 1
		_, err := run.Execute(plan, signals(t), &talk{})
		var usage *backends.UsageError
		if !errors.As(err, &usage) || err.Error() != "fake:// cannot list" || len(store.calls) != 0 {
			t.Errorf("modes %s: got %v, calls %q", letters, err, store.calls)
		}
	}
}

// virtual runs f in virtual time, where the dummy's latency passes at once.
func virtual(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// TestDiskFull lets the store report less and less room.
func TestDiskFull(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, atOnce := range []bool{false, true} {
			store := newSpy(t, "store=1&latency=10ms")
			began := time.Now()
			store.free = func() int64 {
				if atOnce || time.Since(began) > 3*time.Second {
					return 4 << 30
				}
				return 6 << 30
			}
			plan := newPlan(t, store, "p", 1)
			plan.Objects, plan.Ops, plan.Duration = 0, 0, time.Hour
			var msg talk
			result, err := run.Execute(plan, signals(t), &msg)
			if !errors.Is(err, run.ErrDiskFull) || result.Reason != oplog.ReasonDiskFull || result.Interrupted {
				t.Errorf("at once %v: got %v, %+v", atOnce, err, result)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("at once %v: it took %v", atOnce, took)
			}
			if !strings.Contains(msg.String(), "only 4096 MiB left of 102400 MiB") {
				t.Errorf("at once %v: said %q", atOnce, msg.String())
			}
			if left := stored(t, store); len(left) != 0 {
				t.Errorf("at once %v: left %d keys", atOnce, len(left))
			}
			if c := readRecord(t, result.Record); c.end == nil || c.end.Reason != oplog.ReasonDiskFull {
				t.Errorf("at once %v: end %+v", atOnce, c.end)
			}
		}
	})
}

// TestInterrupt ends a run by its first signal: what runs is let finish, and
// everything is cleaned up.
func TestInterrupt(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, letters := range []string{"p", "g", "pgd", "m"} {
			for _, after := range []time.Duration{0, 15 * time.Millisecond, 300 * time.Millisecond, 2 * time.Second} {
				store := newSpy(t, "store=1&latency=10ms")
				plan := newPlan(t, store, letters, 1)
				plan.Duration, plan.Ops, plan.Objects, plan.Warmup = time.Hour, 0, 1000, time.Second
				for i := range plan.Stages {
					plan.Stages[i].Once = false
				}
				issue, end := context.WithCancelCause(context.Background())
				stop := time.AfterFunc(after, func() { end(engine.Stop(oplog.ReasonInterrupted)) })
				if after == 0 {
					stop.Stop()
					end(engine.Stop(oplog.ReasonInterrupted))
				}
				result, err := run.Execute(plan, run.Signals{Issue: issue, Flight: context.Background()}, &talk{})
				if after == 0 {
					if !result.Interrupted || result.Tried != 0 || len(store.calls) > 3 {
						t.Errorf("%s ended at once: %+v, %v, calls %q", letters, result, err, store.calls)
					}
					continue
				}
				if err != nil || !result.Interrupted || result.Reason != oplog.ReasonInterrupted {
					t.Errorf("%s after %v: got %+v, %v", letters, after, result, err)
					continue
				}
				if left := stored(t, store); len(left) != 0 {
					t.Errorf("%s after %v: left %d keys", letters, after, len(left))
				}
				c := readRecord(t, result.Record)
				for _, s := range c.end.Stages {
					for _, p := range s.Phases {
						if p.UserNS < 0 || p.SystemNS < 0 || p.BeginNS == oplog.None && p.UserNS != 0 {
							t.Errorf("%s after %v: phase %s %d to %d has CPU %d", letters, after, p.Phase, p.BeginNS, p.FinishNS, p.UserNS)
						}
					}
				}
			}
		}
	})
}

// TestSecondSignalLeaves checks that a second signal ends the run without
// cleaning up, and that the user is told how to.
func TestSecondSignalLeaves(t *testing.T) {
	virtual(t, func(t *testing.T) {
		store := newSpy(t, "store=1&latency=10ms")
		plan := newPlan(t, store, "p", 1)
		plan.Objects, plan.Ops, plan.Duration = 0, 0, time.Hour
		issue, end := context.WithCancelCause(context.Background())
		flight, abort := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, func() { end(engine.Stop(oplog.ReasonInterrupted)) })
		time.AfterFunc(1100*time.Millisecond, abort)
		var msg talk
		result, err := run.Execute(plan, run.Signals{Issue: issue, Flight: flight}, &msg)
		if err != nil || !result.Interrupted {
			t.Errorf("got %+v, %v", result, err)
		}
		if len(stored(t, store)) == 0 || !strings.Contains(msg.String(), "hint: remove them with: bench clean fake://x --run-id "+result.RunID) {
			t.Errorf("%d keys left, said %q", len(stored(t, store)), msg.String())
		}
		cleaner, err := run.NewCleaner(store, "below/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cleaner.Clean(context.Background(), result.RunID); err != nil || len(stored(t, store)) != 0 {
			t.Errorf("clean: %v, %d keys left", err, len(stored(t, store)))
		}
	})
}

// TestCleanupThatFails checks that what cannot be deleted is named and the
// marker stays.
func TestCleanupThatFails(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	store.deny = func(what, key string) error {
		if what == "delete" && strings.HasSuffix(key, "7") {
			return errStore
		}
		return nil
	}
	var msg talk
	result, err := run.Execute(newPlan(t, store, "p", 1), signals(t), &msg)
	if err != nil || result.Failed != 0 {
		t.Errorf("got %+v, %v: a cleanup that fails is no failure of the run", result, err)
	}
	left := stored(t, store)
	if len(left) != 21 || !strings.Contains(msg.String(), "warning: up to 20 objects are left below below/bench-") {
		t.Errorf("%d keys left, said %q", len(left), msg.String())
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	plan := newPlan(t, store, "p", 1)
	plan.Keep = true
	var msg talk
	if _, err := run.Execute(plan, signals(t), &msg); err != nil || len(stored(t, store)) != 201 {
		t.Errorf("got %v, %d keys left, want 201", err, len(stored(t, store)))
	}
	if !strings.Contains(msg.String(), "bench clean fake://x --run-id") {
		t.Errorf("said %q", msg.String())
	}
}

// TestErrorsEndTheRun checks the limits and what they do to later stages.
func TestErrorsEndTheRun(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1&error-rate=0.2&seed=3")
	plan := newPlan(t, store, "pg", 1)
	plan.Objects = 2000
	result, err := run.Execute(plan, signals(t), &talk{})
	if err != nil || result.Reason != oplog.ReasonErrors || !result.OverErrors || result.Failed == 0 || result.Tried > 1000 {
		t.Errorf("got %+v, %v", result, err)
	}
	if got := readRecord(t, result.Record).count(1, oplog.PhaseMeasure, oplog.OpGet); got != 0 {
		t.Errorf("stage 1 ran: %d gets", got)
	}
}

// TestRecordThatCannotBeWritten limits the size of files in a process of its
// own, which is as near to a full disk as a test comes.
func TestRecordThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSmallDiskHelper$", "-test.v")
	cmd.Env = append(os.Environ(), "BENCH_TEST_SMALL_DISK="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "as expected") {
		t.Errorf("got %s", out)
	}
}

func TestSmallDiskHelper(t *testing.T) {
	dir := os.Getenv("BENCH_TEST_SMALL_DISK")
	if dir == "" {
		t.Skip("runs in a process of its own")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 200_000, Max: 200_000}); err != nil {
		t.Skip(err)
	}
	store := newSpy(t, "store=1")
	plan := newPlan(t, store, "pg", 1)
	plan.Objects, plan.Ops, plan.Sizes, plan.Out = 0, 0, population.Fixed(1), filepath.Join(dir, "out.csv.zst")
	plan.Duration = 50 * time.Second // the failure ends it
	began := time.Now()
	result, err := run.Execute(plan, signals(t), &talk{})
	var lost *record.LostError
	if !errors.As(err, &lost) || !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("got %v, %+v, want a lost record", err, result)
	}
	if time.Since(began) > 40*time.Second || result.Reason != oplog.ReasonErrors {
		t.Errorf("reason %s after %v", result.Reason, time.Since(began))
	}
	if len(stored(t, store)) != 0 {
		t.Errorf("%d keys left", len(stored(t, store)))
	}
	c := readRecord(t, lost.Name)
	if int64(len(c.rows)) < lost.Safe || lost.Safe == 0 {
		t.Errorf("%d rows are said to be safe, %d can be read", lost.Safe, len(c.rows))
	}
	t.Log("as expected")
}
