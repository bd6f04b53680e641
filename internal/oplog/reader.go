package oplog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A File is a record opened for reading. Its methods may be called by
// several goroutines at once, except Close.
type File struct {
	// Path is what Open was given.
	Path string
	// Size is the file's length in bytes.
	Size int64
	// Meta is the record's metadata, zero in foreign records.
	Meta Meta
	// Foreign tells that another program wrote the record, or that it lost
	// its metadata.
	Foreign bool
	// End is the record's last line if it could be found without reading the
	// whole record. A scan finds it in any case.
	End *End

	src    io.ReaderAt
	closer io.Closer
	layout layout
	read   atomic.Int64
}

// layout is how the record's text is to be read.
type layout struct {
	header []byte
	order  []column
	native bool
	// framed tells that every frame holds whole lines, so that frames can be
	// decoded independently. Else the frames are read as one text.
	framed bool
}

// LoadRate is the load of an open loop, see [Meta].
const LoadRate = "rate"

// maxHead bounds the text up to and including the header row.
const maxHead = 512 << 10

// Open opens the record at path and reads its head and, where possible, its
// end. A file that cannot be a record gives an error that wraps
// [ErrNotRecord]; a missing column gives a [*SyntaxError].
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open record: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open record %s: it is no regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := NewFile(path, file, info.Size())
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.closer = file
	return f, nil
}

// NewFile reads the head of the record of size bytes in src. The path only
// serves messages.
func NewFile(path string, src io.ReaderAt, size int64) (*File, error) {
	f := &File{Path: path, Size: size, src: src, Foreign: true}
	if size == 0 {
		return nil, f.notRecord("it is empty")
	}
	if err := f.readHead(); err != nil {
		return nil, err
	}
	if f.layout.framed {
		f.End = findEnd(src, size)
	}
	f.read.Store(0)
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Epoch is the moment the rows' times count from, in Unix nanoseconds. It is
// 0 in foreign records.
func (f *File) Epoch() int64 {
	if f.Foreign {
		return 0
	}
	return f.Meta.Epoch.UnixNano()
}

// Planned reports whether rows may have a planned start that differs from
// their start.
func (f *File) Planned() bool {
	if f.Foreign {
		return slices.Contains(f.layout.order, colIntended)
	}
	return f.Meta.Load == LoadRate
}

// Progress returns how many bytes of the file the scans so far have read.
func (f *File) Progress() int64 { return f.read.Load() }

func (f *File) notRecord(why string) error {
	return fmt.Errorf("open record %s: %s: %w", f.Path, why, ErrNotRecord)
}

func (f *File) syntax(format string, args ...any) error {
	return &SyntaxError{File: f.Path, Msg: fmt.Sprintf(format, args...)}
}

// readHead reads metadata and header row.
func (f *File) readHead() error {
	w := frameWalker{src: f.src, size: f.Size}
	first, err := w.next()
	if err != nil && !errors.Is(err, errTorn) {
		return f.notRecord("it does not begin with a zstd frame")
	}
	text, err := f.headText()
	if err != nil {
		return f.notRecord("its first frame cannot be decoded: " + err.Error())
	}
	n, err := f.parseHead(text)
	if err != nil {
		return err
	}
	f.layout.framed = !f.Foreign && !first.skippable && first.small() && n == f.firstFrameLength(&first)
	return nil
}

// headText decodes as much as a head may need. An error after some text is
// left to the scan.
func (f *File) headText() ([]byte, error) {
	s, err := newStreamSource(f)
	if err != nil {
		return nil, err
	}
	defer s.close()
	text := make([]byte, maxHead)
	n, err := io.ReadFull(s, text)
	if n == 0 && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return text[:n], nil
}

// firstFrameLength returns the length of the first frame's text, -1 if it
// cannot be decoded.
func (f *File) firstFrameLength(first *frame) int {
	d, err := newFrameDecoder()
	if err != nil {
		return -1
	}
	defer d.close()
	text, err := d.decode(f.src, first)
	if err != nil {
		return -1
	}
	return len(text)
}

// parseHead reads comments up to the header row and the header row itself.
// It returns the head's length.
func (f *File) parseHead(text []byte) (int, error) {
	n := 0
	for n < len(text) {
		whole := lineLength(text[n:])
		line := trimLine(text[n : n+whole])
		n += whole
		switch {
		case bytes.HasPrefix(line, []byte(metaWord)):
			if err := f.parseMeta(line[len(metaWord):]); err != nil {
				return 0, err
			}
		case len(line) > 0 && line[0] != '#':
			if n == len(text) && n == maxHead {
				return 0, f.notRecord("it has no header row")
			}
			return n, f.parseHeader(line)
		}
	}
	return 0, f.notRecord("it has no header row")
}

func (f *File) parseMeta(text []byte) error {
	if !f.Foreign {
		return f.syntax("it has two metadata lines")
	}
	if err := json.Unmarshal(text, &f.Meta); err != nil {
		return f.syntax("metadata line: %v", err)
	}
	if f.Meta.Schema > SchemaVersion {
		return f.syntax("it has schema version %d, this program reads up to %d", f.Meta.Schema, SchemaVersion)
	}
	if y := f.Meta.Epoch.Year(); y < minYear || y > maxYear {
		return f.syntax("metadata line: epoch %s is out of range", f.Meta.Epoch.Format(time.RFC3339))
	}
	f.Foreign = false
	return nil
}

// parseHeader maps the header's names to columns.
func (f *File) parseHeader(line []byte) error {
	var s scanner
	if _, msg := s.split(bytes.TrimPrefix(line, []byte("\ufeff"))); msg != "" {
		return f.syntax("header row: %s", msg)
	}
	l := layout{header: slices.Clone(line)}
	seen := map[column]bool{}
	for _, name := range s.fields {
		col := columnByName(string(name))
		if col != colOther && seen[col] {
			return f.syntax("header row: column %q appears twice", name)
		}
		seen[col] = true
		l.order = append(l.order, col)
	}
	if err := f.required(seen); err != nil {
		return err
	}
	l.native = !f.Foreign && string(line) == strings.Join(Columns(), "\t")
	f.layout = l
	return nil
}

func (f *File) required(seen map[column]bool) error {
	required := []column{colOp, colStart, colEnd}
	var missing []column
	for _, col := range required {
		if !seen[col] {
			missing = append(missing, col)
		}
	}
	switch {
	case len(missing) == len(required):
		return f.notRecord("its first row names none of the columns op, start, end")
	case len(missing) > 0:
		return f.syntax("header row: column %q is missing", columnName(missing[0]))
	}
	return nil
}
