package workload_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/workload"
)

func mixOf(t testing.TB, text string) workload.Mix {
	t.Helper()
	m, err := workload.ParseMix(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMixedTouchesNothingThatGoes runs mixes over small pools, so that
// workers meet, against a store that watches them.
func TestMixedTouchesNothingThatGoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mix              string
		objects, workers int
	}{
		{"get=45,stat=30,put=15,del=10", 100, 8},
		{"get=40,stat=10,put=25,del=25", 3, 8},
		{"get=1,put=1,del=2", 20, 16},
		{"put=1,del=1", 5, 8},
		{"stat=1,get=1,list=1", 10, 4},
		{"put=1", 1, 4},
	} {
		name := fmt.Sprintf("%+v", c)
		g := newGuard(t)
		tr := newTrial(config{store: g, sizes: population.Fixed(50), workers: c.workers, prefixes: 2, seed: 3})
		tr.prepare(t, int64(c.objects))
		out := tr.run(t, oplog.PhaseMeasure, workload.NewMixed(&tr.Env, mixOf(t, c.mix), workload.Ranges{}, 1, 100), ops(20_000))
		if out.Failed != 0 || out.Tried != 20_000 || out.Reason != oplog.ReasonDone {
			t.Errorf("%s: got %+v", name, out)
		}
		g.check(t, tr, 0)
	}
}

// TestMixedUnderErrors checks that objects whose put or delete failed are not
// touched again, and that everything that may exist is cleaned up.
func TestMixedUnderErrors(t *testing.T) {
	t.Parallel()
	g := newGuard(t)
	tr := newTrial(config{store: g, sizes: population.Fixed(50), workers: 8, seed: 3})
	tr.prepare(t, 200)
	g.deny = func(what, key string) error {
		if (what == "put" || what == "delete") && strings.HasSuffix(key, "3") {
			return errStore
		}
		return nil
	}
	out := tr.run(t, oplog.PhaseMeasure, workload.NewMixed(&tr.Env, mixOf(t, "get=2,put=2,del=1"), workload.Ranges{}, 1, 100), ops(20_000))
	if out.Failed == 0 || out.Tried != 20_000 {
		t.Errorf("got %+v", out)
	}
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		if bad := op.Name != oplog.OpGet && strings.HasSuffix(op.Key, "3"); op.OK() == bad {
			t.Fatalf("row %+v", op)
		}
	}
	for id, ok := tr.Objects.NextOwned(0); ok; id, ok = tr.Objects.NextOwned(id + 1) {
		var m population.KeyMaker
		key := tr.Objects.Key(&m, id)
		if s := g.state[key]; (s == nil || s.stage == "gone") != (tr.Objects.Live(id) == false && s == nil) {
			t.Fatalf("%s is owned, in the store it is %+v", key, s)
		}
	}
	for key, s := range g.state {
		id, ok := tr.Objects.ParseKey(key)
		if !ok || (s.stage != "gone") != tr.Objects.Owned(id) {
			t.Fatalf("%s is %s, owned %v", key, s.stage, tr.Objects.Owned(id))
		}
	}
}

// shares counts the measured rows of each operation.
func shares(tr *trial) map[string]float64 {
	rows := tr.book.rows(oplog.PhaseMeasure)
	out := map[string]float64{}
	for _, op := range rows {
		out[op.Name] += 100 / float64(len(rows))
	}
	return out
}

// TestMixShares checks the share of each operation, also where the cap puts
// deletes between them.
func TestMixShares(t *testing.T) {
	t.Parallel()
	for _, limit := range []int64{0, 60_000} {
		for _, mix := range []string{workload.DefaultMix, "get=10,stat=10,put=60,del=10,list=10", "get=1,put=1"} {
			g := newGuard(t)
			tr := newTrial(config{store: g, sizes: population.Fixed(100), workers: 4, seed: 11, cap: limit})
			tr.prepare(t, 500)
			m := mixOf(t, mix)
			tr.run(t, oplog.PhaseMeasure, workload.NewMixed(&tr.Env, m, workload.Ranges{}, 1, 100), ops(20_000))
			got := shares(tr)
			sum := m.Get + m.Stat + m.Put + m.Del + m.List
			for name, share := range map[string]float64{
				oplog.OpGet: m.Get, oplog.OpStat: m.Stat, oplog.OpPut: m.Put, oplog.OpDelete: m.Del, oplog.OpList: m.List,
			} {
				if want := 100 * share / sum; math.Abs(got[name]-want) > 1.2 {
					t.Errorf("mix %s, cap %d: %s has %.2f %%, want %.2f", mix, limit, name, got[name], want)
				}
			}
			g.check(t, tr, limit)
		}
	}
}

// TestMixedKeepsBelowCap has few objects that hardly fit, so that workers have
// to wait for each other's room.
func TestMixedKeepsBelowCap(t *testing.T) {
	t.Parallel()
	sizes, err := population.ParseSizes("10..1000", "uniform")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mix     string
		limit   int64
		workers int
	}{
		{workload.DefaultMix, 5000, 4},
		{"put=1", 4000, 16},
		{"get=1,put=9", 2000, 16},
		{"get=5,put=5,del=1", 1000, 8},
		{"list=1,put=1", 3000, 4},
	} {
		g := newGuard(t)
		tr := newTrial(config{store: g, sizes: sizes, workers: c.workers, cap: c.limit, seed: 4})
		tr.prepare(t, max(1, c.limit/2000))
		out := tr.run(t, oplog.PhaseMeasure, workload.NewMixed(&tr.Env, mixOf(t, c.mix), workload.Ranges{}, 1, 100), ops(3000))
		if out.Tried != 3000 || out.Failed != 0 || out.Reason != oplog.ReasonDone {
			t.Errorf("%+v: got %+v", c, out)
		}
		g.check(t, tr, c.limit)
		if aside := tr.book.rows(oplog.PhaseCleanup); len(aside) == 0 {
			t.Errorf("%+v: nothing was deleted to make room", c)
		}
	}
}

