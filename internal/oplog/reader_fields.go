package oplog

import (
	"fmt"
	"strconv"
)

// assign sets the column of the row to the field's value. It returns what is
// wrong with it, "" if nothing is.
func (s *scanner) assign(col column, f []byte) string {
	switch col {
	case colStart, colEnd, colFirstByte, colLastByte, colIntended:
		return s.assignTime(col, f)
	case colOp, colClient, colEndpoint, colClass, colPeer, colFile, colError:
		s.assignText(col, f)
		return ""
	case colPhase:
		p, ok := phaseOf(f)
		if !ok {
			return fmt.Sprintf("phase %q is unknown", clip(f))
		}
		s.row.Phase = p
		return ""
	case colReused:
		return s.assignReused(f)
	case colOther:
		return ""
	default:
		return s.assignNumber(col, f)
	}
}

func (s *scanner) assignText(col column, f []byte) {
	r := &s.row
	switch col {
	case colOp:
		r.Name = s.names.get(f)
	case colClient:
		r.ClientID = s.clients.get(f)
	case colEndpoint:
		r.Endpoint = s.endpoints.get(f)
	case colClass:
		r.Class = s.classes.get(f)
	case colPeer:
		r.Peer = s.peers.get(f)
	case colFile:
		r.Key = view(f)
	default:
		r.Error = view(f)
	}
}

func (s *scanner) assignTime(col column, f []byte) string {
	ns := int64(None)
	if len(f) > 0 {
		unix, ok := s.times.parse(f)
		if !ok {
			return fmt.Sprintf("time %q is not RFC 3339", clip(f))
		}
		ns = unix - s.epoch
	}
	r := &s.row
	switch col {
	case colStart:
		r.Start = ns
	case colFirstByte:
		r.FirstByte = ns
	case colLastByte:
		r.LastByte = ns
	case colEnd:
		r.End = ns
	default:
		r.Intended = ns
	}
	return ""
}

func (s *scanner) assignReused(f []byte) string {
	switch string(f) {
	case "":
		s.row.Reused = Unknown
	case "0":
		s.row.Reused = No
	case "1":
		s.row.Reused = Yes
	default:
		return fmt.Sprintf("reused is %q, not empty, 0 or 1", clip(f))
	}
	return ""
}

// assignNumber sets a numeric column. An empty field leaves the default.
func (s *scanner) assignNumber(col column, f []byte) string {
	most := largest(col)
	v := int64(numberDefault(col))
	if len(f) > 0 {
		var ok bool
		if v, ok = parseInt(f); !ok {
			return fmt.Sprintf("%s %q is not a number", columnName(col), clip(f))
		}
		if v < 0 || v > most {
			return fmt.Sprintf("%s %d is not between 0 and %d", columnName(col), v, most)
		}
	}
	r := &s.row
	switch col {
	case colIdx:
		r.Index = v
	case colThread:
		r.Thread = uint32(v)
	case colObjects:
		r.Objects = v
	case colBytes:
		r.Bytes = v
	case colStage:
		r.Stage = uint16(v)
	case colLevel:
		r.Level = uint8(v)
	case colOffset:
		r.Offset = v
	case colTries:
		r.Tries = int32(v)
	case colAttempts:
		r.Attempts = int32(v)
	default:
		r.Status = uint16(v)
	}
	return ""
}

// parseInt parses a decimal number.
func parseInt(f []byte) (int64, bool) {
	if len(f) > 18 || f[0]-'0' > 9 {
		v, err := strconv.ParseInt(view(f), 10, 64)
		return v, err == nil
	}
	v := int64(0)
	for _, c := range f {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	return v, true
}

// largest returns the largest number a column may hold.
func largest(col column) int64 {
	switch col {
	case colThread:
		return maxThread
	case colStage, colStatus:
		return 1<<16 - 1
	case colLevel:
		return 1
	case colTries, colAttempts:
		return 1<<31 - 1
	default:
		return maxAmount
	}
}

func numberDefault(col column) int {
	switch col {
	case colObjects, colTries:
		return 1
	case colOffset, colAttempts, colIdx:
		return None
	default:
		return 0
	}
}

// columnName is the inverse of columnByName for known columns.
func columnName(col column) string {
	for _, name := range Columns() {
		if columnByName(name) == col {
			return name
		}
	}
	return "column"
}

func phaseOf(f []byte) (Phase, bool) {
	switch string(f) {
	case "measure", "":
		return PhaseMeasure, true
	case "prepare":
		return PhasePrepare, true
	case "warmup":
		return PhaseWarmup, true
	case "cleanup":
		return PhaseCleanup, true
	}
	return 0, false
}

// clip bounds what a message quotes of a field.
func clip(f []byte) []byte {
	const most = 40
	if len(f) > most {
		return f[:most]
	}
	return f
}

// check tells what is wrong with a whole row, "" if nothing is.
func (r *Row) check() string {
	switch {
	case r.Name == "":
		return "op is empty"
	case r.Start == None:
		return "start is empty"
	case r.End == None:
		return "end is empty"
	case r.Start > r.End:
		return "start is after end"
	case r.Intended != None && r.Intended > r.End:
		return "intended start is after end"
	}
	return ""
}

// finish sets what follows from the columns.
func (r *Row) finish() {
	r.Failed = 0
	if !r.OK() {
		r.Failed = 1
	}
}
