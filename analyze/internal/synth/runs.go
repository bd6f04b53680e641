package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"bench/internal/oplog"
)

// meta returns the metadata of a simulated run.
func meta(command string, workers int, modes ...string) oplog.Meta {
	m := oplog.Meta{
		Schema: oplog.SchemaVersion, Version: "v0.1.0", RunID: "4jx2mq7r5tkn3vwd6bha2yzsce", ClientID: "k3j9x2ab",
		Seed: "7", Command: command, Target: "s3://photos/tests", KeyPrefix: "bench-4jx2mq7r5tkn3vwd6bha2yzsce/",
		Load: "closed", Workers: workers, Options: map[string]string{"duration": "5s"},
		Labels: map[string]string{"site": "north"}, Effective: map[string]string{"http": "1.1"},
		Epoch: Epoch(), Host: "loader-1", OS: "linux", Arch: "amd64", Go: "go1.26", CPUs: 2,
	}
	for i, mode := range modes {
		m.Stages = append(m.Stages, oplog.StageMeta{Index: i, Mode: mode, Size: "1048576"})
	}
	return m
}

// A loop simulates workers that each do one operation after the other.
type loop struct {
	rng   *rand.Rand
	rec   *Record
	begin time.Duration
	until time.Duration
	ops   int // stop after that many, if above 0
	stage uint16
	phase oplog.Phase
	// make fills an operation whose start is set and returns its steps.
	make func(rng *rand.Rand, op *oplog.Op) []oplog.Op
}

// run appends the operations in the order they end and returns the end of
// the last.
func (l *loop) run(workers int) time.Duration {
	var ops []oplog.Op
	for thread := range workers {
		at := int64(l.begin) + int64(l.rng.IntN(1_000_000))
		for n := 0; at < int64(l.until) && (l.ops == 0 || n < l.ops); n++ {
			var op oplog.Op
			op.Reset()
			op.Thread, op.Stage, op.Phase, op.Start = uint32(thread), l.stage, l.phase, at
			op.Endpoint, op.Peer, op.Reused, op.Attempts, op.Status = "http://127.0.0.1:9000", "127.0.0.1:9000", oplog.Yes, 1, 200
			op.Key = fmt.Sprintf("%d/%d", thread, n)
			steps := l.make(l.rng, &op)
			ops = append(append(ops, steps...), op)
			at = op.End + int64(l.rng.IntN(20_000))
		}
	}
	slices.SortStableFunc(ops, func(a, b oplog.Op) int { return int(a.End - b.End) })
	l.rec.Ops = append(l.rec.Ops, ops...)
	last := int64(l.begin)
	for i := range ops {
		last = max(last, ops[i].End)
	}
	return time.Duration(last)
}

// took sets the operation's end.
func took(rng *rand.Rand, op *oplog.Op, least, mean time.Duration) {
	op.End = op.Start + int64(least) + int64(rng.ExpFloat64()*float64(mean))
}

func get(rng *rand.Rand, op *oplog.Op) []oplog.Op {
	op.Name, op.Bytes = oplog.OpGet, 1<<20
	took(rng, op, 4*time.Millisecond, 3*time.Millisecond)
	op.FirstByte, op.LastByte = op.Start+(op.End-op.Start)/4, op.End-1000
	return nil
}

func put(rng *rand.Rand, op *oplog.Op) []oplog.Op {
	op.Name, op.Bytes = oplog.OpPut, 1<<20
	took(rng, op, 8*time.Millisecond, 4*time.Millisecond)
	op.LastByte = op.End - 2000
	return nil
}

func fail(op *oplog.Op, class, text string, status uint16) {
	op.Bytes, op.Objects, op.Failed = 0, 0, 1
	op.Class, op.Error, op.Status, op.FirstByte, op.LastByte = class, text, status, oplog.None, oplog.None
}

// mixed fails now and then, with texts that try to do harm.
func mixed(rng *rand.Rand, op *oplog.Op) []oplog.Op {
	switch n := rng.IntN(100); {
	case n < 45:
		get(rng, op)
	case n < 75:
		op.Name, op.Objects = oplog.OpStat, 1
		took(rng, op, time.Millisecond, time.Millisecond)
	case n < 90:
		put(rng, op)
	default:
		return deleteBatch(rng, op)
	}
	switch rng.IntN(200) {
	case 0:
		fail(op, "server", "503 \x1b[31mSlow\tDown\x1b[0m \"please\"\n", 503)
	case 1:
		fail(op, "timeout", "# no answer within 60s", 0)
	}
	return nil
}

// deleteBatch deletes ten objects at once; some keys fail.
func deleteBatch(rng *rand.Rand, op *oplog.Op) []oplog.Op {
	op.Name, op.Objects = oplog.OpDelete, 10
	took(rng, op, 3*time.Millisecond, time.Millisecond)
	if rng.IntN(10) > 0 {
		return nil
	}
	failed := 1 + rng.IntN(3)
	op.Objects, op.Failed = int64(10-failed), int32(failed)
	op.Class, op.Error = "auth", "some keys were refused"
	var steps []oplog.Op
	for i := range failed {
		s := *op
		s.Name, s.Level, s.Objects, s.Failed = oplog.StepDeleteOne, 1, 0, 1
		s.Key, s.Error = fmt.Sprintf("%s\\%d", op.Key, i), "AccessDenied"
		steps = append(steps, s)
	}
	return steps
}

