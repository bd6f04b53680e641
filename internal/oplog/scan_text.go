package oplog

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A scanner turns text into rows. It belongs to one goroutine and allocates
// nothing per row.
type scanner struct {
	order   []column // meaning of each field
	header  []byte   // the header row, line end excluded
	native  bool     // exactly the writer's columns
	escaped bool     // written by our writer: escapes are undone
	epoch   int64    // Unix nanoseconds that times count from

	row       Row
	stamps    stampParser
	times     timeParser
	names     interner
	clients   interner
	endpoints interner
	classes   interner
	peers     interner
	tails     [4]rowTail
	nextTail  int
	// What the row before had in fields that often repeat.
	lastName, lastClient, lastEndpoint string

	fields  [][]byte
	scratch []byte
}

// unitResult is what one piece of text held.
type unitResult struct {
	rows  int64
	first int64 // index of the first row, -1 where rows have none
	end   *End
	err   error // *SyntaxError with Row counted within the unit, or a visitor's
}

// scan visits the rows of text, which begins and ends with whole lines. In
// the first unit of a file everything up to the header row is skipped.
func (s *scanner) scan(text []byte, firstUnit bool, v Visitor) (res unitResult) {
	res.first = -1
	skipHeader := firstUnit
	for len(text) > 0 {
		var n int
		switch text[0] {
		case '#':
			n, res.err = s.comment(text, skipHeader, v, &res)
		case '\n':
			n = 1
		default:
			switch n = s.headerLine(text, skipHeader); {
			case n > 0:
				skipHeader = false
			case res.end != nil:
				res.err = s.fail(&res, "it follows the end line")
			default:
				n, res.err = s.visit(text, v, &res)
			}
		}
		if res.err != nil {
			return res
		}
		text = text[n:]
	}
	return res
}

// headerLine returns the length of the header row, 0 if text does not begin
// with it. It appears once, or where foreign files were joined.
func (s *scanner) headerLine(text []byte, expected bool) int {
	if !expected && s.escaped || !bytes.HasPrefix(text, s.header) {
		return 0
	}
	n := lineLength(text)
	if len(trimLine(text[:n])) != len(s.header) {
		return 0
	}
	return n
}

// visit reads one row and hands it over.
func (s *scanner) visit(text []byte, v Visitor, res *unitResult) (int, error) {
	var n int
	if s.native {
		n = s.fastRow(text)
	} else {
		n = s.plainRow(text)
	}
	if n == 0 {
		var msg string
		if n, msg = s.generalRow(text); msg != "" {
			return 0, s.fail(res, msg)
		}
		if n > 0 && len(s.fields) == 0 {
			return n, nil
		}
	}
	r := &s.row
	if msg := r.check(); msg != "" {
		return 0, s.fail(res, msg)
	}
	if s.escaped && r.Index != None {
		if res.rows == 0 {
			res.first = r.Index
		} else if r.Index != res.first+res.rows {
			return 0, s.fail(res, fmt.Sprintf("its idx is %d where %d is due", r.Index, res.first+res.rows))
		}
	}
	r.finish()
	res.rows++
	return n, v.Row(r)
}

func (s *scanner) fail(res *unitResult, msg string) error {
	return &SyntaxError{Row: res.rows + 1, Msg: msg}
}

// comment reads a line that begins with '#'. Foreign ones mean nothing.
func (s *scanner) comment(text []byte, head bool, v Visitor, res *unitResult) (int, error) {
	n := lineLength(text)
	line := trimLine(text[:n])
	if len(line) > maxLine {
		return 0, s.fail(res, "line is longer than 1 MiB")
	}
	switch {
	case !s.escaped:
		return n, nil
	case bytes.HasPrefix(line, []byte(sampleWord)):
		var sample Sample
		if err := json.Unmarshal(line[len(sampleWord):], &sample); err != nil {
			return 0, s.fail(res, "sample line before it: "+err.Error())
		}
		return n, v.Sample(&sample)
	case bytes.HasPrefix(line, []byte(endWord)):
		end, err := parseEnd(line)
		if err != nil {
			return 0, s.fail(res, err.Error())
		}
		res.end = end
	case bytes.HasPrefix(line, []byte(metaWord)) && !head:
		return 0, s.fail(res, "another record begins before it: join records with bench merge")
	}
	return n, nil
}

// parseEnd reads the end line at the start of text.
func parseEnd(text []byte) (*End, error) {
	line := trimLine(text[:lineLength(text)])
	if !bytes.HasPrefix(line, []byte(endWord)) {
		return nil, fmt.Errorf("read end line: it does not begin with %q", endWord)
	}
	end := new(End)
	if err := json.Unmarshal(line[len(endWord):], end); err != nil {
		return nil, fmt.Errorf("read end line: %w", err)
	}
	return end, nil
}

// lineLength returns the length of the first line, its newline included.
func lineLength(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// trimLine removes the line end.
func trimLine(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
