package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bench/backends"
)

func TestCloseRemovesWhatItMade(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "made", "deep")
	b := openDir(t, dir, backends.Config{})
	put(t, b, "a/b/c", "x")
	put(t, b, "a/d", "x")
	for _, key := range []string{"a/b/c", "a/d"} {
		if err := b.Delete(t.Context(), backends.Object{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	wantFiles(t, dir, "a", "a/b")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, base)
}

func TestCloseLeavesWhatHoldsAnything(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "made", "deep")
	b := openDir(t, dir, backends.Config{})
	put(t, b, "a/b/c", "x")
	put(t, b, "gone/x", "x")
	if err := b.Delete(t.Context(), backends.Object{Key: "gone/x"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, base, "made", "made/deep", "made/deep/a", "made/deep/a/b", "made/deep/a/b/c")
}

func TestForeignFilesAreNeverTouched(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "foreign", "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "run", "foreign"))
	b := openDir(t, dir, backends.Config{})
	put(t, b, "run/a/b", "x")
	put(t, b, "foreign/mine", "x")
	for _, key := range []string{"run/a/b", "foreign/mine"} {
		if err := b.Delete(t.Context(), backends.Object{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	if err := backends.Discover(b).Pruner.Prune(t.Context(), "run/"); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "foreign", "foreign/empty", "run", "run/foreign")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "foreign", "foreign/empty", "run", "run/foreign")
}

func TestPrune(t *testing.T) {
	for prefix, want := range map[string][]string{
		"":       {"keep", "keep/x"},
		"p/":     {"keep", "keep/x", "keep/y", "pq", "pq/r"},
		"p":      {"keep", "keep/x", "keep/y"},
		"p/a":    {"keep", "keep/x", "keep/y", "p", "p/b", "pq", "pq/r"},
		"p/a/c/": {"keep", "keep/x", "keep/y", "p", "p/a", "p/b", "pq", "pq/r"},
		"none/x": {"keep", "keep/x", "keep/y", "p", "p/a", "p/a/c", "p/b", "pq", "pq/r"},
		"../":    {"keep", "keep/x", "keep/y", "p", "p/a", "p/a/c", "p/b", "pq", "pq/r"},
	} {
		dir := t.TempDir()
		b := openDir(t, dir, backends.Config{})
		for _, d := range []string{"p/a/c", "p/b", "pq/r", "keep/y"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		writeFile(t, filepath.Join(dir, "keep/x"))
		if err := backends.Discover(b).Pruner.Prune(t.Context(), prefix); err != nil {
			t.Fatalf("prune %q: %v", prefix, err)
		}
		t.Logf("prune %q", prefix)
		wantFiles(t, dir, want...)
	}
}

func TestPruneRemovesWhatAKilledProcessLeft(t *testing.T) {
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{})
	hex := strings.Repeat("0", 32)
	old, young := filepath.Join(dir, "run/a/.bench-tmp-"+hex), filepath.Join(dir, "run/b/.bench-tmp-"+hex)
	foreign, outside := filepath.Join(dir, "run/c/.bench-tmp-mine"), filepath.Join(dir, "other/.bench-tmp-"+hex)
	past := time.Now().Add(-3 * time.Minute)
	for _, path := range []string{old, young, foreign, outside} {
		writeFile(t, path)
		if path != young {
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := backends.Discover(b).Pruner.Prune(t.Context(), "run/")
	if !errors.Is(err, backends.ErrInUse) || !strings.Contains(err.Error(), ".bench-tmp-"+hex) {
		t.Errorf("prune with a young temporary file: %v, want it named as in use", err)
	}
	wantFiles(t, dir, "other", "other/.bench-tmp-"+hex, "run", "run/b", "run/b/.bench-tmp-"+hex, "run/c", "run/c/.bench-tmp-mine")
}

func TestDirectoriesRemovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	b := openDir(t, dir, backends.Config{})
	put(t, b, "a/b/c", "1")
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	_, err := get(t, b, "a/b/c")
	wantClass(t, "get", err, backends.ClassNotFound)
	put(t, b, "a/b/c", "2")
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "a", "b", "c"))
	if got, err := get(t, b, "a/b/c"); got != "foreign" {
		t.Errorf("get from a directory made anew: %q and %v", got, err)
	}
	page, err := backends.Discover(b).Lister.List(t.Context(), backends.ListRequest{Prefix: "a/b/", Max: 5})
	if err != nil || len(page.Objects) != 1 {
		t.Errorf("list a directory made anew: %v and %v", page, err)
	}
}

func TestPutWhileDirectoriesArePruned(t *testing.T) {
	b := openDir(t, t.TempDir(), backends.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var err error
		for (err == nil || errors.Is(err, backends.ErrInUse)) && ctx.Err() == nil {
			err = backends.Discover(b).Pruner.Prune(t.Context(), "")
		}
		done <- err
	}()
	for i := range 500 {
		key := fmt.Sprintf("a/%d/b", i%3)
		put(t, b, key, "x")
		if err := b.Delete(t.Context(), backends.Object{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err != nil && !errors.Is(err, backends.ErrInUse) {
		t.Errorf("prune: %v", err)
	}
}

func TestManyDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	b := openDir(t, dir, backends.Config{})
	for i := range 1500 {
		put(t, b, fmt.Sprintf("%d/x", i), "x")
	}
	for i := range 1500 {
		if err := b.Delete(t.Context(), backends.Object{Key: fmt.Sprintf("%d/x", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after close: %v, want the directory gone", err)
	}
}

func TestConcurrentDirectoryCreation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	b := openDir(t, dir, backends.Config{})
	done := make(chan error, 16)
	for i := range cap(done) {
		go func() {
			var err error
			for j := range 30 {
				key := fmt.Sprintf("%d/a/b/c/%d", j, i)
				_, putErr := b.Put(t.Context(), key, bytes.NewReader(nil))
				err = errors.Join(err, putErr, b.Delete(t.Context(), backends.Object{Key: key}))
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after close: %v, want the directory gone", err)
	}
}
