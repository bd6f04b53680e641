package oplog_test

import (
	"math/rand/v2"
	"testing"
	"time"
	"unicode/utf8"

	"bench/internal/oplog"
)

// sameOp compares what the record keeps of an operation.
func sameOp(t testing.TB, got *oplog.Row, want *oplog.Op) {
	t.Helper()
	op := *want
	if op.Intended == op.Start {
		op.Intended = oplog.None
	}
	op.Failed = 0
	if !op.OK() {
		op.Failed = 1
	}
	if got.Op != op {
		t.Fatalf("row %d:\ngot  %+v\nwant %+v", got.Index, got.Op, op)
	}
}

// TestRoundTrip reads back what was written, with every column in use.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	last := emptyOp(oplog.OpPut)
	last.Start = 1 << 40
	var ops []oplog.Op
	for range 5000 {
		last = randomOp(r, last)
		ops = append(ops, last)
	}
	rows, sum, err := readBack(t, write(t, testMeta(time.Unix(1e9, 123)), ops, 701))
	if err != nil || len(rows) != len(ops) {
		t.Fatalf("got %d rows, %v, want %d", len(rows), err, len(ops))
	}
	for i := range rows {
		if rows[i].Index != int64(i) || rows[i].ClientID != "k3j9x2ab" {
			t.Fatalf("row %d: index %d, client %q", i, rows[i].Index, rows[i].ClientID)
		}
		sameOp(t, &rows[i], &ops[i])
	}
	if sum.End == nil || sum.End.Rows != int64(len(ops)) || sum.Torn {
		t.Errorf("got end %+v, torn %v", sum.End, sum.Torn)
	}
}

// FuzzWriter writes two rows with any texts and reads them back.
func FuzzWriter(f *testing.F) {
	for i, key := range oddTexts() {
		f.Add(key, oddTexts()[len(oddTexts())-1-i], int64(i)*999_999_999, int64(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, key, message string, start, took int64, split bool) {
		if start < 0 || took < 0 || start > 1<<58 || took > 1<<58 || len(key)+len(message) > 10_000 {
			t.Skip("times or texts no run can have")
		}
		a := emptyOp(oplog.OpPut)
		a.Key, a.Error, a.Start, a.End, a.Offset = key, message, start, start+took, took
		b := a
		b.Key, b.Error, b.Level, b.Intended = message, key, 1, start/2
		every := 2
		if split {
			every = 1
		}
		data := write(t, testMeta(time.Unix(1e9, 0)), []oplog.Op{a, b}, every)
		for _, line := range rowLines(t, data) {
			if !utf8.ValidString(line) {
				t.Fatalf("row %q is not UTF-8", line)
			}
		}
		rows, _, err := readBack(t, data)
		if err != nil || len(rows) != 2 {
			t.Fatalf("key %q, error %q, start %d, took %d: %d rows, %v", key, message, start, took, len(rows), err)
		}
		sameOp(t, &rows[0], &a)
		sameOp(t, &rows[1], &b)
	})
}
