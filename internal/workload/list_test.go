package workload_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/workload"
)

// marked puts the marker of a run beside the objects.
func marked(t *testing.T, store backends.Backend) backends.Backend {
	t.Helper()
	if _, err := store.Put(context.Background(), root+".bench-run", textBody{strings.NewReader("{}")}); err != nil {
		t.Fatal(err)
	}
	return store
}

type textBody struct{ *strings.Reader }

func (b textBody) Size() int64 { return b.Reader.Size() }

// TestListPages checks that every prefix is read page by page, each page is a
// row, and the entries of all pages are the objects.
func TestListPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prefixes, workers, objects, max int }{
		{0, 1, 10, 3}, {0, 1, 10, 11}, {0, 1, 10, 100}, {1, 1, 130, 7}, {4, 1, 1000, 30}, {4, 2, 1000, 30}, {4, 4, 1000, 1000}, {2, 7, 1000, 64},
	} {
		name := fmt.Sprintf("%+v", c)
		tr := newTrial(config{
			store: marked(t, open(t, "store=1")), sizes: population.Fixed(1), workers: c.workers, prefixes: c.prefixes,
		})
		tr.prepare(t, int64(c.objects))
		out := tr.run(t, oplog.PhaseMeasure, workload.NewList(&tr.Env, c.max), ops(500))
		if out.Failed != 0 || out.Tried != 500 {
			t.Errorf("%s: got %+v", name, out)
		}
		seen := map[string]int64{}
		for _, op := range tr.book.rows(oplog.PhaseMeasure) {
			if op.Name != oplog.OpList || op.Objects > int64(c.max) || op.Bytes != 0 {
				t.Fatalf("%s: row %+v", name, op)
			}
			if op.Objects > 0 && op.FirstByte == oplog.None {
				t.Fatalf("%s: no first byte in %+v", name, op)
			}
			seen[op.Key] += op.Objects
		}
		if c.workers == 1 && len(seen) != max(c.prefixes, 1) { // of several workers one may have done it all
			t.Errorf("%s: listed %v", name, seen)
		}
	}
}

// TestListCounts lets listings be wrong.
func TestListCounts(t *testing.T) {
	t.Parallel()
	check := func(name string, change func(req backends.ListRequest, p *backends.Page) error, class backends.Class, text string) {
		t.Helper()
		h := hook(marked(t, open(t, "store=1")))
		tr := newTrial(config{store: h, sizes: population.Fixed(1), prefixes: 1})
		tr.prepare(t, 50)
		h.page = change
		tr.run(t, oplog.PhaseMeasure, workload.NewList(&tr.Env, 20), ops(9))
		rows := tr.book.rows(oplog.PhaseMeasure)
		bad := 0
		for _, op := range rows {
			if op.Class != "" {
				bad++
			}
			if op.Class != "" && (op.Class != string(class) || !strings.Contains(op.Error, text)) {
				t.Errorf("%s: got %q %q, want %q %q", name, op.Class, op.Error, class, text)
			}
		}
		if (bad > 0) != (class != backends.ClassNone) {
			t.Errorf("%s: %d of %d pages failed", name, bad, len(rows))
		}
	}
	last := func(p *backends.Page) bool { return p.Next == "" }
	check("right", func(backends.ListRequest, *backends.Page) error { return nil }, backends.ClassNone, "")
	check("one is missing", func(_ backends.ListRequest, p *backends.Page) error {
		if last(p) {
			p.Objects = p.Objects[1:]
		}
		return nil
	}, backends.ClassTruncated, "49 entries, want 50")
	check("one is too many", func(_ backends.ListRequest, p *backends.Page) error {
		if last(p) {
			p.Objects = append(p.Objects, backends.Object{Key: "x"})
		}
		return nil
	}, backends.ClassChecksum, "51 entries, want 50")
	check("the end comes early", func(_ backends.ListRequest, p *backends.Page) error {
		p.Next = ""
		return nil
	}, backends.ClassTruncated, "20 entries, want 50")
	check("the token is repeated", func(r backends.ListRequest, p *backends.Page) error {
		if r.Token != "" {
			p.Next = r.Token
		}
		return nil
	}, backends.ClassServer, "repeats its token")
	check("the request fails", func(backends.ListRequest, *backends.Page) error { return errStore }, backends.ClassServer, "said no")
}

// TestListAfterFailure checks that a failed page begins its prefix anew and
// is not taken for a short listing.
func TestListAfterFailure(t *testing.T) {
	t.Parallel()
	h := hook(open(t, "store=1"))
	tr := newTrial(config{store: h, sizes: population.Fixed(1), prefixes: 2})
	tr.prepare(t, 300)
	n := 0
	h.page = func(backends.ListRequest, *backends.Page) error {
		if n++; n%7 == 0 {
			return errStore
		}
		return nil
	}
	tr.run(t, oplog.PhaseMeasure, workload.NewList(&tr.Env, 50), ops(200))
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		if !op.OK() && op.Class != string(backends.ClassServer) {
			t.Errorf("got %q %q", op.Class, op.Error)
		}
		if !op.OK() && op.Objects != 0 {
			t.Errorf("a failed page has %d objects", op.Objects)
		}
	}
}

// TestListWithObjectsInDoubt checks that an object whose put failed, but which
// is in the store nevertheless, is no error of the listing.
func TestListWithObjectsInDoubt(t *testing.T) {
	t.Parallel()
	for _, prefixes := range []int{0, 2} {
		for _, stored := range []bool{false, true} {
			store := marked(t, open(t, "store=1"))
			h := hook(store)
			n := 0
			h.put = func(key string) error {
				if n++; n%10 != 0 {
					return nil
				}
				if stored {
					if _, err := store.Put(context.Background(), key, textBody{strings.NewReader("x")}); err != nil {
						t.Error(err)
					}
				}
				return errStore
			}
			tr := newTrial(config{store: h, sizes: population.Fixed(1), prefixes: prefixes})
			tr.prepare(t, 300)
			out := tr.run(t, oplog.PhaseMeasure, workload.NewList(&tr.Env, 1000), func(l *engine.Load) { l.Ops = 4 })
			if out.Failed != 0 {
				t.Errorf("prefixes %d, stored %v: got %+v: %+v", prefixes, stored, out, tr.book.rows(oplog.PhaseMeasure)[0].Error)
			}
		}
	}
}
