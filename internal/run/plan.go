package run

import (
	"context"
	"io"
	"time"

	"bench/backends"
	"bench/internal/population"
	"bench/internal/workload"
)

// Plan is a benchmark as resolved from the command line.
type Plan struct {
	Command string // for the record and the file name, for example "mixed"
	Stages  []Stage
	// Target is how the target is shown, without secrets.
	Target string
	Open   backends.OpenFunc
	Config backends.Config
	// Parent is the key prefix below which the run works, empty or ending
	// in a slash.
	Parent string

	Workers    int
	Objects    int64 // for put to write; 0 for no limit
	Population int64 // to prepare for reading modes; 0 for the mode's default
	Sizes      population.Sizes
	Prefixes   int
	Duration   time.Duration
	Warmup     time.Duration
	Ops        int64
	MinOps     int64
	Rate       float64
	Poisson    bool
	Ranges     workload.Ranges
	Batch      int
	MaxKeys    int
	Mix        workload.Mix
	MaxErrors  int64
	ErrorRate  float64
	Timeout    time.Duration
	Grace      time.Duration
	Retries    int
	Verify     bool
	Keep       bool
	Cap        int64 // most bytes stored at a time, 0 for no limit
	StartAt    time.Time
	Seed       uint64
	Labels     map[string]string
	Options    map[string]string // what the record shows of the flags
	Out        string            // path of the record, NoRecord, or empty for the default name
	Interval   time.Duration
	Progress   io.Writer // interval lines; nil for none
}

// NoRecord as the output keeps the record only until it is analyzed.
const NoRecord = "none"

// Stage is one executed mode.
type Stage struct {
	Mode      workload.Mode
	Loop      int
	ReadIndex int
	// Once visits each object one time instead of picking at random until
	// the time is up.
	Once bool
}

// Messenger tells the user what happens. It writes to stderr.
type Messenger interface {
	Say(format string, args ...any)
	Warn(format string, args ...any)
	Hint(format string, args ...any)
}

// Signals are the two ways a user ends a run: Issue ends after the first
// signal, Flight after the second.
type Signals struct {
	Issue, Flight context.Context //nolint:containedctx // they travel together through every phase
}

// Result tells how a run ended. It is returned also with an error, as far as
// the run came.
type Result struct {
	RunID  string
	Record string // path of the record, to be analyzed
	Reason string
	// Interrupted is set when a signal ended the run.
	Interrupted bool
	// Tried and Failed count the measured operations, in objects.
	Tried, Failed int64
	// OverErrors is set when failures ended the run or exceeded the rate.
	OverErrors bool
}
