package run

import (
	"runtime"
	"sync"
	"time"

	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/proc"
)

// sampleEvery is how often the process is looked at.
const sampleEvery = time.Second

// monitor samples the process each second, watches the disk, and ends the run
// when it runs full or the record cannot be written. The returned function stops it.
func (r *runner) monitor() (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(sampleEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				r.rec.Sample(r.sample())
			case <-r.rec.Failed():
				r.end(engine.Stop(oplog.ReasonErrors))
				return
			case <-quit:
				return
			}
		}
	})
	if r.env.Can.Space != nil {
		wg.Go(func() { r.watchSpace(quit) })
	}
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
