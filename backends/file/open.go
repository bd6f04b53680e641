package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"bench/backends"
)

// Open opens file:///DIR and creates DIR where it is missing. A malformed
// target or option is a [backends.UsageError].
func Open(_ context.Context, cfg backends.Config) (backends.Backend, error) {
	b, err := newBackend(cfg)
	if err != nil {
		return nil, &backends.UsageError{Err: fmt.Errorf("open file://: %w", err)}
	}
	if err := b.start(); err != nil {
		return nil, fmt.Errorf("open file://%s: %w", b.path, err)
	}
	return b, nil
}

// newBackend checks cfg without touching the file system.
func newBackend(cfg backends.Config) (*Backend, error) {
	path, err := targetPath(cfg.Target)
	if err != nil {
		return nil, err
	}
	sync, err := parseSync(cfg.Sync)
	if err != nil {
		return nil, fmt.Errorf("sync %q: %w", cfg.Sync, err)
	}
	if cfg.Direct && !directSupported {
		return nil, errors.New("direct I/O: only Linux has it")
	}
	b := &Backend{path: path, sync: sync, direct: cfg.Direct}
	b.temps.instance = rand.Uint64()
	return b, nil
}

func targetPath(t *url.URL) (string, error) {
	switch {
	case t == nil:
		return "", errors.New("no target")
	case t.Host != "" || t.User != nil:
		return "", fmt.Errorf("target %q: names a host; a local directory has three slashes, file:///DIR", t.Redacted())
	case t.RawQuery != "" || t.ForceQuery || t.Fragment != "":
		return "", fmt.Errorf("target %q: takes no parameters; write ? as %%3F and # as %%23", t.Redacted())
	case t.Path == "":
		return "", fmt.Errorf("target %q: no directory; write file:///DIR", t.Redacted())
	}
	return filepath.Clean(filepath.FromSlash(t.Path)), nil
}

// start creates and opens the directory.
func (b *Backend) start() error {
	made, err := makeAll(b.path)
	b.made = made
	if err == nil {
		err = b.openRoot()
	}
	if err != nil {
		return errors.Join(err, removeMade(made))
	}
	return nil
}

func (b *Backend) openRoot() error {
	root, err := os.OpenRoot(b.path)
	if err != nil {
		return cause(err)
	}
	b.dirs.init(root, b.sync.wanted())
	if b.direct {
		if err := b.probeDirect(root); err != nil {
			return errors.Join(err, b.dirs.close())
		}
	}
	return nil
}

// makeAll is os.MkdirAll that returns what it made, outermost first.
func makeAll(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, nil
	case err == nil:
		return nil, errors.New("not a directory")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, cause(err)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return nil, cause(err)
	}
	made, err := makeAll(parent)
	if err != nil {
		return made, err
	}
	err = os.Mkdir(path, 0o777)
	switch {
	case err == nil:
		return append(made, path), nil
	case errors.Is(err, fs.ErrExist):
		return made, nil
	}
	return made, fmt.Errorf("create directory %s: %w", path, cause(err))
}

// removeMade removes those of the directories that are empty.
func removeMade(made []string) error {
	for _, path := range slices.Backward(made) {
		info, err := os.Lstat(path)
		if err == nil && !info.IsDir() {
			return nil
		}
		if err == nil {
			err = os.Remove(path)
		}
		if staysInUse(err) {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove directory %s: %w", path, cause(err))
		}
	}
	return nil
}
