package file_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bench/backends"
	"bench/backends/backendtest"
	"bench/backends/file"
)

func put(t testing.TB, b backends.Backend, key, content string) {
	t.Helper()
	if _, err := b.Put(t.Context(), key, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, b backends.Backend, key string) (string, error) {
	t.Helper()
	rc, err := b.Get(t.Context(), backends.Object{Key: key}, backends.Range{})
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(rc)
	return string(content), errors.Join(err, rc.Close())
}

func wantClass(t testing.TB, what string, err error, want backends.Class) {
	t.Helper()
	if got := backends.Classify(err); got != want {
		t.Errorf("%s: class %q, want %q (error: %v)", what, got, want, err)
	}
}

// files returns every path below dir.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("below the target: %q, want %q", got, want)
	}
}

// every calls each method that takes a key.
func every(t *testing.T, b backends.Backend, key string) map[string]error {
	t.Helper()
	ctx, obj := t.Context(), backends.Object{Key: key}
	_, putErr := b.Put(ctx, key, strings.NewReader("x"))
	_, getErr := b.Get(ctx, obj, backends.Range{})
	_, statErr := b.Stat(ctx, obj)
	a := backends.Discover(b).Appender
	_, appendErr := a.Append(ctx, key, 1, strings.NewReader("x"))
	_, createErr := a.Append(ctx, key, 0, strings.NewReader("x"))
	return map[string]error{
		"put": putErr, "get": getErr, "stat": statErr, "append": appendErr, "create": createErr,
		"delete": b.Delete(ctx, obj),
	}
}

func TestRefusesKeysNoFileCanHave(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "target")
	b := openDir(t, dir, backends.Config{})
	for _, key := range []string{
		"", "/", "/abs", "a/", "a//b", "//a", ".", "..", "./a", "../a", "a/..", "a/../b", "a/./b", "a/.", "../../../../tmp/x",
		"a\x00b", "\x00", strings.Repeat("k", 256), "a/" + strings.Repeat("k", 256) + "/b", ".bench-tmp-", ".bench-tmp-x", "a/.bench-tmp-0/b",
	} {
		for what, err := range every(t, b, key) {
			wantClass(t, fmt.Sprintf("%s %q", what, key), err, backends.ClassClient)
		}
	}
	wantFiles(t, outside, "target")
}

func TestTakesLongComponents(t *testing.T) {
	b := openDir(t, t.TempDir(), backends.Config{})
	long := strings.Repeat("k", 255)
	deep := strings.Repeat("d/", 300) + "x"
	far := strings.Repeat(long+"/", 20) + long // longer than PATH_MAX
	for _, key := range []string{long, "x/" + long, deep, "y/" + far} {
		put(t, b, key, "content")
		if got, err := get(t, b, key); got != "content" {
			t.Errorf("get a key of %d bytes: %q and %v", len(key), got, err)
		}
		if err := b.Delete(t.Context(), backends.Object{Key: key}); err != nil {
			t.Error(err)
		}
	}
}

func TestAFileIsNoDirectory(t *testing.T) {
	b := openDir(t, t.TempDir(), backends.Config{})
	put(t, b, "a", "file")
	put(t, b, "d/e", "file")
	for what, err := range every(t, b, "a/b") {
		want := backends.ClassNotFound
		if what == "put" || what == "create" {
			want = backends.ClassClient
		}
		wantClass(t, what+" a/b beside a", err, want)
	}
	for what, err := range every(t, b, "d") {
		want := backends.ClassNotFound
		if what == "put" || what == "create" {
			want = backends.ClassClient
		}
		wantClass(t, what+" d beside d/e", err, want)
	}
	for _, key := range []string{"a", "d/e"} {
		if got, err := get(t, b, key); got != "file" {
			t.Errorf("get %s: %q and %v", key, got, err)
		}
	}
}

