package oplog

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// rowEncoder writes rows as text. Most columns of a row are those of the row
// before: their text is kept and written again as long as it fits.
type rowEncoder struct {
	epoch    int64 // Unix nanoseconds
	clientID string
	index    counter
	time     timeText
	head     headText
	middle   middleText
	tail     tailText
}

func newRowEncoder(epoch time.Time, clientID string) rowEncoder {
	return rowEncoder{epoch: epoch.UnixNano(), clientID: clientID, time: newTimeText()}
}

// appendRow appends one line for op, newline included. Rows are numbered in
// the order of the calls.
func (e *rowEncoder) appendRow(b []byte, op *Op) []byte {
	b = e.index.append(b)
	b = append(b, e.head.of(op, e.clientID)...)
	b = appendText(b, op.Key)
	b = appendText(append(b, '\t'), op.Error)
	b = e.appendTimes(b, op)
	b = appendInt(append(b, '\t'), op.End-op.Start)
	b = append(b, e.middle.of(op)...)
	if op.Intended != None && op.Intended != op.Start {
		b = e.appendTime(b, op.Intended)
	}
	return append(b, e.tail.of(op)...)
}

// headText is the text from the thread to the endpoint.
type headText struct {
	thread         uint32
	name, endpoint string
	objects, bytes int64
	text           []byte
}

func (h *headText) of(op *Op, clientID string) []byte {
	if h.text != nil && h.thread == op.Thread && h.bytes == op.Bytes && h.objects == op.Objects &&
		h.name == op.Name && h.endpoint == op.Endpoint {
		return h.text
	}
	h.thread, h.name, h.endpoint, h.objects, h.bytes = op.Thread, op.Name, op.Endpoint, op.Objects, op.Bytes
	b := appendInt(append(h.text[:0], '\t'), int64(op.Thread))
	b = append(append(b, '\t'), op.Name...)
	b = append(append(b, '\t'), clientID...)
	b = appendInt(append(b, '\t'), op.Objects)
	b = appendInt(append(b, '\t'), op.Bytes)
	b = append(append(b, '\t'), op.Endpoint...)
	h.text = append(b, '\t')
	return h.text
}

// middleText is the text from the category to the level.
type middleText struct {
	stage uint16
	phase Phase
	level uint8
	text  []byte
}

func (m *middleText) of(op *Op) []byte {
	if m.text != nil && m.stage == op.Stage && m.phase == op.Phase && m.level == op.Level {
		return m.text
	}
	m.stage, m.phase, m.level = op.Stage, op.Phase, op.Level
	b := appendInt(append(m.text[:0], "\t0\t"...), int64(op.Stage))
	b = append(append(b, '\t'), op.Phase.String()...)
	m.text = append(b, '\t', '0'+op.Level, '\t')
	return m.text
}

// tailText is the text from the offset to the end of the line.
type tailText struct {
	offset          int64
	tries, attempts int32
	status          uint16
	reused          Tri
	class, peer     string
	text            []byte
}

func (t *tailText) of(op *Op) []byte {
	if t.text != nil && t.offset == op.Offset && t.tries == op.Tries && t.attempts == op.Attempts &&
		t.status == op.Status && t.reused == op.Reused && t.class == op.Class && t.peer == op.Peer {
		return t.text
	}
	t.offset, t.tries, t.attempts, t.status = op.Offset, op.Tries, op.Attempts, op.Status
	t.reused, t.class, t.peer = op.Reused, op.Class, op.Peer
	t.text = appendTail(t.text[:0], op)
	return t.text
}

// counter is a row number that is kept as text.
type counter struct {
	digits [20]byte // right-aligned
	n      int      // digits in use, 0 before the first row
}

// append appends the next number, beginning with 0.
func (c *counter) append(b []byte) []byte {
	c.next()
	return append(b, c.digits[len(c.digits)-c.n:]...)
}

func (c *counter) next() {
	if c.n == 0 {
		c.n, c.digits[len(c.digits)-1] = 1, '0'
		return
	}
	i := len(c.digits) - 1
	for ; c.digits[i] == '9' && i >= len(c.digits)-c.n; i-- {
		c.digits[i] = '0'
	}
	if i < len(c.digits)-c.n {
		c.n++
		c.digits[i] = '0'
	}
	c.digits[i]++
}

func (e *rowEncoder) appendTimes(b []byte, op *Op) []byte {
	b = e.appendTime(append(b, '\t'), op.Start)
	b = append(b, '\t')
	if op.FirstByte != None {
		b = e.appendTime(b, op.FirstByte)
	}
	b = append(b, '\t')
	if op.LastByte != None {
		b = e.appendTime(b, op.LastByte)
	}
	return e.appendTime(append(b, '\t'), op.End)
}

