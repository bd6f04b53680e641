package analyze

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"bench/internal/oplog"
)

// ErrNoOperations tells that a record holds no row.
var ErrNoOperations = errors.New("it holds no operations")

// Load analyzes the records at paths as one run: their operations are summed
// up as if one client had performed them.
//
// A damaged record gives both a result, from the sound part before the
// damage, and an error that wraps [*oplog.CorruptError] or
// [*oplog.SyntaxError]. An incomplete record is no error.
func Load(ctx context.Context, paths []string, o Options) (*Analysis, error) {
	set, err := o.check()
	if err != nil {
		return nil, err
	}
	l := loader{ctx: ctx, settings: set}
	defer l.close()
	for _, path := range paths {
		f, err := oplog.Open(path)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, f)
	}
	if len(l.files) == 0 {
		return nil, errors.New("analyze: no record given")
	}
	return l.load()
}

// A loader analyzes opened records.
type loader struct {
	settings
	ctx   context.Context //nolint:containedctx // lives for one call of Load
	files []*oplog.File

	ledger  *ledger
	scans   []scanned
	windows map[uint16]bounds
	series  *seriesSet
}

// scanned is what the first pass over a file told.
type scanned struct {
	oplog.Summary
	samples []oplog.Sample
	err     error // why only the sound pieces count
}

func (l *loader) close() {
	for _, f := range l.files {
		// Note: nothing was written, so closing cannot lose anything.
		_ = f.Close()
	}
}

func (l *loader) load() (*Analysis, error) {
	rate := l.rate()
	told := hints(l.files)
	if told != nil {
		l.series = newSeriesSet(windowsOf(told, rate), l.segment)
	}
	if err := l.collect(); err != nil {
		return nil, err
	}
	l.windows = windowsOf(l.ledger.stages, rate)
	// Note: the rows are the truth. The end lines only save the second pass.
	if told == nil || !sameMoments(told, l.ledger.stages) || l.damaged() {
		if err := l.spread(); err != nil {
			return nil, err
		}
	}
	a := l.build()
	return a, l.err(a)
}

func (l *loader) err(a *Analysis) error {
	var all []error
	for _, s := range l.scans {
		all = append(all, s.err)
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	if a.Rows == 0 {
		return fmt.Errorf("analyze %s: %w", l.files[0].Path, ErrNoOperations)
	}
	return nil
}

func (l *loader) rate() bool {
	for _, f := range l.files {
		if f.Meta.Load == oplog.LoadRate {
			return true
		}
	}
	return false
}

func (l *loader) damaged() bool {
	for _, s := range l.scans {
		if s.err != nil {
			return true
		}
	}
	return false
}

func sameMoments(a, b map[uint16]moments) bool {
	if len(a) != len(b) {
		return false
	}
	for k, m := range a {
		if b[k] != m {
			return false
		}
	}
	return true
}

// collect is the first pass: everything, and segments if the windows are
// known.
func (l *loader) collect() error {
	l.ledger = newLedger()
	for i, f := range l.files {
		ledger, s, err := l.collectFile(i, f)
		if err != nil {
			return err
		}
		ledger.settle()
		s.samples = ledger.samples
		l.scans = append(l.scans, s)
		if err := l.ledger.merge(ledger); err != nil {
			return fmt.Errorf("analyze %s: %w", f.Path, err)
		}
	}
	return nil
}

// collectFile scans one record. If it is damaged, only the sound pieces
// before the damage are scanned again and counted.
func (l *loader) collectFile(i int, f *oplog.File) (*ledger, scanned, error) {
	led := newLedger()
	sum, err := l.scan(i, f, led, 0)
	if err == nil || !damage(err) {
		return led, scanned{Summary: sum}, err
	}
	led = newLedger()
	if sum.Pieces > 0 {
		again, err := l.scan(i, f, led, sum.Pieces)
		if err != nil {
			return led, scanned{Summary: again}, err
		}
	}
	return led, scanned{Summary: sum, err: err}, nil
}

// damage reports whether err is about the record's content.
func damage(err error) bool {
	var corrupt *oplog.CorruptError
	var syntax *oplog.SyntaxError
	return errors.As(err, &corrupt) || errors.As(err, &syntax)
}

// spread is the second pass: segments only.
func (l *loader) spread() error {
	l.series = newSeriesSet(l.windows, l.segment)
	for i, f := range l.files {
		pieces := 0
		if s := &l.scans[i]; s.err != nil {
			if pieces = s.Pieces; pieces == 0 {
				continue
			}
		}
		if _, err := l.scan(i, f, nil, pieces); err != nil {
			return err
		}
	}
	return nil
}

// scan visits a record's rows with one collector per goroutine.
func (l *loader) scan(i int, f *oplog.File, led *ledger, pieces int) (oplog.Summary, error) {
	var collectors []*collector
	sum, err := f.Scan(l.ctx, oplog.ScanOptions{Workers: l.parallel, Pieces: pieces}, func(int) oplog.Visitor {
		c := newCollector(i, f, led, l.series)
		collectors = append(collectors, c)
		return c
	})
	if err != nil {
		return sum, err
	}
	for _, c := range collectors {
		if err := c.finish(); err != nil {
			return sum, fmt.Errorf("analyze %s: %w", f.Path, err)
		}
	}
	return sum, nil
}

// build turns the sums into the result.
func (l *loader) build() *Analysis {
	a := &Analysis{Segment: l.segmentLength(), Run: l.run()}
	for i, f := range l.files {
		s := &l.scans[i]
		r := Record{
			Name: filepath.Base(f.Path), Foreign: f.Foreign, Rows: s.Rows, Err: s.err,
			Complete:     s.err == nil && !s.Torn && (s.End != nil || f.Foreign),
			SkippedBytes: s.SkippedBytes,
		}
		if s.End != nil {
			r.Reason = s.End.Reason
		}
		a.Rows += s.Rows
		a.Records = append(a.Records, r)
	}
	if l.ledger.begin <= l.ledger.end {
		a.Run.Begin, a.Run.End = utc(l.ledger.begin), utc(l.ledger.end)
	}
	for _, index := range l.stageIndexes() {
		a.Stages = append(a.Stages, l.stage(index))
	}
	a.Warnings = l.warnings(a)
	return a
}

// stageIndexes lists the stages that have rows or an end.
func (l *loader) stageIndexes() []uint16 {
	seen := map[uint16]bool{}
	for k := range l.ledger.groups {
		seen[k.stage] = true
	}
	for i := range l.scans {
		if end := l.scans[i].End; end != nil {
			for _, s := range end.Stages {
				if s.Index >= 0 && s.Index <= math.MaxUint16 {
					seen[uint16(s.Index)] = true
				}
			}
		}
	}
	return sortedKeys(seen)
}
