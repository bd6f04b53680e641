package oplog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ScanOptions says how to scan.
type ScanOptions struct {
	// Workers is how many goroutines decode; at least 1.
	Workers int
	// Pieces, if above 0, ends the scan after so many pieces of the file. A
	// failed scan tells how many pieces were sound ([Summary.Pieces]), so
	// that a second one can visit exactly those.
	Pieces int
}

// A Summary is what a scan has learnt about the whole record.
type Summary struct {
	// Rows counts the rows in the sound pieces.
	Rows int64
	// Pieces counts the sound pieces before the first error.
	Pieces int
	// End is the end line, nil if the scan did not meet one.
	End *End
	// Torn tells that the file ends inside a frame; SkippedBytes of it were
	// left out.
	Torn         bool
	SkippedBytes int64
}

// Scan decodes the record and visits every row. It calls visitor once for
// each worker, before any row, and then uses each visitor in one goroutine.
// Which rows a visitor sees, and their order across visitors, is undefined.
//
// A row is visited only after the checksum of its frame has passed, except
// in frames above 8 MiB, which our writer does not produce. On error the
// visitors have seen the sound pieces and an undefined part of later ones.
func (f *File) Scan(ctx context.Context, o ScanOptions, visitor func(worker int) Visitor) (Summary, error) {
	src, err := f.source()
	if err != nil {
		return Summary{}, err
	}
	defer src.close()
	t := tally{limit: o.Pieces, pending: map[int]pieceResult{}}
	visitors := make([]Visitor, max(1, o.Workers))
	for i := range visitors {
		visitors[i] = visitor(i)
	}
	var wg sync.WaitGroup
	for _, v := range visitors {
		wg.Go(func() { f.scanPieces(ctx, src, &t, v) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return t.sum, fmt.Errorf("read record %s: %w", f.Path, err)
	}
	t.sum.Torn, t.sum.SkippedBytes = src.torn()
	return t.sum, f.conclude(&t, o)
}

func (f *File) source() (source, error) {
	if f.layout.framed {
		return newFrameSource(f), nil
	}
	return newStreamSource(f)
}

// scanPieces fetches and scans pieces until there are no more.
func (f *File) scanPieces(ctx context.Context, src source, t *tally, v Visitor) {
	frames, err := newFrameDecoder()
	if err != nil {
		t.add(0, pieceResult{unitResult: unitResult{err: err}})
		return
	}
	defer frames.close()
	b := pieceBuffer{frames: frames}
	s := scanner{
		order: f.layout.order, header: f.layout.header, native: f.layout.native,
		escaped: !f.Foreign, epoch: f.Epoch(),
	}
	for ctx.Err() == nil && !t.stopped() {
		p, err := src.next(&b)
		if errors.Is(err, io.EOF) {
			return
		}
		if t.beyond(p.number) {
			return
		}
		res := pieceResult{frame: p.frame, offset: p.offset}
		if err != nil {
			res.err, res.decode = err, true
		} else {
			res.unitResult = s.scan(p.text, p.number == 0, v)
		}
		t.add(p.number, res)
	}
}

// pieceResult is what became of one piece.
type pieceResult struct {
	unitResult
	decode bool // err is about the frame, not its text
	frame  int
	offset int64
}

// A tally sums up pieces in file order, in whatever order they are finished.
type tally struct {
	limit int

	mu      sync.Mutex
	pending map[int]pieceResult
	sum     Summary
	failed  *pieceResult
	stop    bool
}

func (t *tally) beyond(number int) bool { return t.limit > 0 && number >= t.limit }

func (t *tally) stopped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stop
}

func (t *tally) add(number int, res pieceResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if res.err != nil {
		t.stop = true
	}
	t.pending[number] = res
	for t.failed == nil {
		next, ok := t.pending[t.sum.Pieces]
		if !ok {
			return
		}
		delete(t.pending, t.sum.Pieces)
		t.commit(&next)
	}
}

// commit takes the next piece in file order.
func (t *tally) commit(p *pieceResult) {
	var none *noFrameError
	if t.sum.End != nil && errors.As(p.err, &none) {
		return // what follows the end line is no data
	}
	if p.err == nil {
		p.err = t.misplaced(p)
	}
	if p.err != nil {
		t.failed, t.stop = p, true
		return
	}
	t.sum.Pieces++
	t.sum.Rows += p.rows
	if p.end != nil {
		t.sum.End = p.end
	}
}

// misplaced tells what is wrong with the place of a sound piece.
func (t *tally) misplaced(p *pieceResult) error {
	switch {
	case p.rows > 0 && t.sum.End != nil:
		return &SyntaxError{Row: 1, Msg: "it follows the end line"}
	case p.end != nil && t.sum.End != nil:
		return &SyntaxError{Row: 1, Msg: "a second end line precedes it"}
	case p.first >= 0 && p.first != t.sum.Rows:
		return &SyntaxError{Row: 1, Msg: fmt.Sprintf("its idx is %d where %d is due: rows are missing", p.first, t.sum.Rows)}
	}
	return nil
}

// conclude turns the first failure into an error about the file, and checks
// what only the whole file shows.
func (f *File) conclude(t *tally, o ScanOptions) error {
	if t.failed == nil {
		end := t.sum.End
		switch {
		case o.Pieces > 0:
		case end != nil && end.Rows != t.sum.Rows:
			return f.syntax("its end line counts %d rows, it holds %d", end.Rows, t.sum.Rows)
		case end == nil && f.End != nil:
			return f.syntax("its end line is there, but not what precedes it")
		}
		return nil
	}
	var syntax *SyntaxError
	switch {
	case errors.As(t.failed.err, &syntax):
		syntax.File = f.Path
		syntax.Row += t.sum.Rows
		return syntax
	case t.failed.decode:
		return &CorruptError{
			File: f.Path, Frame: t.failed.frame, Offset: t.failed.offset,
			RowsBefore: t.sum.Rows, Err: t.failed.err,
		}
	}
	return fmt.Errorf("read record %s: %w", f.Path, t.failed.err)
}