// appendTime appends the moment at ns after the epoch.
func (e *rowEncoder) appendTime(b []byte, ns int64) []byte {
	n := len(b)
	if cap(b) < n+timeLen {
		b = slices.Grow(b, timeLen)
	}
	b = b[:n+timeLen]
	*(*[timeLen]byte)(b[n:]) = *e.time.of(e.epoch + ns)
	return b
}

func appendTail(b []byte, op *Op) []byte {
	b = append(b, '\t')
	if op.Offset != None {
		b = appendInt(b, op.Offset)
	}
	b = appendInt(append(b, '\t'), int64(op.Tries))
	b = append(b, '\t')
	if op.Attempts != None {
		b = appendInt(b, int64(op.Attempts))
	}
	b = append(b, '\t')
	if op.Status != 0 {
		b = appendInt(b, int64(op.Status))
	}
	b = append(append(b, '\t'), op.Class...)
	b = append(append(b, '\t'), op.Peer...)
	b = append(b, '\t')
	switch op.Reused {
	case No:
		b = append(b, '0')
	case Yes:
		b = append(b, '1')
	case Unknown:
	}
	return append(b, '\n')
}

func appendInt(b []byte, v int64) []byte {
	if v >= 0 && v < 10 {
		return append(b, '0'+byte(v))
	}
	return strconv.AppendInt(b, v, 10)
}

// timeLen is the length of a time as text.
const timeLen = len("2006-01-02T15:04:05.000000000Z")

// timeText is the text of the last time that was written. The times of a row
// mostly lie in the same microsecond, or at least in the same second.
type timeText struct {
	micro  int64 // Unix microseconds
	second int64 // Unix seconds
	text   [timeLen]byte
}

func newTimeText() timeText { return timeText{micro: math.MinInt64, second: math.MinInt64} }

// of returns the text of a Unix time in nanoseconds: RFC 3339 in UTC, always
// with nine digits of fraction. It is valid until the next call.
func (t *timeText) of(unix int64) *[timeLen]byte {
	micro := floorDiv(unix, 1000)
	if micro != t.micro {
		t.setMicro(micro)
	}
	putThree(t.text[timeLen-4:], uint32(unix-micro*1000))
	return &t.text
}

// setMicro writes everything but the last three digits.
func (t *timeText) setMicro(micro int64) {
	t.micro = micro
	second := floorDiv(micro, 1_000_000)
	if second != t.second {
		t.second = second
		copy(t.text[:], time.Unix(second, 0).UTC().Format("2006-01-02T15:04:05.000000000Z"))
	}
	v := uint32(micro - second*1_000_000)
	putThree(t.text[20:], v/1000)
	putThree(t.text[23:], v%1000)
}

// floorDiv divides and rounds down; times before the epoch are negative.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// putThree writes v, which is below 1000, as three decimal digits.
func putThree(b []byte, v uint32) {
	_ = b[2]
	q := v / 100
	d := (v - q*100) * 2
	b[0], b[1], b[2] = '0'+byte(q), digits[d], digits[d+1]
}

const digits = "0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// appendText appends hostile text as one field: control bytes, backslashes
// and invalid UTF-8 are escaped, and what a CSV reader would misread is
// quoted.
func appendText(b []byte, s string) []byte {
	if plain(s) {
		return append(b, s...)
	}
	quote := needsQuote(s)
	if quote {
		b = append(b, '"')
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		b = appendEscaped(b, s[i:i+n], r)
		i += n
	}
	if quote {
		b = append(b, '"')
	}
	return b
}

func appendEscaped(b []byte, raw string, r rune) []byte {
	switch {
	case r == '\\':
		return append(b, `\\`...)
	case r == '"':
		return append(b, `""`...)
	case r < 0x20 || r == 0x7f || r == utf8.RuneError && len(raw) == 1:
		const hex = "0123456789abcdef"
		return append(b, '\\', 'x', hex[raw[0]>>4], hex[raw[0]&15])
	}
	return append(b, raw...)
}

// plain reports whether s needs neither escape nor quote. Bytes above 0x7e
// take the slow path, which decides.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '\\' || c == '"' || c == '#' {
			return false
		}
	}
	return true
}

// needsQuote reports whether a CSV reader would misread s. Some take a number
// sign anywhere in a line for the start of a comment.
func needsQuote(s string) bool { return strings.ContainsAny(s, "\"#") }
