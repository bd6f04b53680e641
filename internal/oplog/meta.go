package oplog

import "time"

// SchemaVersion is the version of the columns and of the JSON lines. It grows
// when a reader of an older version would misread a file.
const SchemaVersion = 1

// The words that begin the record's comment lines.
const (
	metaWord   = "# bench "
	sampleWord = "# sample "
	endWord    = "# end "
)

// Meta is the record's first line: what ran, where, and with what settings.
// It never holds a secret: Options is filled from an allow-list.
type Meta struct {
	Schema   int    `json:"schema"`
	Version  string `json:"version"`
	RunID    string `json:"run_id"`
	ClientID string `json:"client_id"`
	// Seed is a decimal string: JSON readers lose integers above 2^53.
	Seed    string `json:"seed"`
	Command string `json:"command"`
	Target  string `json:"target"`
	// KeyPrefix stands before every value of the file column: the object's
	// key below the target is KeyPrefix + file.
	KeyPrefix string            `json:"key_prefix"`
	Load      string            `json:"load"` // closed or rate
	Rate      float64           `json:"rate,omitempty"`
	Arrival   string            `json:"arrival,omitempty"`
	Workers   int               `json:"concurrency"`
	Options   map[string]string `json:"options"`
	Labels    map[string]string `json:"labels,omitempty"`
	// Effective are the settings of the store's client that decide what is
	// measured: retries, checksums, HTTP version.
	Effective map[string]string `json:"effective,omitempty"`
	Epoch     time.Time         `json:"epoch"`
	Host      string            `json:"host"`
	OS        string            `json:"os"`
	Arch      string            `json:"arch"`
	Go        string            `json:"go"`
	CPUs      int               `json:"cpus"`
	Stages    []StageMeta       `json:"stages"`
}

// StageMeta describes one executed mode.
type StageMeta struct {
	Index int    `json:"index"`
	Mode  string `json:"mode"`
	Loop  int    `json:"loop"`
	// Size is the object size as resolved, for example "1048576" or
	// "1024..10485760 log2".
	Size string `json:"size"`
	// ReadIndex counts the get stages of one loop, from 0.
	ReadIndex int `json:"read_index"`
}

// Sample is the process's state at one moment of the run, one a second.
type Sample struct {
	AtNS       int64 `json:"at_ns"` // since epoch
	Stage      int   `json:"stage"`
	UserNS     int64 `json:"cpu_user_ns"`   // since process start
	SystemNS   int64 `json:"cpu_system_ns"` // since process start
	RSS        int64 `json:"rss_bytes"`
	GCPauseNS  int64 `json:"gc_pause_ns"` // total since process start
	Goroutines int   `json:"goroutines"`
	InFlight   int   `json:"in_flight"`
	Backlog    int64 `json:"backlog"`
	StallNS    int64 `json:"recorder_stall_ns"` // total over all workers
}

// Reasons why a run ended.
const (
	ReasonDone        = "done"
	ReasonStable      = "stable"
	ReasonInterrupted = "interrupted"
	ReasonErrors      = "errors"
	ReasonDiskFull    = "diskfull"
	ReasonExhausted   = "exhausted"
)

// End is the record's last line. A file without it is incomplete.
type End struct {
	Reason string `json:"reason"`
	// Rows counts the rows of the whole file.
	Rows int64 `json:"rows"`
	// StallNS is how long workers waited for the recorder, in all.
	StallNS int64 `json:"recorder_stall_ns"`
	// Abandoned counts operations that were still running when the run was
	// ended by force; they have no row.
	Abandoned int        `json:"abandoned"`
	Stages    []StageEnd `json:"stages"`
}

// StageEnd sums up one stage.
type StageEnd struct {
	Index  int        `json:"index"`
	Reason string     `json:"reason"`
	Phases []PhaseEnd `json:"phases"`
}

// PhaseEnd sums up one phase of a stage over its level-0 rows. Times are
// nanoseconds since the epoch, -1 where there was none.
type PhaseEnd struct {
	Phase string `json:"phase"`
	// Ops counts level-0 rows by operation.
	Ops []OpCount `json:"ops"`
	// BeginNS and FinishNS are when the phase began and was over.
	BeginNS  int64 `json:"begin_ns"`
	FinishNS int64 `json:"finish_ns"`
	// FirstStartNS and LastEndNS bound the operations.
	FirstStartNS int64 `json:"first_start_ns"`
	LastEndNS    int64 `json:"last_end_ns"`
	// LatestFirstEndNS is the latest, over the workers, of the end of a
	// worker's first operation; EarliestLastStartNS the earliest start of a
	// worker's last operation. Between them lies the active window.
	LatestFirstEndNS    int64 `json:"latest_first_end_ns"`
	EarliestLastStartNS int64 `json:"earliest_last_start_ns"`
	// FirstIntendedNS and LastIntendedNS bound the planned starts (equal to
	// the starts where there was no plan).
	FirstIntendedNS int64 `json:"first_intended_ns"`
	LastIntendedNS  int64 `json:"last_intended_ns"`
	// LastStartNS is the last real start; behind the last planned one when
	// the plan could not be kept.
	LastStartNS int64 `json:"last_start_ns"`
	// CPU of the process between the phase's borders.
	UserNS   int64 `json:"cpu_user_ns"`
	SystemNS int64 `json:"cpu_system_ns"`
	// Open loop only.
	Pace *PaceEnd `json:"pace,omitempty"`
}

// OpCount counts the level-0 rows of one operation in one phase.
type OpCount struct {
	Op      string `json:"op"`
	Rows    int64  `json:"rows"`
	Errors  int64  `json:"errors"` // in objects
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

// PaceEnd tells how well an open loop kept its plan.
type PaceEnd struct {
	// Planned counts the operations whose intended start lay in the phase.
	Planned int64 `json:"planned"`
	// Unsent counts those that had not started when the phase ended.
	Unsent int64 `json:"unsent"`
	// LateStore and LateClient count operations that started more than a
	// millisecond late: because every worker was busy (the store), or
	// although one was idle (this client).
	LateStore  int64 `json:"late_store"`
	LateClient int64 `json:"late_client"`
	MaxBacklog int64 `json:"max_backlog"`
}