// Mixed is a mixed run with prepare and cleanup, failures and steps.
func Mixed(seed uint64) *Record {
	r := &Record{Meta: meta("mixed", 4, "mixed")}
	l := loop{rng: rand.New(rand.NewPCG(seed, 1)), rec: r}
	l.phase, l.make, l.until, l.ops = oplog.PhasePrepare, put, time.Hour, 12
	at := l.run(8)
	l.phase, l.make, l.begin, l.until, l.ops = oplog.PhaseMeasure, mixed, at, at+4500*time.Millisecond, 0
	at = l.run(4)
	l.phase, l.make, l.begin, l.until, l.ops = oplog.PhaseCleanup, deleteBatch, at, time.Hour, 3
	l.run(4)
	r.Conclude(oplog.ReasonDone)
	r.FrameRows = 400
	return r
}

// Put is a plain run of one type.
func Put(seed uint64) *Record {
	r := &Record{Meta: meta("put", 4, "put")}
	l := loop{rng: rand.New(rand.NewPCG(seed, 2)), rec: r, phase: oplog.PhaseMeasure, make: put, until: 3 * time.Second}
	l.run(4)
	r.Conclude(oplog.ReasonDone)
	return r
}

// Stages is a run of several modes over one population.
func Stages(seed uint64) *Record {
	r := &Record{Meta: meta("run", 4, "put", "get", "del"), FrameRows: 300}
	l := loop{rng: rand.New(rand.NewPCG(seed, 3)), rec: r, phase: oplog.PhaseMeasure}
	for i, f := range []func(*rand.Rand, *oplog.Op) []oplog.Op{put, get, deleteBatch} {
		l.stage, l.make, l.until = uint16(i), f, l.begin+1700*time.Millisecond
		l.begin = l.run(4) + 10*time.Millisecond
	}
	r.Conclude(oplog.ReasonInterrupted)
	r.End.Stages[1].Phases[0].UserNS = 4e9
	return r
}

// Rate is an open loop in which one long stall makes many operations late.
func Rate(seed uint64) *Record {
	r := &Record{Meta: meta("get", 4, "get"), FrameRows: 100}
	r.Meta.Load, r.Meta.Rate, r.Meta.Arrival = oplog.LoadRate, 200, "constant"
	rng := rand.New(rand.NewPCG(seed, 4))
	var free [4]int64
	for n := range int64(800) {
		intended := n * 5_000_000
		w := 0
		for i := range free {
			if free[i] < free[w] {
				w = i
			}
		}
		var op oplog.Op
		op.Reset()
		op.Thread, op.Phase, op.Start, op.Key = uint32(w), oplog.PhaseMeasure, max(intended, free[w]), fmt.Sprint(n)
		get(rng, &op)
		if n >= 300 && n < 304 {
			op.End += 1e9
		}
		if op.Start != intended {
			op.Intended = intended
		}
		free[w] = op.End
		r.Ops = append(r.Ops, op)
	}
	slices.SortStableFunc(r.Ops, func(a, b oplog.Op) int { return int(a.End - b.End) })
	r.Conclude(oplog.ReasonDone)
	r.End.Stages[0].Phases[0].Pace = &oplog.PaceEnd{Planned: 803, Unsent: 3, LateStore: 210, LateClient: 1, MaxBacklog: 205}
	r.End.StallNS = 100_000_000
	return r
}

// Torn is a run that was killed: it has no end line, but samples.
func Torn(seed uint64) *Record {
	r := Stages(seed)
	r.End = nil
	for i := range int64(5) {
		r.Samples = append(r.Samples, oplog.Sample{AtNS: i * 1e9, UserNS: i * 5e8, SystemNS: i * 1e8, InFlight: 4})
	}
	return r
}

// Failing is a run in which nothing succeeds.
func Failing(seed uint64) *Record {
	r := &Record{Meta: meta("stat", 2, "stat")}
	l := loop{
		rng: rand.New(rand.NewPCG(seed, 5)), rec: r, phase: oplog.PhaseMeasure, until: 300 * time.Millisecond,
		make: func(rng *rand.Rand, op *oplog.Op) []oplog.Op {
			op.Name = oplog.OpStat
			took(rng, op, time.Millisecond, time.Millisecond)
			fail(op, "network", "dial tcp 127.0.0.1:9000: connection refused", 0)
			return nil
		},
	}
	l.run(2)
	r.Conclude(oplog.ReasonErrors)
	return r
}

// Warp returns the text of a record as warp writes it: other columns, a local
// zone, quoted errors with line ends, comments at the end.
func Warp(seed uint64) string {
	var b strings.Builder
	b.WriteString("idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat\n")
	zone := time.FixedZone("", -8*3600)
	for i, op := range Put(seed).Ops {
		text := ""
		if i%100 == 7 {
			text = "\"Put \"\"x\"\": EOF\r\nagain\""
		}
		stamp := func(ns int64) string { return Epoch().Add(time.Duration(ns)).In(zone).Format(time.RFC3339Nano) }
		fmt.Fprintf(&b, "%d\t%d\tPUT\tabcd\t1\t%d\t\"http://127.0.0.1:9000\"\tx/%d.rnd\t%s\t%s\t\t\t%s\t%d\t0\n",
			i, 70000+op.Thread, op.Bytes, i, text, stamp(op.Start), stamp(op.End), op.End-op.Start)
	}
	b.WriteString("# put --duration 3s --access-key=*REDACTED*\n")
	return b.String()
}
