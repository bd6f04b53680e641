package dummy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"bench/backends"
)

// store keeps objects in memory. A stored slice is never changed, so that a
// reader needs no lock; an append makes a longer one.
type store struct {
	script  script
	readers readers

	mu      sync.RWMutex
	objects map[string][]byte
	// sorted are the keys in ascending order, nil after one came or went.
	sorted []string
}

// Put reads the body once and keeps it.
func (s *store) Put(ctx context.Context, key string, body backends.Body) (backends.Object, error) {
	if err := s.script.meet(ctx, opPut, key); err != nil {
		return backends.Object{}, err
	}
	content, err := readAll(ctx, nil, body)
	if err != nil {
		return backends.Object{}, backends.Errorf(backends.Classify(err), "put %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(key, content)
	return backends.Object{Key: key, Size: int64(len(content))}, nil
}

// Get returns the stored bytes.
func (s *store) Get(ctx context.Context, obj backends.Object, r backends.Range) (io.ReadCloser, error) {
	if err := s.script.meet(ctx, opGet, obj.Key); err != nil {
		return nil, err
	}
	content, err := s.find(opGet, obj.Key)
	if err != nil {
		return nil, err
	}
	off, n, err := r.Clip(int64(len(content)))
	if err != nil {
		return nil, backends.Errorf(backends.ClassClient, "get %s: %w", obj.Key, err)
	}
	fill := func(_ string, at int64, p []byte) { copy(p, content[at:]) }
	rd := s.readers.open(fill, obj.Key, off, n)
	rd.stopped = ctx.Err
	return rd, nil
}

// Stat returns the stored size.
func (s *store) Stat(ctx context.Context, obj backends.Object) (backends.Info, error) {
	if err := s.script.meet(ctx, opStat, obj.Key); err != nil {
		return backends.Info{}, err
	}
	content, err := s.find(opStat, obj.Key)
	return backends.Info{Object: backends.Object{Key: obj.Key, Size: int64(len(content))}}, err
}

// Delete drops the object.
func (s *store) Delete(ctx context.Context, obj backends.Object) error {
	if err := s.script.meet(ctx, opDelete, obj.Key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop(obj.Key)
}

// List returns a page of the stored keys.
func (s *store) List(ctx context.Context, req backends.ListRequest) (backends.Page, error) {
	if err := s.script.meet(ctx, opList, req.Prefix+start(req)); err != nil {
		return backends.Page{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list(req), nil
}

// Append extends an object, or replaces it at offset 0.
func (s *store) Append(ctx context.Context, key string, offset int64, body backends.Body) (backends.Object, error) {
	if err := s.script.meet(ctx, opAppend, key); err != nil {
		return backends.Object{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.objects[key]
	switch {
	case offset < 0:
		return backends.Object{}, backends.Errorf(backends.ClassClient, "append %s: negative offset %d", key, offset)
	case offset == 0:
		before = nil
	case !ok:
		return backends.Object{}, missing(opAppend, key)
	case offset != int64(len(before)):
		return backends.Object{}, backends.Errorf(backends.ClassConflict, "append %s at %d: the object has %d bytes", key, offset, len(before))
	}
	content, err := readAll(ctx, before, body)
	if err != nil {
		return backends.Object{}, backends.Errorf(backends.Classify(err), "append %s: %w", key, err)
	}
	s.keep(key, content)
	return backends.Object{Key: key, Size: int64(len(content))}, nil
}

// Close drops everything.
func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.objects)
	s.sorted = nil
	return nil
}

func (s *store) find(what op, key string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	content, ok := s.objects[key]
	if !ok {
		return nil, missing(what, key)
	}
	return content, nil
}

// keep needs the lock.
func (s *store) keep(key string, content []byte) {
	if _, ok := s.objects[key]; !ok {
		s.sorted = nil
	}
	s.objects[key] = content
}

// drop needs the lock.
func (s *store) drop(key string) error {
	if _, ok := s.objects[key]; !ok {
		return missing(opDelete, key)
	}
	delete(s.objects, key)
	s.sorted = nil
	return nil
}

func missing(what op, key string) error {
	return backends.Errorf(backends.ClassNotFound, "%s %s: no such object", what, key)
}

// readAll returns a copy of before, followed by exactly body.Size() bytes.
func readAll(ctx context.Context, before []byte, body backends.Body) ([]byte, error) {
	size := body.Size()
	content := append(make([]byte, 0, int64(len(before))+size), before...)
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	buf := bytes.NewBuffer(content)
	n, err := io.Copy(buf, io.LimitReader(body, size))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if n < size {
		return nil, backends.Errorf(backends.ClassTruncated, "body of %d bytes ended after %d: %w", size, n, io.ErrUnexpectedEOF)
	}
	return buf.Bytes(), beyond(body)
}

// beyond is the error of a body that goes on after its size.
func beyond(body io.Reader) error {
	var probe [1]byte
	_, err := io.ReadFull(body, probe[:])
	if err == nil {
		return backends.Errorf(backends.ClassTruncated, "body is longer than its size")
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// batchingStore is a store that deletes in batches.
type batchingStore struct {
	*store
	limit int
}

// DeleteBatch deletes what the script lets it. A missing object is no
// failure of the batch.
func (s batchingStore) DeleteBatch(ctx context.Context, objs []backends.Object) ([]backends.BatchError, error) {
	failed, err := s.script.meetBatch(ctx, objs, s.limit)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := 0
	for i, obj := range objs {
		if next < len(failed) && failed[next].Index == i {
			next++
			continue
		}
		delete(s.objects, obj.Key)
	}
	s.sorted = nil
	return failed, nil
}

// MaxBatch returns the parameter batch.
func (s batchingStore) MaxBatch() int { return s.limit }
