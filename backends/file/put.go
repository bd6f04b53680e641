package file

import (
	"context"
	"errors"
	"os"
	"syscall"

	"bench/backends"
)

// createFlags open a temporary file. A file is opened without blocking
// throughout this package: it spares the system calls with which package os
// finds out whether it can wait for it.
const createFlags = os.O_WRONLY | os.O_CREATE | os.O_EXCL | syscall.O_NONBLOCK

// A temp is a file that is being written, to be renamed to its object.
type temp struct {
	dir  *dir
	file *os.File
	name string
}

// Put writes body to a temporary file and renames it to its key.
func (b *Backend) Put(ctx context.Context, key string, body backends.Body) (backends.Object, error) {
	if err := b.put(ctx, key, body); err != nil {
		return backends.Object{}, wrap("put", key, err)
	}
	return backends.Object{Key: key, Size: body.Size()}, nil
}

func (b *Backend) put(ctx context.Context, key string, body backends.Body) error {
	if err := admit(ctx, key); err != nil {
		return err
	}
	t, err := b.createTemp(key)
	if err != nil {
		return asWrite(key, err)
	}
	defer b.dirs.release(t.dir)
	flush := b.sync.turn()
	if err := b.fill(ctx, t, body, flush); err != nil {
		return t.discard(err)
	}
	_, name := split(key)
	if err := t.dir.root.Rename(t.name, name); err != nil {
		return t.discard(asWrite(key, err))
	}
	if flush {
		return flushDir(t.dir.root)
	}
	return nil
}

// createTemp creates a file beside the object. Its directory is in use.
func (b *Backend) createTemp(key string) (temp, error) {
	t := temp{name: b.temps.next()}
	var err error
	t.dir, err = b.enter(key, true, func(d *dir, _ string) (err error) {
		t.file, err = d.root.OpenFile(t.name, createFlags|b.openFlags(), 0o666)
		return err
	})
	return t, err
}

// fill writes body into t and closes it.
func (b *Backend) fill(ctx context.Context, t temp, body backends.Body, flush bool) error {
	err := b.write(ctx, t.file, 0, body)
	if err == nil && flush {
		err = t.file.Sync()
	}
	return errors.Join(err, t.file.Close())
}

// discard removes the file and returns why.
func (t temp) discard(why error) error {
	if err := t.dir.root.Remove(t.name); err != nil && !isAny(err, syscall.ENOENT) {
		return errors.Join(why, backends.Errorf(classify(err), "remove temporary file %s: %w", t.name, cause(err)))
	}
	return why
}

// openFlags are the flags that --sync and --direct ask for.
func (b *Backend) openFlags() int {
	if b.direct {
		return b.sync.flag | directFlag
	}
	return b.sync.flag
}
