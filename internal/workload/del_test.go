package workload_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bench/backends"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/workload"
)

func TestDeleteOnceEach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		query                   string
		workers, objects, batch int
		rows                    int // -1 where it depends on how workers share
	}{
		{"store=1", 1, 100, 1, 100},
		{"store=1", 4, 1000, 1, 1000},
		{"store=1", 4, 1000, 50, 1000}, // the store has no batches
		{"store=1&batch=100", 1, 1000, 1, 1000},
		{"store=1&batch=100", 1, 1000, 7, 143},
		{"store=1&batch=10", 1, 1000, 100, 100}, // cut to what the store takes
		{"store=1&batch=100", 8, 5000, 30, -1},
		{"store=1&batch=100", 3, 2, 100, -1},
	} {
		name := fmt.Sprintf("%+v", c)
		tr := newTrial(config{store: open(t, c.query), sizes: population.Fixed(2), workers: c.workers, prefixes: 3})
		tr.prepare(t, int64(c.objects))
		out := tr.run(t, oplog.PhaseMeasure, workload.NewDelete(&tr.Env, c.batch))
		rows := tr.book.rows(oplog.PhaseMeasure)
		var objects int64
		for _, op := range rows {
			if op.Name != oplog.OpDelete || !op.OK() || op.Key == "" || op.Bytes != 0 {
				t.Fatalf("%s: row %+v", name, op)
			}
			objects += op.Objects
		}
		if c.rows >= 0 && len(rows) != c.rows {
			t.Errorf("%s: got %d requests, want %d", name, len(rows), c.rows)
		}
		if objects != int64(c.objects) || out.Tried != int64(c.objects) || out.Failed != 0 || out.Reason != oplog.ReasonDone {
			t.Errorf("%s: %d objects deleted, %+v", name, objects, out)
		}
		equalKeys(t, name+": store", tr.inStore(t), nil)
		equalKeys(t, name+": population", tr.owned(), nil)
	}
}

// TestDeleteOldestFirst checks the order of one worker.
func TestDeleteOldestFirst(t *testing.T) {
	t.Parallel()
	tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(2)})
	tr.prepare(t, 10)
	tr.run(t, oplog.PhaseMeasure, workload.NewDelete(&tr.Env, 1))
	var keys []string
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		keys = append(keys, op.Key)
	}
	if !slices.IsSorted(keys) || len(keys) != 10 {
		t.Errorf("got %q, want the keys in order", keys)
	}
}

// TestDeleteFailures checks what a failed single delete leaves: an object that
// is not found is gone, any other may be there.
func TestDeleteFailures(t *testing.T) {
	t.Parallel()
	h := hook(open(t, "store=1"))
	h.del = func(key string) error {
		switch {
		case strings.HasSuffix(key, "3"):
			return errStore
		case strings.HasSuffix(key, "4"):
			return backends.Errorf(backends.ClassNotFound, "no such object")
		}
		return nil
	}
	tr := newTrial(config{store: h, sizes: population.Fixed(2)})
	tr.prepare(t, 10)
	out := tr.run(t, oplog.PhaseMeasure, workload.NewDelete(&tr.Env, 1))
	if out.Tried != 10 || out.Failed != 2 {
		t.Errorf("got %+v, want 10 tried, 2 failed", out)
	}
	equalKeys(t, "owned", tr.owned(), []string{"3"})
	equalKeys(t, "live", tr.live(), nil)
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		if bad := op.Key == "3" || op.Key == "4"; op.OK() == bad || (op.Objects == 0) != bad || (op.Failed == 1) != bad {
			t.Errorf("row %+v", op)
		}
	}
	if steps := tr.book.steps(oplog.StepDeleteOne); len(steps) != 0 {
		t.Errorf("single deletes have %d steps", len(steps))
	}
}

// TestBatchFailures checks partial and whole failures of batches.
func TestBatchFailures(t *testing.T) {
	t.Parallel()
	h := hook(open(t, "store=1"))
	calls := 0
	h.batch = func(keys []string) ([]backends.BatchError, error) {
		switch calls++; calls {
		case 1: // the first and the last
			return []backends.BatchError{
				{Index: 0, Err: backends.Errorf(backends.ClassThrottled, "slow down")}, {Index: len(keys) - 1, Err: errStore},
			}, nil
		case 2: // one that was gone before
			return []backends.BatchError{{Index: 5, Err: backends.Errorf(backends.ClassNotFound, "none")}}, nil
		case 3: // the request
			return nil, errStore
		}
		return nil, nil
	}
	tr := newTrial(config{store: batcher{h, 100}, sizes: population.Fixed(2)})
	tr.prepare(t, 40)
	out := tr.run(t, oplog.PhaseMeasure, workload.NewDelete(&tr.Env, 10))
	rows := tr.book.rows(oplog.PhaseMeasure)
	if out.Tried != 40 || out.Failed != 13 || len(rows) != 4 {
		t.Fatalf("got %+v in %d rows, want 40 tried, 13 failed, 4 rows", out, len(rows))
	}
	for i, want := range []struct {
		key    string
		failed int32
		class  string
	}{{"0", 2, "throttled"}, {"10", 1, "notfound"}, {"20", 10, "server"}, {"30", 0, ""}} {
		op := rows[i]
		if op.Key != want.key || op.Failed != want.failed || op.Objects != int64(10-want.failed) || op.Class != want.class {
			t.Errorf("row %d: got key %s, %d failed, %d deleted, class %q, want %+v", i, op.Key, op.Failed, op.Objects, op.Class, want)
		}
	}
	got := map[string]string{}
	for _, s := range tr.book.steps(oplog.StepDeleteOne) {
		got[s.Key] = s.Class
		if s.Objects != 0 || s.Error == "" || s.Start < rows[0].Start || s.End > rows[3].End || s.Phase != oplog.PhaseMeasure {
			t.Errorf("step %+v", s)
		}
	}
	want := map[string]string{"0": "throttled", "9": "server", "15": "notfound"}
	for i := 20; i < 30; i++ {
		want[fmt.Sprint(i)] = "server"
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got steps %v, want %v", got, want)
	}
	owned := []string{"0", "9"}
	for i := 20; i < 30; i++ {
		owned = append(owned, fmt.Sprint(i))
	}
	slices.Sort(owned)
	equalKeys(t, "owned", tr.owned(), owned)
	equalKeys(t, "live", tr.live(), nil)
}

