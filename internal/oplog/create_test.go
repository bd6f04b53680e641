package oplog_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"bench/internal/oplog"
)

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func create(t *testing.T, path string) oplog.Storage {
	t.Helper()
	s, err := oplog.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("record")); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCreatePublishesByName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv.zst")
	s := create(t, path)
	if got := content(t, path); got != "(none)" {
		t.Errorf("before Close %s holds %q", path, got)
	}
	if s.Name() != path+".partial" || content(t, s.Name()) != "record" {
		t.Errorf("%s holds %q", s.Name(), content(t, s.Name()))
	}
	if err := s.Close(true); err != nil {
		t.Fatal(err)
	}
	if got, partial := content(t, path), content(t, path+".partial"); got != "record" || partial != "(none)" {
		t.Errorf("after Close: %q, partial %q", got, partial)
	}
}

func TestUnpublishedStaysPartial(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv.zst")
	s := create(t, path)
	if err := s.Close(false); err != nil {
		t.Fatal(err)
	}
	if got, partial := content(t, path), content(t, path+".partial"); got != "(none)" || partial != "record" {
		t.Errorf("after Close(false): %q, partial %q", got, partial)
	}
}

// TestCreateRefuses checks that nothing that exists is touched, a dangling
// link included.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", ".partial"} {
		for _, kind := range []string{"file", "link", "dangling", "directory"} {
			dir := t.TempDir()
			path, other := filepath.Join(dir, "a.csv.zst"), filepath.Join(dir, "other")
			var err error
			switch kind {
			case "file":
				err = os.WriteFile(path+suffix, []byte("old"), 0o600)
			case "link":
				err = errors.Join(os.WriteFile(other, []byte("old"), 0o600), os.Symlink(other, path+suffix))
			case "dangling":
				err = os.Symlink(other, path+suffix)
			case "directory":
				err = os.Mkdir(path+suffix, 0o700)
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := oplog.Create(path)
			if !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s at name%s: got %v, %v, want an error that it exists", kind, suffix, s, err)
			}
			if kind == "dangling" && content(t, other) != "(none)" {
				t.Errorf("%s at name%s: a file was made behind it", kind, suffix)
			}
			if kind == "file" && content(t, path+suffix) != "old" {
				t.Errorf("%s at name%s was changed", kind, suffix)
			}
		}
	}
}

// TestPublishNeverOverwrites lets the name appear while the record is being
// written.
func TestPublishNeverOverwrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv.zst")
	s := create(t, path)
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want an error that it exists", err)
	}
	if got, partial := content(t, path), content(t, path+".partial"); got != "other" || partial != "record" {
		t.Errorf("after Close: %q, partial %q", got, partial)
	}
}

func TestCreateInMissingDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing", "a"), filepath.Join(file, "a")} {
		if s, err := oplog.Create(path); err == nil || errors.Is(err, fs.ErrExist) {
			t.Errorf("create %s: got %v, %v, want an error", path, s, err)
		}
	}
}
