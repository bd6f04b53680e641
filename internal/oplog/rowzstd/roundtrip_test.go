package rowzstd

import (
	"bytes"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// contents are inputs of every kind, by name.
func contents() map[string][]byte {
	noise := make([]byte, 300_000)
	_, _ = rand.Read(noise)
	rows := newRowSource(putShape(), 1).rows(600_000)
	all := map[string][]byte{
		"empty":        {},
		"one byte":     {'x'},
		"newline":      {'\n'},
		"equal":        bytes.Repeat([]byte{'a'}, 400_000),
		"newlines":     bytes.Repeat([]byte{'\n'}, 1000),
		"tabs":         bytes.Repeat([]byte{'\t'}, 1001),
		"two bytes":    []byte("ab"),
		"noise":        noise,
		"noise, rows":  append(bytes.Clone(noise), rows...),
		"rows, noise":  append(bytes.Clone(rows), noise...),
		"no newline":   bytes.ReplaceAll(rows, []byte("\n"), []byte("\t")),
		"no tab":       bytes.ReplaceAll(rows, []byte("\t"), []byte(" ")),
		"one long":     []byte(strings.Repeat("abcdefghij0123456789", 40_000)),
		"equal lines":  bytes.Repeat([]byte("1\t2\t3\t4\t5\n"), 50_000),
		"empty fields": bytes.Repeat([]byte("\t\t\t\t\n"), 50_000),
		"text":         bytes.Repeat([]byte("schlüssel\t\xff\xfe\t漢字\n"), 9000),
		"few bytes":    bytes.Repeat([]byte("aaaaaaab"), 60_000),
		"varying":      varyingLines(),
		"far longer":   longerLines(),
	}
	for name, shape := range map[string]rowShape{
		"put rows": putShape(), "get rows": getShape(), "mixed rows": mixedShape(), "batches": batchShape(),
	} {
		all[name] = newRowSource(shape, 1).rows(2_500_000)
	}
	return all
}

// varyingLines have any number of fields of any length.
func varyingLines() []byte {
	g := newRowSource(putShape(), 3)
	var b []byte
	for len(b) < 500_000 {
		for range g.rng.IntN(9) {
			b = append(b, strings.Repeat("7", g.rng.IntN(12))...)
			b = append(b, '\t')
		}
		b = append(b, '\n')
	}
	return b
}

// longerLines look alike in the first fields and grow beyond any window.
func longerLines() []byte {
	var b []byte
	for n := 1; n < 2_000_000; n *= 3 {
		b = append(b, "1\t0\tPUT\tk3j9x2ab\t"...)
		b = append(b, strings.Repeat("z", n)...)
		b = append(b, "\tand the rest of it\tis equal\n"...)
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	e := New()
	for name, raw := range contents() {
		t.Run(name, func(t *testing.T) {
			frame := e.AppendFrame(nil, raw)
			checkDecodes(t, frame, raw)
			t.Logf("%d -> %d", len(raw), len(frame))
		})
	}
}

// checkDecodes checks that both ways of the decoder give raw.
func checkDecodes(t *testing.T, frame, raw []byte) {
	t.Helper()
	d, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := d.DecodeAll(frame, nil)
	if err != nil || !bytes.Equal(got, raw) {
		t.Fatalf("DecodeAll of %d bytes: %v, equal %v", len(raw), err, bytes.Equal(got, raw))
	}
	got, err = io.ReadAll(d)
	if err != nil || !bytes.Equal(got, raw) {
		t.Fatalf("read of %d bytes: %v, equal %v", len(raw), err, bytes.Equal(got, raw))
	}
	var h zstd.Header
	if err := h.Decode(frame); err != nil || !h.HasFCS || h.FrameContentSize != uint64(len(raw)) || !h.HasCheckSum {
		t.Fatalf("header of %d bytes: %v, %+v", len(raw), err, h)
	}
}

func TestRoundTripSizes(t *testing.T) {
	e := New()
	rows := newRowSource(putShape(), 5).rows(3 << 20)
	text := bytes.ReplaceAll(rows, []byte("\n"), []byte(" "))
	sizes := []int{131071, 131072, 131073, 262143, 262144, 262145, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20}
	check := func(raw []byte) {
		t.Helper()
		checkDecodes(t, e.AppendFrame(nil, raw), raw)
	}
	for _, n := range sizes {
		check(rows[:n])
		check(text[:n])
	}
	for n := range 700 {
		check(rows[:n])
		check(text[:n])
	}
}

func TestRoundTripShapes(t *testing.T) {
	e := New()
	for seed := range uint64(60) {
		shape := rowShape{
			threads: 1 + int(seed*7%64), ops: []string{"PUT", "GET", "STAT", "DELETE", "LIST"}[:1+seed%5],
			runOf: int(seed % 3 * 40), gapNS: 1 << (seed % 33), tookNS: 7 << (seed % 29),
			sizes: []int{1, 1024, 999_999_999}[:1+seed%3], errors: int(seed % 4), firstID: 99_900,
		}
		g := newRowSource(shape, seed)
		var frames, raws []byte //nolint:prealloc // a test of appending
		for range 3 {
			raw := g.rows(50_000 << (seed % 4))
			frames = e.AppendFrame(frames, raw)
			raws = append(raws, raw...)
		}
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.DecodeAll(frames, nil)
		if d.Close(); err != nil || !bytes.Equal(got, raws) {
			t.Fatalf("seed %d, %+v: %v, equal %v", seed, shape, err, bytes.Equal(got, raws))
		}
	}
}

// TestFrameIsIndependent checks that what was encoded before leaves no trace.
func TestFrameIsIndependent(t *testing.T) {
	used := New()
	for name, raw := range contents() {
		if !bytes.Equal(used.AppendFrame(nil, raw), New().AppendFrame(nil, raw)) {
			t.Errorf("%s: a used encoder writes another frame than a new one", name)
		}
	}
}

func TestDecoderRejectsDamage(t *testing.T) {
	raw := newRowSource(putShape(), 1).rows(200_000)
	frame := New().AppendFrame(nil, raw)
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, i := range []int{len(frame) - 1, len(frame) - 4, len(frame) / 2} {
		bad := bytes.Clone(frame)
		bad[i] ^= 0x10
		if _, err := d.DecodeAll(bad, nil); err == nil {
			t.Errorf("byte %d of %d changed, and no error", i, len(frame))
		}
	}
}

func TestCommandDecodes(t *testing.T) {
	command, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("no zstd command:", err)
	}
	e := New()
	for name, raw := range contents() {
		path := filepath.Join(t.TempDir(), "frame.zst")
		if err := os.WriteFile(path, e.AppendFrame(nil, raw), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := exec.CommandContext(t.Context(), command, "-dc", path).Output()
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("%s: %v, equal %v", name, err, bytes.Equal(got, raw))
		}
	}
}

func TestNoAllocations(t *testing.T) {
	e := New()
	raw := newRowSource(mixedShape(), 1).rows(1 << 20)
	dst := e.AppendFrame(nil, raw)
	if n := testing.AllocsPerRun(5, func() { dst = e.AppendFrame(dst[:0], raw) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, raw := range contents() {
		f.Add(raw[:min(len(raw), 4000)])
	}
	for _, shape := range []rowShape{putShape(), mixedShape()} {
		f.Add(newRowSource(shape, 2).rows(140_000))
	}
	e := New()
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := d.DecodeAll(e.AppendFrame(nil, raw), nil)
		if err != nil || !bytes.Equal(got, raw) {
			t.Fatalf("%d bytes: %v, equal %v", len(raw), err, bytes.Equal(got, raw))
		}
	})
}
