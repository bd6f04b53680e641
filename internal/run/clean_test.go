package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bench/backends"
	"bench/internal/run"
)

func runID(c string) string { return strings.Repeat(c, 26) }

// leave makes what a run that crashed leaves.
func leave(t *testing.T, store backends.Backend, parent, id string, objects int) {
	t.Helper()
	dir := parent + "bench-" + id + "/"
	putText(t, store, dir+".bench-run", fmt.Sprintf(`{"run_id":%q,"tool":"bench","host":"h-%s","start":"2026-01-02T03:04:05Z"}`, id, id[:1]))
	for i := range objects {
		putText(t, store, fmt.Sprintf("%s%d/%d", dir, i%3, i), "x")
	}
}

func newCleaner(t *testing.T, store backends.Backend, parent string) *run.Cleaner {
	t.Helper()
	c, err := run.NewCleaner(store, parent)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCleanerLists(t *testing.T) {
	t.Parallel()
	for _, parent := range []string{"", "a/b/"} {
		store := newSpy(t, "store=1")
		c := newCleaner(t, store, parent)
		if got, err := c.Runs(context.Background()); err != nil || len(got) != 0 {
			t.Errorf("nothing there: got %v, %v", got, err)
		}
		leave(t, store, parent, runID("b"), 2500)
		leave(t, store, parent, runID("c"), 0)
		putText(t, store, parent+"bench-"+runID("d")+"/0/1", "x") // no marker
		leave(t, store, "elsewhere/", runID("e"), 1)
		for _, key := range []string{"bench-", "bench-x/1", "bench-" + runID("A") + "/1", "bench-" + runID("f"), "bench-" + runID("g") + "h/1", "benc", "other"} {
			putText(t, store, parent+key, "x")
		}
		putText(t, store, parent+"bench-"+runID("h")+"/.bench-run", "no JSON")
		putText(t, store, parent+"bench-"+runID("i")+"/.bench-run", `{"run_id":"`+runID("c")+`"}`)
		got, err := c.Runs(context.Background())
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		want := []run.Leftover{
			{RunID: runID("b"), Host: "h-b", Start: at, Marked: true},
			{RunID: runID("c"), Host: "h-c", Start: at, Marked: true},
			{RunID: runID("d")},
			{RunID: runID("h")},
			{RunID: runID("i")},
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("below %q: got %+v, %v, want %+v", parent, got, err, want)
		}
		if n := slices.IndexFunc(store.calls, func(s string) bool { return strings.HasPrefix(s, "delete") }); n >= 0 {
			t.Errorf("below %q: %s", parent, store.calls[n])
		}
	}
}

func TestCleanerDeletesItsOwn(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	leave(t, store, "p/", runID("b"), 2500)
	leave(t, store, "p/", runID("c"), 5)
	putText(t, store, "p/bench-"+runID("b"), "beside")
	store.calls = nil
	done, err := newCleaner(t, store, "p/").Clean(context.Background(), runID("b"))
	if err != nil || done.Deleted != 2501 || len(done.Foreign)+len(done.Failed) != 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	if last := store.calls[len(store.calls)-1]; last != "delete p/bench-"+runID("b")+"/.bench-run" || len(store.calls) != 2501 {
		t.Errorf("%d calls, the last is %q, want the marker", len(store.calls), last)
	}
	if left := stored(t, store); len(left) != 7 {
		t.Errorf("left %q", left)
	}
}

func TestCleanerLeavesForeign(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	leave(t, store, "", runID("b"), 10)
	dir := "bench-" + runID("b") + "/"
	foreign := []string{"notes.txt", "0/readme", "0/1/2", "01", "0/01", "-1", "0/", "x/1", ".bench-run2", "99999999999999999999999"}
	for i, name := range foreign {
		foreign[i] = dir + name
		putText(t, store, foreign[i], "keep")
	}
	slices.Sort(foreign)
	done, err := newCleaner(t, store, "").Clean(context.Background(), runID("b"))
	slices.Sort(done.Foreign)
	if err != nil || done.Deleted != 10 || !slices.Equal(done.Foreign, foreign) {
		t.Errorf("got %+v, %v, want 10 deleted and foreign %q", done, err, foreign)
	}
	want := append([]string{dir + ".bench-run"}, foreign...)
	slices.Sort(want)
	if left := stored(t, store); !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func TestCleanerRefuses(t *testing.T) {
	t.Parallel()
	dir := "bench-" + runID("b") + "/"
	for name, marker := range map[string]string{
		"no marker": "", "no JSON": "hello", "another run": `{"run_id":"` + runID("c") + `"}`, "empty": "{}", "cut": `{"run_id":"` + runID("b"),
	} {
		store := newSpy(t, "store=1")
		putText(t, store, dir+"0/1", "x")
		if marker != "" {
			putText(t, store, dir+".bench-run", marker)
		}
		done, err := newCleaner(t, store, "").Clean(context.Background(), runID("b"))
		if !errors.Is(err, run.ErrNoMarker) || done.Deleted != 0 {
			t.Errorf("%s: got %+v, %v, want ErrNoMarker", name, done, err)
		}
		for _, call := range store.calls {
			if strings.HasPrefix(call, "delete") {
				t.Errorf("%s: %s", name, call)
			}
		}
	}
	if _, err := run.NewCleaner(struct{ backends.Backend }{newSpy(t, "")}, ""); err == nil {
		t.Error("a store that cannot list: no error")
	}
}

// TestCleanerReportsFailures checks that the marker stays while anything does.
func TestCleanerReportsFailures(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	leave(t, store, "", runID("b"), 10)
	dir := "bench-" + runID("b") + "/"
	store.deny = func(what, key string) error {
		switch {
		case what == "delete" && strings.HasSuffix(key, "/4"):
			return errStore
		case what == "delete" && strings.HasSuffix(key, "/5"):
			return backends.Errorf(backends.ClassNotFound, "gone already")
		}
		return nil
	}
	done, err := newCleaner(t, store, "").Clean(context.Background(), runID("b"))
	if err != nil || done.Deleted != 9 || !slices.Equal(done.Failed, []string{dir + "1/4"}) {
		t.Errorf("got %+v, %v", done, err)
	}
	if left := stored(t, store); !slices.Contains(left, dir+".bench-run") {
		t.Errorf("left %q, without the marker", left)
	}
	store.deny = nil
	if done, err := newCleaner(t, store, "").Clean(context.Background(), runID("b")); err != nil || len(done.Failed) != 0 || len(stored(t, store)) != 0 {
		t.Errorf("again: got %+v, %v, left %q", done, err, stored(t, store))
	}
}

// TestCleanerPrunesDirectories checks that no empty directory stays.
func TestCleanerPrunesDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := fileStore(t, dir)
	defer func() { _ = store.Close() }()
	leave(t, store, "p/", runID("b"), 20)
	done, err := newCleaner(t, store, "p/").Clean(context.Background(), runID("b"))
	if err != nil || done.Deleted != 21 {
		t.Errorf("got %+v, %v", done, err)
	}
	if left := stored(t, backends.Discover(store).Lister); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}

func TestCanceledClean(t *testing.T) {
	t.Parallel()
	store := newSpy(t, "store=1")
	leave(t, store, "", runID("b"), 10)
	ctx, cancel := context.WithCancel(context.Background())
	store.deny = func(what, key string) error {
		if strings.HasSuffix(key, "/3") {
			cancel()
		}
		return nil
	}
	if done, err := newCleaner(t, store, "").Clean(ctx, runID("b")); !errors.Is(err, context.Canceled) || done.Deleted == 0 {
		t.Errorf("got %+v, %v, want the deletes so far and that it was canceled", done, err)
	}
}

func TestValidRunID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		runID("a"): true, runID("7"): true, runID("1"): false, runID("A"): false, runID("a")[1:]: false, runID("a") + "a": false,
		"": false, runID("a") + "\n": false, "../" + runID("a")[3:]: false,
	} {
		if got := run.ValidRunID(id); got != want {
			t.Errorf("%q: got %v, want %v", id, got, want)
		}
	}
}
