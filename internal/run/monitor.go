package run

import (
	"runtime"
	"sync"
	"time"

	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/proc"
)

// sampleEvery is how often the process and the disk are looked at.
const sampleEvery = time.Second

// keepFree is the room a local target keeps: a twentieth of the disk, at most
// 10 GiB.
const (
	keepShare = 20
	keepMost  = 10 << 30
)

// monitor samples the process each second and ends the run when the disk runs
// full or the record cannot be written. The returned function stops it.
func (r *runner) monitor() (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(sampleEvery)
		defer t.Stop()
		r.checkSpace()
		for {
			select {
			case <-t.C:
				r.rec.Sample(r.sample())
				r.checkSpace()
			case <-r.rec.Failed():
				r.end(engine.Stop(oplog.ReasonErrors))
				return
			case <-quit:
				return
			}
		}
	})
	return func() { close(quit); wg.Wait() }
}

func (r *runner) sample() oplog.Sample {
	user, system := proc.CPU()
	return oplog.Sample{
		AtNS: r.clock.Now(), Stage: int(r.at.Load()), UserNS: int64(user), SystemNS: int64(system),
		RSS: proc.RSS(), GCPauseNS: int64(proc.GCPause()), Goroutines: runtime.NumGoroutine(),
		InFlight: r.gauge.InFlight(), Backlog: r.gauge.Backlog(),
	}
}

// checkSpace ends the run while there is still room on the disk.
func (r *runner) checkSpace() {
	if r.env.Can.Space == nil || r.issue.Err() != nil {
		return
	}
	free, total, err := r.env.Can.Space.Space()
	if err != nil || free >= min(total/keepShare, keepMost) {
		return
	}
	r.msg.Warn("%s has only %d MiB left of %d MiB: stopping before it is full", r.plan.Target, free>>20, total>>20)
	r.end(engine.Stop(oplog.ReasonDiskFull))
}
