package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The benchmarks of this file measure the built program as a whole process.
// "make bench" prints them; none of them is a test. Figures are ratios to a
// peer of the same run wherever there is one: the machine's own speed is not
// what they are about.

// program builds the program once for a benchmark.
func program(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench")
	cmd := exec.CommandContext(b.Context(), "go", "build", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// used is what a finished process took.
type used struct {
	cpuNS   float64
	peakMiB float64
	stdout  []byte
}

// run executes a command and fails the benchmark if it fails.
func run(b *testing.B, name string, args ...string) used {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s %v: %v\n%s", filepath.Base(name), args, err, stderr.Bytes())
	}
	state := cmd.ProcessState
	rusage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("this system does not tell what a process used")
	}
	return used{
		cpuNS:   float64(state.UserTime() + state.SystemTime()),
		peakMiB: float64(rusage.Maxrss) / 1024, stdout: stdout.Bytes(),
	}
}

// result is what the benchmarks read of a run's JSON.
type result struct {
	Stages []struct {
		Mode string `json:"mode"`
		Ops  []struct {
			Count      float64 `json:"count"`
			Throughput struct {
				BytesPerSec float64 `json:"bytes_per_sec"`
			} `json:"throughput"`
		} `json:"ops"`
		CPU struct {
			UserNS   float64 `json:"user_ns"`
			SystemNS float64 `json:"system_ns"`
		} `json:"cpu"`
	} `json:"stages"`
}

func decode(b *testing.B, text []byte) result {
	b.Helper()
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		b.Fatalf("decode the result: %v", err)
	}
	return r
}

// BenchmarkRecorded is the price of a recorded operation: put, get and delete
// of 4 million objects each on a store that does nothing.
func BenchmarkRecorded(b *testing.B) {
	bin := program(b)
	for b.Loop() {
		u := run(b, bin, "run", "dummy://", "--modes", "pgd", "-c", "2", "-n", "4000000", "-d", "0",
			"-s", "10KiB", "-o", filepath.Join(b.TempDir(), "r.csv.zst"), "--quiet", "--json")
		var load float64
		for _, s := range decode(b, u.stdout).Stages {
			cpu := s.CPU.UserNS + s.CPU.SystemNS
			load += cpu
			b.ReportMetric(cpu/s.Ops[0].Count, s.Mode+"-cpu-ns/op")
		}
		b.ReportMetric(load/12e6, "load-cpu-ns/op")
		b.ReportMetric(u.cpuNS/12e6, "with-report-cpu-ns/op")
		b.ReportMetric(u.peakMiB, "peak-MiB")
		b.ReportMetric(0, "ns/op")
	}
}

// BenchmarkMemoryOverTime compares resident memory at the 10th second of a
// run with that at the 60th.
func BenchmarkMemoryOverTime(b *testing.B) {
	bin := program(b)
	for _, mode := range []string{"put", "get"} {
		b.Run(mode, func(b *testing.B) {
			for b.Loop() {
				record := filepath.Join(b.TempDir(), "r.csv.zst")
				u := run(b, bin, mode, "dummy://", "-c", "2", "-d", "61s", "-s", "10KiB", "-o", record, "--quiet", "--json")
				rss := residents(b, record)
				if len(rss) < 60 {
					b.Fatalf("only %d samples in 61 s", len(rss))
				}
				b.ReportMetric(rss[9]/(1<<20), "10s-MiB")
				b.ReportMetric(rss[59]/(1<<20), "60s-MiB")
				b.ReportMetric(u.peakMiB, "peak-MiB")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// residents returns the resident memory of each sample of a record.
func residents(b *testing.B, path string) (rss []float64) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	dec, err := zstd.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	defer dec.Close()
	lines := bufio.NewScanner(dec)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "# sample ")
		if !ok {
			continue
		}
		var s struct {
			RSS float64 `json:"rss_bytes"`
		}
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			b.Fatal(err)
		}
		rss = append(rss, s.RSS)
	}
	if err := lines.Err(); err != nil {
		b.Fatal(err)
	}
	return rss
}

// BenchmarkAnalyze analyzes a record of 5 million rows.
func BenchmarkAnalyze(b *testing.B) {
	bin := program(b)
	record := filepath.Join(b.TempDir(), "r.csv.zst")
	run(b, bin, "put", "dummy://", "-c", "2", "-n", "5000000", "-d", "0", "-o", record, "--quiet")
	for b.Loop() {
		u := run(b, bin, "analyze", record)
		b.ReportMetric(u.cpuNS/5e6, "cpu-ns/row")
		b.ReportMetric(u.peakMiB, "peak-MiB")
	}
}

// fileObjects is how many objects of 1 MiB the comparison with fio moves.
const fileObjects = 1024

// BenchmarkFileAgainstFio moves the same files as fio does, in the same
// directory, one after the other, and reports the ratio of the throughputs.
func BenchmarkFileAgainstFio(b *testing.B) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		b.Skip("fio is not installed: install the system's package fio to compare with it")
	}
	bin := program(b)
	dir := b.TempDir()
	for b.Loop() {
		ours := decode(b, run(b, bin, "run", "file://"+filepath.Join(dir, "ours"), "--modes", "pg", "-c", "1",
			"-n", strconv.Itoa(fileObjects), "-d", "0", "-s", "1MiB", "-o", "none", "--quiet", "--json").stdout)
		for i, rw := range []string{"write", "read"} {
			theirs := fioThroughput(b, fio, dir, rw)
			mine := ours.Stages[i].Ops[0].Throughput.BytesPerSec
			b.ReportMetric(mine/theirs, rw+"-ratio")
			b.ReportMetric(theirs/(1<<20), "fio-"+rw+"-MiB/s")
		}
		b.ReportMetric(0, "ns/op")
	}
}

func fioThroughput(b *testing.B, fio, dir, rw string) float64 {
	b.Helper()
	out := run(b, fio, "--name=f", "--directory="+dir, "--filename_format=fio.$filenum", "--rw="+rw, "--bs=1M",
		fmt.Sprintf("--nrfiles=%d", fileObjects), "--filesize=1M", fmt.Sprintf("--size=%dM", fileObjects),
		"--ioengine=psync", "--refill_buffers", "--file_service_type=sequential", "--openfiles=1",
		"--create_on_open=1", "--fallocate=none", "--invalidate=0", "--output-format=json").stdout
	var r struct {
		Jobs []map[string]json.RawMessage `json:"jobs"`
	}
	if err := json.Unmarshal(out, &r); err != nil || len(r.Jobs) != 1 {
		b.Fatalf("decode fio's result: %v", err)
	}
	var side struct {
		Bandwidth float64 `json:"bw_bytes"`
	}
	if err := json.Unmarshal(r.Jobs[0][rw], &side); err != nil {
		b.Fatalf("decode fio's result: %v", err)
	}
	return side.Bandwidth
}
