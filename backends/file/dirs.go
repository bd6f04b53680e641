package file

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"bench/backends"
)

// maxHandles bounds the directory handles that are kept open while no call
// uses them.
const maxHandles = 512

// maxTries bounds how often a path is walked again because a directory on it
// was removed meanwhile.
const maxTries = 16

// A dir is an open directory. It is closed once it is neither kept nor used.
type dir struct {
	path string
	root *os.Root
	// The rest is guarded by the mutex of dirs.
	users int
	kept  bool
}

// dirs keeps the handles of directories and knows which ones it made. The
// path of the target itself is "".
type dirs struct {
	mu    sync.Mutex
	open  map[string]*dir
	made  map[string]bool
	flush bool
}

func (c *dirs) init(root *os.Root, flush bool) {
	c.open = map[string]*dir{"": {root: root, kept: true}}
	c.made = make(map[string]bool)
	c.flush = flush
}

// visit calls do with the directory of key. A directory that was removed
// behind a kept handle is opened again.
func (b *Backend) visit(key string, do func(d *dir, name string) error) error {
	d, err := b.enter(key, false, do)
	if err != nil {
		return asRead(err)
	}
	b.dirs.release(d)
	return nil
}

// enter is visit that makes the directory where create says so, and leaves it
// in use, to be released.
func (b *Backend) enter(key string, create bool, do func(d *dir, name string) error) (*dir, error) {
	path, name := split(key)
	for try := 1; ; try++ {
		d, fresh, err := b.dirs.acquire(path, create)
		if err == nil {
			if err = do(d, name); err == nil {
				return d, nil
			}
			b.dirs.release(d)
		}
		last := try == maxTries || (fresh && !create)
		if last || !errors.Is(err, syscall.ENOENT) {
			return nil, err
		}
		b.dirs.forget(path)
	}
}

// acquire returns the directory in use, and whether its whole path was
// walked just now.
func (c *dirs) acquire(path string, create bool) (d *dir, fresh bool, err error) {
	if d := c.lookup(path); d != nil {
		return d, path == "", nil
	}
	up, name := split(path)
	parent, fresh, err := c.acquire(up, create)
	if err != nil {
		return nil, fresh, err
	}
	defer c.release(parent)
	root, err := openChild(parent.root, name)
	if create && errors.Is(err, syscall.ENOENT) {
		if err = c.make(parent, path, name); err == nil {
			root, err = openChild(parent.root, name)
		}
	}
	if err != nil {
		return nil, fresh, err
	}
	return c.keep(path, root), fresh, nil
}

func (c *dirs) lookup(path string) *dir {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.open[path]
	if d != nil {
		d.users++
	}
	return d
}

// keep returns the directory in use and keeps its handle. Where another call
// was faster, its handle is taken.
func (c *dirs) keep(path string, root *os.Root) *dir {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.open[path]; d != nil {
		_ = root.Close() // opened for reading: nothing to lose
		d.users++
		return d
	}
	d := &dir{path: path, root: root, users: 1, kept: true}
	c.open[path] = d
	c.evict()
	return d
}

// evict drops a handle that nobody uses when there are too many; which one
// is left to the random order of the map. It needs the lock.
func (c *dirs) evict() {
	if len(c.open) <= maxHandles {
		return
	}
	for path, d := range c.open {
		if path != "" && d.users == 0 {
			c.drop(d)
			return
		}
	}
}

func (c *dirs) release(d *dir) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.users--
	if d.users == 0 && !d.kept {
		_ = d.root.Close() // opened for reading: nothing to lose
	}
}

// drop no longer keeps d. It needs the lock.
func (c *dirs) drop(d *dir) {
	delete(c.open, d.path)
	d.kept = false
	if d.users == 0 {
		_ = d.root.Close() // opened for reading: nothing to lose
	}
}

// forget drops the handles on path: a directory on it may have been removed.
func (c *dirs) forget(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; path != ""; path, _ = split(path) {
		if d := c.open[path]; d != nil {
			c.drop(d)
		}
	}
}

// make makes a directory and remembers it as ours.
func (c *dirs) make(parent *dir, path, name string) error {
	c.mu.Lock()
	err := parent.root.Mkdir(name, 0o777)
	if err == nil {
		c.made[path] = true
	}
	c.mu.Unlock()
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil && c.flush {
		err = flushDir(parent.root)
	}
	return err
}

// close removes the directories that were made, where they are empty, and
// closes every handle.
func (c *dirs) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed []error
	root := c.open[""].root
	for _, path := range descending(c.made) {
		if err := removeDir(root, path); err != nil {
			failed = append(failed, wrap("remove directory", path, err))
		}
	}
	for _, d := range c.open {
		_ = d.root.Close() // opened for reading: nothing to lose
	}
	return errors.Join(failed...)
}

// descending returns paths so that each comes before its parents.
func descending(paths map[string]bool) []string {
	out := make([]string, 0, len(paths))
	for path := range paths {
		out = append(out, path)
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// removeDir removes an empty directory and nothing else.
func removeDir(root *os.Root, path string) error {
	info, err := root.Lstat(path)
	if err == nil && info.IsDir() {
		err = root.Remove(path)
	}
	if staysInUse(err) || isAny(err, syscall.ENOENT, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// openChild opens a directory and follows no link to it. The trailing dot
// makes the system insist on a directory: opening a FIFO would wait for a
// writer.
func openChild(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, backends.Errorf(backends.ClassClient, "%q on its path is a symbolic link", name)
	case !info.IsDir():
		return nil, backends.Errorf(backends.ClassClient, "%q on its path is a file: %w", name, syscall.ENOTDIR)
	}
	return parent.OpenRoot(name + "/.")
}

// flushDir makes the entries of a directory durable.
func flushDir(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
