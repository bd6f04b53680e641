package oplog

import (
	"errors"
	"fmt"
)

// ErrNotRecord tells that a file is no record of operations at all: no zstd
// file, an empty one, or one without a header row.
var ErrNotRecord = errors.New("not a record")

// A SyntaxError tells where a record's text breaks its own rules.
type SyntaxError struct {
	File string
	// Row is the number of the offending row, from 1; 0 for the lines before
	// the first row.
	Row int64
	Msg string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.Row == 0 {
		return fmt.Sprintf("read record %s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("read record %s: row %d: %s", e.File, e.Row, e.Msg)
}

// A CorruptError tells which frame of a record is damaged. What precedes it
// is sound.
type CorruptError struct {
	File string
	// Frame counts the zstd frames from 1; Offset is where it begins.
	Frame  int
	Offset int64
	// RowsBefore counts the rows in the frames before it.
	RowsBefore int64
	Err        error
}

// Error implements error.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("read record %s: frame %d at byte %d is damaged (%d rows before it are sound): %v",
		e.File, e.Frame, e.Offset, e.RowsBefore, e.Err)
}

// Unwrap returns what the decoder said.
func (e *CorruptError) Unwrap() error { return e.Err }
