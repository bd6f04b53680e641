package analyze

import (
	"fmt"
	"strings"

	"bench/analyze/stat"
	"bench/internal/oplog"
)

// A groupKey names the rows that are summed up together.
type groupKey struct {
	name  string
	stage uint16
	phase oplog.Phase
	level uint8
}

// kind is what a histogram of a group holds.
type kind int

const (
	service kind = iota
	response
	firstByte
	failedService
	failedResponse
	numKinds
)

// counts are a group's exact sums.
type counts struct {
	rows, failed  int64
	moved         amount // by successful operations
	failedMoved   amount
	intended      int64 // rows with a planned start of their own
	oddFirstBytes int64 // first bytes outside the operation
	classes       map[string]*classCount
}

// classCount counts the failed rows of one class. The example is the text of
// the earliest.
type classCount struct {
	rows    int64
	start   int64
	example string
}

// maxClasses bounds the classes of a group; a record has a dozen.
const maxClasses = 64

// otherClass is the class of errors without one.
const otherClass = "other"

// fail counts a failed row that began at start.
func (c *counts) fail(class, text string, start int64) {
	c.failed++
	if class == "" {
		class = otherClass
	}
	c.class(class).add(classCount{rows: 1, start: start, example: text})
}

func (c *counts) class(name string) *classCount {
	if c.classes == nil {
		c.classes = map[string]*classCount{}
	}
	got := c.classes[name]
	if got == nil && len(c.classes) >= maxClasses {
		name = otherClass
		got = c.classes[name]
	}
	if got == nil {
		got = new(classCount)
		c.classes[strings.Clone(name)] = got
	}
	return got
}

func (c *classCount) add(o classCount) {
	if c.rows == 0 || o.start < c.start || o.start == c.start && o.example < c.example {
		c.start, c.example = o.start, strings.Clone(o.example)
	}
	c.rows += o.rows
}

// merge adds o. It reports an overflow.
func (c *counts) merge(o *counts) error {
	c.rows += o.rows
	c.failed += o.failed
	c.intended += o.intended
	c.oddFirstBytes += o.oddFirstBytes
	for name, n := range o.classes {
		c.class(name).add(*n)
	}
	if !c.moved.add(o.moved) || !c.failedMoved.add(o.failedMoved) {
		return errOverflow
	}
	return nil
}

var errOverflow = fmt.Errorf("bytes or objects add up to more than 2^63")

// add adds b and reports whether the sums still fit.
func (a *amount) add(b amount) bool {
	a.objects += b.objects
	a.bytes += b.bytes
	return a.objects >= 0 && a.bytes >= 0
}

// A group sums up rows for one goroutine.
type group struct {
	key groupKey
	counts
	dense  [numKinds]*stat.Histogram
	spread *spreader
}

// totals is what became of a group in all goroutines.
type totals struct {
	counts
	dists [numKinds]*stat.Distribution
}

// absorb adds what a goroutine's group holds and leaves it empty.
func (t *totals) absorb(g *group) error {
	for k, h := range g.dense {
		if h == nil || h.Count() == 0 {
			continue
		}
		if t.dists[k] == nil {
			t.dists[k] = stat.NewDistribution()
		}
		t.dists[k].Add(h)
	}
	err := t.merge(&g.counts)
	g.counts = counts{}
	return err
}

// mergeAll adds o, which holds other rows.
func (t *totals) mergeAll(o *totals) error {
	for k, d := range o.dists {
		if d == nil {
			continue
		}
		if t.dists[k] == nil {
			t.dists[k] = stat.NewDistribution()
		}
		t.dists[k].Merge(d)
	}
	return t.merge(&o.counts)
}
