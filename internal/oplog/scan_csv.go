package oplog

import (
	"bytes"
	"fmt"
)

// generalRow reads the row at the start of text whatever its columns, quotes
// and line end. It returns the row's length and what is wrong with it. A
// blank line leaves s.fields empty.
func (s *scanner) generalRow(text []byte) (int, string) {
	n, msg := s.split(text)
	if msg != "" || len(s.fields) == 0 {
		return n, msg
	}
	if len(s.fields) != len(s.order) {
		return 0, fmt.Sprintf("it has %d fields, the header %d", len(s.fields), len(s.order))
	}
	s.row.blank()
	for i, col := range s.order {
		f := s.fields[i]
		if s.escaped && (col == colFile || col == colError) {
			var ok bool
			if f, ok = s.unescape(f); !ok {
				return 0, fmt.Sprintf("%s has an invalid escape", columnName(col))
			}
		}
		if msg := s.assign(col, f); msg != "" {
			return 0, msg
		}
	}
	return n, ""
}

// split cuts the row at the start of text into s.fields as RFC 4180 says,
// with tabs. A quote inside an unquoted field stands for itself. Line ends
// inside quotes are kept, "\r\n" as "\n".
func (s *scanner) split(text []byte) (int, string) {
	s.fields = s.fields[:0]
	s.scratch = s.scratch[:0]
	n := lineLength(text)
	line := trimLine(text[:n])
	if len(line) == 0 {
		return n, ""
	}
	if len(line) <= maxLine && bytes.IndexByte(line, '"') < 0 {
		s.splitPlain(line)
		return n, ""
	}
	p := 0
	for {
		var n int
		var more bool
		var f []byte
		if p < len(text) && text[p] == '"' {
			var msg string
			if f, n, more, msg = s.quoted(text[p:]); msg != "" {
				return 0, msg
			}
		} else {
			f, n, more = unquoted(text[p:])
		}
		s.fields = append(s.fields, f)
		p += n
		if p > maxLine {
			return 0, "line is longer than 1 MiB"
		}
		if !more {
			return p, ""
		}
	}
}

// splitPlain cuts a line without quotes.
func (s *scanner) splitPlain(line []byte) {
	for {
		i := bytes.IndexByte(line, '\t')
		if i < 0 {
			s.fields = append(s.fields, line)
			return
		}
		s.fields = append(s.fields, line[:i])
		line = line[i+1:]
	}
}

// unquoted reads a field up to the tab or line end. more tells that a tab
// followed.
func unquoted(b []byte) (field []byte, n int, more bool) {
	i := fieldLength(b)
	if i == len(b) {
		return trimLine(b), len(b), false
	}
	if b[i] == '\t' {
		return b[:i], i + 1, true
	}
	return trimLine(b[:i+1]), i + 1, false
}

// fieldLength returns how far it is to the tab or newline that ends a field.
func fieldLength(b []byte) int {
	for i, c := range b {
		if c == '\t' || c == '\n' {
			return i
		}
	}
	return len(b)
}

// quoted reads a field in quotes. Its value lies in s.scratch, since it may
// be shorter than its text.
func (s *scanner) quoted(b []byte) (field []byte, n int, more bool, msg string) {
	begin := len(s.scratch)
	p := 1
	for {
		i := bytes.IndexByte(b[p:], '"')
		if i < 0 || p+i > maxLine {
			return nil, 0, false, "a quoted field does not end"
		}
		s.keep(b[p : p+i])
		p += i + 1
		if p >= len(b) || b[p] != '"' {
			break
		}
		s.scratch = append(s.scratch, '"')
		p++
	}
	field = s.scratch[begin:len(s.scratch):len(s.scratch)]
	switch rest := b[p:]; {
	case len(rest) == 0 || len(rest) == 1 && rest[0] == '\r':
		return field, len(b), false, ""
	case rest[0] == '\t':
		return field, p + 1, true, ""
	case rest[0] == '\n':
		return field, p + 1, false, ""
	case rest[0] == '\r' && rest[1] == '\n':
		return field, p + 2, false, ""
	}
	return nil, 0, false, "a quoted field goes on after its closing quote"
}

// keep appends text to the scratch with its line ends made uniform.
func (s *scanner) keep(text []byte) {
	for {
		i := bytes.Index(text, []byte("\r\n"))
		if i < 0 {
			s.scratch = append(s.scratch, text...)
			return
		}
		s.scratch = append(append(s.scratch, text[:i]...), '\n')
		text = text[i+2:]
	}
}

// unescape undoes the writer's `\\` and `\xNN`.
func (s *scanner) unescape(f []byte) ([]byte, bool) {
	i := bytes.IndexByte(f, '\\')
	if i < 0 {
		return f, true
	}
	begin := len(s.scratch)
	for i >= 0 {
		s.scratch = append(s.scratch, f[:i]...)
		f = f[i+1:]
		switch {
		case len(f) > 0 && f[0] == '\\':
			s.scratch = append(s.scratch, '\\')
			f = f[1:]
		case len(f) > 2 && f[0] == 'x' && hexDigit(f[1]) < 16 && hexDigit(f[2]) < 16:
			s.scratch = append(s.scratch, hexDigit(f[1])<<4|hexDigit(f[2]))
			f = f[3:]
		default:
			return nil, false
		}
		i = bytes.IndexByte(f, '\\')
	}
	s.scratch = append(s.scratch, f...)
	return s.scratch[begin:len(s.scratch):len(s.scratch)], true
}

// hexDigit returns the value of a lower-case hex digit, 16 for other bytes.
func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 16
}

// lastRowEnd returns the length of the whole rows at the start of text: up
// to the last line end that is not inside quotes.
func lastRowEnd(text []byte) int {
	if bytes.IndexByte(text, '"') < 0 {
		return bytes.LastIndexByte(text, '\n') + 1
	}
	end, p := 0, 0
	for p < len(text) {
		n := rowLength(text[p:])
		if n == 0 {
			break
		}
		p += n
		end = p
	}
	return end
}

// rowLength returns the length of the first row or comment with its line
// end, 0 if text ends before that.
func rowLength(text []byte) int {
	comment := text[0] == '#'
	for p := 0; p < len(text); {
		if text[p] == '"' && !comment {
			n := quotedLength(text[p:])
			if n == 0 {
				return 0
			}
			p += n
		}
		p += fieldLength(text[p:]) + 1
		if p <= len(text) && text[p-1] == '\n' {
			return p
		}
	}
	return 0
}

// quotedLength returns the length of the quoted text with its quotes, 0 if
// it does not end.
func quotedLength(b []byte) int {
	for p := 1; p < len(b); {
		i := bytes.IndexByte(b[p:], '"')
		if i < 0 {
			return 0
		}
		p += i + 1
		if p >= len(b) || b[p] != '"' {
			return p
		}
		p++
	}
	return 0
}
