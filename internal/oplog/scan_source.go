package oplog

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A piece is a part of the record's text that begins and ends with whole
// lines: a frame, or a chunk of the text of all frames.
type piece struct {
	number int // from 0
	text   []byte
	frame  int // where it comes from, for messages
	offset int64
}

// A source hands out the pieces of a record in order. Several goroutines
// call next; each passes its own buffers. At the end next returns [io.EOF].
// A returned error is about the piece, whose number is set.
type source interface {
	next(b *pieceBuffer) (piece, error)
	// torn tells that the file ends inside a frame and how many of its bytes
	// were left out. It holds once next has returned [io.EOF].
	torn() (bool, int64)
	close()
}

// pieceBuffer is what one goroutine needs to fetch pieces.
type pieceBuffer struct {
	frames *frameDecoder
	text   []byte
}

// A frameSource hands out frames. Only finding them is serial.
type frameSource struct {
	file *File

	mu     sync.Mutex
	walker frameWalker
	number int
	ended  bool
	lost   int64
}

func newFrameSource(f *File) *frameSource {
	return &frameSource{file: f, walker: frameWalker{src: f.src, size: f.Size}}
}

func (s *frameSource) next(b *pieceBuffer) (piece, error) {
	f, number, err := s.find()
	if err != nil {
		return piece{number: number, frame: f.number, offset: f.offset}, err
	}
	text, err := b.frames.decode(s.file.src, &f)
	if err == nil && (len(text) == 0 || text[len(text)-1] != '\n') {
		err = errors.New("it does not end with a whole line")
	}
	s.file.read.Add(f.size)
	return piece{number: number, text: text, frame: f.number, offset: f.offset}, err
}

// find returns the next frame with data. A torn frame ends the record.
func (s *frameSource) find() (frame, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended {
		f, err := s.walker.next()
		if err == nil && f.skippable {
			continue
		}
		s.ended = err != nil
		if errors.Is(err, errTorn) {
			if !f.skippable {
				s.lost = f.size
			}
			return f, s.number, io.EOF
		}
		if err != nil {
			err = &noFrameError{err: err}
		}
		s.number++
		return f, s.number - 1, err
	}
	return frame{}, 0, io.EOF
}

// noFrameError tells that what follows is no frame at all.
type noFrameError struct{ err error }

// Error implements error.
func (e *noFrameError) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e *noFrameError) Unwrap() error { return e.err }

func (s *frameSource) torn() (bool, int64) { return s.lost > 0, s.lost }

func (s *frameSource) close() {}

// chunkSize is the text of one chunk, a little more where a row goes on.
const chunkSize = 1 << 20

// A streamSource hands out chunks of the text of all frames, whatever their
// size and wherever they cut it. Decoding is serial.
type streamSource struct {
	file *File

	mu     sync.Mutex
	walker frameWalker
	stream *zstd.Decoder
	whole  *frameDecoder
	cur    io.Reader // text of the current frame, nil between frames
	frame  frame
	isTorn bool
	carry  []byte
	number int
	err    error
}

func newStreamSource(f *File) (*streamSource, error) {
	stream, err := newDecoder(2 * maxWindow)
	if err != nil {
		return nil, err
	}
	whole, err := newFrameDecoder()
	if err != nil {
		return nil, err
	}
	return &streamSource{
		file: f, stream: stream, whole: whole,
		walker: frameWalker{src: f.src, size: f.Size},
	}, nil
}

// Read implements [io.Reader] over the text of all frames.
func (s *streamSource) Read(p []byte) (int, error) {
	for {
		if s.cur == nil {
			if err := s.open(); err != nil {
				return 0, err
			}
		}
		n, err := s.cur.Read(p)
		if err == nil {
			return n, nil
		}
		s.cur = nil
		s.file.read.Add(s.frame.size)
		switch {
		case s.isTorn:
			return n, io.EOF
		case !errors.Is(err, io.EOF):
			return n, err
		case n > 0:
			return n, nil
		}
	}
}

// open begins the next frame with data.
func (s *streamSource) open() error {
	if s.isTorn {
		return io.EOF
	}
	f, err := s.walker.next()
	for err == nil && f.skippable {
		f, err = s.walker.next()
	}
	if errors.Is(err, io.EOF) {
		return err
	}
	s.frame = f
	s.isTorn = errors.Is(err, errTorn)
	if err != nil && !s.isTorn {
		return err
	}
	if !s.isTorn && f.small() {
		text, err := s.whole.decode(s.file.src, &f)
		s.cur = bytes.NewReader(text)
		return err
	}
	if err := s.stream.Reset(io.NewSectionReader(s.file.src, f.offset, f.size)); err != nil && !s.isTorn {
		return err
	}
	s.cur = s.stream
	return nil
}

func (s *streamSource) next(b *pieceBuffer) (piece, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return piece{number: s.number}, io.EOF
	}
	text, err := s.fill(b.text[:0])
	b.text = text
	p := piece{number: s.number, text: text, frame: s.frame.number, offset: s.frame.offset}
	if s.err = err; err == nil {
		s.number++
	}
	return p, err
}

// fill appends whole rows to text, about chunkSize of them.
func (s *streamSource) fill(text []byte) ([]byte, error) {
	text = append(text, s.carry...)
	s.carry = s.carry[:0]
	for {
		text = slices.Grow(text, chunkSize)
		n, err := io.ReadFull(s, text[len(text):len(text)+chunkSize])
		text = text[:len(text)+n]
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return s.rest(text)
		case err != nil:
			return text, err
		}
		if end := s.cut(text); end > 0 {
			s.carry = append(s.carry, text[end:]...)
			return text[:end], nil
		}
		if len(text) > maxLine {
			return text, &SyntaxError{Row: 1, Msg: "line is longer than 1 MiB"}
		}
	}
}

// cut returns how much of text is whole rows.
func (s *streamSource) cut(text []byte) int {
	if !s.file.Foreign {
		return bytes.LastIndexByte(text, '\n') + 1
	}
	return lastRowEnd(text)
}

// rest is the last chunk. A file cut short loses the row it was cut in.
func (s *streamSource) rest(text []byte) ([]byte, error) {
	if s.isTorn {
		text = text[:s.cut(text)]
	}
	if len(text) == 0 {
		return text, io.EOF
	}
	return text, nil
}

func (s *streamSource) torn() (bool, int64) { return s.isTorn, 0 }

func (s *streamSource) close() {
	s.stream.Close()
	s.whole.close()
}
