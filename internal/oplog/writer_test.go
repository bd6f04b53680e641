package oplog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"bench/internal/oplog"
)

func testMeta(epoch time.Time) *oplog.Meta {
	return &oplog.Meta{Schema: oplog.SchemaVersion, Epoch: epoch, ClientID: "k3j9x2ab", Load: "closed"}
}

func emptyOp(name string) oplog.Op {
	var op oplog.Op
	op.Reset()
	op.Name, op.Phase, op.Start, op.End = name, oplog.PhaseMeasure, 10, 20
	return op
}

// write returns a whole record of ops with a flush after every so many.
func write(t testing.TB, meta *oplog.Meta, ops []oplog.Op, flushEvery int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := oplog.NewWriter(&out, meta)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		if err := w.Row(&ops[i]); err != nil {
			t.Fatal(err)
		}
		if i%flushEvery == flushEvery-1 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Finish(&oplog.End{Reason: oplog.ReasonDone}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// text decodes what was written as any zstd program would.
func text(t testing.TB, data []byte) string {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	got, err := dec.DecodeAll(data, nil)
	if err != nil {
		t.Fatalf("decode %d bytes: %v", len(data), err)
	}
	return string(got)
}

// rowLines returns the rows of a record as text.
func rowLines(t testing.TB, data []byte) []string {
	t.Helper()
	var rows []string
	header := strings.Join(oplog.Columns(), "\t")
	for line := range strings.Lines(text(t, data)) {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			t.Errorf("line %q has no end", line)
		}
		if line != header && !strings.HasPrefix(line, "#") {
			rows = append(rows, line)
		}
	}
	return rows
}

// frameOffsets reads the index at the record's end.
func frameOffsets(t testing.TB, data []byte) (offsets []int64, indexAt int) {
	t.Helper()
	const magic, word = 0x184D2A5E, "BENCHIDX"
	at := bytes.LastIndex(data, append(binary.LittleEndian.AppendUint32(nil, magic), 0)[:4])
	if at < 0 {
		t.Fatalf("no index in %d bytes", len(data))
	}
	n := int(binary.LittleEndian.Uint32(data[at+4:]))
	body := data[at+8:]
	if len(body) != n || string(body[:len(word)]) != word {
		t.Fatalf("index of %d bytes, its header says %d", len(body), n)
	}
	for rest := body[len(word):]; len(rest) > 0; rest = rest[8:] {
		offsets = append(offsets, int64(binary.LittleEndian.Uint64(rest)))
	}
	return offsets, at
}

// TestFrames checks that the index names every frame, that each can be
// decoded by itself, holds whole lines and a checksum, and that together they
// are the record.
func TestFrames(t *testing.T) {
	t.Parallel()
	ops := make([]oplog.Op, 30_000)
	for i := range ops {
		ops[i] = emptyOp(oplog.OpPut)
		ops[i].Key, ops[i].Start, ops[i].End = fmt.Sprintf("%d/%d", i%4, i), int64(i)*1001, int64(i)*1001+77
	}
	data := write(t, testMeta(time.Unix(1e9, 5)), ops, 11_000)
	offsets, end := frameOffsets(t, data)
	if len(offsets) < 5 || offsets[0] != 0 {
		t.Fatalf("got frames at %v, want some, the first at 0", offsets)
	}
	var all strings.Builder
	for i, at := range offsets {
		next := int64(end)
		if i+1 < len(offsets) {
			next = offsets[i+1]
		}
		var h zstd.Header
		if err := h.Decode(data[at:next]); err != nil || !h.HasCheckSum || h.Skippable {
			t.Errorf("frame %d at %d: %v, checksum %v", i, at, err, h.HasCheckSum)
		}
		piece := text(t, data[at:next])
		if !strings.HasSuffix(piece, "\n") || strings.HasPrefix(piece, "\t") {
			t.Errorf("frame %d at %d does not hold whole lines", i, at)
		}
		if len(piece) > 2<<20 {
			t.Errorf("frame %d holds %d bytes", i, len(piece))
		}
		all.WriteString(piece)
	}
	whole := text(t, data)
	if all.String() != whole {
		t.Errorf("frames hold %d bytes, the record %d", all.Len(), len(whole))
	}
	if !strings.HasPrefix(whole, "# bench {") || !strings.Contains(whole, "\n# end {\"reason\":\"done\",\"rows\":30000,") {
		t.Errorf("record begins %.40q and has no proper end", whole)
	}
}

// TestFlush checks what can be read after a flush, and what waits for one.
func TestFlush(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := oplog.NewWriter(&out, testMeta(time.Unix(1e9, 0)))
	if err != nil {
		t.Fatal(err)
	}
	check := func(rows, safe int64, pending bool, lines int) {
		t.Helper()
		if w.Rows() != rows || w.Safe() != safe || w.Pending() != pending {
			t.Errorf("got rows %d, safe %d, pending %v, want %d, %d, %v", w.Rows(), w.Safe(), w.Pending(), rows, safe, pending)
		}
		if got := len(rowLines(t, out.Bytes())); got != lines {
			t.Errorf("got %d readable rows, want %d", got, lines)
		}
	}
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	op := emptyOp(oplog.OpPut)
	check(0, 0, false, 0)
	try(w.Flush())
	size := out.Len()
	try(w.Flush())
	if out.Len() != size {
		t.Errorf("a flush of nothing wrote %d bytes", out.Len()-size)
	}
	try(w.Row(&op))
	check(1, 0, true, 0)
	try(w.Flush())
	check(1, 1, false, 1)
	try(w.Sample(&oplog.Sample{AtNS: 7, RSS: 9}))
	check(1, 1, true, 1)
	try(w.Row(&op))
	check(2, 1, true, 1)
	end := &oplog.End{Reason: oplog.ReasonInterrupted}
	try(w.Finish(end))
	check(2, 2, false, 2)
	if end.Rows != 2 {
		t.Errorf("end has %d rows, want 2", end.Rows)
	}
	if got := text(t, out.Bytes()); !strings.Contains(got, "\n# sample {\"at_ns\":7,") || !strings.Contains(got, `"rss_bytes":9`) {
		t.Errorf("no sample in %q", got)
	}
}

// TestFullFrameIsWritten checks that a frame does not wait for a flush for
// ever.
func TestFullFrameIsWritten(t *testing.T) {
	t.Parallel()
	w, err := oplog.NewWriter(io.Discard, testMeta(time.Unix(1e9, 0)))
	if err != nil {
		t.Fatal(err)
	}
	op := emptyOp(oplog.OpPut)
	op.Key = strings.Repeat("k", 10_000)
	for i := range 1000 {
		if err := w.Row(&op); err != nil {
			t.Fatal(err)
		}
		if behind := int64(i+1) - w.Safe(); behind > 220 {
			t.Fatalf("%d rows of 10 KB wait in a frame of 1 MiB", behind)
		}
	}
}

// failing fails its nth write after a part of it.
type failing struct {
	out   bytes.Buffer
	n     int
	part  int // bytes of the failing write that arrive
	short bool
}

var errDisk = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if f.n--; f.n > 0 {
		return f.out.Write(p)
	}
	n, _ := f.out.Write(p[:min(f.part, len(p))])
	if f.short {
		return n, nil
	}
	return n, errDisk
}

