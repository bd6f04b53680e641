package workload_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"bench/backends"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/workload"
)

func TestGetWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 1, 4096, 100_000, 3 << 20} {
		tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(size), workers: 4, prefixes: 2, verify: true})
		tr.prepare(t, 20)
		out := tr.run(t, oplog.PhaseMeasure, workload.NewGet(&tr.Env, workload.Ranges{}, false), ops(100))
		rows := tr.book.rows(oplog.PhaseMeasure)
		if len(rows) != 100 || out.Failed != 0 {
			t.Fatalf("size %d: got %d rows, %+v", size, len(rows), out)
		}
		live := tr.live()
		for _, op := range rows {
			if op.Name != oplog.OpGet || op.Bytes != size || op.Objects != 1 || op.Offset != oplog.None {
				t.Fatalf("size %d: row %+v", size, op)
			}
			if (op.FirstByte == oplog.None) != (size == 0) || op.FirstByte > op.LastByte || op.LastByte > op.End {
				t.Fatalf("size %d: first byte %d, last %d of %d to %d", size, op.FirstByte, op.LastByte, op.Start, op.End)
			}
			if !slices.Contains(live, op.Key) {
				t.Fatalf("size %d: key %q is not of the population", size, op.Key)
			}
		}
	}
}

// TestGetRanges checks that offsets are aligned, inside of the object, and
// reach its beginning and its end.
func TestGetRanges(t *testing.T) {
	t.Parallel()
	check := func(size, length, align int64, places int) {
		t.Helper()
		tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(size), verify: true})
		tr.prepare(t, 5)
		w := workload.NewGet(&tr.Env, workload.Ranges{Length: length, Align: align}, false)
		if out := tr.run(t, oplog.PhaseMeasure, w, ops(400)); out.Failed != 0 {
			t.Errorf("%d of %d bytes: %+v", length, size, out)
		}
		seen := map[int64]bool{}
		for _, op := range tr.book.rows(oplog.PhaseMeasure) {
			if op.Bytes != length || op.Offset < 0 || op.Offset%align != 0 || op.Offset+length > size {
				t.Fatalf("%d of %d bytes aligned to %d: %d bytes at %d", length, size, align, op.Bytes, op.Offset)
			}
			seen[op.Offset] = true
		}
		if len(seen) != places {
			t.Errorf("%d of %d bytes aligned to %d: got %d places, want %d", length, size, align, len(seen), places)
		}
	}
	check(1000, 100, 100, 10)
	check(1000, 101, 100, 9)
	check(1000, 1000, 16384, 1)
	check(1000, 999, 1, 2)
	check(70_000, 4096, 16384, 5)
	check(8, 1, 1, 8)
}

// TestGetFaults lets the store answer wrongly and checks the class.
func TestGetFaults(t *testing.T) {
	t.Parallel()
	const size = 10_000
	errTorn := errors.New("connection reset")
	type answer func(body io.ReadCloser) (io.ReadCloser, error)
	whole := func(body io.ReadCloser) []byte {
		b, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		return b
	}
	give := func(b []byte) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	flip := func(at int) answer {
		return func(body io.ReadCloser) (io.ReadCloser, error) {
			b := whole(body)
			b[at] ^= 1
			return give(b)
		}
	}
	cut := func(n int) answer {
		return func(body io.ReadCloser) (io.ReadCloser, error) { return give(whole(body)[:n]) }
	}
	long := func(body io.ReadCloser) (io.ReadCloser, error) { return give(append(whole(body), 'x')) }
	torn := func(err error) answer {
		return func(body io.ReadCloser) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(whole(body)[:5000]), failingReader{err})), nil
		}
	}
	closing := func(body io.ReadCloser) (io.ReadCloser, error) { return closeFails{body}, nil }
	for _, c := range []struct {
		name   string
		answer answer
		verify bool
		class  backends.Class
		text   string
		most   int64 // bytes in the row
	}{
		{"first byte", flip(0), true, backends.ClassChecksum, "byte 0 differs", 0},
		{"a byte inside", flip(5003), true, backends.ClassChecksum, "byte 5003 differs", 5003},
		{"last byte", flip(size - 1), true, backends.ClassChecksum, "byte 9999 differs", size - 1},
		{"content is not looked at", flip(5003), false, backends.ClassNone, "", size},
		{"nothing", cut(0), false, backends.ClassTruncated, "0 bytes of 10000", 0},
		{"one byte short", cut(size - 1), false, backends.ClassTruncated, "9999 bytes of 10000", size - 1},
		{"half, verified", cut(size / 2), true, backends.ClassTruncated, "5000 bytes of 10000", size / 2},
		{"one byte too many", long, false, backends.ClassChecksum, "more than the 10000 bytes", size},
		{"one byte too many, verified", long, true, backends.ClassChecksum, "more than the 10000 bytes", size},
		{"torn", torn(io.ErrUnexpectedEOF), false, backends.ClassTruncated, "unexpected EOF", 5000},
		{"torn otherwise", torn(errTorn), false, backends.ClassOther, "connection reset", 5000},
		{"closing fails", closing, false, backends.ClassOther, "close says no", size},
		{"no answer", func(io.ReadCloser) (io.ReadCloser, error) { return nil, errStore }, true, backends.ClassServer, "said no", 0},
	} {
		h := hook(open(t, "store=1"))
		tr := newTrial(config{store: h, sizes: population.Fixed(size), verify: c.verify})
		tr.prepare(t, 3)
		h.get = func(_ backends.Object, _ backends.Range, body io.ReadCloser) (io.ReadCloser, error) {
			return c.answer(body)
		}
		tr.run(t, oplog.PhaseMeasure, workload.NewGet(&tr.Env, workload.Ranges{}, false), ops(1))
		op := tr.book.rows(oplog.PhaseMeasure)[0]
		if op.Class != string(c.class) || !strings.Contains(op.Error, c.text) || op.Bytes > c.most {
			t.Errorf("%s: got class %q, error %q, %d bytes, want %q, %q, at most %d", c.name, op.Class, op.Error, op.Bytes, c.class, c.text, c.most)
		}
		if want := int64(1); (op.Objects == want) != (c.class == backends.ClassNone) {
			t.Errorf("%s: got %d objects", c.name, op.Objects)
		}
	}
}

