package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bench/backends"
)

const (
	benchSize  = 1 << 20
	benchFiles = 64
)

func benchKey(i int) string { return fmt.Sprintf("bench-run/%d/object-%d", i%4, i%benchFiles) }

// BenchmarkPut compares a put of 1 MiB with a bare create, write, rename.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{4 << 10, benchSize} {
		content := make([]byte, size)
		b.Run(fmt.Sprintf("backend/%d", size), func(b *testing.B) {
			store := openDir(b, b.TempDir(), backends.Config{})
			body := bytes.NewReader(content)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := store.Put(b.Context(), benchKey(i), body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("bare/%d", size), func(b *testing.B) {
			dir := bareDir(b)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := barePut(filepath.Join(dir, benchKey(i)), content); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func bareDir(b *testing.B) string {
	dir := b.TempDir()
	for i := range 4 {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(benchKey(i))), 0o777); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func barePut(path string, content []byte) error {
	f, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// BenchmarkGet compares a get of 1 MiB with a bare open, fstat, read.
func BenchmarkGet(b *testing.B) {
	for _, size := range []int{4 << 10, benchSize} {
		dir, buf := b.TempDir(), make([]byte, benchSize)
		store := openDir(b, dir, backends.Config{})
		for i := range benchFiles {
			put(b, store, benchKey(i), string(make([]byte, size)))
		}
		b.Run(fmt.Sprintf("backend/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := drain(b, store, benchKey(i), buf, size); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("bare/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := bareGet(filepath.Join(dir, benchKey(i)), buf[:size]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func drain(b *testing.B, store backends.Backend, key string, buf []byte, size int) error {
	rc, err := store.Get(b.Context(), backends.Object{Key: key}, backends.Range{})
	if err != nil {
		return err
	}
	total := 0
	for err == nil {
		var n int
		n, err = rc.Read(buf)
		total += n
	}
	if err != io.EOF || total != size { //nolint:errorlint // a reader must return io.EOF itself
		return fmt.Errorf("read %d of %d bytes: %w", total, size, err)
	}
	return rc.Close()
}

func bareGet(path string, buf []byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if _, err := f.Stat(); err != nil {
		return err
	}
	if _, err := io.ReadFull(f, buf); err != nil {
		return err
	}
	return f.Close()
}

// BenchmarkStat shows what the kept directory handles are worth against a
// walk from the target on each call.
func BenchmarkStat(b *testing.B) {
	dir := b.TempDir()
	store := openDir(b, dir, backends.Config{})
	put(b, store, "a/b/c/d", "x")
	b.Run("backend", func(b *testing.B) {
		for b.Loop() {
			if _, err := store.Stat(b.Context(), backends.Object{Key: "a/b/c/d"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			if _, err := root.Lstat("a/b/c/d"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	store := openDir(b, b.TempDir(), backends.Config{})
	for i := range 10000 {
		put(b, store, fmt.Sprintf("run/%d/object-%06d", i%16, i), "x")
	}
	l := backends.Discover(store).Lister
	for b.Loop() {
		if _, err := l.List(b.Context(), backends.ListRequest{Prefix: "run/", Max: 1000}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPutRatio alternates a put of 1 MiB to a new key with a bare
// create, write, rename, so that both meet the same machine. Its ratio is the
// bare time over ours: 1 is as fast, more is faster.
func BenchmarkPutRatio(b *testing.B) {
	content, dir := make([]byte, benchSize), bareDir(b)
	store, body := openDir(b, b.TempDir(), backends.Config{}), bytes.NewReader(content)
	var ours, bare []time.Duration
	for i := 0; b.Loop(); i++ {
		key := benchKey(i)
		path := filepath.Join(dir, key)
		ours = append(ours, timed(b, func() error {
			_, err := store.Put(b.Context(), key, body)
			return err
		}))
		bare = append(bare, timed(b, func() error { return barePut(path, content) }))
		if err := errors.Join(os.Remove(path), store.Delete(b.Context(), backends.Object{Key: key})); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(median(bare))/float64(median(ours)), "ratio")
	b.ReportMetric(float64(median(ours)), "median-ns")
}

func timed(b *testing.B, f func() error) time.Duration {
	start := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