// TestEmptyPool checks that what cannot be read is written where the mix
// writes, and ends the load where it does not.
func TestEmptyPool(t *testing.T) {
	t.Parallel()
	check := func(mix string, objects int64, reason string, least int64) {
		t.Helper()
		g := newGuard(t)
		tr := newTrial(config{store: g, sizes: population.Fixed(5), workers: 3})
		if objects > 0 {
			tr.prepare(t, objects)
		}
		out := tr.run(t, oplog.PhaseMeasure, workload.NewMixed(&tr.Env, mixOf(t, mix), workload.Ranges{}, 1, 100),
			func(l *engine.Load) { l.Ops, l.Timeout = 2000, time.Minute })
		if out.Reason != reason || out.Tried < least || out.Failed != 0 {
			t.Errorf("%s over %d objects: got %+v, want %s after at least %d", mix, objects, out, reason, least)
		}
		g.check(t, tr, 0)
	}
	check("get=99,put=1", 0, oplog.ReasonDone, 2000)
	check("del=99,put=1", 0, oplog.ReasonDone, 2000)
	check("get=1", 0, oplog.ReasonExhausted, 0)
	check("del=1", 0, oplog.ReasonExhausted, 0)
	check("get=1,del=1", 30, oplog.ReasonExhausted, 30)
	check("stat=1,del=3", 100, oplog.ReasonExhausted, 100)
	check("del=1", 500, oplog.ReasonExhausted, 500)
	check("list=1,get=1", 0, oplog.ReasonDone, 2000)
}

// TestMixedBatches deletes several objects with one request.
func TestMixedBatches(t *testing.T) {
	t.Parallel()
	tr := newTrial(config{store: open(t, "store=1&batch=100"), sizes: population.Fixed(5), workers: 4, seed: 2})
	tr.prepare(t, 2000)
	out := tr.run(t, oplog.PhaseMeasure, workload.NewMixed(&tr.Env, mixOf(t, "get=60,put=35,del=5"), workload.Ranges{}, 10, 100), ops(5000))
	if out.Failed != 0 {
		t.Errorf("got %+v", out)
	}
	batches := 0
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		if op.Name == oplog.OpDelete && op.Objects == 10 {
			batches++
		}
	}
	if batches < 150 {
		t.Errorf("got %d whole batches of 10, want about 250", batches)
	}
	equalKeys(t, "store against population", tr.inStore(t), tr.live())
}

// TestMixedRangesAndVerify runs against a store with content.
func TestMixedRangesAndVerify(t *testing.T) {
	t.Parallel()
	for _, r := range []workload.Ranges{{}, {Length: 100, Align: 7}} {
		tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(1000), workers: 4, prefixes: 2, verify: true})
		tr.prepare(t, 100)
		w := workload.NewMixed(&tr.Env, mixOf(t, "get=50,stat=10,put=20,del=10,list=10"), r, 1, 10)
		if out := tr.run(t, oplog.PhaseMeasure, w, ops(4000)); out.Failed != 0 {
			t.Errorf("ranges %+v: got %+v", r, out)
		}
		equalKeys(t, "store against population", tr.inStore(t), tr.live())
	}
}

// TestNeeds checks what modes ask of a store.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, m := range workload.Modes() {
		for _, mix := range []string{workload.DefaultMix, "get=1,list=1"} {
			want := backends.CapCore
			if m.Name == "list" || m.Name == "mixed" && strings.Contains(mix, "list") {
				want = backends.CapList
			}
			if got := m.Needs(mixOf(t, mix)); got != want {
				t.Errorf("%s with mix %s: got %v, want %v", m.Name, mix, got, want)
			}
		}
	}
}

// sequence is what one worker does in 600 operations, time left out.
func sequence(t *testing.T, seed uint64, mode string) string {
	t.Helper()
	sizes, err := population.ParseSizes("1KiB..64KiB", "log2")
	if err != nil {
		t.Fatal(err)
	}
	tr := newTrial(config{store: open(t, "store=1&batch=10"), sizes: sizes, prefixes: 2, seed: seed})
	tr.prepare(t, 150)
	ranges := workload.Ranges{Length: 100, Align: 10}
	w := map[string]func() workload.Workload{
		"put":      func() workload.Workload { return workload.NewPut(&tr.Env, 600) },
		"get":      func() workload.Workload { return workload.NewGet(&tr.Env, ranges, false) },
		"get once": func() workload.Workload { return workload.NewGet(&tr.Env, ranges, true) },
		"stat":     func() workload.Workload { return workload.NewStat(&tr.Env, false) },
		"mixed": func() workload.Workload {
			return workload.NewMixed(&tr.Env, mixOf(t, "get=4,stat=2,put=3,del=1,list=1"), ranges, 5, 100)
		},
	}[mode]()
	tr.run(t, oplog.PhaseMeasure, w, ops(600))
	var b strings.Builder
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		fmt.Fprintf(&b, "%s %s %d %d %d\n", op.Name, op.Key, op.Bytes, op.Offset, op.Objects)
	}
	return b.String()
}

// TestSameSeedSameSequence checks that all choices follow from the seed.
func TestSameSeedSameSequence(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"put", "get", "get once", "stat", "mixed"} {
		a, again, b := sequence(t, 42, mode), sequence(t, 42, mode), sequence(t, 43, mode)
		if a != again {
			t.Errorf("%s: two runs with one seed differ", mode)
		}
		if a == b {
			t.Errorf("%s: runs with different seeds are the same", mode)
		}
	}
}
