package backendtest

import (
	"fmt"
	"slices"
	"strings"

	"bench/backends"
)

func listCases() []testCase {
	return []testCase{
		{"list nothing", backends.CapList, testListNothing},
		{"list order and sizes", backends.CapList, testListOrder},
		{"list by prefix", backends.CapList, testListPrefix},
		{"list page boundaries", backends.CapList, testListPages},
		{"list after", backends.CapList, testListAfter},
		{"list token beats after", backends.CapList, testListToken},
		{"list after delete", backends.CapList, testListDelete},
	}
}

// list reads a whole listing in pages of size and returns the names.
func (e *env) list(prefix, after string, size int) []string {
	e.t.Helper()
	names := []string{}
	req := backends.ListRequest{Prefix: e.key(prefix), Max: size}
	if after != "" {
		req.After = e.key(after)
	}
	for pages := 0; ; pages++ {
		page, err := e.able.Lister.List(e.ctx(), req)
		if err != nil {
			e.t.Fatalf("list %q: %v", prefix, err)
		}
		if len(page.Objects) > size || pages > 10000 {
			e.t.Fatalf("list %q: page %d of %d entries, want at most %d", prefix, pages, len(page.Objects), size)
		}
		for _, obj := range page.Objects {
			names = append(names, strings.TrimPrefix(obj.Key, e.o.Prefix))
		}
		if page.Next == "" {
			return names
		}
		req.Token = page.Next
	}
}

func (e *env) wantList(prefix, after string, size int, want []string) {
	e.t.Helper()
	got := e.list(prefix, after, size)
	if !slices.Equal(got, want) {
		e.t.Errorf("list %q after %q in pages of %d:\n got %q\nwant %q", prefix, after, size, got, want)
	}
}

func testListNothing(e *env) {
	e.wantList("", "", 10, nil)
	e.wantList("none/", "", 10, nil)
	e.wantList("none/at all", "", 10, nil)
	e.puts("some")
	e.wantList("none", "", 10, nil)
	e.wantList("some/", "", 10, nil)
	e.wantList("some2", "", 10, nil)
}

// tree holds keys whose order is not that of a walk through directories.
func tree() []string {
	return []string{"a-b", "a.b", "a/x", "a/x-", "a/x0", "a/y/1", "a/y/2", "a/y-", "a/y.", "a0", "ab/c", "b", "b!/c", "c/d/e/f"}
}

func testListOrder(e *env) {
	e.puts(tree()...)
	want := tree()
	slices.Sort(want)
	e.wantList("", "", 100, want)
	page, err := e.able.Lister.List(e.ctx(), backends.ListRequest{Prefix: e.key(""), Max: 100})
	if err != nil {
		e.t.Fatalf("list: %v", err)
	}
	for _, obj := range page.Objects {
		name := strings.TrimPrefix(obj.Key, e.o.Prefix)
		if want := int64(len("content of " + name)); obj.Size != want {
			e.t.Errorf("list: size of %q is %d, want %d", name, obj.Size, want)
		}
	}
}

func testListPrefix(e *env) {
	e.puts(tree()...)
	for _, prefix := range []string{"a", "a/", "a/x", "a/y", "a/y/", "a/y/1", "a/y/1/", "ab", "b", "b!", "c/d/e", "c/d/e/", "c/", "a-", "x", "c//", "./", "../"} {
		for _, size := range []int{1, 2, 100} {
			e.wantList(prefix, "", size, matching(prefix, ""))
		}
	}
}

// matching returns what a listing of tree must show.
func matching(prefix, after string) []string {
	want := []string{}
	for _, name := range tree() {
		if strings.HasPrefix(name, prefix) && name > after {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	return want
}

func testListPages(e *env) {
	const n = 13
	want := make([]string, 0, n)
	for i := range n {
		want = append(want, fmt.Sprintf("dir%d/object-%02d", i/5, i))
	}
	e.puts(want...)
	for _, size := range []int{1, 2, 3, n - 1, n, n + 1, 1000} {
		e.wantList("", "", size, want)
		e.wantList("dir1/", "", size, want[5:10])
	}
}

func testListAfter(e *env) {
	e.puts(tree()...)
	for _, after := range []string{"a", "a-b", "a/", "a/x", "a/x-", "a/y/", "a/y/1", "a/y/15", "a/y0", "a0", "b", "c", "c/d/e/f", "zzz"} {
		for _, size := range []int{1, 3, 100} {
			e.wantList("", after, size, matching("", after))
			e.wantList("a/", after, size, matching("a/", after))
		}
	}
}

func testListToken(e *env) {
	e.puts("a", "b", "c", "d")
	l := e.able.Lister
	first, err := l.List(e.ctx(), backends.ListRequest{Prefix: e.key(""), Max: 2})
	if err != nil || len(first.Objects) != 2 {
		e.t.Fatalf("list: %d entries and error %v, want 2 and none", len(first.Objects), err)
	}
	page, err := l.List(e.ctx(), backends.ListRequest{Prefix: e.key(""), After: e.key("c"), Token: first.Next, Max: 2})
	if err != nil || len(page.Objects) == 0 || page.Objects[0].Key != e.key("c") {
		e.t.Errorf("list with token and after: %v and error %v, want it to begin with c", page.Objects, err)
	}
}

func testListDelete(e *env) {
	objs := e.puts("a", "b/c", "b/d", "e")
	for _, i := range []int{1, 3} {
		if err := e.b.Delete(e.ctx(), objs[i]); err != nil {
			e.t.Fatalf("delete: %v", err)
		}
	}
	e.wantList("", "", 10, []string{"a", "b/d"})
	if err := e.b.Delete(e.ctx(), objs[2]); err != nil {
		e.t.Fatalf("delete: %v", err)
	}
	e.wantList("", "", 10, []string{"a"})
	e.wantList("b/", "", 10, nil)
}
