package report

type jsonDocument struct {
	Schema    int          `json:"schema"`
	Run       jsonRun      `json:"run"`
	Records   []jsonRecord `json:"records"`
	Rows      int64        `json:"rows"`
	SegmentNS int64        `json:"segment_ns"`
	Stages    []jsonStage  `json:"stages"`
	Warnings  []string     `json:"warnings"`
}

type jsonRun struct {
	ID          string            `json:"id,omitempty"`
	Command     string            `json:"command,omitempty"`
	Target      string            `json:"target,omitempty"`
	Version     string            `json:"version,omitempty"`
	Host        string            `json:"host,omitempty"`
	OS          string            `json:"os,omitempty"`
	Arch        string            `json:"arch,omitempty"`
	CPUs        int               `json:"cpus,omitempty"`
	Concurrency int               `json:"concurrency,omitempty"`
	Load        string            `json:"load,omitempty"`
	OpsPerSec   float64           `json:"planned_ops_per_sec,omitempty"`
	Arrival     string            `json:"arrival,omitempty"`
	Seed        string            `json:"seed,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Effective   map[string]string `json:"effective,omitempty"`
	Epoch       string            `json:"epoch,omitempty"`
	FirstStart  string            `json:"first_start,omitempty"`
	LastEnd     string            `json:"last_end,omitempty"`
}

type jsonRecord struct {
	Name         string `json:"name"`
	Complete     bool   `json:"complete"`
	Foreign      bool   `json:"foreign"`
	SkippedBytes int64  `json:"skipped_bytes"`
	Reason       string `json:"reason,omitempty"`
	Rows         int64  `json:"rows"`
	Error        string `json:"error,omitempty"`
}

type jsonStage struct {
	Index     int         `json:"index"`
	Mode      string      `json:"mode,omitempty"`
	Loop      int         `json:"loop"`
	ReadIndex int         `json:"read_index"`
	Size      string      `json:"size,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Workers   int         `json:"workers"`
	Begin     string      `json:"begin,omitempty"`
	End       string      `json:"end,omitempty"`
	Window    *jsonWindow `json:"window,omitempty"`
	Total     *jsonOp     `json:"total,omitempty"`
	Ops       []jsonOp    `json:"ops"`
	Steps     []jsonStep  `json:"steps,omitempty"`
	Phases    []jsonPhase `json:"other_phases,omitempty"`
	CPU       *jsonCPU    `json:"cpu,omitempty"`
	Pace      *jsonPace   `json:"pace,omitempty"`
	Warnings  []string    `json:"warnings"`
}

type jsonWindow struct {
	Start      string `json:"start"`
	End        string `json:"end"`
	DurationNS int64  `json:"duration_ns"`
	Fallback   bool   `json:"fallback"`
}

type jsonOp struct {
	Op             string          `json:"op"`
	Count          int64           `json:"count"`
	Failed         int64           `json:"failed"`
	Objects        int64           `json:"objects"`
	Bytes          int64           `json:"bytes"`
	FailedObjects  int64           `json:"failed_objects"`
	FailedBytes    int64           `json:"failed_bytes"`
	Errors         jsonErrors      `json:"errors"`
	Throughput     *jsonThroughput `json:"throughput,omitempty"`
	Segments       *jsonSegments   `json:"segments,omitempty"`
	Service        *jsonLatency    `json:"service_time,omitempty"`
	Response       *jsonLatency    `json:"response_time,omitempty"`
	FirstByte      *jsonLatency    `json:"first_byte,omitempty"`
	FailedService  *jsonLatency    `json:"failed_service_time,omitempty"`
	FailedResponse *jsonLatency    `json:"failed_response_time,omitempty"`
}

type jsonErrors struct {
	Objects int64       `json:"objects"`
	Of      int64       `json:"of"`
	Rate    float64     `json:"rate"`
	Classes []jsonClass `json:"classes,omitempty"`
}

type jsonClass struct {
	Class   string `json:"class"`
	Count   int64  `json:"count"`
	Example string `json:"example,omitempty"`
}

type jsonThroughput struct {
	DurationNS    int64   `json:"duration_ns"`
	Ops           int64   `json:"ops"`
	Objects       int64   `json:"objects"`
	Bytes         int64   `json:"bytes"`
	OpsPerSec     float64 `json:"ops_per_sec"`
	ObjectsPerSec float64 `json:"objects_per_sec"`
	BytesPerSec   float64 `json:"bytes_per_sec"`
}

type jsonSegments struct {
	LengthNS int64        `json:"length_ns"`
	Count    int          `json:"count"`
	RankedBy string       `json:"ranked_by"`
	Fastest  *jsonSegment `json:"fastest,omitempty"`
	Median   *jsonSegment `json:"median,omitempty"`
	Slowest  *jsonSegment `json:"slowest,omitempty"`
}

type jsonSegment struct {
	Start         string  `json:"start"`
	Objects       int64   `json:"objects"`
	Bytes         int64   `json:"bytes"`
	ObjectsPerSec float64 `json:"objects_per_sec"`
	BytesPerSec   float64 `json:"bytes_per_sec"`
}

type jsonLatency struct {
	Count       int64            `json:"count"`
	MinNS       int64            `json:"min_ns"`
	MeanNS      int64            `json:"mean_ns"`
	MaxNS       int64            `json:"max_ns"`
	Percentiles []jsonPercentile `json:"percentiles"`
}

type jsonPercentile struct {
	Name    string  `json:"name"`
	Share   float64 `json:"share"`
	ValueNS int64   `json:"value_ns"`
	Few     bool    `json:"few"`
}

type jsonStep struct {
	Name          string       `json:"name"`
	Count         int64        `json:"count"`
	Failed        int64        `json:"failed"`
	Errors        jsonErrors   `json:"errors"`
	Service       *jsonLatency `json:"service_time,omitempty"`
	FailedService *jsonLatency `json:"failed_service_time,omitempty"`
}

type jsonPhase struct {
	Phase   string     `json:"phase"`
	Op      string     `json:"op"`
	Count   int64      `json:"count"`
	Failed  int64      `json:"failed"`
	Objects int64      `json:"objects"`
	Bytes   int64      `json:"bytes"`
	Errors  jsonErrors `json:"errors"`
}

type jsonCPU struct {
	UserNS            int64    `json:"user_ns"`
	SystemNS          int64    `json:"system_ns"`
	ElapsedNS         int64    `json:"elapsed_ns"`
	CPUs              int      `json:"cpus,omitempty"`
	Cores             float64  `json:"cores"`
	MachineShare      *float64 `json:"machine_share,omitempty"`
	CoreSecondsPerGiB *float64 `json:"core_seconds_per_gib,omitempty"`
	PerOpNS           *int64   `json:"per_op_ns,omitempty"`
	CorePercent       *float64 `json:"core_percent_per_100_mib_per_sec,omitempty"`
	ClientBound       bool     `json:"client_bound"`
	FromSamples       bool     `json:"from_samples"`
}

type jsonPace struct {
	Planned    int64 `json:"planned"`
	Unsent     int64 `json:"unsent"`
	LateStore  int64 `json:"late_store"`
	LateClient int64 `json:"late_client"`
	MaxBacklog int64 `json:"max_backlog"`
}
