package run

import (
	"os"
	"runtime"
	"strconv"

	"bench/internal/buildinfo"
	"bench/internal/oplog"
)

// meta describes the run for the record.
func (r *runner) meta() *oplog.Meta {
	host, _ := os.Hostname() // unknown is fine
	m := &oplog.Meta{
		Schema: oplog.SchemaVersion, Version: buildinfo.Read().Version,
		RunID: r.id, ClientID: r.id[:clientIDLen], Seed: strconv.FormatUint(r.plan.Seed, 10),
		Command: r.plan.Command, Target: r.plan.Target, KeyPrefix: r.root, Load: "closed",
		Workers: r.plan.Workers, Options: r.plan.Options, Labels: r.plan.Labels,
		Epoch: r.clock.Epoch().UTC(), Host: host, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Go: runtime.Version(), CPUs: runtime.NumCPU(),
	}
	if r.plan.Rate > 0 {
		m.Load, m.Rate, m.Arrival = "rate", r.plan.Rate, "constant"
		if r.plan.Poisson {
			m.Arrival = "poisson"
		}
	}
	for i, s := range r.plan.Stages {
		m.Stages = append(m.Stages, oplog.StageMeta{
			Index: i, Mode: s.Mode.Name, Loop: s.Loop, Size: r.plan.Sizes.String(), ReadIndex: s.ReadIndex,
		})
	}
	return m
}
