package file_test

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"bench/backends"
	"bench/backends/backendtest"
	"bench/backends/file"
)

func TestLinksDoNotLeadOut(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "target")
	writeFile(t, filepath.Join(base, "outside", "secret"))
	writeFile(t, filepath.Join(dir, "inside", "file"))
	for link, to := range map[string]string{
		"out":      filepath.Join(base, "outside", "secret"),
		"outrel":   "../outside/secret",
		"outdir":   "../outside",
		"outabs":   filepath.Join(base, "outside"),
		"dangling": "nowhere",
		"indir":    "inside",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, base)
	b := openDir(t, dir, backends.Config{})
	for _, key := range []string{"outdir/secret", "outabs/secret", "outdir/new", "indir/file"} {
		for what, err := range every(t, b, key) {
			wantClass(t, what+" "+key, err, backends.ClassClient)
		}
	}
	for _, key := range []string{"out", "outrel"} {
		_, err := get(t, b, key)
		wantClass(t, "get "+key, err, backends.ClassClient)
		_, err = b.Stat(t.Context(), backends.Object{Key: key})
		wantClass(t, "stat "+key, err, backends.ClassClient)
		_, err = backends.Discover(b).Appender.Append(t.Context(), key, 7, strings.NewReader("x"))
		wantClass(t, "append "+key, err, backends.ClassClient)
		wantClass(t, "delete "+key, b.Delete(t.Context(), backends.Object{Key: key}), backends.ClassClient)
	}
	page, err := backends.Discover(b).Lister.List(t.Context(), backends.ListRequest{Max: 100})
	if err != nil || len(page.Objects) != 1 || page.Objects[0].Key != "inside/file" {
		t.Errorf("list: %v and %v, want inside/file alone", page, err)
	}
	if err := backends.Discover(b).Pruner.Prune(t.Context(), ""); !errors.Is(err, backends.ErrNotOurs) {
		t.Errorf("prune a directory with links: %v, want them named as not ours", err)
	}
	put(t, b, "out", "replaces the link")
	if got := files(t, base); !slices.Equal(got, before) {
		t.Errorf("now there are %q, before %q", got, before)
	}
	if got, _ := os.ReadFile(filepath.Join(base, "outside", "secret")); string(got) != "foreign" {
		t.Errorf("the file outside holds %q", got)
	}
}

func TestPipesAndDevicesNeverHang(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	b := openDir(t, dir, backends.Config{})
	obj := backends.Object{Key: "pipe"}
	_, err := b.Get(t.Context(), obj, backends.Range{})
	wantClass(t, "get", err, backends.ClassClient)
	_, err = b.Stat(t.Context(), obj)
	wantClass(t, "stat", err, backends.ClassClient)
	_, err = backends.Discover(b).Appender.Append(t.Context(), "pipe", 1, strings.NewReader("x"))
	wantClass(t, "append", err, backends.ClassClient)
	wantClass(t, "delete", b.Delete(t.Context(), obj), backends.ClassClient)
	_, err = b.Put(t.Context(), "pipe/below", strings.NewReader("x"))
	wantClass(t, "put below", err, backends.ClassClient)
	page, err := backends.Discover(b).Lister.List(t.Context(), backends.ListRequest{Max: 10})
	if err != nil || len(page.Objects) != 0 {
		t.Errorf("list: %v and %v, want nothing", page, err)
	}
}

func TestTheTargetIsNoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Open(t.Context(), backends.Config{Target: &url.URL{Scheme: "file", Path: path}}); err == nil {
		t.Error("open a pipe: no error")
	}
}

func TestDsyncReachesTheFile(t *testing.T) {
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{Sync: "dsync"})
	body := &flagsBody{Body: bytes.NewReader(make([]byte, 10)), dir: dir}
	if _, err := b.Put(t.Context(), "k", body); err != nil {
		t.Fatal(err)
	}
	if body.flags&unix.O_DSYNC == 0 {
		t.Errorf("the file is written with flags %#o, want O_DSYNC among them", body.flags)
	}
}

// A flagsBody looks, while it is read, with which flags this process has a
// temporary file open.
type flagsBody struct {
	backends.Body
	dir   string
	flags int
}

func (b *flagsBody) Read(p []byte) (int, error) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		path, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if b.flags == 0 && strings.HasPrefix(path, b.dir+"/.bench-tmp-") {
			b.flags = flagsOf(e.Name())
		}
	}
	return b.Body.Read(p)
}

func flagsOf(fd string) int {
	info, _ := os.ReadFile("/proc/self/fdinfo/" + fd)
	var flags int
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, "flags:\t0"); ok {
			for _, c := range strings.TrimSpace(rest) {
				flags = flags<<3 | int(c-'0')
			}
		}
	}
	return flags
}

// openDirect opens a directory with direct I/O, or skips the test.
func openDirect(t *testing.T) backends.Backend {
	t.Helper()
	cfg := backends.Config{Direct: true, Target: &url.URL{Scheme: "file", Path: t.TempDir()}}
	b, err := file.Open(t.Context(), cfg)
	if err != nil && strings.Contains(err.Error(), "refuses direct I/O") {
		t.Skipf("the file system of the temporary directory has no direct I/O: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDirectPassesTheSuite(t *testing.T) {
	if err := openDirect(t).Close(); err != nil {
		t.Fatal(err)
	}
	backendtest.RunBoth(t, backendtest.Options{Open: openDirect, Want: wantCaps})
}

func TestDirectReachesTheFile(t *testing.T) {
	if err := openDirect(t).Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{Direct: true})
	body := &flagsBody{Body: bytes.NewReader(make([]byte, 10)), dir: dir}
	if _, err := b.Put(t.Context(), "k", body); err != nil {
		t.Fatal(err)
	}
	if body.flags&unix.O_DIRECT == 0 {
		t.Errorf("the file is written with flags %#o, want O_DIRECT among them", body.flags)
	}
}

func TestDirectReadsAtAnyOffset(t *testing.T) {
	b := openDirect(t)
	defer func() { _ = b.Close() }()
	content := make([]byte, 600001)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	if _, err := b.Put(t.Context(), "k", bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{1000, 4096, 5000, 262144, 300000, 700000} {
		for _, offset := range []int64{0, 1, 4095, 4096, 599999} {
			rc, err := b.Get(t.Context(), backends.Object{Key: "k"}, backends.Range{Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			_, err = io.CopyBuffer(struct{ io.Writer }{&got}, rc, make([]byte, step))
			if err != nil || !bytes.Equal(got.Bytes(), content[offset:]) {
				t.Errorf("read from %d in steps of %d: %d bytes and %v, or content differs", offset, step, got.Len(), err)
			}
			if err := rc.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestDirectWhereTheFileSystemRefuses(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "bench-test-") //nolint:usetesting // only a memory file system may refuse
	if err != nil {
		t.Skipf("no memory file system: %v", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	target := filepath.Join(dir, "made")
	b, err := file.Open(t.Context(), backends.Config{Direct: true, Target: &url.URL{Scheme: "file", Path: target}})
	if err == nil {
		_ = b.Close()
		t.Skip("the memory file system takes direct I/O")
	}
	if !strings.Contains(err.Error(), "refuses direct I/O") {
		t.Errorf("open: %v, want it to say that direct I/O is refused", err)
	}
	wantFiles(t, dir)
}