// TestWriteErrorsAreSticky fails every write in turn.
func TestWriteErrorsAreSticky(t *testing.T) {
	t.Parallel()
	const rows, flushEvery = 40, 4
	for n := 1; n <= 14; n++ {
		for _, short := range []bool{false, true} {
			f := &failing{n: n, part: 5, short: short}
			want := errDisk
			if short {
				want = io.ErrShortWrite
			}
			w, err := oplog.NewWriter(f, testMeta(time.Unix(1e9, 0)))
			if n == 1 {
				if !errors.Is(err, want) {
					t.Errorf("write 1 fails: NewWriter got %v, want %v", err, want)
				}
				continue
			}
			op := emptyOp(oplog.OpPut)
			for i := 0; i < rows && err == nil; i++ {
				if err = w.Row(&op); err == nil && i%flushEvery == flushEvery-1 {
					err = w.Flush()
				}
			}
			safe := w.Safe()
			if err == nil {
				err = w.Finish(&oplog.End{})
			}
			if n > rows/flushEvery+3 {
				if err != nil {
					t.Errorf("write %d does not happen: got %v", n, err)
				}
				continue
			}
			for what, again := range map[string]error{
				"first": err, "Row": w.Row(&op), "Flush": w.Flush(), "Sample": w.Sample(&oplog.Sample{}), "Finish": w.Finish(&oplog.End{}),
			} {
				if !errors.Is(again, want) {
					t.Errorf("write %d fails, short %v: %s got %v, want %v", n, short, what, again, want)
				}
			}
			if got := min(int64(n-2)*flushEvery, rows); w.Safe() != got || safe != got {
				t.Errorf("write %d fails: got %d safe rows, want %d", n, w.Safe(), got)
			}
			if got := countRows(t, f.out.Bytes()); got != w.Safe() {
				t.Errorf("write %d fails: %d rows can be read, %d are said to be safe", n, got, w.Safe())
			}
		}
	}
}

