package oplog

import (
	"bytes"
	"unsafe"
)

// A cursor reads the fields of one row in the writer's own form. Whatever it
// does not expect makes it bad; the row is then read again by the general
// reader, which decides what is wrong.
type cursor struct {
	b   []byte
	p   int
	bad bool
}

// number reads a field of digits.
func (c *cursor) number() int64 {
	var v int64
	b, p := c.b, c.p
	for ; p < len(b); p++ {
		d := b[p] - '0'
		if d > 9 {
			break
		}
		v = v*10 + int64(d)
	}
	n := p - c.p
	if n == 0 || n > 18 || p >= len(b) || b[p] != '\t' {
		c.bad = true
		return 0
	}
	c.p = p + 1
	return v
}

// skipNumber passes over a field of digits.
func (c *cursor) skipNumber() {
	b, p := c.b, c.p
	for p < len(b) && b[p]-'0' <= 9 {
		p++
	}
	if p == c.p || p >= len(b) || b[p] != '\t' {
		c.bad = true
		return
	}
	c.p = p + 1
}

// text reads a field that is neither quoted nor escaped.
func (c *cursor) text() []byte {
	b, p := c.b, c.p
	for ; p < len(b); p++ {
		if ch := b[p]; ch < ' ' || ch == '\\' || ch == '"' {
			break
		}
	}
	if p >= len(b) || b[p] != '\t' {
		c.bad = true
		return nil
	}
	f := b[c.p:p]
	c.p = p + 1
	return f
}

// repeat reads a field that is mostly the same as in the row before.
func (c *cursor) repeat(n *interner, last string) string {
	end := c.p + len(last)
	if end < len(c.b) && c.b[end] == '\t' && string(c.b[c.p:end]) == last {
		c.p = end + 1
		return last
	}
	return n.get(c.text())
}

// maybe reads a field that is mostly empty.
func (c *cursor) maybe() string {
	if c.p < len(c.b) && c.b[c.p] == '\t' {
		c.p++
		return ""
	}
	return view(c.text())
}

// stamp reads a time, or none as None.
func (c *cursor) stamp(s *stampParser, epoch int64) int64 {
	b := c.b[c.p:]
	if len(b) > 0 && b[0] == '\t' {
		c.p++
		return None
	}
	if len(b) <= stampLen || b[stampLen] != '\t' {
		c.bad = true
		return None
	}
	ns, ok := s.parse(b)
	if !ok {
		c.bad = true
	}
	c.p += stampLen + 1
	return ns - epoch
}

// fastRow reads the row at the start of b if it has the writer's columns and
// form. It returns the row's length, 0 if it is for the general reader.
func (s *scanner) fastRow(b []byte) int {
	r := &s.row
	c := cursor{b: b}
	r.Index = c.number()
	thread := c.number()
	r.Name = c.repeat(&s.names, r.Name)
	r.ClientID = c.repeat(&s.clients, r.ClientID)
	r.Objects = c.number()
	r.Bytes = c.number()
	r.Endpoint = c.repeat(&s.endpoints, r.Endpoint)
	r.Key = view(c.text())
	r.Error = c.maybe()
	r.Start = c.stamp(&s.stamps, s.epoch)
	r.FirstByte = c.stamp(&s.stamps, s.epoch)
	r.LastByte = c.stamp(&s.stamps, s.epoch)
	r.End = c.stamp(&s.stamps, s.epoch)
	c.skipNumber()
	if c.bad || thread > maxThread || r.Bytes > maxAmount || r.Objects > maxAmount {
		return 0
	}
	r.Thread = uint32(thread)
	return s.fastTail(b, c.p)
}

const maxThread = 1<<32 - 1

