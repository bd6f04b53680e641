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
func processCPU(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cost is what operations took, per operation.
type cost struct{ cpu, wall, allocs, stall float64 }

// hotPath runs put, get and del over dummy:// with two workers, n objects
// each, as a run of these modes does.
func hotPath(t testing.TB, sink record.Sink, n int) cost {
	t.Helper()
	tr := newTrial(config{store: open(t, ""), sizes: population.Fixed(4096), workers: 2, prefixes: 2, seed: 1, untracked: true})
	rec := record.New(clock.New(), sink, nil, tr.Workers)
	env := engine.Env{
		Clock: clock.New(), LastStretch: clock.Stretch,
		Recorder: func(i int) engine.Recorder { return rec.Shard(i) },
		Classify: func(err error) string { return string(backends.Classify(err)) },
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, began := processCPU(t), time.Now()
	for i, mode := range []func() workload.Workload{
		func() workload.Workload { return workload.NewPut(&tr.Env, int64(n)) },
		func() workload.Workload { return workload.NewGet(&tr.Env, workload.Ranges{}, true) },
		func() workload.Workload { return workload.NewDelete(&tr.Env, 1) },
	} {
		load := engine.Load{
			Stage: i, Phase: oplog.PhaseMeasure, Workers: tr.Workers, NewWorker: mode().Worker,
			MaxErrors: -1, MaxErrorRate: 0.01, Timeout: time.Minute, Grace: time.Second,
		}
		if out := engine.Run(t.Context(), t.Context(), load, env); out.Tried != int64(n) || out.Failed != 0 {
			t.Fatalf("stage %d of %d objects: %+v", i, n, out)
		}
	}
	cpu = processCPU(t) - cpu
	wall := time.Since(began)
	runtime.ReadMemStats(&after)
	if err := rec.Close(&oplog.End{}); err != nil {
		t.Fatal(err)
	}
	done := float64(3 * n)
	return cost{
		cpu: float64(cpu) / done, wall: float64(wall) / done,
		allocs: float64(after.Mallocs-before.Mallocs) / done, stall: float64(rec.Stall()) / done,
	}
}

func report(b *testing.B, c cost) {
	b.Helper()
	b.ReportAllocs()
	b.ReportMetric(c.cpu, "cpu-ns/op")
	b.ReportMetric(c.wall, "ns/op")
	b.ReportMetric(c.allocs, "allocs/op")
	b.ReportMetric(c.stall, "stall-ns/op")
}

// BenchmarkHotPathNull shows what the loop, the workloads and the rings cost.
func BenchmarkHotPathNull(b *testing.B) { report(b, hotPath(b, null{}, b.N)) }

// BenchmarkHotPathRecord adds the encoding of every row.
func BenchmarkHotPathRecord(b *testing.B) {
	w, err := oplog.NewWriter(io.Discard, &oplog.Meta{Schema: oplog.SchemaVersion, Epoch: time.Now(), ClientID: "k3j9x2ab"})
	if err != nil {
		b.Fatal(err)
	}
	report(b, hotPath(b, w, b.N))
}

// TestHotPathAllocatesNothing guards what the benchmarks report: per
// operation nothing is allocated but a slab of keys now and then.
func TestHotPathAllocatesNothing(t *testing.T) {
	// One allocation in any of the three would be a third; the race detector
	// makes the dummy's pool of readers lose some.
	if c := hotPath(t, null{}, 50_000); c.allocs > 0.2 {
		t.Errorf("got %.3f allocations per operation, want none", c.allocs)
	}
}
