package file

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"sync"
	"syscall"

	"bench/backends"
)

// Append writes body at the end of the object's file in place; at offset 0
// it is a put. A failed append is cut off again.
func (b *Backend) Append(ctx context.Context, key string, offset int64, body backends.Body) (backends.Object, error) {
	if err := b.append(ctx, key, offset, body); err != nil {
		return backends.Object{}, wrap("append", key, err)
	}
	return backends.Object{Key: key, Size: offset + body.Size()}, nil
}

func (b *Backend) append(ctx context.Context, key string, offset int64, body backends.Body) error {
	if offset < 0 {
		return backends.Errorf(backends.ClassClient, "negative offset %d", offset)
	}
	lock := b.appendLock(key)
	lock.Lock()
	defer lock.Unlock()
	if offset == 0 {
		return b.put(ctx, key, body)
	}
	if err := admit(ctx, key); err != nil {
		return err
	}
	f, size, err := b.openFile(key, os.O_WRONLY|b.sync.flag)
	if errors.Is(err, syscall.EISDIR) {
		return backends.Errorf(backends.ClassNotFound, "is a directory: %w", cause(err))
	}
	if err != nil {
		return err
	}
	if size != offset {
		err = backends.Errorf(backends.ClassConflict, "at %d: the object has %d bytes", offset, size)
		return errors.Join(err, f.Close())
	}
	return b.extend(ctx, f, offset, body)
}

// extend writes body behind the first size bytes of f and closes it.
func (b *Backend) extend(ctx context.Context, f *os.File, size int64, body backends.Body) error {
	err := b.write(ctx, f, size, body)
	if err != nil {
		err = errors.Join(err, f.Truncate(size))
	} else if b.sync.turn() {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// appendLock returns what makes the check and the write of one append one
// step. Keys share locks.
func (b *Backend) appendLock(key string) *sync.Mutex {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // never fails
	return &b.appends[h.Sum32()%uint32(len(b.appends))]
}
