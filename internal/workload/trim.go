package workload

import (
	"context"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
)

// trimmer deletes the oldest objects while the run stores more than its cap.
type trimmer struct {
	id  uint64
	obj backends.Object
}

// choose fills the operation that removes the oldest object. It reports false
// when there is none.
func (t *trimmer) choose(s *seat, op *engine.Op) bool {
	id, ok := s.env.Objects.TakeOldest()
	if !ok {
		return false
	}
	t.id, t.obj = id, s.object(op, id)
	op.Name, op.Aside = oplog.OpDelete, true
	return true
}

func (t *trimmer) delete(ctx context.Context, s *seat, op *engine.Op) error {
	if err := s.env.Backend.Delete(tryOf(ctx, op), t.obj); err != nil {
		return nothing(op, err)
	}
	return nil
}

func (t *trimmer) settle(s *seat, err error) {
	if err == nil {
		s.env.Objects.Gone(t.id)
		return
	}
	s.env.Objects.Doubtful(t.id)
}
