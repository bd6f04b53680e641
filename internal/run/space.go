package run

import (
	"time"

	"bench/internal/engine"
	"bench/internal/oplog"
)

// The room a local target keeps: a twentieth of the disk, at most 10 GiB.
const (
	keepShare = 20
	keepMost  = 10 << 30
)

// The disk is looked at once a second, and earlier when memory could have
// filled what is left of it by then.
const (
	spaceEvery = time.Second
	spaceSoon  = 5 * time.Millisecond
	fastest    = 32 << 30 // bytes a second
)

// watchSpace ends the run while there is still room on the disk.
func (r *runner) watchSpace(quit <-chan struct{}) {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-r.issue.Done():
			return
		case <-quit:
			return
		}
		free, total, err := r.env.Can.Space.Space()
		keep := min(total/keepShare, keepMost)
		if err == nil && free < keep {
			r.msg.Warn("%s has only %d MiB left of %d MiB: stopping before it is full", r.plan.Target, free>>20, total>>20)
			r.end(engine.Stop(oplog.ReasonDiskFull))
			return
		}
		if err != nil {
			t.Reset(spaceEvery)
			continue
		}
		t.Reset(nextLook(free - keep))
	}
}

// nextLook returns when to look again, given the bytes a run may still write.
func nextLook(room int64) time.Duration {
	lasts := time.Duration(float64(room) / fastest * float64(time.Second))
	return min(max(lasts, spaceSoon), spaceEvery)
}
