package analyze

import (
	"bench/analyze/stat"
	"bench/internal/oplog"
)

// total sums up a stage's operations if there are several types.
func (l *loader) total(s *Stage) {
	if len(s.Ops) < 2 {
		return
	}
	sum := Op{Name: "total"}
	classes := map[string]*classCount{}
	var dists [numKinds]*stat.Distribution
	for i := range s.Ops {
		o := &s.Ops[i]
		sum.Count += o.Count
		sum.Failed += o.Failed
		sum.Objects += o.Objects
		sum.Bytes += o.Bytes
		sum.FailedObjects += o.FailedObjects
		sum.FailedBytes += o.FailedBytes
		sum.Errors.Objects += o.Errors.Objects
		sum.Errors.Of += o.Errors.Of
		for _, c := range o.Errors.ByClass {
			addClass(classes, c)
		}
		for k, lat := range []*Latency{o.Service, o.Response, o.FirstByte, o.FailedService, o.FailedResponse} {
			dists[k] = join(dists[k], lat)
		}
	}
	sum.Errors.ByClass = classList(classes)
	sum.Service, sum.Response = l.latency(dists[service]), l.latency(dists[response])
	sum.FirstByte = l.latency(dists[firstByte])
	sum.FailedService, sum.FailedResponse = l.latency(dists[failedService]), l.latency(dists[failedResponse])
	l.totalThroughput(s, &sum)
	s.Total = &sum
}

func addClass(classes map[string]*classCount, c ClassCount) {
	have := classes[c.Class]
	if have == nil {
		have = &classCount{example: c.Example}
		classes[c.Class] = have
	}
	have.rows += c.Count
}

func join(d *stat.Distribution, lat *Latency) *stat.Distribution {
	if lat == nil {
		return d
	}
	if d == nil {
		d = stat.NewDistribution()
	}
	d.Merge(lat.dist)
	return d
}

// totalThroughput adds up the segments of all types.
func (l *loader) totalThroughput(s *Stage, sum *Op) {
	w, ok := l.windows[uint16(s.Index)]
	if !ok {
		return
	}
	cells := make([]amount, w.segments(l.segment))
	ops := int64(0)
	for i := range s.Ops {
		ops += s.Ops[i].Throughput.Ops
		for j, seg := range s.Ops[i].Segments.Series {
			cells[j].add(amount{seg.Objects, seg.Bytes})
		}
	}
	l.throughput(sum, w, ops, cells)
}

// resources sets CPU and pace from the end lines, or CPU from the samples of
// records that have none.
func (l *loader) resources(s *Stage) {
	cpu := CPU{}
	known := true
	for i, f := range l.files {
		end := l.stageEnd(i, s.Index)
		var p *oplog.PhaseEnd
		if end != nil {
			p = measured(end)
		}
		if p == nil {
			known = known && l.sampledCPU(i, s, &cpu)
			continue
		}
		cpu.add(p, f.Meta.CPUs)
		if p.Pace != nil {
			s.addPace(p.Pace)
		}
	}
	if !known || cpu.Elapsed <= 0 || cpu.User+cpu.System <= 0 {
		return
	}
	for i := range s.Ops {
		cpu.Ops += s.Ops[i].Count
		cpu.Bytes += s.Ops[i].Bytes + s.Ops[i].FailedBytes
	}
	s.CPU = &cpu
}
