package oplog

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// bomb packs a gigabyte of one byte into one frame.
func bomb(t testing.TB, b byte) []byte {
	t.Helper()
	var out bytes.Buffer
	enc, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(enc, io.LimitReader(endless(b), 1<<30)); err != nil {
		t.Fatal(err)
	}
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestBombs reads hostile files. None may cost more than some ten MiB.
func TestBombs(t *testing.T) {
	zeros, lines := bomb(t, 0), bomb(t, '\n')
	record := writeRecord(t, variedOps(10), 0, nil)
	header := pack(t, warpHeader)
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00} // declares 2 GiB of history
	content := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x01, 0x00, 0x00}
	check := func(name string, data []byte, want string) {
		t.Helper()
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, _, err := readAll(t.Context(), data, 2)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 200<<20 {
			t.Errorf("%s: %d MiB allocated", name, got>>20)
		}
		if got := after.HeapSys - min(before.HeapSys, after.HeapSys); got > 100<<20 {
			t.Errorf("%s: the heap grew by %d MiB", name, got>>20)
		}
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	check("zeros alone", zeros, "no header row")
	check("zeros after a record", slices.Concat(record, zeros), "may hold")
	check("zeros after a header", slices.Concat(header, zeros), "longer than 1 MiB")
	check("blank lines after a header", slices.Concat(header, lines), "")
	check("window", slices.Concat(header, window), "window")
	check("window first", window, "not a record")
	check("content size", slices.Concat(header, content), "promises")
}
