package backendtest

import (
	"bytes"
	"io"

	"bench/backends"
)

func rangeCases() []testCase {
	return []testCase{
		{"ranges", 0, testRanges},
		{"range beyond the end", 0, testRangeBeyond},
		{"range read in small steps", 0, testRangeSteps},
	}
}

func testRanges(e *env) {
	const size = 300000
	whole := content(5, size)
	obj := e.put("object", whole)
	for _, c := range []struct{ offset, length, want int64 }{
		{0, 0, size},
		{0, 1, 1},
		{0, size, size},
		{0, size + 1, size},
		{size - 1, 1, 1},
		{size - 1, 0, 1},
		{size - 1, 100, 1},
		{size - 10, 1 << 62, 10},
		{1, 0, size - 1},
		{4095, 2, 2},
		{4096, 4096, 4096},
		{12345, 67890, 67890},
		{1 << 18, 1 << 18, size - 1<<18},
	} {
		got, err := e.read(obj, backends.Range{Offset: c.offset, Length: c.length})
		if err != nil {
			e.t.Errorf("get %d bytes at %d: %v", c.length, c.offset, err)
			continue
		}
		if want := whole[c.offset : c.offset+c.want]; !bytes.Equal(got, want) {
			e.t.Errorf("get %d bytes at %d: got %d bytes, want %d, or content differs", c.length, c.offset, len(got), len(want))
		}
	}
}

func testRangeBeyond(e *env) {
	obj := e.put("object", content(6, 1000))
	empty := e.put("empty", nil)
	for _, c := range []struct {
		obj            backends.Object
		offset, length int64
	}{
		{obj, 1000, 0}, {obj, 1000, 1}, {obj, 1001, 0}, {obj, 1 << 40, 10}, {empty, 0, 1}, {empty, 1, 0},
	} {
		_, err := e.read(c.obj, backends.Range{Offset: c.offset, Length: c.length})
		e.wantClass("get beyond the end", err, backends.ClassClient)
	}
}

func testRangeSteps(e *env) {
	whole := content(7, 20000)
	obj := e.put("object", whole)
	rc, err := e.b.Get(e.ctx(), obj, backends.Range{Offset: 4090, Length: 9000})
	if err != nil {
		e.t.Fatalf("get: %v", err)
	}
	var got []byte
	for step := 1; err == nil; step = step%17 + 1 {
		buf := make([]byte, step)
		var n int
		n, err = rc.Read(buf)
		got = append(got, buf[:n]...)
	}
	if err != io.EOF { //nolint:errorlint // a reader must return io.EOF itself
		e.t.Errorf("read: %v, want io.EOF", err)
	}
	if n, err := rc.Read(make([]byte, 10)); n != 0 || err != io.EOF {
		e.t.Errorf("read after the end: %d bytes and %v, want none and io.EOF", n, err)
	}
	if err := rc.Close(); err != nil {
		e.t.Errorf("close: %v", err)
	}
	if !bytes.Equal(got, whole[4090:13090]) {
		e.t.Errorf("got %d bytes that differ from the 9000 asked", len(got))
	}
}
