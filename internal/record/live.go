package record

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"bench/internal/oplog"
)

// Live gathers the figures of one interval for the progress line. It never
// feeds the result.
type Live struct {
	mu   sync.Mutex
	cur  Interval
	hist *hdrhistogram.Histogram
	// shown is set once somebody looks; until then nothing is gathered.
	shown bool
	// stage and phase are what is shown; rows of another phase, late ones of
	// the phase before or housekeeping, are left out. The warm-up belongs to
	// the measurement.
	stage int
	phase oplog.Phase
}

// Interval sums up the level-0 operations that ended in one interval, of any
// phase. Latencies are service times of the successful ones.
type Interval struct {
	Ops     int64 // successful
	Objects int64
	Bytes   int64
	Errors  int64 // failed operations, batches counted in objects
	Min     time.Duration
	Max     time.Duration
	Sum     time.Duration
	P99     time.Duration
	// Warmup is set when operations of the warm-up are among them.
	Warmup bool
}

// Avg returns the mean service time, 0 without operations.
func (i Interval) Avg() time.Duration {
	if i.Ops == 0 {
		return 0
	}
	return i.Sum / time.Duration(i.Ops)
}

const liveMax = int64(time.Hour)

func newLive() *Live {
	return &Live{hist: hdrhistogram.New(1, liveMax, 2)}
}

// add is called with the lock held.
func (l *Live) add(op *oplog.Op) {
	if !l.shown || op.Level != 0 || !l.shows(op) {
		return
	}
	l.cur.Warmup = l.cur.Warmup || op.Phase == oplog.PhaseWarmup
	if !op.OK() {
		l.cur.Errors += int64(max(op.Failed, 1))
		l.cur.Objects += op.Objects
		return
	}
	d := time.Duration(op.End - op.Start)
	if l.cur.Ops == 0 || d < l.cur.Min {
		l.cur.Min = d
	}
	l.cur.Max = max(l.cur.Max, d)
	l.cur.Sum += d
	l.cur.Ops++
	l.cur.Objects += op.Objects
	l.cur.Bytes += op.Bytes
	_ = l.hist.RecordValue(min(int64(d), liveMax)) // in range by construction
}

func (l *Live) shows(op *oplog.Op) bool {
	phase := op.Phase
	if phase == oplog.PhaseWarmup {
		phase = oplog.PhaseMeasure
	}
	return phase == l.phase && int(op.Stage) == l.stage
}

// Show begins the first interval of a phase.
func (l *Live) Show(stage int, phase oplog.Phase) {
	l.Take()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown, l.stage, l.phase = true, stage, phase
}

// Take returns the interval's figures and begins the next one.
func (l *Live) Take() Interval {
	l.mu.Lock()
	defer l.mu.Unlock()
	cur := l.cur
	if cur.Ops > 0 {
		cur.P99 = min(time.Duration(l.hist.ValueAtQuantile(99)), cur.Max)
	}
	l.cur = Interval{}
	l.hist.Reset()
	return cur
}
