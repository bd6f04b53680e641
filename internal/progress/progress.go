// Package progress writes the interval lines of a running stage and the
// progress of its preparation. It reads the recorder's live figures and never
// touches the result.
//
// A Line owns one goroutine between Start and Stop.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"bench/internal/oplog"
	"bench/internal/record"
	"bench/internal/units"
)

// Line describes what the interval lines show.
type Line struct {
	// Out receives whole lines. An error of Out ends the lines, never the
	// run.
	Out io.Writer
	// Live are the figures; Backlog is asked for an open load, else nil.
	Live    *record.Live
	Backlog func() int64
	// Title names the stage, for example "loop 0 PUT".
	Title string
	// Stage and Phase are what is shown.
	Stage int
	Phase oplog.Phase
	// Every is the interval.
	Every time.Duration
	// Total is the number of objects the phase will touch, 0 when unknown.
	Total int64

	stop chan struct{}
	wg   sync.WaitGroup
	done int64
}

// Start begins the interval lines. What happened before is forgotten.
func (l *Line) Start() {
	l.stop = make(chan struct{})
	l.Live.Show(l.Stage, l.Phase)
	l.wg.Go(l.loop)
}

// Stop ends them and waits for the goroutine.
func (l *Line) Stop() {
	close(l.stop)
	l.wg.Wait()
}

func (l *Line) loop() {
	t := time.NewTicker(l.Every)
	defer t.Stop()
	for n := 0; ; n++ {
		last := time.Now()
		select {
		case <-t.C:
			if _, err := io.WriteString(l.Out, l.line(n, time.Since(last))+"\n"); err != nil {
				return
			}
		case <-l.stop:
			return
		}
	}
}

// line is one interval in the manner of blobstore-bench, with a known total
// as a count of it.
func (l *Line) line(n int, took time.Duration) string {
	i := l.Live.Take()
	l.done += i.Objects
	s := max(took.Seconds(), 1e-9)
	if l.Total > 0 {
		text := fmt.Sprintf("%s: %d of %d objects (%d %%), %.0f obj/s, %.2f MiB/s", l.Title,
			l.done, l.Total, 100*l.done/l.Total, float64(i.Objects)/s, mib(i.Bytes)/s)
		return text + tail(i, nil)
	}
	title := l.Title
	if i.Warmup {
		title += " warm-up"
	}
	text := fmt.Sprintf("%s: int %d, ops %d, %.2f MiB/s, %.0f ops/s, lat [ min %s, avg %s, 99%% %s, max %s ]",
		title, n, i.Ops, mib(i.Bytes)/s, float64(i.Ops)/s,
		units.FormatDuration(i.Min), units.FormatDuration(i.Avg()), units.FormatDuration(i.P99), units.FormatDuration(i.Max))
	return text + tail(i, l.Backlog)
}

func tail(i record.Interval, backlog func() int64) string {
	text := fmt.Sprintf(", errors %d", i.Errors)
	if backlog != nil {
		text += fmt.Sprintf(", backlog %d", backlog())
	}
	return text
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
