package oplog_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bench/internal/oplog"
)

// fieldsOf is what a row's fields have to be, without the thought of speed
// that the encoder has.
func fieldsOf(idx int, op *oplog.Op, meta *oplog.Meta) []string {
	at := func(ns int64) string {
		return meta.Epoch.Add(time.Duration(ns)).UTC().Format("2006-01-02T15:04:05.000000000Z")
	}
	unless := func(none bool, text string) string {
		if none {
			return ""
		}
		return text
	}
	return []string{
		strconv.Itoa(idx), fmt.Sprint(op.Thread), op.Name, meta.ClientID, fmt.Sprint(op.Objects), fmt.Sprint(op.Bytes),
		op.Endpoint, plainText(op.Key), plainText(op.Error),
		at(op.Start), unless(op.FirstByte == oplog.None, at(op.FirstByte)),
		unless(op.LastByte == oplog.None, at(op.LastByte)), at(op.End), fmt.Sprint(op.End - op.Start), "0",
		fmt.Sprint(op.Stage), op.Phase.String(), fmt.Sprint(op.Level),
		unless(op.Intended == oplog.None || op.Intended == op.Start, at(op.Intended)),
		unless(op.Offset == oplog.None, fmt.Sprint(op.Offset)), fmt.Sprint(op.Tries),
		unless(op.Attempts == oplog.None, fmt.Sprint(op.Attempts)), unless(op.Status == 0, fmt.Sprint(op.Status)),
		op.Class, op.Peer, [...]string{"", "0", "1"}[op.Reused],
	}
}

// plainText escapes and quotes a text.
func plainText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c == 0x7f || r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	text := b.String()
	if strings.ContainsAny(text, `"#`) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// oddTexts are keys and messages that have to be kept on one line.
