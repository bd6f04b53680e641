package oplog

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// rowEncoder writes rows as text. It remembers the text of the last second,
// because most timestamps of a row differ only in their fraction.
type rowEncoder struct {
	epoch    int64 // Unix nanoseconds
	clientID string
	second   int64 // Unix seconds of prefix
	prefix   [20]byte
}

func newRowEncoder(epoch time.Time, clientID string) rowEncoder {
	return rowEncoder{epoch: epoch.UnixNano(), clientID: clientID, second: -1 << 62}
}

// appendRow appends one line for op, newline included.
func (e *rowEncoder) appendRow(b []byte, idx int64, op *Op) []byte {
	b = appendInt(b, idx)
	b = appendInt(append(b, '\t'), int64(op.Thread))
	b = append(append(b, '\t'), op.Name...)
	b = append(append(b, '\t'), e.clientID...)
	b = appendInt(append(b, '\t'), op.Objects)
	b = appendInt(append(b, '\t'), op.Bytes)
	b = append(append(b, '\t'), op.Endpoint...)
	b = appendText(append(b, '\t'), op.Key)
	b = appendText(append(b, '\t'), op.Error)
	b = e.appendTimes(b, op)
	b = appendInt(append(b, '\t'), op.End-op.Start)
	b = appendInt(append(b, "\t0\t"...), int64(op.Stage))
	b = append(append(b, '\t'), op.Phase.String()...)
	b = append(b, '\t', '0'+op.Level, '\t')
	if op.Intended != None && op.Intended != op.Start {
		b = e.appendTime(b, op.Intended)
	}
	return appendTail(b, op)
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

// appendTime appends the moment at ns after the epoch as RFC 3339 in UTC,
// always with nine digits of fraction.
func (e *rowEncoder) appendTime(b []byte, ns int64) []byte {
	unix := e.epoch + ns
	second := unix / 1e9
	if second != e.second {
		e.setSecond(second)
	}
	b = append(b, e.prefix[:]...)
	n := len(b)
	b = append(b, "000000000Z"...)
	putNine(b[n:n+9], uint32(unix-second*1e9))
	return b
}

func (e *rowEncoder) setSecond(second int64) {
	e.second = second
	copy(e.prefix[:], time.Unix(second, 0).UTC().Format("2006-01-02T15:04:05."))
}

// putNine writes v as nine decimal digits.
func putNine(b []byte, v uint32) {
	_ = b[8]
	for i := 7; i >= 1; i -= 2 {
		q := v / 100
		d := (v - q*100) * 2
		b[i], b[i+1] = digits[d], digits[d+1]
		v = q
	}
	b[0] = '0' + byte(v)
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
	if s == "" {
		return true
	}
	if s[0] == '#' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}

func needsQuote(s string) bool {
	if s[0] == '#' {
		return true
	}
	for i := range len(s) {
		if s[i] == '"' {
			return true
		}
	}
	return false
}