func TestNoTemporaryFileStays(t *testing.T) {
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{})
	put(t, b, "d/e", "file")
	_, err := b.Put(t.Context(), "d", strings.NewReader("x"))
	wantClass(t, "put over a directory", err, backends.ClassClient)
	_, err = b.Put(t.Context(), "d/e", failingBody{strings.NewReader("half")})
	if !errors.Is(err, errBody) {
		t.Errorf("put of a failing body: %v, want the body's error", err)
	}
	wantFiles(t, dir, "d", "d/e")
	if got, _ := get(t, b, "d/e"); got != "file" {
		t.Errorf("a failed put left %q", got)
	}
}

var errBody = errors.New("the body broke")

type failingBody struct{ backends.Body }

func (failingBody) Read([]byte) (int, error) { return 0, errBody }

func TestTemporaryFilesAreHidden(t *testing.T) {
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{})
	put(t, b, "d/a", "x")
	writeFile(t, filepath.Join(dir, "d", ".bench-tmp-foreign"))
	page, err := backends.Discover(b).Lister.List(t.Context(), backends.ListRequest{Max: 10})
	if err != nil || len(page.Objects) != 1 || page.Objects[0].Key != "d/a" || page.Objects[0].Size != 1 {
		t.Errorf("list: %+v and %v, want d/a alone", page, err)
	}
}

func writeFile(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("foreign"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatShrinks(t *testing.T) {
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{})
	put(t, b, "k", strings.Repeat("x", 10000))
	rc, err := b.Get(t.Context(), backends.Object{Key: "k"}, backends.Range{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "k"), 6000); err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, rc)
	if n != 6000 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read %d bytes and %v, want 6000 and io.ErrUnexpectedEOF", n, err)
	}
	wantClass(t, "read", err, backends.ClassTruncated)
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
}

func TestReadEndsWithTheLastBytes(t *testing.T) {
	b := openDir(t, t.TempDir(), backends.Config{})
	put(t, b, "k", "0123456789")
	rc, err := b.Get(t.Context(), backends.Object{Key: "k"}, backends.Range{Offset: 2, Length: 3})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	if n, err := rc.Read(buf); n != 3 || err != io.EOF || string(buf[:3]) != "234" {
		t.Errorf("read: %d bytes %q and %v, want 234 and io.EOF at once", n, buf[:n], err)
	}
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
}

func TestSpace(t *testing.T) {
	free, total, err := backends.Discover(openDir(t, t.TempDir(), backends.Config{})).Space.Space()
	if err != nil || free <= 0 || total < free {
		t.Errorf("space: %d free of %d, error %v", free, total, err)
	}
}

func TestSyncModesPassTheSuite(t *testing.T) {
	for _, mode := range []string{"none", "close", "every:3", "dsync"} {
		t.Run(mode, func(t *testing.T) {
			backendtest.Run(t, backendtest.Options{Open: opener(backends.Config{Sync: mode}), Want: wantCaps})
		})
	}
}

func TestRefusesWhatItCannotHonour(t *testing.T) {
	check := func(target string, cfg backends.Config) {
		t.Helper()
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Target = u
		var usage *backends.UsageError
		if _, err := file.Open(t.Context(), cfg); !errors.As(err, &usage) {
			t.Errorf("open %s %+v: %v, want a usage error", target, cfg, err)
		}
	}
	base := filepath.ToSlash(t.TempDir())
	for _, target := range []string{"file://", "file:relative", "file://host/dir", "file://./dir", "file://u@/dir", "file://" + base + "/x?sync=close", "file://" + base + "/x?", "file://" + base + "/x#f"} {
		check(target, backends.Config{})
	}
	for _, mode := range []string{"Close", "fsync", "every", "every:", "every:0", "every:-1", "every:x", "close,dsync", " none"} {
		check("file://"+base+"/x", backends.Config{Sync: mode})
	}
	wantFiles(t, base)
}

func TestOpenWhereNoDirectoryCanBe(t *testing.T) {
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "file"))
	for _, path := range []string{"file", "file/below", "file/below/deep"} {
		u := &url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(base, path))}
		_, err := file.Open(t.Context(), backends.Config{Target: u})
		var usage *backends.UsageError
		if err == nil || errors.As(err, &usage) {
			t.Errorf("open %s: %v, want an error of the environment", path, err)
		}
	}
	wantFiles(t, base, "file")
}
