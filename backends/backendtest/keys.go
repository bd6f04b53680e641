package backendtest

import (
	"slices"
	"strings"

	"bench/backends"
)

func keyCases() []testCase {
	return []testCase{
		{"odd keys", 0, testOddKeys},
		{"odd keys in a listing", backends.CapList, testListOddKeys},
	}
}

// oddKeys are keys that careless code breaks, every one an object of its own.
func oddKeys() []string {
	return []string{
		"simple", "Simple", "with space", " leading space", "trailing space ", "trailing dot.", ".leading dot", "...",
		"..a", "a..", "~", "-rf", "*", "a?b", "a#b", "a%b", "a%2Fb", "a%2fb", "a%20b", "a+b", "a&b=c", "a;b", "a:b", "a@b", "a,b",
		"a\"b", "a'b", "a`b", "a$b", "a|b", "a<b>", "a(b)", "a[b]", "a{b}", "a^b", "a!b", `a\b`, "a\tb", "a\nb", "a\rb", "a\x01b", "a\x7fb",
		"é", "e\u0301", "日本語", "😀", "\u202e", "ß", "İ",
		"a-b", "a/x", "a.b", "a0", "a/x-y/z", "a/x y",
		strings.Repeat(strings.Repeat("k", 199)+"/", 4) + strings.Repeat("k", 200),
	}
}

func testOddKeys(e *env) {
	objs := e.puts(oddKeys()...)
	for i, name := range oddKeys() {
		want := []byte("content of " + name)
		e.wantContent(objs[i], want)
		info, err := e.b.Stat(e.ctx(), objs[i])
		if err != nil || info.Size != int64(len(want)) || info.Key != objs[i].Key {
			e.t.Errorf("stat %q: key %q, size %d, error %v", name, info.Key, info.Size, err)
		}
	}
	for i, obj := range objs {
		if i%2 == 0 {
			if err := e.b.Delete(e.ctx(), obj); err != nil {
				e.t.Errorf("delete %q: %v", obj.Key, err)
			}
		}
	}
	for i, name := range oddKeys() {
		if i%2 == 0 {
			e.wantMissing(objs[i])
		} else {
			e.wantContent(objs[i], []byte("content of "+name))
		}
	}
}

func testListOddKeys(e *env) {
	e.puts(oddKeys()...)
	want := oddKeys()
	slices.Sort(want)
	for _, size := range []int{1000, 7} {
		e.wantList("", "", size, want)
	}
}