// plainRow reads the row at the start of b if none of its fields is quoted,
// escaped or, where a number is due, empty. It returns the row's length, 0 if
// it is for the general reader.
func (s *scanner) plainRow(b []byte) int {
	s.row.blank()
	c := cursor{b: b}
	last := len(s.order) - 1
	for _, col := range s.order[:last] {
		if !s.plainField(&c, col) {
			return 0
		}
	}
	n := bytes.IndexByte(b[c.p:], '\n')
	if n < 0 {
		return 0
	}
	f := b[c.p : c.p+n]
	for _, ch := range f {
		if ch < ' ' || ch == '\\' || ch == '"' {
			return 0
		}
	}
	if s.assign(s.order[last], f) != "" {
		return 0
	}
	return c.p + n + 1
}

// plainField reads one field and the tab behind it.
func (s *scanner) plainField(c *cursor, col column) bool {
	r := &s.row
	switch col {
	case colOther:
		c.text()
	case colIdx:
		r.Index = c.number()
	case colThread:
		v := c.number()
		c.bad = c.bad || v > maxThread
		r.Thread = uint32(v)
	case colObjects:
		r.Objects = c.number()
	case colBytes:
		r.Bytes = c.number()
	case colOp:
		r.Name = c.repeat(&s.names, s.lastName)
		s.lastName = r.Name
	case colClient:
		r.ClientID = c.repeat(&s.clients, s.lastClient)
		s.lastClient = r.ClientID
	case colEndpoint:
		r.Endpoint = c.repeat(&s.endpoints, s.lastEndpoint)
		s.lastEndpoint = r.Endpoint
	case colFile:
		r.Key = view(c.text())
	case colError:
		r.Error = c.maybe()
	default:
		f := c.text()
		return !c.bad && s.assign(col, f) == ""
	}
	return !c.bad && r.Objects <= maxAmount && r.Bytes <= maxAmount
}

// rowTail is the text after duration_ns of a recent row and what it says.
type rowTail struct {
	text     []byte
	class    string
	peer     string
	tries    int32
	attempts int32
	stage    uint16
	status   uint16
	phase    Phase
	level    uint8
	reused   Tri
}

// fastTail reads the fields after duration_ns. From row to row they are
// mostly the same, so the last few are remembered.
func (s *scanner) fastTail(b []byte, p int) int {
	rest := b[p:]
	for i := range s.tails {
		t := &s.tails[i]
		n := len(t.text)
		if n == 0 || len(rest) < n || string(rest[:n]) != string(t.text) {
			continue
		}
		r := &s.row
		r.Intended, r.Offset, r.Tries, r.Attempts = None, None, t.tries, t.attempts
		r.Stage, r.Phase, r.Level, r.Status = t.stage, t.phase, t.level, t.status
		r.Class, r.Peer, r.Reused = t.class, t.peer, t.reused
		return p + n
	}
	n := bytes.IndexByte(rest, '\n') + 1
	if n == 0 || !s.parseTail(rest[:n]) {
		return 0
	}
	return p + n
}

// parseTail reads the fields after duration_ns one by one.
func (s *scanner) parseTail(line []byte) bool {
	c := cursor{b: line}
	c.skipNumber() // cat
	for col := colStage; col <= colPeer; col++ {
		f := c.text()
		if c.bad || s.assign(col, f) != "" {
			return false
		}
	}
	last := line[c.p:]
	if len(last) > 2 || s.assign(colReused, last[:len(last)-1]) != "" {
		return false
	}
	if r := &s.row; len(line) <= maxTail && r.Intended == None && r.Offset == None {
		s.remember(line)
	}
	return true
}

// maxTail bounds a remembered tail.
const maxTail = 256

func (s *scanner) remember(line []byte) {
	t := &s.tails[s.nextTail]
	s.nextTail = (s.nextTail + 1) % len(s.tails)
	r := &s.row
	*t = rowTail{
		text: append(t.text[:0], line...), class: r.Class, peer: r.Peer,
		tries: r.Tries, attempts: r.Attempts, stage: r.Stage, status: r.Status,
		phase: r.Phase, level: r.Level, reused: r.Reused,
	}
}

// view returns b as a string that shares its bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
