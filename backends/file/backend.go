package file

import (
	"context"
	"io/fs"
	"sync"

	"bench/backends"
)

// Backend is a directory that holds objects.
type Backend struct {
	path   string
	made   []string
	sync   *syncPolicy
	direct bool

	temps   temps
	dirs    dirs
	buffers buffers
	appends [64]sync.Mutex
	closed  sync.Once
}

// Stat returns the size and modification time of the object's file.
func (b *Backend) Stat(ctx context.Context, obj backends.Object) (backends.Info, error) {
	info, err := b.stat(ctx, obj.Key)
	if err != nil {
		return backends.Info{}, wrap("stat", obj.Key, err)
	}
	return backends.Info{
		Object:  backends.Object{Key: obj.Key, Size: info.Size()},
		ModTime: info.ModTime(),
	}, nil
}

func (b *Backend) stat(ctx context.Context, key string) (info fs.FileInfo, err error) {
	if err := admit(ctx, key); err != nil {
		return nil, err
	}
	err = b.visit(key, func(d *dir, name string) error {
		info, err = d.root.Lstat(name)
		if err != nil {
			return err
		}
		return checkRegular(info)
	})
	return info, err
}

// Delete unlinks the object's file and leaves its directory alone.
func (b *Backend) Delete(ctx context.Context, obj backends.Object) error {
	if err := b.delete(ctx, obj.Key); err != nil {
		return wrap("delete", obj.Key, err)
	}
	return nil
}

func (b *Backend) delete(ctx context.Context, key string) error {
	if err := admit(ctx, key); err != nil {
		return err
	}
	return b.visit(key, func(d *dir, name string) error {
		info, err := d.root.Lstat(name)
		if err != nil {
			return err
		}
		if err := checkRegular(info); err != nil {
			return err
		}
		return d.root.Remove(name)
	})
}

// Close removes the directories this value made, where they are empty, and
// releases its handles.
func (b *Backend) Close() (err error) {
	b.closed.Do(func() {
		err = b.dirs.close()
		if err == nil {
			err = removeMade(b.made)
		}
	})
	return err
}

// admit refuses what is over before it began.
func admit(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return checkKey(key)
}