// TestGetRangeFaults checks that a corrupt byte of a range is named by its
// place in the object.
func TestGetRangeFaults(t *testing.T) {
	t.Parallel()
	h := hook(open(t, "store=1"))
	tr := newTrial(config{store: h, sizes: population.Fixed(10_000), verify: true})
	tr.prepare(t, 3)
	h.get = func(_ backends.Object, r backends.Range, body io.ReadCloser) (io.ReadCloser, error) {
		b, err := io.ReadAll(body)
		if r.Offset == 3000 {
			b[17] ^= 0x80
		}
		return io.NopCloser(bytes.NewReader(b)), err
	}
	tr.run(t, oplog.PhaseMeasure, workload.NewGet(&tr.Env, workload.Ranges{Length: 1000, Align: 1000}, false), ops(200))
	bad := 0
	for _, op := range tr.book.rows(oplog.PhaseMeasure) {
		if op.OK() != (op.Offset != 3000) {
			t.Errorf("at %d: %q", op.Offset, op.Error)
		}
		if !op.OK() {
			bad++
			if !strings.Contains(op.Error, "byte 3017 differs") {
				t.Errorf("at %d: %q, want byte 3017", op.Offset, op.Error)
			}
		}
	}
	if bad == 0 {
		t.Error("no range at 3000 was read")
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

type closeFails struct{ io.ReadCloser }

func (c closeFails) Close() error {
	return errors.Join(c.ReadCloser.Close(), errors.New("close says no"))
}

// TestOnceVisitsEachObject checks reads and stats that see each object one
// time, in an order that is not that of the keys.
func TestOnceVisitsEachObject(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 5} {
		tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(3), workers: workers, prefixes: 4, seed: 9})
		tr.prepare(t, 1000)
		for name, w := range map[string]workload.Workload{
			"get": workload.NewGet(&tr.Env, workload.Ranges{}, true), "stat": workload.NewStat(&tr.Env, true),
		} {
			tr.book.ops = nil
			out := tr.run(t, oplog.PhaseMeasure, w)
			var keys []string
			for _, op := range tr.book.rows(oplog.PhaseMeasure) {
				keys = append(keys, op.Key)
			}
			if slices.IsSorted(keys) {
				t.Errorf("%s with %d workers: the order is not shuffled", name, workers)
			}
			slices.Sort(keys)
			equalKeys(t, name, keys, tr.live())
			if out.Reason != oplog.ReasonDone || out.Failed != 0 {
				t.Errorf("%s with %d workers: %+v", name, workers, out)
			}
		}
	}
}

// TestReadingNothing checks that an empty population ends a load that picks.
func TestReadingNothing(t *testing.T) {
	t.Parallel()
	tr := newTrial(config{store: open(t, "store=1"), sizes: population.Fixed(3), workers: 2})
	for name, c := range map[string]struct {
		w    workload.Workload
		want string
	}{
		"get":       {workload.NewGet(&tr.Env, workload.Ranges{}, false), oplog.ReasonExhausted},
		"stat":      {workload.NewStat(&tr.Env, false), oplog.ReasonExhausted},
		"get once":  {workload.NewGet(&tr.Env, workload.Ranges{}, true), oplog.ReasonDone},
		"stat once": {workload.NewStat(&tr.Env, true), oplog.ReasonDone},
		"del":       {workload.NewDelete(&tr.Env, 1), oplog.ReasonDone},
		"cleanup":   {workload.NewCleanup(&tr.Env), oplog.ReasonDone},
	} {
		if out := tr.run(t, oplog.PhaseMeasure, c.w); out.Reason != c.want || out.Tried != 0 {
			t.Errorf("%s: got %+v, want %s", name, out, c.want)
		}
	}
}

// TestRetriedGetCountsOneBody checks that a second try begins anew.
func TestRetriedGetCountsOneBody(t *testing.T) {
	t.Parallel()
	const size = 5000
	h := hook(open(t, "store=1"))
	tr := newTrial(config{store: h, sizes: population.Fixed(size), verify: true})
	tr.prepare(t, 2)
	calls := 0
	h.get = func(_ backends.Object, _ backends.Range, body io.ReadCloser) (io.ReadCloser, error) {
		if calls++; calls == 1 {
			b, err := io.ReadAll(body)
			return io.NopCloser(bytes.NewReader(b[:777])), err
		}
		return body, nil
	}
	tr.run(t, oplog.PhaseMeasure, workload.NewGet(&tr.Env, workload.Ranges{}, false), ops(1), retries(2))
	rows, tries := tr.book.rows(oplog.PhaseMeasure), tr.book.steps(oplog.StepTry)
	if len(rows) != 1 || !rows[0].OK() || rows[0].Bytes != size || rows[0].Tries != 2 {
		t.Errorf("got %+v, want %d bytes in 2 tries", rows, size)
	}
	if len(tries) != 2 || tries[0].Bytes != 777 || tries[0].Class != "truncated" || tries[1].Bytes != size {
		t.Errorf("got tries %+v", tries)
	}
}
