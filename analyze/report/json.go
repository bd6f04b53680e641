package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"bench/analyze"
)

// Schema is the version of the JSON document. It grows when a field changes
// its meaning or goes away; new fields may appear without that.
const Schema = 1

// JSON writes the analysis for programs: one document, indented. Times are
// RFC 3339 with nanoseconds, durations carry _ns, sizes _bytes, rates
// _per_sec. What is unknown is absent.
func JSON(w io.Writer, a *analyze.Analysis) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document(a)); err != nil {
		return fmt.Errorf("write JSON report: %w", err)
	}
	return nil
}

func document(a *analyze.Analysis) *jsonDocument {
	r := &a.Run
	d := &jsonDocument{
		Schema: Schema, Rows: a.Rows, SegmentNS: int64(a.Segment),
		Stages: []jsonStage{}, Warnings: append([]string{}, a.Warnings...),
		Run: jsonRun{
			ID: r.ID, Command: r.Command, Target: r.Target, Version: r.Version,
			Host: r.Host, OS: r.OS, Arch: r.Arch, CPUs: r.CPUs,
			Concurrency: r.Workers, Load: r.Load, OpsPerSec: finite(r.Rate), Arrival: r.Arrival, Seed: r.Seed,
			Options: r.Options, Labels: r.Labels, Effective: r.Effective,
			Epoch: stamp(r.Started), FirstStart: stamp(r.Begin), LastEnd: stamp(r.End),
		},
	}
	for i := range a.Records {
		d.Records = append(d.Records, record(&a.Records[i]))
	}
	for i := range a.Stages {
		d.Stages = append(d.Stages, stage(&a.Stages[i]))
	}
	return d
}

func record(r *analyze.Record) jsonRecord {
	j := jsonRecord{
		Name: r.Name, Complete: r.Complete, Foreign: r.Foreign, SkippedBytes: r.SkippedBytes,
		Reason: r.Reason, Rows: r.Rows,
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	return j
}

func stage(s *analyze.Stage) jsonStage {
	j := jsonStage{
		Index: s.Index, Mode: s.Mode, Loop: s.Loop, ReadIndex: s.ReadIndex, Size: s.Size, Reason: s.Reason,
		Workers: s.Workers, Begin: stamp(s.Begin), End: stamp(s.End), Ops: []jsonOp{}, CPU: cpu(s.CPU),
		Warnings: append([]string{}, s.Warnings...),
	}
	if !s.Window.Start.IsZero() {
		j.Window = &jsonWindow{
			Start: stamp(s.Window.Start), End: stamp(s.Window.End),
			DurationNS: int64(s.Window.Duration()), Fallback: s.Window.Fallback,
		}
	}
	if s.Total != nil {
		j.Total = new(op(s.Total))
	}
	for i := range s.Ops {
		j.Ops = append(j.Ops, op(&s.Ops[i]))
	}
	for i := range s.Steps {
		j.Steps = append(j.Steps, step(&s.Steps[i]))
	}
	for i := range s.Phases {
		j.Phases = append(j.Phases, phase(&s.Phases[i]))
	}
	if p := s.Pace; p != nil {
		j.Pace = &jsonPace{
			Planned: p.Planned, Unsent: p.Unsent, LateStore: p.LateStore, LateClient: p.LateClient, MaxBacklog: p.MaxBacklog,
		}
	}
	return j
}

func op(o *analyze.Op) jsonOp {
	return jsonOp{
		Op: o.Name, Count: o.Count, Failed: o.Failed, Objects: o.Objects, Bytes: o.Bytes,
		FailedObjects: o.FailedObjects, FailedBytes: o.FailedBytes, Errors: failures(o.Errors),
		Throughput: throughput(o.Throughput), Segments: segments(o.Segments),
		Service: latency(o.Service), Response: latency(o.Response), FirstByte: latency(o.FirstByte),
		FailedService: latency(o.FailedService), FailedResponse: latency(o.FailedResponse),
	}
}

func failures(e analyze.Errors) jsonErrors {
	j := jsonErrors{Objects: e.Objects, Of: e.Of, Rate: e.Rate()}
	for _, c := range e.ByClass {
		j.Classes = append(j.Classes, jsonClass{Class: c.Class, Count: c.Count, Example: c.Example})
	}
	return j
}

func throughput(t *analyze.Throughput) *jsonThroughput {
	if t == nil {
		return nil
	}
	return &jsonThroughput{
		DurationNS: int64(t.Duration), Ops: t.Ops, Objects: t.Objects, Bytes: t.Bytes,
		OpsPerSec: finite(t.PerSec(t.Ops)), ObjectsPerSec: finite(t.PerSec(t.Objects)), BytesPerSec: finite(t.PerSec(t.Bytes)),
	}
}

func segments(s *analyze.Segments) *jsonSegments {
	if s == nil {
		return nil
	}
	j := &jsonSegments{LengthNS: int64(s.Length), Count: s.Count, RankedBy: "objects"}
	if s.ByBytes {
		j.RankedBy = "bytes"
	}
	if s.Count > 0 {
		j.Fastest, j.Median, j.Slowest = segment(s, s.Fastest), segment(s, s.Median), segment(s, s.Slowest)
	}
	return j
}

func segment(s *analyze.Segments, i int) *jsonSegment {
	g := &s.Series[i]
	sec := s.Length.Seconds()
	return &jsonSegment{
		Start: stamp(g.Start), Objects: g.Objects, Bytes: g.Bytes,
		ObjectsPerSec: finite(float64(g.Objects) / sec), BytesPerSec: finite(float64(g.Bytes) / sec),
	}
}

func latency(l *analyze.Latency) *jsonLatency {
	if l == nil {
		return nil
	}
	j := &jsonLatency{
		Count: l.Count, MinNS: int64(l.Min), MeanNS: int64(l.Mean), MaxNS: int64(l.Max), Percentiles: []jsonPercentile{},
	}
	for _, p := range l.Percentiles {
		j.Percentiles = append(j.Percentiles, jsonPercentile{
			Name: p.Quantile.String(), Share: p.Quantile.Share(), ValueNS: int64(p.Value), Few: p.Few,
		})
	}
	return j
}

func step(s *analyze.Step) jsonStep {
	return jsonStep{
		Name: s.Name, Count: s.Count, Failed: s.Failed, Errors: failures(s.Errors),
		Service: latency(s.Service), FailedService: latency(s.FailedService),
	}
}

func phase(p *analyze.Phase) jsonPhase {
	return jsonPhase{
		Phase: p.Phase, Op: p.Name, Count: p.Count, Failed: p.Failed,
		Objects: p.Objects, Bytes: p.Bytes, Errors: failures(p.Errors),
	}
}

func cpu(c *analyze.CPU) *jsonCPU {
	if c == nil {
		return nil
	}
	j := &jsonCPU{
		UserNS: int64(c.User), SystemNS: int64(c.System), ElapsedNS: int64(c.Elapsed), CPUs: c.CPUs,
		Cores: finite(c.Cores()), ClientBound: c.ClientBound, FromSamples: c.Sampled,
	}
	j.MachineShare = known(c.MachineShare())
	j.CoreSecondsPerGiB = known(c.CoreSecondsPerGiB())
	j.CorePercent = known(c.CorePercentPer100MiB())
	if v, ok := c.PerOp(); ok {
		j.PerOpNS = new(int64(v))
	}
	return j
}

func known(v float64, ok bool) *float64 {
	if !ok || finite(v) != v {
		return nil
	}
	return &v
}

// finite replaces what JSON cannot hold by 0.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
