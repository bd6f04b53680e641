package analyze

import (
	"math"
	"time"

	"bench/internal/oplog"
)

// boundShare is the share of the machine above which the client is taken to
// be the limit.
const boundShare = 0.85

// shortest is the length below which the kernel's accounting is too coarse to
// say who was the limit.
const shortest = 100 * time.Millisecond

// add adds one client's use of its machine.
func (c *CPU) add(p *oplog.PhaseEnd, cpus int) {
	c.use(time.Duration(p.UserNS), time.Duration(p.SystemNS), time.Duration(p.FinishNS-p.BeginNS), cpus)
}

func (c *CPU) use(user, system, elapsed time.Duration, cpus int) {
	c.User += user
	c.System += system
	c.Elapsed = max(c.Elapsed, elapsed)
	c.CPUs += cpus
	if elapsed > shortest && cpus > 0 {
		share := (user + system).Seconds() / elapsed.Seconds() / float64(cpus)
		c.ClientBound = c.ClientBound || share > boundShare
	}
}

// Cores returns how many cores were busy on average.
func (c *CPU) Cores() float64 { return (c.User + c.System).Seconds() / c.Elapsed.Seconds() }

// MachineShare returns the part of all cores that was busy, 0 to 1; ok is
// false where the record does not tell how many there are.
func (c *CPU) MachineShare() (share float64, ok bool) {
	if c.CPUs == 0 {
		return 0, false
	}
	return c.Cores() / float64(c.CPUs), true
}

// CoreSecondsPerGiB returns the cost of moving 1 GiB; ok is false if nothing
// moved.
func (c *CPU) CoreSecondsPerGiB() (cost float64, ok bool) {
	if c.Bytes == 0 {
		return 0, false
	}
	return (c.User + c.System).Seconds() * (1 << 30) / float64(c.Bytes), true
}

// PerOp returns the cost of one operation; ok is false if there was none.
func (c *CPU) PerOp() (cost time.Duration, ok bool) {
	if c.Ops == 0 {
		return 0, false
	}
	return time.Duration(math.Round(float64(c.User+c.System) / float64(c.Ops))), true
}

// CorePercentPer100MiB returns how much of one core it takes to move 100 MiB
// each second; ok is false if nothing moved.
func (c *CPU) CorePercentPer100MiB() (percent float64, ok bool) {
	if c.Bytes == 0 {
		return 0, false
	}
	return 100 * (c.User + c.System).Seconds() * (100 << 20) / float64(c.Bytes), true
}

// sampledCPU adds a client's use from its samples, if some were taken before
// the measured phase began and after it was over. It reports whether record
// i is accounted for.
func (l *loader) sampledCPU(i int, s *Stage, c *CPU) bool {
	f := l.files[i]
	if s.Begin.IsZero() {
		return true
	}
	begin, end := s.Begin.UnixNano()-f.Epoch(), s.End.UnixNano()-f.Epoch()
	var before, after *oplog.Sample
	for j := range l.scans[i].samples {
		p := &l.scans[i].samples[j]
		if p.AtNS <= begin && (before == nil || p.AtNS > before.AtNS) {
			before = p
		}
		if p.AtNS >= end && (after == nil || p.AtNS < after.AtNS) {
			after = p
		}
	}
	if before == nil || after == nil {
		return false
	}
	c.Sampled = true
	c.use(time.Duration(after.UserNS-before.UserNS), time.Duration(after.SystemNS-before.SystemNS),
		time.Duration(after.AtNS-before.AtNS), f.Meta.CPUs)
	return true
}

func (s *Stage) addPace(p *oplog.PaceEnd) {
	if s.Pace == nil {
		s.Pace = new(Pace)
	}
	s.Pace.Planned += p.Planned
	s.Pace.Unsent += p.Unsent
	s.Pace.LateStore += p.LateStore
	s.Pace.LateClient += p.LateClient
	s.Pace.MaxBacklog += p.MaxBacklog
}
