package workload_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/workload"
)

func TestPutWritesExactlyN(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 3, 16} {
		for _, n := range []int64{1, 63, 64, 65, 1000, 5001} {
			tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(7), workers: workers, prefixes: 3})
			out := tr.run(t, oplog.PhaseMeasure, workload.NewPut(&tr.Env, n))
			rows := tr.book.rows(oplog.PhaseMeasure)
			name := fmt.Sprintf("%d objects, %d workers", n, workers)
			if int64(len(rows)) != n || out.Tried != n || out.Failed != 0 || out.Reason != oplog.ReasonDone {
				t.Errorf("%s: got %d rows, %+v", name, len(rows), out)
			}
			var keys []string
			for _, op := range rows {
				keys = append(keys, op.Key)
				if op.Name != oplog.OpPut || op.Bytes != 7 || op.Objects != 1 || op.LastByte == oplog.None || op.FirstByte != oplog.None {
					t.Fatalf("%s: row %+v", name, op)
				}
			}
			slices.Sort(keys)
			equalKeys(t, name+": store against record", tr.inStore(t), keys)
			equalKeys(t, name+": population against record", tr.live(), keys)
		}
	}
}

// TestFailedPut checks what becomes of an object whose put failed.
func TestFailedPut(t *testing.T) {
	t.Parallel()
	h := hook(open(t, "store=1"))
	h.put = func(string) error { return errStore }
	tr := newTrial(config{store: h, sizes: population.Fixed(7)})
	out := tr.run(t, oplog.PhaseMeasure, workload.NewPut(&tr.Env, 5))
	if out.Tried != 5 || out.Failed != 5 {
		t.Errorf("got %+v, want 5 tried, 5 failed", out)
	}
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		if op.Bytes != 0 || op.Objects != 0 || op.Failed != 1 || op.Class != "server" || op.Error == "" {
			t.Errorf("row %+v", op)
		}
	}
	if n := len(tr.owned()); tr.Objects.Len() != 0 || n != 5 {
		t.Errorf("got %d live, %d owned, want 0 and 5: they may exist", tr.Objects.Len(), n)
	}
}

// TestPrepareTriesAgain fails the first tries of some objects and counts the
// keys that were used for each.
func TestPrepareTriesAgain(t *testing.T) {
	t.Parallel()
	check := func(fails, n, wantRows, wantLive int) {
		t.Helper()
		h := hook(open(t, "store=1"))
		left := fails // of one worker, so in order
		seen := map[string]bool{}
		h.put = func(key string) error {
			if seen[key] {
				t.Errorf("%d failures: key %s was written twice", fails, key)
			}
			seen[key] = true
			if left > 0 {
				left--
				return errStore
			}
			return nil
		}
		tr := newTrial(config{store: h, sizes: population.Fixed(7)})
		tr.run(t, oplog.PhasePrepare, workload.NewPrepare(&tr.Env, int64(n)))
		rows := len(tr.book.rows(oplog.PhasePrepare))
		if live := int(tr.Objects.Len()); rows != wantRows || live != wantLive {
			t.Errorf("%d failures, %d objects: got %d puts, %d live, want %d and %d", fails, n, rows, live, wantRows, wantLive)
		}
	}
	check(0, 10, 10, 10)
	check(1, 10, 11, 10)
	check(3, 10, 13, 10) // the last try of the first object
	check(4, 10, 13, 9)  // given up
	check(5, 10, 14, 9)  // the second object's first try too
	check(8, 10, 16, 8)  // two given up
	check(100, 2, 8, 0)  // everything
	check(1000, 1, 4, 0) // one object, four tries
	check(39, 10, 40, 1) // all but the last try of the last object
	check(40, 10, 40, 0) // all
	check(41, 11, 42, 1) // all ten, and one try of the eleventh
}

// TestPrepareUnderErrors has many workers and errors by chance: what is live
// is in the store, and no more than asked for.
func TestPrepareUnderErrors(t *testing.T) {
	t.Parallel()
	tr := newTrial(config{store: open(t, "store=1&error-rate=0.3&seed=5"), sizes: population.Fixed(1), workers: 8})
	tr.run(t, oplog.PhasePrepare, workload.NewPrepare(&tr.Env, 3000))
	live := tr.live()
	// Of 3000 objects 0.3^4 are lost, about 24.
	if len(live) > 3000 || len(live) < 2940 {
		t.Errorf("got %d live objects, want about 2976", len(live))
	}
	var keys []string
	for _, op := range tr.book.rows(oplog.PhasePrepare) {
		if op.OK() {
			keys = append(keys, op.Key)
		}
	}
	slices.Sort(keys)
	equalKeys(t, "live against record", live, keys)
}

// TestPutKeepsBelowCap counts what the store holds at each moment, puts and
// deletes under way included.
func TestPutKeepsBelowCap(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 4, 16} {
		const limit = 10_000
		sizes, err := population.ParseSizes("100..1000", "uniform")
		if err != nil {
			t.Fatal(err)
		}
		guard := newGuard(t)
		tr := newTrial(config{store: guard, sizes: sizes, workers: workers, cap: limit})
		guard.objects = tr.Objects
		out := tr.run(t, oplog.PhaseMeasure, workload.NewPut(&tr.Env, 2000))
		if got := len(tr.book.rows(oplog.PhaseMeasure)); got != 2000 || out.Tried != 2000 {
			t.Errorf("%d workers: %d puts, %d tried, want 2000", workers, got, out.Tried)
		}
		guard.check(t, tr, limit)
		aside := tr.book.rows(oplog.PhaseCleanup)
		if len(aside) != 2000-int(tr.Objects.Len()) {
			t.Errorf("%d workers: %d deletes, %d of 2000 live", workers, len(aside), tr.Objects.Len())
		}
		for _, op := range aside {
			if op.Name != oplog.OpDelete || !op.OK() {
				t.Fatalf("%d workers: row %+v", workers, op)
			}
		}
	}
}

// TestPutsWithoutCapDeleteNothing checks that the cap is off by default.
func TestPutsWithoutCapDeleteNothing(t *testing.T) {
	t.Parallel()
	tr := newTrial(config{store: open(t, ""), sizes: population.Fixed(1 << 20), workers: 2})
	tr.run(t, oplog.PhaseMeasure, workload.NewPut(&tr.Env, 1000))
	if got := tr.book.rows(oplog.PhaseCleanup); len(got) != 0 {
		t.Errorf("got %d deletes", len(got))
	}
}

// TestTrimDeletesOldestFirst checks the order in which room is made.
func TestTrimDeletesOldestFirst(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var deleted []string
	h := hook(open(t, "store=1"))
	h.del = func(key string) error {
		mu.Lock()
		defer mu.Unlock()
		deleted = append(deleted, key[len(root):])
		return nil
	}
	tr := newTrial(config{store: h, sizes: population.Fixed(10), cap: 50})
	tr.run(t, oplog.PhaseMeasure, workload.NewPut(&tr.Env, 9))
	if want := []string{"0", "1", "2", "3"}; !slices.Equal(deleted, want) {
		t.Errorf("deleted %q, want %q", deleted, want)
	}
}
