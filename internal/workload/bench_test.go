package workload_test

import (
	"io"
	"runtime"
	"syscall"
	"testing"
	"time"

	"bench/backends"
	"bench/internal/clock"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/record"
	"bench/internal/workload"
)

// null is a sink that keeps nothing.
type null struct{}

func (null) Row(*oplog.Op) error        { return nil }
func (null) Sample(*oplog.Sample) error { return nil }
func (null) Flush() error               { return nil }
func (null) Pending() bool              { return false }
func (null) Safe() int64                { return 0 }
func (null) Finish(*oplog.End) error    { return nil }

// processCPU is what the process has used so far.
func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// hotPath runs put, get and del over dummy:// with two workers, b.N objects
// each, as a run of these modes does, and reports the process's CPU time and
// the allocations per operation.
func hotPath(b *testing.B, sink record.Sink) {
	tr := newTrial(config{store: open(b, ""), sizes: population.Fixed(4096), workers: 2, prefixes: 2, seed: 1})
	rec := record.New(clock.New(), sink, nil, tr.Workers)
	env := engine.Env{
		Clock: clock.New(), LastStretch: clock.Stretch,
		Recorder: func(i int) engine.Recorder { return rec.Shard(i) },
		Classify: func(err error) string { return string(backends.Classify(err)) },
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu := processCPU(b)
	b.ResetTimer()
	for i, make := range []func() workload.Workload{
		func() workload.Workload { return workload.NewPut(&tr.Env, int64(b.N)) },
		func() workload.Workload { return workload.NewGet(&tr.Env, workload.Ranges{}, true) },
		func() workload.Workload { return workload.NewDelete(&tr.Env, 1) },
	} {
		load := engine.Load{
			Stage: i, Phase: oplog.PhaseMeasure, Workers: tr.Workers, NewWorker: make().Worker,
			MaxErrors: -1, MaxErrorRate: 0.01, Timeout: time.Minute, Grace: time.Second,
		}
		if out := engine.Run(b.Context(), b.Context(), load, env); out.Tried != int64(b.N) || out.Failed != 0 {
			b.Fatalf("stage %d of %d objects: %+v", i, b.N, out)
		}
	}
	b.StopTimer()
	cpu = processCPU(b) - cpu
	runtime.ReadMemStats(&after)
	if err := rec.Close(&oplog.End{}); err != nil {
		b.Fatal(err)
	}
	done := float64(3 * b.N)
	b.ReportMetric(float64(cpu)/done, "cpu-ns/op")
	b.ReportMetric(float64(b.Elapsed())/done, "ns/op")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/done, "allocs/op")
	b.ReportMetric(float64(rec.Stall())/done, "stall-ns/op")
}

// BenchmarkHotPathNull shows what the loop, the workloads and the rings cost.
func BenchmarkHotPathNull(b *testing.B) { hotPath(b, null{}) }

// BenchmarkHotPathRecord adds the encoding of every row.
func BenchmarkHotPathRecord(b *testing.B) {
	w, err := oplog.NewWriter(io.Discard, &oplog.Meta{Schema: oplog.SchemaVersion, Epoch: time.Now(), ClientID: "k3j9x2ab"})
	if err != nil {
		b.Fatal(err)
	}
	hotPath(b, w)
}

// TestHotPathAllocatesNothing guards what the benchmarks report: per
// operation nothing is allocated but a slab of keys now and then.
func TestHotPathAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a benchmark")
	}
	r := testing.Benchmark(func(b *testing.B) {
		b.N = 20_000
		hotPath(b, null{})
	})
	if got := r.Extra["allocs/op"]; got > 0.05 {
		t.Errorf("got %.3f allocations per operation, want none", got)
	}
}