func oddTexts() []string {
	return []string{
		"", "1/12345", "#comment", `"`, `""quoted""`, `\`, `\\x41`, "a\tb", "a\nb\r\n", "\x00\x1f\x7f", "\xff\xfe\x80",
		"é\u2028\u0085☃\U0001F600", "\xed\xa0\x80", "tab\t#\"\\", strings.Repeat("x", 1024), " lead", "trail ", "a,b;c",
	}
}

// randomOp has, in one of two rows, one column changed against the row before.
func randomOp(r *rand.Rand, last oplog.Op) oplog.Op {
	op := last
	texts := oddTexts()
	op.Key = "3/" + strconv.Itoa(r.IntN(1000))
	op.Start = last.Start + r.Int64N(3_000_000_000) - 500_000_000
	op.End = op.Start + r.Int64N(2_000_000_000)
	for range r.IntN(3) {
		change(r, &op, texts)
	}
	if op.Intended > op.End {
		op.Intended = oplog.None
	}
	return op
}

func change(r *rand.Rand, op *oplog.Op, texts []string) {
	some := func(v int64) int64 {
		if r.IntN(3) == 0 {
			return oplog.None
		}
		return v
	}
	switch r.IntN(18) {
	case 0:
		op.Thread = []uint32{0, 9, 10, 1<<32 - 1}[r.IntN(4)]
	case 1:
		op.Name = []string{oplog.OpPut, oplog.OpGet, oplog.OpDelete, oplog.StepDeleteOne}[r.IntN(4)]
	case 2:
		op.Objects = r.Int64N(12)
	case 3:
		op.Bytes = []int64{0, 9, 10, 1 << 40}[r.IntN(4)]
	case 4:
		op.Endpoint = []string{"", "http://a:1", "http://b:1"}[r.IntN(3)]
	case 5:
		op.Key = texts[r.IntN(len(texts))]
	case 6:
		op.Error = texts[r.IntN(len(texts))]
	case 7:
		op.FirstByte = some(op.Start + 1)
	case 8:
		op.LastByte = some(op.Start + 2)
	case 9:
		op.Stage = uint16(r.IntN(1 << 16))
	case 10:
		op.Phase = oplog.Phase(r.IntN(oplog.NumPhases))
	case 11:
		op.Level ^= 1
	case 12:
		op.Intended = []int64{oplog.None, op.Start, op.Start - 1_000_000}[r.IntN(3)]
	case 13:
		op.Offset = some(r.Int64N(1 << 50))
	case 14:
		op.Tries = 1 + r.Int32N(12)
	case 15:
		op.Attempts = int32(some(r.Int64N(3)))
	case 16:
		op.Status = []uint16{0, 200, 503}[r.IntN(3)]
	case 17:
		op.Class = []string{"", "server", "timeout"}[r.IntN(3)]
		op.Peer = []string{"", "10.0.0.1:1", "[::1]:9000"}[r.IntN(3)]
		op.Reused = oplog.Tri(r.IntN(3))
	}
}

// TestRowsAgainstPlainEncoder compares what the writer keeps from row to row
// with an encoder that keeps nothing.
func TestRowsAgainstPlainEncoder(t *testing.T) {
	t.Parallel()
	meta := testMeta(time.Date(2026, 12, 31, 23, 59, 30, 999_999_999, time.UTC))
	r := rand.New(rand.NewPCG(1, 2))
	var ops []oplog.Op
	last := emptyOp(oplog.OpPut)
	for range 20_000 {
		last = randomOp(r, last)
		ops = append(ops, last)
	}
	lines := rowLines(t, write(t, meta, ops, 997))
	if len(lines) != len(ops) {
		t.Fatalf("got %d lines, want %d", len(lines), len(ops))
	}
	for i, line := range lines {
		want := strings.Join(fieldsOf(i, &ops[i], meta), "\t")
		if line != want {
			t.Fatalf("row %d of %+v:\ngot  %q\nwant %q", i, ops[i], line, want)
		}
	}
}

// TestRowIsOneLine checks that no text breaks the shape of a row.
func TestRowIsOneLine(t *testing.T) {
	t.Parallel()
	meta := testMeta(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	for _, key := range oddTexts() {
		for _, text := range oddTexts() {
			op := emptyOp(oplog.OpGet)
			op.Key, op.Error = key, text
			lines := rowLines(t, write(t, meta, []oplog.Op{op}, 1))
			if len(lines) != 1 {
				t.Fatalf("key %q, error %q: got %d lines, want 1", key, text, len(lines))
			}
			if n := strings.Count(lines[0], "\t") + 1; n != len(oplog.Columns()) || n != 26 {
				t.Errorf("key %q, error %q: got %d fields, want 26: %q", key, text, n, lines[0])
			}
			if !utf8.ValidString(lines[0]) {
				t.Errorf("key %q, error %q: row is not UTF-8: %q", key, text, lines[0])
			}
		}
	}
}

// TestTimes checks times at the borders of seconds, years and the Unix epoch
// against package time.
func TestTimes(t *testing.T) {
	t.Parallel()
	const second = int64(time.Second)
	for _, epoch := range []time.Time{
		time.Date(2026, 2, 28, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(2024, 2, 28, 23, 59, 59, 1, time.UTC),
		time.Date(1999, 12, 31, 23, 59, 59, 500_000_000, time.UTC),
		time.Unix(0, 0), time.Unix(0, 1), time.Unix(-1, 999_999_999), time.Unix(1, 0),
		time.Date(1969, 12, 31, 23, 59, 58, 3, time.UTC), time.Date(1900, 3, 1, 0, 0, 0, 7, time.UTC),
		time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		meta := testMeta(epoch)
		var ops []oplog.Op
		for _, ns := range []int64{
			0, 1, second - 1, second, second + 1, -2, -second, -second - 1, 2*second - 1, 86400 * second, -86400 * second,
			999_999_999, 99_999_999, 123_456_789, 100_000_000, 3600*second + 9,
		} {
			op := emptyOp(oplog.OpPut)
			op.Start, op.End, op.FirstByte, op.LastByte = ns, ns+1, ns, ns+1
			if op.LastByte == oplog.None {
				op.LastByte = ns
			}
			ops = append(ops, op)
		}
		for i, line := range rowLines(t, write(t, meta, ops, 3)) {
			want := fieldsOf(i, &ops[i], meta)
			got := strings.Split(line, "\t")
			for c, name := range oplog.Columns() {
				if got[c] != want[c] {
					t.Errorf("epoch %v, start %d: %s: got %q, want %q", epoch, ops[i].Start, name, got[c], want[c])
				}
			}
		}
	}
}

// TestPhaseNames checks that names of phases are read back and unknown ones
// are not.
func TestPhaseNames(t *testing.T) {
	t.Parallel()
	for p := range oplog.Phase(oplog.NumPhases) {
		if got, ok := oplog.ParsePhase(p.String()); !ok || got != p {
			t.Errorf("phase %d %q: got %d, %v", p, p, got, ok)
		}
	}
	for _, name := range []string{"", "unknown", "Measure"} {
		if p, ok := oplog.ParsePhase(name); ok {
			t.Errorf("phase %q: got %v, want none", name, p)
		}
	}
	if got := oplog.Phase(200).String(); got != "unknown" {
		t.Errorf("phase 200: got %q", got)
	}
}
