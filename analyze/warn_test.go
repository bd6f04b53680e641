package analyze_test

import (
	"slices"
	"strings"
	"testing"

	"bench/analyze"
	"bench/analyze/internal/synth"
	"bench/internal/oplog"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	check := func(want string, change func(r *synth.Record)) {
		t.Helper()
		r := synth.Put(1)
		change(r)
		a := load(t, encode(t, r), analyze.Options{})
		var all []string
		all = append(all, a.Warnings...)
		for i := range a.Stages {
			all = append(all, a.Stages[i].Warnings...)
		}
		if text := strings.Join(all, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("warnings are %q, want %q", text, want)
		}
	}
	phase := func(r *synth.Record) *oplog.PhaseEnd { return &r.End.Stages[0].Phases[0] }
	check("too few samples", func(*synth.Record) {})
	check("interrupted", func(r *synth.Record) { r.End.Reason = oplog.ReasonInterrupted })
	check("too many operations failed", func(r *synth.Record) { r.End.Reason = oplog.ReasonErrors })
	check("disk was full", func(r *synth.Record) { r.End.Reason = oplog.ReasonDiskFull })
	check("3 operations were still running", func(r *synth.Record) { r.End.Abandoned = 3 })
	check("recorder", func(r *synth.Record) { r.End.StallNS = 1e9 })
	check("client-bound", func(r *synth.Record) { phase(r).UserNS = 2 * 3e9 })
	check("disagrees with its rows about PUT", func(r *synth.Record) { phase(r).Ops[0].Rows++ })
	check("disagrees with its rows about GET", func(r *synth.Record) {
		phase(r).Ops = append(phase(r).Ops, oplog.OpCount{Op: "GET", Rows: 1})
	})
	check("started 100 of 200 operations late", func(r *synth.Record) {
		phase(r).Pace = &oplog.PaceEnd{Planned: 200, LateClient: 100}
	})
	check("throughput is over the whole phase", func(r *synth.Record) {
		r.Ops = r.Ops[:5]
		r.Conclude(oplog.ReasonDone)
	})
	check("took no time", func(r *synth.Record) {
		r.Ops = r.Ops[:1]
		r.Ops[0].End = r.Ops[0].Start
		r.Conclude(oplog.ReasonDone)
	})
	check("no operation was measured", func(r *synth.Record) {
		for i := range r.Ops {
			r.Ops[i].Phase = oplog.PhasePrepare
		}
		r.Conclude(oplog.ReasonDone)
	})
	check("1 rows of PUT have a first byte", func(r *synth.Record) { r.Ops[0].FirstByte = r.Ops[0].End + 1 })
	check("every PUT failed", func(r *synth.Record) {
		for i := range r.Ops {
			r.Ops[i].Error, r.Ops[i].Failed = "no", 1
		}
		r.Conclude(oplog.ReasonDone)
	})
}

// TestLargeThreads counts workers whatever their numbers.
func TestLargeThreads(t *testing.T) {
	t.Parallel()
	r := synth.Put(2)
	want := load(t, encode(t, r), analyze.Options{}).Stages[0]
	for i := range r.Ops {
		r.Ops[i].Thread = r.Ops[i].Thread*1_000_000_000 + 4095
	}
	got := load(t, encode(t, r), analyze.Options{}).Stages[0]
	if got.Workers != want.Workers || got.Workers != 4 || got.Window != want.Window {
		t.Errorf("%d workers and window %v, want %d and %v", got.Workers, got.Window, want.Workers, want.Window)
	}
}

// TestTooManyWorkers bounds what a hostile record can cost.
func TestTooManyWorkers(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("thread\top\tclient_id\tstart\tend\n")
	for i := range 70_000 {
		b.WriteString("4000\tGET\t" + strings.Repeat("c", i%40) + string(rune(0x4e00+i/40)) + "\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\n")
	}
	_, err := analyze.Load(t.Context(), []string{save(t, compress(t, []byte(b.String())))}, analyze.Options{})
	if err == nil || !strings.Contains(err.Error(), "workers") {
		t.Errorf("error is %v", err)
	}
}

// TestManyHistograms has more kinds of rows than a goroutine keeps
// histograms for.
func TestManyHistograms(t *testing.T) {
	t.Parallel()
	r := synth.Mixed(3)
	slices.SortFunc(r.Ops, func(a, b oplog.Op) int { return int(a.Start - b.Start) })
	for i := range r.Ops {
		r.Ops[i].Stage = uint16(i % 40)
	}
	r.Conclude(oplog.ReasonDone)
	a := load(t, encode(t, r), analyze.Options{Parallel: 1})
	b := load(t, encode(t, r), analyze.Options{Parallel: 7})
	if show(t, a) != show(t, b) {
		t.Error("the number of goroutines changes the result")
	}
	n := int64(0)
	for i := range a.Stages {
		for j := range a.Stages[i].Ops {
			if s := a.Stages[i].Ops[j].Service; s != nil {
				n += s.Count
			}
			n += a.Stages[i].Ops[j].Failed
		}
	}
	want := int64(0)
	for i := range r.Ops {
		if r.Ops[i].Phase == oplog.PhaseMeasure && r.Ops[i].Level == 0 {
			want++
		}
	}
	if n != want {
		t.Errorf("histograms hold %d operations, want %d", n, want)
	}
}
