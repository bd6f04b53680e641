package oplog

// A Row is one row as read back. Key and Error are valid until the visitor
// returns; the other strings stay valid.
type Row struct {
	Op
	// ClientID and Thread together name the worker.
	ClientID string
	// Index is the row's own number, -1 where the record has none.
	Index int64
}

// blank makes r a row of which nothing is known.
func (r *Row) blank() {
	r.Reset()
	r.Phase = PhaseMeasure
	r.ClientID, r.Index = "", None
}

// A Visitor receives what a scan reads. It is called by one goroutine. An
// error ends the scan.
type Visitor interface {
	// Row receives one row. The row belongs to the scan.
	Row(r *Row) error
	// Sample receives one sample line.
	Sample(s *Sample) error
}

// Columns by meaning. Those that derive from others (duration_ns) or that
// nobody reads (cat) are colOther.
type column uint8

const (
	colOther column = iota
	colIdx
	colThread
	colOp
	colClient
	colObjects
	colBytes
	colEndpoint
	colFile
	colError
	colStart
	colFirstByte
	colLastByte
	colEnd
	colStage
	colPhase
	colLevel
	colIntended
	colOffset
	colTries
	colAttempts
	colStatus
	colClass
	colPeer
	colReused
)

// columnByName maps a header's name to its column.
func columnByName(name string) column {
	if name == "duration_ns" || name == "cat" {
		return colOther
	}
	c := colIdx
	for _, known := range Columns() {
		if known == "duration_ns" || known == "cat" {
			continue
		}
		if known == name {
			return c
		}
		c++
	}
	return colOther
}

// maxLine is the longest line a record may have.
const maxLine = 1 << 20

// maxAmount bounds a row's bytes and objects, so that sums of many rows can
// be checked for overflow.
const maxAmount = 1 << 60

// An interner keeps one copy of each short string that repeats from row to
// row. Each string has one slot; two that fight for it are copied anew each
// time, so memory is bounded whatever the file holds.
type interner struct {
	slots [64]string
}

func (n *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	last := len(b) - 1
	slot := &n.slots[(uint(b[0])*7+uint(b[last])*31+uint(b[last/2])*3+uint(last))%64]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
