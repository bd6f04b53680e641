package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"bench/backends"
)

// readChunk is how many directory entries are read at once.
const readChunk = 1024

// List walks the directories that can hold the page and no others. It shows
// regular files only, and none that is being written.
func (b *Backend) List(ctx context.Context, req backends.ListRequest) (backends.Page, error) {
	after := req.After
	if req.Token != "" {
		after = req.Token
	}
	w := &walker{ctx: ctx, prefix: req.Prefix, after: after, max: max(req.Max, 1)}
	if err := b.walk(w); err != nil {
		return backends.Page{}, wrap("list", req.Prefix, err)
	}
	page := backends.Page{Objects: w.found}
	if w.more {
		page.Next = w.found[len(w.found)-1].Key
	}
	return page, nil
}

// walk starts in the directory that the prefix names.
func (b *Backend) walk(w *walker) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	base, _ := split(w.prefix)
	if !canHold(base, w.prefix) {
		return nil // no object has such a key
	}
	if base != "" {
		base += "/"
	}
	err := b.visit(w.prefix, func(d *dir, _ string) error {
		w.found, w.more = nil, false
		return w.dir(d.root, base)
	})
	if classify(err) == backends.ClassNotFound {
		return nil
	}
	return err
}

// canHold reports whether any key can begin with prefix, whose directory is
// base.
func canHold(base, prefix string) bool {
	return !strings.HasPrefix(prefix, "/") && (base == "" || checkKey(base) == nil)
}

// A walker collects one page.
type walker struct {
	//nolint:containedctx // a walker lives for one call
	ctx           context.Context
	prefix, after string
	max           int
	found         []backends.Object
	more          bool
}

// dir visits one directory, whose objects' keys begin with base.
func (w *walker) dir(root *os.Root, base string) error {
	names, err := readNames(w.ctx, root, func(name string) bool { return w.wants(base + name) })
	if err != nil {
		return err
	}
	// A directory sorts as its name with a slash, and so do all keys below
	// it: "a-b" comes before "a/x".
	slices.Sort(names)
	for _, name := range names {
		if w.more {
			return nil
		}
		if err := w.entry(root, base, name); err != nil && !isAny(err, syscall.ENOENT) {
			return err
		}
	}
	return nil
}

// wants reports whether path is an object of the page, or a directory (it
// ends in a slash) that may hold one.
func (w *walker) wants(path string) bool {
	if !strings.HasSuffix(path, "/") {
		return path > w.after && strings.HasPrefix(path, w.prefix)
	}
	ahead := path > w.after || strings.HasPrefix(w.after, path)
	return ahead && (strings.HasPrefix(path, w.prefix) || strings.HasPrefix(w.prefix, path))
}

// entry takes a file or descends into a directory.
func (w *walker) entry(root *os.Root, base, name string) error {
	if sub, ok := strings.CutSuffix(name, "/"); ok {
		child, err := openChild(root, sub)
		if err != nil {
			return err
		}
		return errors.Join(w.dir(child, base+name), child.Close())
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if len(w.found) == w.max {
		w.more = true
		return nil
	}
	w.found = append(w.found, backends.Object{Key: base + name, Size: info.Size()})
	return nil
}

// readNames returns the files and directories (with a slash at the end) of
// a directory that keep accepts, in no order.
func readNames(ctx context.Context, root *os.Root, keep func(name string) bool) ([]string, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // opened for reading: nothing to lose
	var names []string
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := d.ReadDir(readChunk)
		for _, e := range entries {
			if name := entryName(e); name != "" && keep(name) {
				names = append(names, name)
			}
		}
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// entryName returns "" for what is neither an object nor a directory.
func entryName(e fs.DirEntry) string {
	name := e.Name()
	switch {
	case strings.HasPrefix(name, tempPrefix):
		return ""
	case e.IsDir():
		return name + "/"
	case e.Type().IsRegular():
		return name
	}
	return ""
}