// TestMetaThatIsNoJSON checks that an encoding error is not lost.
func TestMetaThatIsNoJSON(t *testing.T) {
	t.Parallel()
	meta := testMeta(time.Unix(1e9, 0))
	meta.Rate = math.NaN()
	if w, err := oplog.NewWriter(io.Discard, meta); err == nil {
		t.Errorf("rate NaN: got %v, want an error", w)
	}
}

// counter counts rows read back.
type counter struct{ rows []oplog.Row }

func (c *counter) Row(r *oplog.Row) error {
	row := *r
	row.Key, row.Error = strings.Clone(r.Key), strings.Clone(r.Error)
	c.rows = append(c.rows, row)
	return nil
}

func (c *counter) Sample(*oplog.Sample) error { return nil }

// readBack reads a record with one goroutine, so in order.
func readBack(t testing.TB, data []byte) ([]oplog.Row, oplog.Summary, error) {
	t.Helper()
	f, err := oplog.NewFile("test", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, oplog.Summary{}, err
	}
	var c counter
	sum, err := f.Scan(context.Background(), oplog.ScanOptions{Workers: 1}, func(int) oplog.Visitor { return &c })
	return c.rows, sum, err
}

// countRows returns how many rows a torn record gives.
func countRows(t testing.TB, data []byte) int64 {
	t.Helper()
	rows, sum, err := readBack(t, data)
	if err != nil {
		t.Fatalf("read %d bytes back: %v", len(data), err)
	}
	if int64(len(rows)) != sum.Rows {
		t.Fatalf("scan visited %d rows and counted %d", len(rows), sum.Rows)
	}
	return sum.Rows
}

// TestRowAllocatesNothing counts allocations over several frames.
func TestRowAllocatesNothing(t *testing.T) {
	w, err := oplog.NewWriter(io.Discard, testMeta(time.Unix(1e9, 0)))
	if err != nil {
		t.Fatal(err)
	}
	op := emptyOp(oplog.OpGet)
	op.Key = "12/345678"
	const rows = 20_000
	perRow := testing.AllocsPerRun(3, func() {
		for range rows {
			op.Start += 700
			op.End, op.FirstByte, op.LastByte = op.Start+300, op.Start+100, op.Start+200
			if err := w.Row(&op); err != nil {
				t.Fatal(err)
			}
		}
	}) / rows
	if perRow > 0.001 {
		t.Errorf("got %.4f allocations per row, want 0", perRow)
	}
}

// TestColumns guards the order that other programs rely on.
func TestColumns(t *testing.T) {
	t.Parallel()
	warp := strings.Fields("idx thread op client_id n_objects bytes endpoint file error start first_byte last_byte end duration_ns cat")
	got := oplog.Columns()
	if !slices.Equal(got[:len(warp)], warp) {
		t.Errorf("got %v, want to begin with %v", got, warp)
	}
}
