package backendtest

import (
	"fmt"

	"bench/backends"
)

func batchCases() []testCase {
	return []testCase{
		{"delete batch within limit", backends.CapBatchDelete, testBatchLimit},
		{"delete batch", backends.CapBatchDelete, testBatch},
	}
}

func testBatchLimit(e *env) {
	limit := e.able.BatchDeleter.MaxBatch()
	if limit < 1 {
		e.t.Fatalf("at most %d objects in a batch, want at least 1", limit)
	}
	objs := make([]backends.Object, min(limit, 10))
	for i := range objs {
		objs[i] = e.put(fmt.Sprintf("object-%d", i), []byte("content"))
	}
	failed, err := e.able.BatchDeleter.DeleteBatch(e.ctx(), objs)
	if err != nil || len(failed) != 0 {
		e.t.Errorf("delete %d objects: %v failed, error %v", len(objs), failed, err)
	}
}

func testBatch(e *env) {
	objs := e.puts("a", "b", "c/d", "e", "with space", "a%2Fb")
	last := len(objs) - 1
	for rest := objs[:last]; len(rest) > 0; {
		n := min(len(rest), e.able.BatchDeleter.MaxBatch())
		failed, err := e.able.BatchDeleter.DeleteBatch(e.ctx(), rest[:n])
		if err != nil || len(failed) != 0 {
			e.t.Fatalf("delete batch: %v failed, error %v", failed, err)
		}
		rest = rest[n:]
	}
	for _, obj := range objs[:last] {
		e.wantMissing(obj)
	}
	e.wantContent(objs[last], []byte("content of a%2Fb"))
}
