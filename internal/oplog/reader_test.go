package oplog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// gather is a visitor that keeps everything.
type gather struct {
	mu      *sync.Mutex
	rows    *[]Row
	samples *[]Sample
	err     error
}

func (g gather) Row(r *Row) error {
	c := *r
	c.Key, c.Error = strings.Clone(r.Key), strings.Clone(r.Error)
	g.mu.Lock()
	defer g.mu.Unlock()
	*g.rows = append(*g.rows, c)
	return g.err
}

func (g gather) Sample(s *Sample) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	*g.samples = append(*g.samples, *s)
	return nil
}

// readAll opens data and scans it.
func readAll(ctx context.Context, data []byte, workers int) ([]Row, []Sample, Summary, error) {
	f, err := NewFile("x.csv.zst", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, Summary{}, err
	}
	var mu sync.Mutex
	var rows []Row
	var samples []Sample
	sum, err := f.Scan(ctx, ScanOptions{Workers: workers}, func(int) Visitor {
		return gather{mu: &mu, rows: &rows, samples: &samples}
	})
	slices.SortFunc(rows, func(a, b Row) int { return int(a.Index - b.Index) })
	return rows, samples, sum, err
}

// variedOps are rows with everything a row can have.
func variedOps(n int) []Op {
	ops := make([]Op, n)
	keys := []string{"1/1", "", "a\tb\nc", `back\slash`, `"quoted"`, "#comment", "\xff\xfe", "snow ☃", "x\x7f\x00", `\x41`}
	for i := range ops {
		o := &ops[i]
		o.Reset()
		o.Name = []string{OpGet, OpPut, OpDelete, StepTry}[i%4]
		o.Key, o.Thread = keys[i%len(keys)], uint32(i%5)*1_000_000_000
		o.Start = int64(i) * 700_000_000
		o.End = o.Start + int64(i%3)*500_000_000
		o.Phase, o.Stage = Phase(i%NumPhases), uint16(i%3)
		o.Bytes, o.Objects = int64(i)*1000, int64(i%4)
		o.Reused = Tri(i % 3)
		if i%4 == 3 {
			o.Level, o.Tries = 1, 3
		}
		if i%2 == 0 {
			o.Endpoint, o.Peer, o.Attempts, o.Status = "http://h:1", "10.0.0.1:1", 2, 200
			o.FirstByte, o.LastByte, o.Offset = o.Start, o.End, 4096
		}
		if i%7 == 0 {
			o.Class, o.Error, o.Failed = "server", keys[(i+3)%len(keys)]+"!", 1
			o.Intended = o.Start - 5
		}
	}
	return ops
}

func testMeta() *Meta {
	return &Meta{Schema: 1, Epoch: time.Date(2026, 12, 31, 23, 59, 58, 999_999_999, time.UTC), ClientID: "k3j9x2ab"}
}

