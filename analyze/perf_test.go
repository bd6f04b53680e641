package analyze_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"bench/analyze"
	"bench/analyze/report"
	"bench/internal/oplog"
)

// TestGenerate is a helper for measuring: with BENCH_TEST_GENERATE=rows:path
// it writes a record of a mixed run.
func TestGenerate(t *testing.T) {
	spec := os.Getenv("BENCH_TEST_GENERATE")
	if spec == "" {
		t.Skip("BENCH_TEST_GENERATE is not set")
	}
	var rows int
	var path string
	if _, err := fmt.Sscanf(spec, "%d:%s", &rows, &path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	epoch := time.Date(2026, 11, 21, 0, 31, 44, 0, time.UTC)
	w, err := oplog.NewWriter(out, &oplog.Meta{
		Schema: 1, Epoch: epoch, ClientID: "k3j9x2ab", RunID: "4J", Command: "mixed", Target: "dummy://", Workers: 16, CPUs: 2,
		Load: "closed", Stages: []oplog.StageMeta{{Mode: "mixed", Size: "10240"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var free [16]int64
	first := map[uint32]int64{}
	var m oplog.PhaseEnd
	m.Phase, m.FirstStartNS, m.EarliestLastStartNS = "measure", -1, -1
	last := [16]int64{}
	endpoint := os.Getenv("BENCH_TEST_ENDPOINT")
	for i := range rows {
		var op oplog.Op
		op.Reset()
		th := i % 16
		op.Name = []string{oplog.OpGet, oplog.OpGet, oplog.OpStat, oplog.OpPut}[rng.IntN(4)]
		op.Thread, op.Phase, op.Key = uint32(th), oplog.PhaseMeasure, strconv.Itoa(th)+"/"+strconv.Itoa(i)
		op.Endpoint = endpoint
		op.Start = free[th] + int64(rng.IntN(2000))
		op.End = op.Start + 50_000 + int64(rng.ExpFloat64()*100_000)
		free[th] = op.End
		if op.Name != oplog.OpStat {
			op.Bytes = 10240
		}
		if op.Name == oplog.OpGet {
			op.FirstByte, op.LastByte = op.Start+20_000, op.End-100
		}
		if endpoint != "" {
			op.Attempts, op.Status, op.Peer, op.Reused = 1, 200, "127.0.0.1:9000", oplog.Yes
		}
		if _, ok := first[op.Thread]; !ok {
			first[op.Thread] = op.End
		}
		last[th] = op.Start
		if m.FirstStartNS < 0 || op.Start < m.FirstStartNS {
			m.FirstStartNS = op.Start
		}
		m.LastEndNS = max(m.LastEndNS, op.End)
		m.LastIntendedNS = max(m.LastIntendedNS, op.Start)
		if err := w.Row(&op); err != nil {
			t.Fatal(err)
		}
	}
	m.FirstIntendedNS = m.FirstStartNS
	m.EarliestLastStartNS = last[0]
	for th, v := range first {
		m.LatestFirstEndNS = max(m.LatestFirstEndNS, v)
		m.EarliestLastStartNS = min(m.EarliestLastStartNS, last[th])
	}
	m.FinishNS, m.UserNS, m.SystemNS = m.LastEndNS, m.LastEndNS/3, m.LastEndNS/5
	end := &oplog.End{Reason: "done", Stages: []oplog.StageEnd{{Reason: "done", Phases: []oplog.PhaseEnd{m}}}}
	if err := w.Finish(end); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	path := os.Getenv("BENCH_TEST_RECORD")
	if path == "" {
		b.Skip("BENCH_TEST_RECORD is not set")
	}
	par, _ := strconv.Atoi(os.Getenv("BENCH_TEST_PARALLEL"))
	for b.Loop() {
		a, err := analyze.Load(b.Context(), []string{path}, analyze.Options{Parallel: par})
		if err != nil {
			b.Fatal(err)
		}
		if os.Getenv("BENCH_TEST_SHOW") != "" {
			if err := report.Text(os.Stdout, a); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(a.Rows), "ns/row")
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	b.ReportMetric(float64(ms.Sys)/(1<<20), "sys-MiB")
}
