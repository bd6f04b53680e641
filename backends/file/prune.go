package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"bench/backends"
)

// abandonedAfter is how long a temporary file must have been left alone
// before it counts as the remains of a process that died.
const abandonedAfter = 2 * time.Minute

// Prune removes empty directories whose keys would begin with prefix,
// deepest first. A temporary file that nothing has written to for two minutes
// is what a killed process left, and goes too; a younger one is left, and the
// error is [backends.ErrInUse].
func (b *Backend) Prune(ctx context.Context, prefix string) error {
	base, _ := split(strings.TrimSuffix(prefix, "/"))
	if !canHold(base, prefix) {
		return nil // no object has such a key
	}
	key := "x"
	if base != "" {
		base += "/"
		key = base + key
	}
	p := pruner{backend: b, prefix: prefix}
	err := b.visit(key, func(d *dir, _ string) error {
		return p.dir(ctx, d.root, base)
	})
	if err == nil || classify(err) == backends.ClassNotFound {
		return nil
	}
	return wrap("prune", prefix, err)
}

// A pruner removes the empty directories below one prefix.
type pruner struct {
	backend *Backend
	prefix  string
}

// dir prunes the directories in one directory, whose keys begin with base.
func (p *pruner) dir(ctx context.Context, root *os.Root, base string) error {
	var busy error
	if strings.HasPrefix(base, p.prefix) {
		if busy = removeAbandoned(root); busy != nil && !isLeft(busy) {
			return busy
		}
	}
	names, err := readNames(ctx, root, func(name string) bool { return p.wants(base + name) })
	if err != nil {
		return err
	}
	for _, name := range names {
		err := p.child(ctx, root, base, strings.TrimSuffix(name, "/"))
		if err != nil && !isLeft(err) {
			return err
		}
		busy = errors.Join(busy, err)
	}
	return busy
}

func (p *pruner) wants(path string) bool {
	return strings.HasSuffix(path, "/") && (strings.HasPrefix(path, p.prefix) || strings.HasPrefix(p.prefix, path))
}

// child prunes below one directory, then removes it where it is empty.
func (p *pruner) child(ctx context.Context, root *os.Root, base, name string) error {
	sub, err := openChild(root, name)
	if isAny(err, syscall.ENOENT, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	path := base + name
	err = errors.Join(p.dir(ctx, sub, path+"/"), sub.Close())
	if err != nil || !strings.HasPrefix(path+"/", p.prefix) {
		return err
	}
	return p.backend.dirs.prune(root, path, name)
}

// prune removes one directory where it is empty. It holds the lock, so that a
// put that makes the directory anew is noted after, not before.
func (c *dirs) prune(root *os.Root, path, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := root.Remove(name)
	if staysInUse(err) {
		return nil
	}
	if err != nil && !isAny(err, syscall.ENOENT) {
		return err
	}
	delete(c.made, path)
	if d := c.open[path]; d != nil {
		c.drop(d)
	}
	return nil
}

// removeAbandoned removes the temporary files that a killed process left. It
// returns an error for what it leaves that is neither an object nor a
// directory.
func removeAbandoned(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	entries, err := d.ReadDir(-1)
	err = errors.Join(err, d.Close())
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir():
		case !e.Type().IsRegular():
			err = errors.Join(err, fmt.Errorf("%s: %w", name, backends.ErrNotOurs))
		case strings.HasPrefix(name, tempPrefix) && len(name) == tempLen:
			err = errors.Join(err, removeOld(root, name))
		}
	}
	return err
}

// removeOld removes a temporary file that nothing has written to for a while.
func removeOld(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return nil //nolint:nilerr // it has gone meanwhile
	}
	if time.Since(info.ModTime()) < abandonedAfter {
		return fmt.Errorf("temporary file %s: %w", name, backends.ErrInUse)
	}
	if err := root.Remove(name); !isAny(err, syscall.ENOENT) {
		return err
	}
	return nil
}

// isLeft reports whether err only says what was left alone.
func isLeft(err error) bool {
	return errors.Is(err, backends.ErrInUse) || errors.Is(err, backends.ErrNotOurs)
}
