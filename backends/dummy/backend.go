package dummy

import (
	"context"
	"io"

	"bench/backends"
)

// Backend keeps nothing and answers from what it is asked. It can list; a
// value opened with batch=N can also delete in batches.
type Backend struct {
	script  script
	fill    func(key string, offset int64, p []byte)
	objects int
	readers readers
}

// Put asks the body's size and drops it unread.
func (b *Backend) Put(ctx context.Context, key string, body backends.Body) (backends.Object, error) {
	if err := b.script.meet(ctx, opPut, key); err != nil {
		return backends.Object{}, err
	}
	return backends.Object{Key: key, Size: body.Size()}, nil
}

// Get answers as many bytes as obj.Size and r select, none where the size is
// unknown. The reader must not be used once it is closed: it serves the next
// Get.
func (b *Backend) Get(ctx context.Context, obj backends.Object, r backends.Range) (io.ReadCloser, error) {
	if err := b.script.meet(ctx, opGet, obj.Key); err != nil {
		return nil, err
	}
	off, n, err := r.Clip(max(obj.Size, 0))
	if err != nil {
		return nil, backends.Errorf(backends.ClassClient, "get %s: %w", obj.Key, err)
	}
	return b.readers.open(b.fill, obj.Key, off, n), nil
}

// Stat answers obj's own size.
func (b *Backend) Stat(ctx context.Context, obj backends.Object) (backends.Info, error) {
	if err := b.script.meet(ctx, opStat, obj.Key); err != nil {
		return backends.Info{}, err
	}
	return backends.Info{Object: obj}, nil
}

// Delete succeeds.
func (b *Backend) Delete(ctx context.Context, obj backends.Object) error {
	return b.script.meet(ctx, opDelete, obj.Key)
}

// Close has nothing to release.
func (b *Backend) Close() error { return nil }

// batching is a [Backend] that deletes in batches.
type batching struct {
	*Backend
	limit int
}

// DeleteBatch waits once, then fails each object as its own delete would.
func (b batching) DeleteBatch(ctx context.Context, objs []backends.Object) ([]backends.BatchError, error) {
	return b.script.meetBatch(ctx, objs, b.limit)
}

// MaxBatch returns the parameter batch.
func (b batching) MaxBatch() int { return b.limit }

// meetBatch waits as one request and fails each object as its own delete
// would fail.
func (s *script) meetBatch(ctx context.Context, objs []backends.Object, limit int) ([]backends.BatchError, error) {
	if len(objs) == 0 {
		return nil, ctx.Err()
	}
	first, try := objs[0].Key, backends.Try(ctx)
	if err := ctx.Err(); err != nil {
		return nil, stopped(opBatch, first, err)
	}
	if len(objs) > limit {
		return nil, backends.Errorf(backends.ClassClient, "delete batch of %d objects: at most %d", len(objs), limit)
	}
	if err := s.wait(ctx, s.roll(opBatch, first, try)); err != nil {
		return nil, stopped(opBatch, first, err)
	}
	var failed []backends.BatchError
	for i, obj := range objs {
		if err := s.fail(opDelete, obj.Key, s.roll(opDelete, obj.Key, try)); err != nil {
			failed = append(failed, backends.BatchError{Index: i, Err: err})
		}
	}
	return failed, nil
}
