package analyze

import (
	"time"

	"bench/analyze/stat"
)

// An Analysis is everything reports show. Counts and times are exact;
// percentiles are at most 0.1 % too high.
type Analysis struct {
	// Records are the files that were read, in the given order.
	Records []Record
	// Run describes what ran, from the first record with metadata.
	Run Run
	// Segment is the length of a segment.
	Segment time.Duration
	// Rows counts the rows of all records.
	Rows   int64
	Stages []Stage
	// Warnings say what the reader of a report must know, each one sentence.
	Warnings []string
}

// A Record is one file that was read.
type Record struct {
	// Name is the file's base name.
	Name string
	// Foreign tells that another program wrote it.
	Foreign bool
	// Complete tells that nothing of it is missing.
	Complete bool
	// SkippedBytes of a torn end could not be read.
	SkippedBytes int64
	// Reason is why the run ended, empty if unknown.
	Reason string
	Rows   int64
	// Err is why the rest of the record could not be read, nil if it could.
	Err error
}

// Run describes what ran.
type Run struct {
	ID        string
	Command   string
	Target    string
	Version   string
	Host      string
	OS        string
	Arch      string
	CPUs      int
	Workers   int
	Load      string
	Rate      float64
	Arrival   string
	Seed      string
	Options   map[string]string
	Labels    map[string]string
	Effective map[string]string
	Started   time.Time
	// Begin and End bound all rows.
	Begin, End time.Time
}

// A Stage is one executed mode.
type Stage struct {
	Index     int
	Mode      string
	Loop      int
	ReadIndex int
	// Size is the object size as resolved.
	Size string
	// Reason is why the stage ended, empty if unknown.
	Reason string
	// Workers counts those that performed measured operations.
	Workers int
	// Begin and End bound the measured operations.
	Begin, End time.Time
	// Window is what throughput is computed over.
	Window Window
	// Ops are the measured operations by type; Total is their sum, nil if
	// there is one type only.
	Ops   []Op
	Total *Op
	// Steps are the measured steps inside operations.
	Steps []Step
	// Phases are the operations outside the measured phase.
	Phases []Phase
	// CPU is nil where the record does not tell.
	CPU *CPU
	// Pace is nil in closed loops.
	Pace     *Pace
	Warnings []string
}

// A Window is the part of a stage in which all its workers were at work.
type Window struct {
	Start, End time.Time
	// Fallback tells that the rule gave an empty window and the whole phase
	// was taken instead.
	Fallback bool
}

// Duration returns the window's length.
func (w Window) Duration() time.Duration { return w.End.Sub(w.Start) }

// An Op sums up the measured operations of one type in one stage.
type Op struct {
	Name string
	// Count counts all operations, Failed those that failed.
	Count, Failed int64
	// Objects and Bytes are those of successful operations.
	Objects, Bytes int64
	// FailedObjects and FailedBytes were moved by operations that failed.
	FailedObjects, FailedBytes int64
	Errors                     Errors
	// Throughput and Segments are nil if the window is empty.
	Throughput *Throughput
	Segments   *Segments
	// Service and, with planned starts, Response are of successful
	// operations; FirstByte of those that recorded one.
	Service, Response, FirstByte *Latency
	// FailedService and FailedResponse are of failed operations.
	FailedService, FailedResponse *Latency
}

// Errors counts failures in objects.
type Errors struct {
	Objects int64
	// Of is how many objects or operations Objects is to be compared with.
	Of      int64
	ByClass []ClassCount
}

// Rate returns the share that failed, 0 to 1.
func (e Errors) Rate() float64 {
	if e.Of == 0 {
		return 0
	}
	return float64(e.Objects) / float64(e.Of)
}

// A ClassCount counts the errors of one class.
type ClassCount struct {
	Class string
	Count int64
	// Example is the text of the earliest such error.
	Example string
}

// Throughput is what the successful operations moved inside the window.
type Throughput struct {
	Duration            time.Duration
	Ops, Objects, Bytes int64
}

// PerSec returns n per second of the window.
func (t *Throughput) PerSec(n int64) float64 {
	return float64(n) / t.Duration.Seconds()
}

// Segments are the slices of the window.
type Segments struct {
	Length time.Duration
	// Series holds every segment in order; the last is partial if Count is
	// one less than its length.
	Series []Segment
	// Count is the number of whole segments. Fastest, Median and Slowest are
	// indexes into Series, -1 if Count is 0. They are ranked by bytes, or by
	// objects if no bytes moved.
	Count                    int
	Fastest, Median, Slowest int
	ByBytes                  bool
}

// A Segment is one slice of the window.
type Segment struct {
	Start          time.Time
	Objects, Bytes int64
}

// A Latency describes durations of operations.
type Latency struct {
	Count          int64
	Min, Mean, Max time.Duration
	Percentiles    []Percentile
	dist           *stat.Distribution
}

// A Percentile is the duration that the given share of operations did not
// exceed.
type Percentile struct {
	Quantile stat.Quantile
	Value    time.Duration
	// Few tells that less than one operation is expected above it.
	Few bool
}

// A Step sums up the steps of one name inside measured operations.
type Step struct {
	Name          string
	Count, Failed int64
	Errors        Errors
	Service       *Latency
	FailedService *Latency
}

// A Phase counts the operations of one type outside the measured phase.
type Phase struct {
	Phase          string
	Name           string
	Count, Failed  int64
	Objects, Bytes int64
	Errors         Errors
}

// CPU is what the client itself used during the measured phase.
type CPU struct {
	User, System time.Duration
	// Elapsed is the time User and System were used in.
	Elapsed time.Duration
	CPUs    int
	// Sampled tells that the figures come from the samples of an incomplete
	// record.
	Sampled bool
	// Ops and Bytes are what was done meanwhile, failed or not.
	Ops, Bytes int64
	// ClientBound tells that the client itself was the limit.
	ClientBound bool
}

// Pace tells how well an open loop kept its plan.
type Pace struct {
	Planned, Unsent       int64
	LateStore, LateClient int64
	MaxBacklog            int64
}
