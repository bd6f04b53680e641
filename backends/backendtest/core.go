package backendtest

import (
	"bytes"

	"bench/backends"
)

// largeSize crosses the boundaries of any buffer and is a multiple of none.
const largeSize = 3<<20 + 7

func coreCases() []testCase {
	return []testCase{
		{"abilities", 0, testAbilities},
		{"round trip", 0, testRoundTrip},
		{"overwrite", 0, testOverwrite},
		{"empty object", 0, testEmpty},
		{"large object", 0, testLarge},
		{"sizes around a block", 0, testBlockSizes},
		{"stat", 0, testStat},
		{"missing object", 0, testMissing},
		{"delete", 0, testDelete},
		{"short body", 0, testShortBody},
		{"long body", 0, testLongBody},
	}
}

func testAbilities(e *env) {
	if got := e.able.Caps(); got != e.o.Want {
		e.t.Errorf("the backend can %s, want %s", got, e.o.Want)
	}
}

func testRoundTrip(e *env) {
	want := content(1, 1000)
	obj := e.put("object", want)
	e.wantContent(obj, want)
	e.wantContent(e.obj("object"), want)
}

func testOverwrite(e *env) {
	e.put("object", content(1, 5000))
	for seed, size := range []int{100, 0, 9000} {
		want := content(uint64(seed), size)
		e.wantContent(e.put("object", want), want)
	}
}

func testEmpty(e *env) {
	obj := e.put("empty", nil)
	e.wantContent(obj, nil)
	info, err := e.b.Stat(e.ctx(), obj)
	if err != nil || info.Size != 0 {
		e.t.Errorf("stat: size %d and error %v, want 0 and none", info.Size, err)
	}
}

func testLarge(e *env) {
	want := content(2, largeSize)
	e.wantContent(e.put("large", want), want)
}

func testBlockSizes(e *env) {
	for _, size := range []int{1, 511, 512, 4095, 4096, 4097, 8192, 256<<10 - 1, 256 << 10, 256<<10 + 1} {
		want := content(uint64(size), size)
		e.wantContent(e.put("object", want), want)
	}
}

func testStat(e *env) {
	obj := e.put("object", content(3, 12345))
	for _, addressed := range []backends.Object{obj, e.obj("object")} {
		info, err := e.b.Stat(e.ctx(), addressed)
		if err != nil {
			e.t.Fatalf("stat: %v", err)
		}
		if info.Key != obj.Key || info.Size != 12345 {
			e.t.Errorf("stat: key %q and size %d, want %q and 12345", info.Key, info.Size, obj.Key)
		}
	}
}

func testMissing(e *env) {
	e.puts("other/object")
	for _, name := range []string{"none", "none/below", "other", "other/none", "other/object2"} {
		obj := e.obj(name)
		e.wantMissing(obj)
		e.wantDeleteMissing(obj)
	}
	e.wantContent(e.obj("other/object"), []byte("content of other/object"))
}

func (e *env) wantDeleteMissing(obj backends.Object) {
	e.t.Helper()
	err := e.b.Delete(e.ctx(), obj)
	want := backends.ClassNotFound
	if e.o.IdempotentDelete {
		want = backends.ClassNone
	}
	e.wantClass("delete "+obj.Key, err, want)
}

func testDelete(e *env) {
	objs := e.puts("a", "b", "c/d", "c/e")
	for _, i := range []int{1, 2} {
		if err := e.b.Delete(e.ctx(), objs[i]); err != nil {
			e.t.Fatalf("delete %s: %v", objs[i].Key, err)
		}
		e.wantMissing(objs[i])
		e.wantDeleteMissing(objs[i])
	}
	e.wantContent(objs[0], []byte("content of a"))
	e.wantContent(objs[3], []byte("content of c/e"))
	e.wantContent(e.put("c/d", []byte("again")), []byte("again"))
}

func testShortBody(e *env) {
	before := content(4, 100)
	e.put("kept", before)
	for _, size := range []int64{1, 500000} {
		for _, body := range liars(size-1, size) {
			_, err := e.b.Put(e.ctx(), e.key("kept"), body)
			e.wantClass("put of a short body", err, backends.ClassTruncated)
			_, err = e.b.Put(e.ctx(), e.key("new"), body)
			e.wantClass("put of a short body", err, backends.ClassTruncated)
		}
	}
	e.wantContent(e.obj("kept"), before)
	e.wantMissing(e.obj("new"))
}

func testLongBody(e *env) {
	for _, size := range []int64{0, 1, 500000} {
		for _, body := range liars(size+1, size) {
			_, err := e.b.Put(e.ctx(), e.key("object"), body)
			e.wantClass("put of a long body", err, backends.ClassTruncated)
		}
	}
	e.wantMissing(e.obj("object"))
}

// A lyingBody is not as long as it says.
type lyingBody struct {
	backends.Body
	size int64
}

func (b *lyingBody) Size() int64 { return b.size }

// A lyingWriterTo is a lyingBody that can write itself.
type lyingWriterTo struct {
	*bytes.Reader
	size int64
}

func (b *lyingWriterTo) Size() int64 { return b.size }

// liars returns a body of n bytes that says size, in each form.
func liars(n, size int64) []backends.Body {
	return []backends.Body{
		&lyingBody{Body: bytes.NewReader(make([]byte, n)), size: size},
		&lyingWriterTo{Reader: bytes.NewReader(make([]byte, n)), size: size},
	}
}
