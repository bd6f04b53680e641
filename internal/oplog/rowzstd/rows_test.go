package rowzstd

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// rowShape says what generated rows look like.
type rowShape struct {
	threads int
	ops     []string // one is drawn per row
	runOf   int      // rows in a row from one thread, 0 for a free mix
	gapNS   int64    // mean time between rows
	tookNS  int64    // mean duration
	sizes   []int
	errors  int // one row in so many fails with a text, 0 for none
	firstID int
}

func putShape() rowShape {
	return rowShape{threads: 1, ops: []string{"PUT"}, gapNS: 333, tookNS: 120, sizes: []int{10240}, firstID: 1234567}
}

func getShape() rowShape {
	s := putShape()
	s.ops = []string{"GET"}
	return s
}

func mixedShape() rowShape {
	return rowShape{
		threads: 16, ops: []string{"PUT", "GET", "GET", "STAT", "DELETE"}, gapNS: 50_000,
		tookNS: 800_000, sizes: []int{10240}, firstID: 1234567,
	}
}

// batchShape is the mix as a recorder writes it: a block of one worker at a
// time.
func batchShape() rowShape {
	s := mixedShape()
	s.runOf = 512
	return s
}

// rowSource makes rows of one shape.
type rowSource struct {
	shape  rowShape
	rng    *rand.Rand
	now    int64
	id     int
	thread int
	key    []int
}

func newRowSource(shape rowShape, seed uint64) *rowSource {
	return &rowSource{
		shape: shape, rng: rand.New(rand.NewPCG(seed, 1)), id: shape.firstID,
		key: make([]int, shape.threads), now: 104_123_456_789,
	}
}

// rows returns at least size bytes of whole rows.
func (g *rowSource) rows(size int) []byte {
	b := make([]byte, 0, size+512)
	for len(b) < size {
		b = g.appendRow(b)
	}
	return b
}

func (g *rowSource) appendRow(b []byte) []byte {
	s := &g.shape
	if n := g.id - s.firstID; s.runOf == 0 {
		g.thread = g.rng.IntN(s.threads)
	} else if n%s.runOf == 0 {
		g.thread = n / s.runOf % s.threads
	}
	op := s.ops[g.rng.IntN(len(s.ops))]
	g.now += s.gapNS*9/10 + g.rng.Int64N(s.gapNS/5+1)
	took := s.tookNS*3/4 + g.rng.Int64N(s.tookNS/2+1)
	failure := ""
	if s.errors > 0 && g.rng.IntN(s.errors) == 0 {
		failure = fmt.Sprintf("read tcp 10.0.0.%d: connection reset by peer", g.rng.IntN(256))
	}
	b = fmt.Appendf(b, "%d\t%d\t%s\tk3j9x2ab\t1\t%d\t\t%d/%d\t%s\t", g.id, g.thread, op,
		s.sizes[g.rng.IntN(len(s.sizes))], g.thread, 1234560+g.key[g.thread], failure)
	b = g.appendTimes(b, op, took)
	b = strconv.AppendInt(append(b, '\t'), took, 10)
	g.id++
	g.key[g.thread]++
	if failure != "" {
		return append(b, "\t1\t0\tmeasure\t0\t\t\t1\t\t\tnetwork\t\t\n"...)
	}
	return append(b, "\t0\t0\tmeasure\t0\t\t\t1\t\t\t\t\t\n"...)
}

func (g *rowSource) appendTimes(b []byte, op string, took int64) []byte {
	b = appendStamp(b, g.now)
	b = append(b, '\t')
	if op == "GET" {
		b = append(appendStamp(b, g.now+took*2/3), '\t')
		b = append(appendStamp(b, g.now+took*2/3), '\t')
	} else {
		b = append(b, "\t\t"...)
	}
	return appendStamp(b, g.now+took)
}

func appendStamp(b []byte, ns int64) []byte {
	at := time.Date(2026, 11, 21, 0, 30, 0, 0, time.UTC).Add(time.Duration(ns))
	return at.AppendFormat(b, "2006-01-02T15:04:05.000000000Z")
}
