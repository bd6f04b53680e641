package backendtest

import (
	"bytes"

	"bench/backends"
)

func appendCases() []testCase {
	return []testCase{
		{"append", backends.CapAppend, testAppend},
		{"append at a wrong offset", backends.CapAppend, testAppendConflict},
		{"append at 0 replaces", backends.CapAppend, testAppendReplaces},
		{"append of a short body", backends.CapAppend, testAppendShort},
	}
}

func (e *env) append(name string, offset int64, part []byte) error {
	obj, err := e.able.Appender.Append(e.ctx(), e.key(name), offset, bytes.NewReader(part))
	if want := offset + int64(len(part)); err == nil && (obj.Size != want || obj.Key != e.key(name)) {
		e.t.Errorf("append %q: returned key %q and size %d, want %q and %d", name, obj.Key, obj.Size, e.key(name), want)
	}
	return err
}

func testAppend(e *env) {
	var want []byte
	for i, size := range []int{100, 1, 4096, 0, 70001, 4096, 300000} {
		part := content(uint64(i), size)
		if err := e.append("dir/object", int64(len(want)), part); err != nil {
			e.t.Fatalf("append %d bytes at %d: %v", size, len(want), err)
		}
		want = append(want, part...)
		e.wantContent(e.obj("dir/object"), want)
	}
}

func testAppendConflict(e *env) {
	want := content(1, 1000)
	e.put("object", want)
	for _, offset := range []int64{1, 999, 1001, 1 << 40} {
		e.wantClass("append at a wrong offset", e.append("object", offset, []byte("more")), backends.ClassConflict)
		e.wantContent(e.obj("object"), want)
	}
	e.wantClass("append to nothing", e.append("none", 10, []byte("more")), backends.ClassNotFound)
	e.wantMissing(e.obj("none"))
}

func testAppendReplaces(e *env) {
	e.put("object", content(1, 1000))
	for _, size := range []int{10, 0, 20} {
		want := content(uint64(size), size)
		if err := e.append("object", 0, want); err != nil {
			e.t.Fatalf("append at 0: %v", err)
		}
		e.wantContent(e.obj("object"), want)
	}
}

func testAppendShort(e *env) {
	want := content(1, 1000)
	e.put("object", want)
	for _, body := range liars(600000, 600001) {
		_, err := e.able.Appender.Append(e.ctx(), e.key("object"), 1000, body)
		e.wantClass("append of a short body", err, backends.ClassTruncated)
		e.wantContent(e.obj("object"), want)
	}
}
