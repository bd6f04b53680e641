package backendtest

import (
	"bytes"
	"sync/atomic"

	"bench/backends"
)

func honestyCases() []testCase {
	return []testCase{
		{"put reads the body once", 0, testPutReadsOnce},
		{"put reads no more than the body", 0, testPutReadsNoMore},
		{"get does not read ahead", 0, testGetReadsNoMore},
	}
}

// A CountingBody counts what is read of it. It can only be read: it does not
// write itself.
type CountingBody struct {
	backends.Body
	bytes atomic.Int64
}

// NewCountingBody returns a body of content.
func NewCountingBody(content []byte) *CountingBody {
	return &CountingBody{Body: bytes.NewReader(content)}
}

// Bytes returns how many bytes were read, those read twice counted twice.
func (b *CountingBody) Bytes() int64 { return b.bytes.Load() }

// Read counts.
func (b *CountingBody) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}

// ReadAt counts.
func (b *CountingBody) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.Body.ReadAt(p, off)
	b.bytes.Add(int64(n))
	return n, err
}

func testPutReadsOnce(e *env) {
	for _, size := range []int{0, 1, 4096, largeSize} {
		want := content(1, size)
		body := NewCountingBody(want)
		if _, err := e.b.Put(e.ctx(), e.key("object"), body); err != nil {
			e.t.Fatalf("put: %v", err)
		}
		if body.Bytes() != int64(size) {
			e.t.Errorf("put of %d bytes read %d of the body", size, body.Bytes())
		}
		e.wantContent(e.obj("object"), want)
	}
}

func testPutReadsNoMore(e *env) {
	body := NewCountingBody(content(1, 10000))
	obj, err := e.b.Put(e.ctx(), e.key("object"), body)
	if err != nil || obj.Size != 10000 {
		e.t.Fatalf("put: size %d and error %v", obj.Size, err)
	}
	if body.Bytes() > 10000 {
		e.t.Errorf("put of 10000 bytes read %d of the body", body.Bytes())
	}
}

// testGetReadsNoMore asks that each read fills no more than it was given and
// that the whole adds up to the object.
func testGetReadsNoMore(e *env) {
	obj := e.put("object", content(1, 10000))
	rc, err := e.b.Get(e.ctx(), obj, backends.Range{})
	if err != nil {
		e.t.Fatalf("get: %v", err)
	}
	total, reads := 0, 0
	for err == nil && reads <= 20000 {
		buf := bytes.Repeat([]byte{0xA5}, 400)
		var n int
		n, err = rc.Read(buf[:100])
		if n > 100 || bytes.Count(buf[100:], []byte{0xA5}) != 300 {
			e.t.Fatalf("read into 100 bytes: wrote beyond them, returned %d", n)
		}
		total += n
		reads++
	}
	if total != 10000 {
		e.t.Errorf("read %d bytes in %d reads, want 10000 (last error %v)", total, reads, err)
	}
	if err := rc.Close(); err != nil {
		e.t.Errorf("close: %v", err)
	}
}

var _ backends.Body = (*CountingBody)(nil)
