package analyze_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"bench/analyze"
	"bench/analyze/internal/synth"
	"bench/analyze/report"
	"bench/internal/oplog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// save writes a file named x.csv.zst, so that reports do not differ by name.
func save(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.csv.zst")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func encode(t testing.TB, r *synth.Record) []byte {
	t.Helper()
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func load(t testing.TB, data []byte, o analyze.Options) *analyze.Analysis {
	t.Helper()
	a, err := analyze.Load(t.Context(), []string{save(t, data)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func show(t testing.TB, a *analyze.Analysis) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(report.Text(&b, a), report.JSON(&b, a)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func runs() map[string]func(uint64) *synth.Record {
	return map[string]func(uint64) *synth.Record{
		"mixed": synth.Mixed, "put": synth.Put, "stages": synth.Stages, "rate": synth.Rate,
		"torn": synth.Torn, "failing": synth.Failing,
	}
}

func TestParallelEqualsSerial(t *testing.T) {
	t.Parallel()
	for name, run := range runs() {
		data := encode(t, run(1))
		want := show(t, load(t, data, analyze.Options{Parallel: 1}))
		for _, n := range []int{2, 5, 16} {
			if got := show(t, load(t, data, analyze.Options{Parallel: n})); got != want {
				t.Errorf("%s: %d goroutines give another result than one", name, n)
			}
		}
	}
}

func TestFramesDoNotMatter(t *testing.T) {
	t.Parallel()
	for name, run := range runs() {
		r := run(2)
		want := show(t, load(t, encode(t, r), analyze.Options{}))
		for _, n := range []int{0, 1, 7, 1000} {
			if r.FrameRows = n; n == 1 {
				r.FrameRows = 3
			}
			if got := show(t, load(t, encode(t, r), analyze.Options{})); got != want {
				t.Errorf("%s: frames of %d rows give another result", name, n)
			}
		}
	}
}

// TestOnePassEqualsTwo removes the windows from the end line, which makes a
// second pass necessary, and compares.
func TestOnePassEqualsTwo(t *testing.T) {
	t.Parallel()
	for name, run := range runs() {
		r := run(3)
		if r.End == nil {
			continue
		}
		want := show(t, load(t, encode(t, r), analyze.Options{}))
		for i := range r.End.Stages {
			for j := range r.End.Stages[i].Phases {
				r.End.Stages[i].Phases[j].LatestFirstEndNS++
				r.End.Stages[i].Phases[j].LastIntendedNS--
			}
		}
		if got := show(t, load(t, encode(t, r), analyze.Options{})); got != want {
			t.Errorf("%s: two passes give another result than one", name)
		}
	}
}

// TestRecompressed reads a record as one frame, where nothing can be known
// before all is read.
func TestRecompressed(t *testing.T) {
	t.Parallel()
	for name, run := range runs() {
		data := encode(t, run(4))
		want := show(t, load(t, data, analyze.Options{}))
		dec, err := zstd.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		_, err = dec.WriteTo(&text)
		dec.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := show(t, load(t, compress(t, text.Bytes()), analyze.Options{})); got != want {
			t.Errorf("%s: as one frame gives another result", name)
		}
	}
}

func compress(t testing.TB, text []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := enc.EncodeAll(text, nil)
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return packed
}

// TestAgainstPlainComputation recomputes counts, window, throughput and
// percentiles from the rows in the plainest way.
func TestAgainstPlainComputation(t *testing.T) {
	t.Parallel()
	r := synth.Mixed(5)
	a := load(t, encode(t, r), analyze.Options{})
	stage := &a.Stages[0]
	end := r.End.Stages[0].Phases[1]
	start, stop := end.LatestFirstEndNS, end.EarliestLastStartNS
	if got := stage.Window.Start.Sub(synth.Epoch()).Nanoseconds(); got != start {
		t.Errorf("window starts at %d, want %d", got, start)
	}
	if got := stage.Window.End.Sub(synth.Epoch()).Nanoseconds(); got != stop {
		t.Errorf("window ends at %d, want %d", got, stop)
	}
	for i := range stage.Ops {
		checkOp(t, &stage.Ops[i], r.Ops, start, stop)
	}
}

func checkOp(t *testing.T, o *analyze.Op, rows []oplog.Op, start, stop int64) {
	t.Helper()
	var durations []int64
	var count, failed, keys int64
	var windowBytes float64
	for i := range rows {
		r := &rows[i]
		if r.Phase == oplog.PhaseMeasure && r.Level == 1 && o.Name == oplog.OpDelete {
			keys++
		}
		if r.Name != o.Name || r.Phase != oplog.PhaseMeasure || r.Level != 0 {
			continue
		}
		count++
		if r.Failed != 0 {
			failed++
			continue
		}
		durations = append(durations, r.End-r.Start)
		overlap := max(0, min(r.End, stop)-max(r.Start, start))
		windowBytes += float64(r.Bytes) * float64(overlap) / float64(r.End-r.Start)
	}
	if o.Count != count || o.Failed != failed {
		t.Errorf("%s: %d operations, %d failed; want %d, %d", o.Name, o.Count, o.Failed, count, failed)
	}
	want := failed
	if keys > 0 {
		want = keys
	}
	if o.Errors.Objects != want {
		t.Errorf("%s: %d errors, want %d", o.Name, o.Errors.Objects, want)
	}
	if got := float64(o.Throughput.Bytes); math.Abs(got-windowBytes) > float64(count)*8 {
		t.Errorf("%s: %g bytes in the window, want about %g", o.Name, got, windowBytes)
	}
	slices.Sort(durations)
	for _, p := range o.Service.Percentiles {
		n := int64(len(durations))
		exact := durations[(n*int64(p.Quantile)+999_999)/1_000_000-1]
		if got := int64(p.Value); got < exact || float64(got) > float64(exact)*1.001 {
			t.Errorf("%s: %s is %d, want %d", o.Name, p.Quantile, got, exact)
		}
		if few := float64(n)*(1-p.Quantile.Share()) < 1-1e-9; few != p.Few {
			t.Errorf("%s: %s of %d: few is %v", o.Name, p.Quantile, n, p.Few)
		}
	}
}

func TestSegmentsSumToWindow(t *testing.T) {
	t.Parallel()
	data := encode(t, synth.Mixed(6))
	var want *analyze.Throughput
	for _, length := range []time.Duration{time.Second, 333 * time.Millisecond, time.Millisecond, 17 * time.Microsecond, time.Hour} {
		a := load(t, data, analyze.Options{Segment: length})
		total := a.Stages[0].Total
		var bytes, objects int64
		for _, s := range total.Segments.Series {
			bytes += s.Bytes
			objects += s.Objects
		}
		if bytes != total.Throughput.Bytes || objects != total.Throughput.Objects {
			t.Errorf("segments of %v: sum %d bytes, %d objects; throughput has %d, %d", length,
				bytes, objects, total.Throughput.Bytes, total.Throughput.Objects)
		}
		if want != nil && (math.Abs(float64(bytes-want.Bytes)) > 1e-4*float64(want.Bytes) || total.Throughput.Ops != want.Ops) {
			t.Errorf("segments of %v: %d bytes, %d operations; with 1s %d, %d", length, bytes, total.Throughput.Ops, want.Bytes, want.Ops)
		}
		want = total.Throughput
	}
}

func TestResponseTime(t *testing.T) {
	t.Parallel()
	a := load(t, encode(t, synth.Rate(1)), analyze.Options{Percentiles: []float64{0.9}})
	o := &a.Stages[0].Ops[0]
	svc, rsp := o.Service.Percentiles[0].Value, o.Response.Percentiles[0].Value
	if svc > 100*time.Millisecond || rsp < 300*time.Millisecond {
		t.Errorf("p90 service %v, response %v: the stall must show in the response time only", svc, rsp)
	}
	if got, want := a.Stages[0].Window.Duration(), 799*5*time.Millisecond; got != want {
		t.Errorf("window is %v, want the plan's %v", got, want)
	}
}

func TestSeveralRecords(t *testing.T) {
	t.Parallel()
	one, two := synth.Mixed(7), synth.Mixed(8)
	two.Meta.ClientID = "other123"
	for i := range two.Ops {
		two.Ops[i].Thread += 100
	}
	both := &synth.Record{Meta: one.Meta, Ops: slices.Concat(one.Ops, two.Ops)}
	both.Conclude(oplog.ReasonDone)
	a, err := analyze.Load(t.Context(), []string{save(t, encode(t, one)), save(t, encode(t, two))}, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := load(t, encode(t, both), analyze.Options{})
	a.Stages[0].CPU, b.Stages[0].CPU = nil, nil
	a.Records, b.Records = nil, nil
	a.Stages[0].Warnings, b.Stages[0].Warnings = nil, nil
	if got, want := show(t, a), show(t, b); got != want {
		t.Errorf("two records give\n%s\njoined they give\n%s", got, want)
	}
}

func TestIncomplete(t *testing.T) {
	t.Parallel()
	r := synth.Torn(1)
	data := encode(t, r)
	a := load(t, data[:len(data)-7], analyze.Options{})
	if a.Records[0].Complete || a.Records[0].SkippedBytes == 0 {
		t.Errorf("record is %+v, want it incomplete with bytes skipped", a.Records[0])
	}
	if !strings.Contains(strings.Join(a.Warnings, "\n"), "incomplete") {
		t.Errorf("warnings %q do not say that the record is incomplete", a.Warnings)
	}
	if cpu := a.Stages[0].CPU; cpu == nil || !cpu.Sampled {
		t.Errorf("CPU is %+v, want it from samples", cpu)
	}
	if cpu := a.Stages[2].CPU; cpu != nil {
		t.Errorf("CPU of the stage that samples do not cover is %+v", cpu)
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	r := synth.Mixed(9)
	data := encode(t, r)
	data[len(data)*2/3] ^= 4
	path := save(t, data)
	var want string
	for _, n := range []int{1, 2, 8} {
		a, err := analyze.Load(t.Context(), []string{path}, analyze.Options{Parallel: n})
		var corrupt *oplog.CorruptError
		if !errors.As(err, &corrupt) {
			t.Fatalf("error is %v, want a CorruptError", err)
		}
		if corrupt.Frame < 3 || corrupt.Offset == 0 || corrupt.RowsBefore != a.Rows || a.Rows == 0 {
			t.Errorf("error %v does not fit %d rows", corrupt, a.Rows)
		}
		a.Records[0].Err = errors.New("x") // it names the path
		got := show(t, a)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d goroutines give another result before the damage", n)
		}
	}
	if !strings.Contains(want, "DAMAGED") {
		t.Error("the report does not say that the record is damaged")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	check := func(name, want string, data []byte, o analyze.Options) {
		t.Helper()
		_, err := analyze.Load(t.Context(), []string{save(t, data)}, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	put := encode(t, synth.Put(1))
	check("segments", "choose longer ones", put, analyze.Options{Segment: 1})
	check("negative segment", "must be above 0", put, analyze.Options{Segment: -1})
	check("percentile", "not between 0 and 1", put, analyze.Options{Percentiles: []float64{math.NaN()}})
	check("empty", "it is empty", nil, analyze.Options{})
	check("no rows", "no operations", encode(t, &synth.Record{Meta: synth.Put(1).Meta, End: new(oplog.End)}), analyze.Options{})
	if _, err := analyze.Load(t.Context(), nil, analyze.Options{}); err == nil {
		t.Error("no record: no error")
	}
	var b strings.Builder
	b.WriteString("op\tstart\tend\tbytes\n")
	for range 20 {
		b.WriteString("GET\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\t1152921504606846975\n")
	}
	check("overflow", "add up to more", compress(t, []byte(b.String())), analyze.Options{})
	b.Reset()
	b.WriteString("op\tstart\tend\n")
	for i := range 5000 {
		b.WriteString("OP" + strings.Repeat("x", i%70) + string(rune('A'+i/70)) + "\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\n")
	}
	check("kinds", "kinds of operations", compress(t, []byte(b.String())), analyze.Options{})
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	path := save(t, encode(t, synth.Put(1)))
	_, err := analyze.Load(canceled(t), []string{path}, analyze.Options{})
	if err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("error is %v, want context canceled", err)
	}
}
