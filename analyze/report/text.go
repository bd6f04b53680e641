package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"bench/analyze"
	"bench/internal/units"
)

// Text writes the analysis for people, at most 100 columns wide.
func Text(w io.Writer, a *analyze.Analysis) error {
	p := &page{w: w}
	p.header(a)
	several := len(a.Stages) > 1
	for i := range a.Stages {
		p.stage(&a.Stages[i], several)
	}
	p.warnings(a, several)
	return p.err
}

// header says what ran and what was read.
func (p *page) header(a *analyze.Analysis) {
	r := &a.Run
	title := []string{"operations recorded by another program"}
	if r.Command != "" || r.ID != "" {
		title = []string{"bench " + clean(r.Command, 20), clean(r.Target, 60)}
		if r.ID != "" {
			title = append(title, "run "+clean(r.ID, 30))
		}
	}
	p.wrap("", "  ", " · ", title)
	p.wrap("  ", "  ", " · ", runFacts(a))
	if set := settings(r.Options, r.Seed); len(set) > 0 {
		p.wrap("  ", "  ", " · ", set)
	}
	for i := range a.Records {
		p.record(&a.Records[i])
	}
}

// settings are what the run's flags were resolved to, without those that are
// off and those the other lines show.
func settings(options map[string]string, seed string) []string {
	var out []string
	for _, name := range []string{
		"duration", "warmup", "ops", "min-ops", "objects", "size", "prefixes", "batch", "mix", "range", "range-align",
		"max-keys", "verify", "sync", "direct", "keep", "timeout", "retries", "max-errors", "max-error-rate",
	} {
		switch v := options[name]; v {
		case "", "0", "0s", "false", "none", "-1":
		case "true":
			out = append(out, name)
		default:
			out = append(out, name+" "+clean(v, 60))
		}
	}
	if seed != "" {
		out = append(out, "seed "+clean(seed, 20))
	}
	return out
}

func runFacts(a *analyze.Analysis) []string {
	r := &a.Run
	facts := []string{}
	if !r.Begin.IsZero() {
		facts = append(facts, "started "+r.Begin.Format("2006-01-02 15:04:05")+" UTC", "took "+seconds(r.End.Sub(r.Begin)))
	}
	if r.Workers > 0 {
		facts = append(facts, fmt.Sprintf("%s, %s", things(int64(r.Workers), "worker"), load(r)))
	}
	if len(a.Stages) == 1 && a.Stages[0].Size != "" {
		facts = append(facts, "objects "+objectSize(a.Stages[0].Size))
	}
	if r.Host != "" {
		facts = append(facts, "client "+clean(r.Host, 40))
	}
	if r.CPUs > 0 {
		facts = append(facts, things(int64(r.CPUs), "CPU"))
	}
	return facts
}

func load(r *analyze.Run) string {
	if r.Load != "rate" {
		return "closed loop"
	}
	text := fmt.Sprintf("open loop at %s op/s", rate(r.Rate))
	if r.Arrival != "" {
		text += " " + clean(r.Arrival, 20)
	}
	return text
}

func (p *page) record(r *analyze.Record) {
	state := "complete"
	switch {
	case r.Err != nil:
		state = "DAMAGED"
	case !r.Complete:
		state = "INCOMPLETE"
	case r.Foreign:
		state = "of another program"
	}
	p.wrap("  ", "  ", " ", []string{"record " + clean(r.Name, 80) + ":", state + ", " + things(r.Rows, "row")})
}

// stage prints one stage.
func (p *page) stage(s *analyze.Stage, several bool) {
	p.printf("\n")
	if several {
		p.wrap("", "  ", " · ", stageTitle(s))
	}
	if s.Total != nil {
		p.op(s.Total, s, "ALL")
	}
	for i := range s.Ops {
		if i > 0 || s.Total != nil {
			p.printf("\n")
		}
		p.op(&s.Ops[i], s, s.Ops[i].Name)
	}
	p.steps(s.Steps)
	p.cpu(s.CPU)
	p.pace(s.Pace)
	p.phases(s.Phases)
}

func stageTitle(s *analyze.Stage) []string {
	title := []string{fmt.Sprintf("stage %d", s.Index)}
	if s.Mode != "" {
		title = append(title, clean(s.Mode, 20))
	}
	title = append(title, fmt.Sprintf("loop %d", s.Loop))
	if s.Size != "" {
		title = append(title, "objects "+objectSize(s.Size))
	}
	if s.Reason != "" && s.Reason != "done" {
		title = append(title, "ended: "+clean(s.Reason, 20))
	}
	return title
}

// op prints the measured operations of one type, or of all.
func (p *page) op(o *analyze.Op, s *analyze.Stage, name string) {
	facts := []string{things(o.Count, "operation")}
	if s.Total != nil && o != s.Total && s.Total.Count > 0 {
		facts = append(facts, percent(float64(o.Count)/float64(s.Total.Count)))
	}
	p.wrap(fmt.Sprintf("%-*s", labelWidth, clean(name, 20)), "  ", " · ", facts)
	if o.Throughput != nil {
		p.throughput(o)
	}
	p.latency("service time", o.Service)
	p.latency("response time", o.Response)
	p.latency("first byte", o.FirstByte)
	p.errors(o.Errors)
	p.latency("failed service", o.FailedService)
	p.latency("failed response", o.FailedResponse)
}

