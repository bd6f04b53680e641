package oplog

// None marks a time, offset or count that a row does not have.
const None = -1

// Names of operations (level 0) and of the steps inside them (level 1). A
// name belongs to one level.
const (
	OpPut       = "PUT"
	OpGet       = "GET"
	OpDelete    = "DELETE"
	OpStat      = "STAT"
	OpList      = "LIST"
	OpAppend    = "APPEND"
	OpMultipart = "MULTIPART"

	StepDeleteOne  = "DELETEONE"
	StepTry        = "TRY"
	StepSync       = "SYNC"
	StepAppendPart = "APPENDPART"
	StepFragment   = "FRAGMENT"
)

// Classes of failure that the engine itself assigns. The others come from the
// store; backends.Classes lists them all.
const (
	ClassCanceled = "canceled"
	ClassTimeout  = "timeout"
)

// Phase is the part of a stage an operation belongs to.
type Phase uint8

// The phases of a stage, in the order they run.
const (
	PhasePrepare Phase = iota
	PhaseWarmup
	PhaseMeasure
	PhaseCleanup
	NumPhases = 4
)

// String returns the phase's name in the record.
func (p Phase) String() string {
	switch p {
	case PhasePrepare:
		return "prepare"
	case PhaseWarmup:
		return "warmup"
	case PhaseMeasure:
		return "measure"
	case PhaseCleanup:
		return "cleanup"
	}
	return "unknown"
}

// ParsePhase is the inverse of [Phase.String].
func ParsePhase(s string) (Phase, bool) {
	for p := range Phase(NumPhases) {
		if p.String() == s {
			return p, true
		}
	}
	return 0, false
}

// Op is one row of the record. Times are nanoseconds since the record's
// epoch, [None] where there is no such moment.
type Op struct {
	// Name is one of the Op or Step names, or a foreign one.
	Name string
	// Key is the object's key below the record's key prefix; empty for
	// operations that address none.
	Key string
	// Endpoint is the host's URL, empty for stores without one.
	Endpoint string
	// Error is the failure's text, empty when the operation succeeded. A
	// failed operation has a Class.
	Error string
	// Class is the failure's class (backends.Class), empty on success.
	Class string
	// Peer is the address the connection went to, empty where unknown.
	Peer string

	Start, End          int64
	FirstByte, LastByte int64
	// Intended is the planned start, None where it equals Start.
	Intended int64

	// Bytes and Objects are what was really moved and confirmed.
	Bytes   int64
	Objects int64
	// Offset is the first byte of a ranged read or append, else None.
	Offset int64

	Thread uint32
	// Attempts counts requests on the wire, None where there is no wire or
	// they cannot be counted.
	Attempts int32
	// Tries counts our own tries, 1 without retries.
	Tries int32
	// Failed counts the objects of a batch that failed; 1 for any other
	// failed operation. It is not a column: errors are counted in objects.
	Failed int32
	Stage  uint16
	// Status is the last HTTP status, 0 where there was none.
	Status uint16
	Phase  Phase
	Level  uint8
	Reused Tri
}

// Tri is a fact that may be unknown.
type Tri uint8

// The values of a [Tri].
const (
	Unknown Tri = iota
	No
	Yes
)

// Reset makes o an empty operation: no times, no error, one object, one try.
func (o *Op) Reset() {
	*o = Op{
		Start: None, End: None, FirstByte: None, LastByte: None, Intended: None,
		Offset: None, Attempts: None, Tries: 1, Objects: 1,
	}
}

// OK reports whether the operation succeeded.
func (o *Op) OK() bool { return o.Class == "" && o.Error == "" }

// Columns returns the header of the record, in order. Readers go by name.
func Columns() []string {
	return []string{
		"idx", "thread", "op", "client_id", "n_objects", "bytes", "endpoint", "file", "error",
		"start", "first_byte", "last_byte", "end", "duration_ns", "cat",
		"stage", "phase", "level", "intended", "offset", "tries", "attempts", "status",
		"error_class", "peer", "reused",
	}
}