// TestRetriedBatch checks that another try names only the keys that failed,
// and that only keys that failed for good have a row.
func TestRetriedBatch(t *testing.T) {
	t.Parallel()
	h := hook(open(t, "store=1"))
	var asked []int
	h.batch = func(keys []string) ([]backends.BatchError, error) {
		switch asked = append(asked, len(keys)); len(asked) {
		case 1:
			return nil, errStore
		case 2:
			return []backends.BatchError{{Index: 0, Err: errStore}, {Index: 2, Err: errStore}}, nil
		}
		return []backends.BatchError{{Index: 1, Err: errStore}}, nil
	}
	tr := newTrial(config{store: batcher{h, 100}, sizes: population.Fixed(2)})
	tr.prepare(t, 4)
	out := tr.run(t, oplog.PhaseMeasure, workload.NewDelete(&tr.Env, 4), retries(2))
	rows := tr.book.rows(oplog.PhaseMeasure)
	if len(rows) != 1 || rows[0].Tries != 3 || rows[0].Failed != 1 || rows[0].Objects != 3 || out.Failed != 1 || out.Tried != 4 {
		t.Errorf("got %+v, rows %+v", out, rows)
	}
	if want := []int{4, 4, 2}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v keys, want %v", asked, want)
	}
	if ones := tr.book.steps(oplog.StepDeleteOne); len(ones) != 1 || ones[0].Key != "2" {
		t.Errorf("got steps %+v, want one of key 2", ones)
	}
	equalKeys(t, "owned", tr.owned(), []string{"2"})
}

// TestCleanup deletes everything that may exist, tries three times, and
// leaves what fails.
func TestCleanup(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{0, 7, 1000} {
		for _, workers := range []int{1, 6} {
			name := fmt.Sprintf("batch %d, %d workers", batch, workers)
			h := hook(open(t, "store=1"))
			var mu sync.Mutex
			tries := map[string]int{}
			fails := func(key string) error {
				mu.Lock()
				defer mu.Unlock()
				tries[key[len(root):]]++
				switch n := tries[key[len(root):]]; {
				case strings.HasSuffix(key, "77"): // never
					return errStore
				case strings.HasSuffix(key, "5") && n < 3, strings.HasSuffix(key, "8") && n < 2:
					return errStore
				}
				return nil
			}
			h.put = func(key string) error {
				if strings.HasSuffix(key, "00") {
					return errStore // in doubt: it is to be deleted, and is not there
				}
				return nil
			}
			var store backends.Backend = h
			if batch == 0 {
				h.del = fails
			} else {
				h.batch = func(keys []string) (out []backends.BatchError, _ error) {
					for i, key := range keys {
						if err := fails(key); err != nil {
							out = append(out, backends.BatchError{Index: i, Err: err})
						}
					}
					return out, nil
				}
				store = batcher{h, batch}
			}
			tr := newTrial(config{store: store, sizes: population.Fixed(2), workers: workers})
			tr.run(t, oplog.PhaseMeasure, workload.NewPut(&tr.Env, 1000))
			all := tr.owned()
			if len(all) != 1000 || tr.Objects.Len() != 991 {
				t.Fatalf("%s: %d owned, %d live", name, len(all), tr.Objects.Len())
			}
			tr.run(t, oplog.PhaseCleanup, workload.NewCleanup(&tr.Env))
			var left []string
			for _, key := range all {
				want := 1
				switch {
				case strings.HasSuffix(key, "77"):
					want = 3
					left = append(left, key)
				case strings.HasSuffix(key, "5"):
					want = 3
				case strings.HasSuffix(key, "8"):
					want = 2
				}
				if tries[key] != want {
					t.Errorf("%s: %s was deleted %d times, want %d", name, key, tries[key], want)
				}
			}
			equalKeys(t, name+": owned", tr.owned(), left)
			equalKeys(t, name+": store", tr.inStore(t), left)
		}
	}
}