func writeRecord(t testing.TB, ops []Op, frameRows int, end *End) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, testMeta())
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		if err := w.Row(&ops[i]); err != nil {
			t.Fatal(err)
		}
		if frameRows > 0 && i%frameRows == frameRows-1 {
			if err := errors.Join(w.Sample(&Sample{AtNS: int64(i)}), w.Flush()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if end != nil {
		if err := w.Finish(end); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func pack(t testing.TB, text string) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := enc.EncodeAll([]byte(text), nil)
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return packed
}

func unpack(t testing.TB, data []byte) string {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadBackWhatWasWritten(t *testing.T) {
	t.Parallel()
	ops := variedOps(500)
	framed := writeRecord(t, ops, 40, &End{Reason: ReasonDone})
	for name, data := range map[string][]byte{
		"framed": framed, "one frame": writeRecord(t, ops, 0, &End{Reason: ReasonDone}),
		"recompressed": pack(t, unpack(t, framed)),
		"split at odd places": slices.Concat(pack(t, unpack(t, framed)[:1001]), pack(t, unpack(t, framed)[1001:7777]),
			pack(t, unpack(t, framed)[7777:])),
	} {
		rows, samples, sum, err := readAll(t.Context(), data, 3)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if sum.End == nil || sum.Rows != 500 || sum.Torn || len(rows) != len(ops) {
			t.Fatalf("%s: %d rows, summary %+v", name, len(rows), sum)
		}
		if name == "framed" && len(samples) != 12 {
			t.Errorf("%d samples, want 12", len(samples))
		}
		for i := range ops {
			if rows[i].ClientID != "k3j9x2ab" || rows[i].Index != int64(i) {
				t.Errorf("%s: row %d is of client %q and has index %d", name, i, rows[i].ClientID, rows[i].Index)
			}
			if !reflect.DeepEqual(rows[i].Op, ops[i]) {
				t.Fatalf("%s: row %d\n got %+v\nwant %+v", name, i, rows[i].Op, ops[i])
			}
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.csv.zst")
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory opens as a record")
	}
	data := writeRecord(t, variedOps(20), 0, &End{Reason: ReasonStable, Stages: []StageEnd{{Reason: "done"}}})
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Foreign || f.End == nil || f.End.Reason != ReasonStable || f.End.Rows != 20 || f.Meta.ClientID != "k3j9x2ab" {
		t.Errorf("file is %+v", f)
	}
	if _, err := f.Scan(t.Context(), ScanOptions{}, func(int) Visitor { return discard{} }); err != nil {
		t.Error(err)
	}
	if f.Progress() == 0 || f.Progress() > f.Size {
		t.Errorf("progress is %d of %d", f.Progress(), f.Size)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("idx\top\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrNotRecord) {
		t.Errorf("plain text: %v", err)
	}
}

type discard struct{}

func (discard) Row(*Row) error       { return nil }
func (discard) Sample(*Sample) error { return nil }

// TestEndWithoutIndex finds the end line although the index is odd or gone.
func TestEndWithoutIndex(t *testing.T) {
	t.Parallel()
	data := writeRecord(t, variedOps(50), 10, &End{})
	index := bytes.LastIndex(data, []byte(indexWord)) - 8
	for name, d := range map[string][]byte{
		"gone": data[:index], "cut": data[:len(data)-3], "doubled": slices.Concat(data, data[index:]),
		"with junk behind": slices.Concat(data, []byte("junk, and more of it, to look like a frame")),
		"lying":            slices.Concat(data[:len(data)-8], []byte{1, 0, 0, 0, 0, 0, 0, 0}),
	} {
		_, _, sum, err := readAll(t.Context(), d, 2)
		if err != nil || sum.End == nil || sum.Rows != 50 || sum.Torn {
			t.Errorf("index %s: %+v, %v", name, sum, err)
		}
	}
}

const warpHeader = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tend\tduration_ns\n"

func TestForeign(t *testing.T) {
	t.Parallel()
	check := func(name, text string, want Row) {
		t.Helper()
		rows, _, sum, err := readAll(t.Context(), pack(t, text), 2)
		if err != nil || len(rows) != 1 || sum.Rows != 1 || sum.End != nil {
			t.Errorf("%s: %d rows, %+v, %v", name, len(rows), sum, err)
			return
		}
		if got := rows[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	ns := func(s string) int64 {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixNano()
	}
	row := func(change func(r *Row)) Row {
		var r Row
		r.Reset()
		r.Name, r.Phase, r.Index = "GET", PhaseMeasure, None
		r.Start, r.End = ns("2020-01-02T03:04:05Z"), ns("2020-01-02T03:04:06.5Z")
		change(&r)
		return r
	}
	check("fewest columns", "op\tend\tstart\nGET\t2020-01-02T03:04:06.5Z\t2020-01-02T03:04:05Z", row(func(*Row) {}))
	check("crlf, comments, blank lines, zones", "# a\r\n\r\nstart\tzzz\tend\top\r\n#b\r\n\r\n2020-01-01T19:04:05-08:00\t\t2020-01-02T04:04:06.500000+01:00\tGET\r\n# c",
		row(func(*Row) {}))
	check("byte order mark", "\ufeffop\tend\tstart\nGET\t2020-01-02T03:04:06.5Z\t2020-01-02T03:04:05Z\n", row(func(*Row) {}))
	check("warp", warpHeader+"7\t4000000000\tGET\tab\t1\t500\t\"http://h\"\tk\\x41\"b\t\"it \"\"broke\"\"\r\n# twice\t!\"\t2020-01-02T03:04:05Z\t\t2020-01-02T03:04:06.5Z\t1\n# warp get\n",
		row(func(r *Row) {
			r.Index, r.Thread, r.ClientID, r.Bytes, r.Endpoint = 7, 4_000_000_000, "ab", 500, "http://h"
			r.Key, r.Error, r.Failed = "k\\x41\"b", "it \"broke\"\n# twice\t!", 1
		}))
	check("joined files", "op\tend\tstart\n# end\nop\tend\tstart\nGET\t2020-01-02T03:04:06.5Z\t2020-01-02T03:04:05Z\n", row(func(*Row) {}))
}

func TestRejectedHeads(t *testing.T) {
	t.Parallel()
	check := func(name string, data []byte, notRecord bool, want string) {
		t.Helper()
		_, _, _, err := readAll(t.Context(), data, 1)
		if err == nil || errors.Is(err, ErrNotRecord) != notRecord || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	check("empty", nil, true, "is empty")
	check("text", []byte("idx\top\tstart\tend\nplain"), true, "zstd")
	check("nothing packed", pack(t, ""), true, "no header")
	check("comments only", pack(t, "# a\n# b\n"), true, "no header")
	check("another table", pack(t, "a\tb\n1\t2\n"), true, "names none of the columns")
	check("no start", pack(t, "op\tend\n"), false, `column "start" is missing`)
	check("no op", pack(t, "end\tstart\n"), false, `column "op" is missing`)
	check("no end", pack(t, "op\tstart\n"), false, `column "end" is missing`)
	check("doubled", pack(t, "op\tstart\tend\top\n"), false, "appears twice")
	check("newer schema", pack(t, `# bench {"schema":99}`+"\nop\tstart\tend\n"), false, "schema version 99")
	check("bad metadata", pack(t, "# bench {\nop\tstart\tend\n"), false, "metadata line")
	check("odd epoch", pack(t, `# bench {"schema":1}`+"\nop\tstart\tend\n"), false, "epoch")
	check("two heads", pack(t, strings.Repeat(`# bench {"epoch":"2020-01-01T00:00:00Z"}`+"\n", 2)), false, "two metadata lines")
	check("endless comment", pack(t, "#"+strings.Repeat("x", 3<<20)), true, "no header")
	check("endless header", pack(t, "op\tstart\tend"+strings.Repeat("x", 3<<20)), true, "no header")
	check("skippable only", []byte{0x5e, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0}, true, "no header")
	check("torn", writeRecord(t, nil, 0, nil)[:50], true, "no header")
	broken := writeRecord(t, nil, 0, nil)
	broken[len(broken)-1] ^= 1
	check("first frame broken", broken, true, "cannot be decoded")
}

func TestRejectedRows(t *testing.T) {
	t.Parallel()
	const good = "GET\t2020-01-01T00:00:00Z\t2020-01-01T00:00:01Z\t5\t1\t\tmeasure\t1\n"
	check := func(name, row, want string) {
		t.Helper()
		text := "op\tstart\tend\tbytes\tthread\treused\tphase\tlevel\n" + strings.Repeat(good, 3) + row + good
		_, _, _, err := readAll(t.Context(), pack(t, text), 1)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Row != 4 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want row 4 and %q", name, err, want)
		}
	}
	check("short", "GET\t2020-01-01T00:00:00Z\n", "2 fields, the header 8")
	check("long", strings.TrimSuffix(good, "\n")+"\tx\n", "9 fields")
	check("reversed", strings.Replace(good, "00:00:00Z", "00:00:02Z", 1), "start is after end")
	check("negative", strings.Replace(good, "\t5\t", "\t-5\t", 1), "bytes -5 is not between")
	check("not a number", strings.Replace(good, "\t5\t", "\tNaN\t", 1), `bytes "NaN" is not a number`)
	check("huge", strings.Replace(good, "\t5\t", "\t9000000000000000000\t", 1), "not between")
	check("thread", strings.Replace(good, "\t1\t\t", "\t4294967296\t\t", 1), "thread")
	check("no op", strings.Replace(good, "GET", "", 1), "op is empty")
	check("no start", strings.Replace(good, "2020-01-01T00:00:00Z", "", 1), "start is empty")
	check("no end", strings.Replace(good, "2020-01-01T00:00:01Z", "", 1), "end is empty")
	check("time", strings.Replace(good, "2020-01-01T00:00:00Z", "yesterday", 1), `time "yesterday"`)
	check("year", strings.Replace(good, "2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z", 1), "RFC 3339")
	check("phase", strings.Replace(good, "measure", "later", 1), `phase "later"`)
	check("reused", strings.Replace(good, "\t\tmeasure", "\tyes\tmeasure", 1), `reused is "yes"`)
	check("level", strings.Replace(good, "measure\t1", "measure\t2", 1), "level 2")
	check("open quote", "\"GET"+strings.Replace(good, "GET", "", 1), "does not end")
	check("after quote", strings.Replace(good, "GET", `"GET"x`, 1), "after its closing quote")
	check("long line", strings.Repeat("x", 10<<20)+"\n", "longer than 1 MiB")
	check("long comment", "#"+strings.Repeat("x", 10<<20)+"\n", "longer than 1 MiB")
}

func TestRejectedRecords(t *testing.T) {
	t.Parallel()
	ops := variedOps(30)
	whole := writeRecord(t, ops, 10, &End{})
	text := unpack(t, whole)
	head := strings.Index(text, "\n0\t") + 1
	cut := func(from, to string) string {
		i, j := strings.Index(text, from), strings.Index(text, to)
		return text[:i+1] + text[j+1:]
	}
	check := func(name string, data []byte, want string) {
		t.Helper()
		_, _, _, err := readAll(t.Context(), data, 2)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	check("missing rows", pack(t, cut("\n7\t", "\n9\t")), "idx is 9 where 7 is due")
	check("missing last rows", pack(t, cut("\n29\t", "\n# end")), "counts 30 rows, it holds 29")
	check("two records", slices.Concat(whole, whole), "another record begins")
	check("rows after the end", pack(t, text+"30"+text[head+1:strings.Index(text, "\n1\t")+1]), "follows the end line")
	check("bad sample", pack(t, text[:head]+"# sample x\n"+text[head:]), "sample line")
	check("bad end", pack(t, text[:strings.Index(text, "# end")]+"# end x\n"), "end line")
	check("bad escape", pack(t, strings.Replace(text, `a\x09b`, `a\q9b`, 1)), "invalid escape")
	frames := slices.Concat(whole[:len(writeRecord(t, nil, 0, nil))], pack(t, "0\tno line end"))
	check("frame without line end", frames, "whole line")
}

func TestVisitorErrorEndsScan(t *testing.T) {
	t.Parallel()
	data := writeRecord(t, variedOps(100), 5, &End{})
	f, err := NewFile("x", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var rows []Row
	stop := errors.New("enough")
	_, err = f.Scan(t.Context(), ScanOptions{Workers: 2}, func(int) Visitor {
		return gather{mu: &mu, rows: &rows, samples: new([]Sample), err: stop}
	})
	if !errors.Is(err, stop) || len(rows) > 4 {
		t.Errorf("error %v after %d rows", err, len(rows))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Scan(ctx, ScanOptions{}, func(int) Visitor { return discard{} }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled scan: %v", err)
	}
}

func TestScanPieces(t *testing.T) {
	t.Parallel()
	data := writeRecord(t, variedOps(100), 10, &End{})
	f, err := NewFile("x", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 5; n++ {
		sum, err := f.Scan(t.Context(), ScanOptions{Workers: 3, Pieces: n}, func(int) Visitor { return discard{} })
		if err != nil || sum.Pieces != n || sum.Rows != int64(n-1)*10 {
			t.Errorf("%d pieces: %+v, %v", n, sum, err)
		}
	}
}

// digest tells one set of rows from another.
func digest(rows []Row) uint64 {
	h := fnv.New64a()
	for i := range rows {
		_, _ = fmt.Fprintf(h, "%+v", rows[i]) // a hash takes everything
	}
	return h.Sum64()
}

func TestTruncatedAnywhere(t *testing.T) {
	t.Parallel()
	data := writeRecord(t, variedOps(40), 20, &End{})
	all, _, _, err := readAll(t.Context(), data, 1)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		rows, _, sum, err := readAll(t.Context(), data[:n], 2)
		if err != nil {
			continue
		}
		complete := sum.End != nil && !sum.Torn
		if complete && len(rows) != len(all) {
			t.Fatalf("cut at %d: %d of %d rows and no mark", n, len(rows), len(all))
		}
		if digest(rows) != digest(all[:len(rows)]) {
			t.Fatalf("cut at %d: other rows", n)
		}
		if !complete && n > 0 && len(rows)%20 != 0 {
			t.Fatalf("cut at %d: %d rows, a torn frame was read", n, len(rows))
		}
	}
}

func TestFlippedAnywhere(t *testing.T) {
	t.Parallel()
	data := writeRecord(t, variedOps(30), 10, &End{})
	packed := pack(t, warpHeader+strings.Repeat("7\t1\tGET\tab\t1\t500\thttp://h\tk\t\t2020-01-02T03:04:05Z\t\t2020-01-02T03:04:06.5Z\t1\n", 50))
	for name, data := range map[string][]byte{"ours": data, "foreign": packed} {
		all, _, _, err := readAll(t.Context(), data, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := digest(all)
		for i := range data {
			bad := slices.Clone(data)
			bad[i] ^= 1 << (i * 5 % 8)
			rows, _, sum, err := readAll(t.Context(), bad, 2)
			if err != nil || sum.Torn || name == "ours" && sum.End == nil {
				continue
			}
			if digest(rows) != want {
				t.Fatalf("%s: a flipped bit in byte %d: other rows and no error", name, i)
			}
		}
	}
}

func TestCorruptFrameIsNamed(t *testing.T) {
	t.Parallel()
	data := writeRecord(t, variedOps(100), 10, &End{})
	w := frameWalker{src: bytes.NewReader(data), size: int64(len(data))}
	var frames []frame
	for {
		f, err := w.next()
		if err != nil {
			break
		}
		frames = append(frames, f)
	}
	bad := frames[4]
	data[bad.offset+bad.size/2] ^= 1
	for _, workers := range []int{1, 4} {
		_, _, sum, err := readAll(t.Context(), data, workers)
		var c *CorruptError
		if !errors.As(err, &c) || c.Frame != 5 || c.Offset != bad.offset || c.RowsBefore != 30 || sum.Rows != 30 || c.Unwrap() == nil {
			t.Errorf("error %v, summary %+v", err, sum)
		}
	}
}