func (p *page) throughput(o *analyze.Op) {
	t := o.Throughput
	values := []string{rate(t.PerSec(t.Objects)) + " obj/s"}
	if t.Ops != t.Objects {
		values = append(values, rate(t.PerSec(t.Ops))+" op/s")
	}
	if o.Bytes > 0 {
		values = append(values, units.FormatBytes(t.PerSec(t.Bytes))+"/s")
	}
	p.line("throughput", "   ", append(values, "over "+seconds(t.Duration))...)
	if o.Segments.Count == 0 {
		return
	}
	show := func(name string, i int) string { return name + " " + segmentRate(o, i) }
	p.line("segments", " · ", show("fastest", o.Segments.Fastest), show("median", o.Segments.Median),
		show("slowest", o.Segments.Slowest)+fmt.Sprintf(" (%d × %s)", o.Segments.Count, o.Segments.Length))
}

func segmentRate(o *analyze.Op, i int) string {
	seg := &o.Segments.Series[i]
	sec := o.Segments.Length.Seconds()
	if o.Segments.ByBytes {
		return units.FormatBytes(float64(seg.Bytes)/sec) + "/s"
	}
	return rate(float64(seg.Objects)/sec) + " obj/s"
}

// latency prints percentiles; it prints nothing where there are none.
func (p *page) latency(label string, l *analyze.Latency) {
	if l == nil {
		return
	}
	var values []string
	for _, q := range l.Percentiles {
		v := q.Quantile.String() + " " + units.FormatDuration(q.Value)
		if q.Few {
			v += " (few)"
		}
		values = append(values, v)
	}
	p.line(label, "  ", append(values, "max "+units.FormatDuration(l.Max), "min "+units.FormatDuration(l.Min),
		"mean "+units.FormatDuration(l.Mean))...)
}

// errors prints failures by class, with an example of each.
func (p *page) errors(e analyze.Errors) {
	if e.Objects == 0 {
		p.line("errors", "", "none")
		return
	}
	p.line("errors", " ", fmt.Sprintf("%s (%s): %s", units.FormatCount(e.Objects), percent(e.Rate()), classes(e)))
	const examples = 3
	for i, c := range e.ByClass {
		if i < examples && c.Example != "" {
			p.line("", "", strings.Repeat(" ", labelWidth-2)+clean(c.Class, 20)+": "+clean(c.Example, width-labelWidth-24))
		}
	}
}

func classes(e analyze.Errors) string {
	var list []string
	for _, c := range e.ByClass {
		list = append(list, clean(c.Class, 20)+" "+units.FormatCount(c.Count))
	}
	return strings.Join(list, ", ")
}

func (p *page) steps(steps []analyze.Step) {
	if len(steps) == 0 {
		return
	}
	p.printf("\nSTEPS inside operations (not counted above)\n")
	for i := range steps {
		s := &steps[i]
		failed := "no errors"
		if s.Failed > 0 {
			failed = fmt.Sprintf("%s: %s", things(s.Failed, "error"), classes(s.Errors))
		}
		p.line(clean(s.Name, 20), " · ", units.FormatCount(s.Count), failed)
		p.latency("  service time", s.Service)
	}
}

func (p *page) cpu(c *analyze.CPU) {
	if c == nil {
		return
	}
	p.printf("\n")
	label := "CPU"
	values := []string{
		fmt.Sprintf("user %s, system %s", seconds(c.User), seconds(c.System)),
		fmt.Sprintf("%.2f cores", c.Cores()),
	}
	if share, ok := c.MachineShare(); ok {
		values[1] += fmt.Sprintf(" of %d (%s)", c.CPUs, percent(share))
	}
	if v, ok := c.PerOp(); ok {
		values = append(values, units.FormatDuration(v)+" per operation")
	}
	if v, ok := c.CoreSecondsPerGiB(); ok {
		values = append(values, threeDigits(v)+" core-s/GiB")
	}
	if v, ok := c.CorePercentPer100MiB(); ok {
		values = append(values, threeDigits(v)+" % of a core per 100 MiB/s")
	}
	if c.Sampled {
		values = append(values, "from samples")
	}
	p.wrap(fmt.Sprintf("%-*s", labelWidth, label), strings.Repeat(" ", labelWidth), " · ", values)
}

func (p *page) pace(v *analyze.Pace) {
	if v == nil {
		return
	}
	p.wrap(fmt.Sprintf("%-*s", labelWidth, "pace"), strings.Repeat(" ", labelWidth), " · ", []string{
		units.FormatCount(v.Planned) + " planned", units.FormatCount(v.Unsent) + " unsent",
		"late by store " + units.FormatCount(v.LateStore), "by client " + units.FormatCount(v.LateClient),
		"longest backlog " + units.FormatCount(v.MaxBacklog),
	})
}

// phases prints what happened outside the measured phase.
func (p *page) phases(phases []analyze.Phase) {
	for i := range phases {
		f := &phases[i]
		failed := "no errors"
		if f.Errors.Objects > 0 {
			failed = fmt.Sprintf("%s: %s", things(f.Errors.Objects, "error"), classes(f.Errors))
		}
		p.wrap(fmt.Sprintf("%-*s", labelWidth, clean(f.Phase, 20)), strings.Repeat(" ", labelWidth), " · ",
			[]string{units.FormatCount(f.Count) + " " + clean(f.Name, 20), failed})
	}
}

func (p *page) warnings(a *analyze.Analysis, several bool) {
	var all []string
	all = append(all, a.Warnings...)
	for i := range a.Stages {
		for _, w := range a.Stages[i].Warnings {
			if several {
				w = fmt.Sprintf("stage %d: %s", a.Stages[i].Index, w)
			}
			all = append(all, w)
		}
	}
	if len(all) > 0 {
		p.printf("\n")
	}
	for _, w := range all {
		p.wrap("warning: ", "  ", " ", strings.Fields(clean(w, 1000)))
	}
}

// stamp formats a moment for programs, "" where there is none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
