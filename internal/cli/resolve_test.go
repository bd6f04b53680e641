package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"bench/internal/run"
	"bench/internal/workload"
)

// resolved parses flags of a command as cobra would, and resolves them.
func resolved(t *testing.T, environ []string, command string, args ...string) (*run.Plan, string, error) {
	t.Helper()
	f := &loadFlags{mix: workload.DefaultMix}
	fs := pflag.NewFlagSet(command, pflag.ContinueOnError)
	f.add(fs)
	fs.StringVar(&f.mix, "mix", workload.DefaultMix, "")
	if command == "run" {
		fs.StringVar(&f.modes, "modes", "pgd", "")
		fs.IntVar(&f.loops, "loops", 1, "")
	}
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	env := &Env{Stderr: &terminal{}, Stdout: &terminal{}, Environ: environ}
	if err := applyEnviron(env, fs); err != nil {
		return nil, "", err
	}
	req := request{command: command, args: fs.Args()}
	if command == "run" {
		stages, err := f.stages()
		if err != nil {
			return nil, "", usage(err)
		}
		req.stages, req.mode = stages, defaultsOf(stages)
	} else {
		req.mode = modeNamed(t, command)
		req.stages = []run.Stage{{Mode: req.mode}}
	}
	plan, temporary, err := f.resolve(env, fs, req)
	if temporary != "" {
		t.Cleanup(func() { _ = os.Remove(temporary) })
	}
	return plan, temporary, err
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, m := range workload.Modes() {
		p, _, err := resolved(t, nil, m.Name, "dummy://")
		if err != nil {
			t.Fatal(err)
		}
		size := map[string]string{"1MiB": "1048576", "1KiB": "1024"}[m.Size]
		if p.Workers != 16 || p.Duration != 30*time.Second || p.Sizes.String() != size || p.Prefixes != 16 || p.MaxKeys != 1000 ||
			p.MaxErrors != -1 || p.ErrorRate != 0.01 || p.Timeout != time.Minute || p.Grace != 30*time.Second || p.Retries != 0 ||
			p.Batch != m.Batch || p.Cap != 0 || p.Rate != 0 || p.Ops != 0 || p.Interval != time.Second {
			t.Errorf("%s: got %+v", m.Name, p)
		}
	}
	p, _, err := resolved(t, nil, "run", "dummy://", "--modes", "ppgd", "--loops", "2")
	if err != nil || len(p.Stages) != 8 || p.Batch != 1 || !p.Stages[7].Once || p.Stages[7].Loop != 1 || p.Stages[4].Mode.Name != "put" {
		t.Errorf("run: got %+v, %v", p, err)
	}
	p, _, err = resolved(t, nil, "run", "dummy://", "--modes", "gpgg", "--loops", "2")
	if err != nil {
		t.Fatal(err)
	}
	var reads []int
	for _, s := range p.Stages {
		reads = append(reads, s.ReadIndex)
	}
	if want := []int{0, 0, 1, 2, 0, 0, 1, 2}; !reflect.DeepEqual(reads, want) {
		t.Errorf("read indexes: got %v, want %v", reads, want)
	}
}

// TestSeeds checks that a seed is kept, 0 included, and otherwise drawn.
func TestSeeds(t *testing.T) {
	t.Parallel()
	check := func(want uint64, environ []string, args ...string) {
		t.Helper()
		p, _, err := resolved(t, environ, "put", append(args, "dummy://")...)
		if err != nil || p.Seed != want {
			t.Errorf("%q %q: got seed %d, %v, want %d", environ, args, p.Seed, err, want)
		}
	}
	check(7, nil, "--seed", "7")
	check(0, nil, "--seed", "0")
	check(9, []string{"BENCH_SEED=9"})
	check(7, []string{"BENCH_SEED=9"}, "--seed", "7")
	check(1<<64-1, nil, "--seed", "18446744073709551615")
	a, _, _ := resolved(t, nil, "put", "dummy://")
	b, _, _ := resolved(t, nil, "put", "dummy://")
	if a.Seed == b.Seed {
		t.Errorf("two runs drew the seed %d", a.Seed)
	}
}

func TestResolveErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"put --concurrency 0 dummy://":                 "--concurrency",
		"put --concurrency 100001 dummy://":            "--concurrency",
		"put --duration -1s dummy://":                  "--duration",
		"put --warmup -1s dummy://":                    "--warmup",
		"put --objects -1 dummy://":                    "--objects",
		"get --objects 0 dummy://":                     "--objects 0",
		"put --ops -1 dummy://":                        "--ops",
		"put --min-ops 5 --ops 4 dummy://":             "--min-ops 5",
		"put --retries -1 dummy://":                    "--retries",
		"put --interval 1ms dummy://":                  "--interval",
		"put --max-errors -2 dummy://":                 "--max-errors",
		"put --max-error-rate x dummy://":              "--max-error-rate",
		"put --arrival often dummy://":                 "--arrival",
		"put --progress loud dummy://":                 "--progress",
		"put --rate -1 dummy://":                       "--rate",
		"put --rate NaN dummy://":                      "--rate",
		"put --size 12parsecs dummy://":                "12parsecs",
		"put --size 1KiB --size-dist zipf dummy://":    "zipf",
		"put -d 0 dummy://":                            "would never end",
		"get -d 0 dummy://":                            "would never end",
		"mixed -d 0 dummy://":                          "would never end",
		"list -d 0 dummy://":                           "would never end",
		"run -d 0 --modes pgd dummy://":                "would never end",
		"run -d 0 -n 5 --modes pl dummy://":            "would never end",
		"run --modes x dummy://":                       "no mode",
		"run --loops 0 dummy://":                       "loops",
		"run --loops 100000 dummy://":                  "loops",
		"get --range 2MiB dummy://":                    "larger than the smallest object",
		"get --range 2KiB -s 1KiB..1MiB dummy://":      "larger than the smallest object",
		"get --range 0 dummy://":                       "--range",
		"get --range-align 0 dummy://":                 "--range-align",
		"mixed --mix read=1 dummy://":                  "mix",
		"put --label x dummy://":                       "--label",
		"put --label =x dummy://":                      "--label",
		"put --start-at yesterday dummy://":            "--start-at",
		"put --start-at 2001-01-01T00:00:00Z dummy://": "in the past",
		"put dummy:// dummy://":                        "one TARGET",
		"put ftp://x":                                  "ftp://x",
		"put dummy":                                    "want one of",
		"put file://u:secret@/tmp/x":                   "do not belong",
		"put file:///tmp/a/../b":                       "..",
		"put file:///tmp/a/%2e%2e/b":                   "..",
		"put file:///tmp/%zz":                          "%zz",
		"put -s 65MiB":                                 "too large for a temporary directory",
		"get -n 1000 -s 1MiB":                          "do not fit",
	} {
		fields := strings.Fields(line)
		_, _, err := resolved(t, nil, fields[0], fields[1:]...)
		if err == nil || !strings.Contains(err.Error(), want) || codeOf(err) != exitUsage {
			t.Errorf("%s: got %v (code %d), want wrong usage with %q", line, err, codeOf(err), want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the message shows the password: %v", line, err)
		}
	}
}

func TestBoundedLoads(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"put -d 0 -n 5 dummy://", "put -d 0 --ops 5 dummy://", "get -d 0 --ops 5 dummy://", "del -d 0 dummy://",
		"run -d 0 -n 5 --modes pgsd dummy://", "run -d 0 --ops 9 --modes plm dummy://", "mixed -d 1s dummy://",
	} {
		fields := strings.Fields(line)
		if _, _, err := resolved(t, nil, fields[0], fields[1:]...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestTemporaryTarget checks a load without a TARGET: it stays small, and its
// directory is a fresh one.
func TestTemporaryTarget(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p, dir, err := resolved(t, nil, "mixed")
	if err != nil || p.Cap != 256<<20 || p.Population != 128 || !strings.HasPrefix(p.Target, "file://"+os.TempDir()) {
		t.Errorf("got %+v, %v", p, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Errorf("directory %s: %v", dir, err)
	}
	if p, _, err := resolved(t, nil, "stat"); err != nil || p.Population != 0 { // the default, which fits
		t.Errorf("stat: got %+v, %v", p, err)
	}
}

// TestNothingStaysOfARefusedLoad checks that a directory that was made in vain
// is removed.
func TestNothingStaysOfARefusedLoad(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Chdir(t.TempDir())
	for _, line := range []string{"put -s 65MiB", "get -n 1000 -s 1MiB", "put -n 3 -d 0 -s 1KiB -o none"} {
		got := bench(nil, strings.Fields(line)...)
		if left, _ := filepath.Glob(dir + "/*"); len(left) != 0 {
			t.Errorf("%s: code %d, left %q", line, got.code, left)
		}
	}
}

func TestParseStartAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 12, 30, 0, 5, time.FixedZone("here", 3600))
	check := func(text string, want time.Time) {
		t.Helper()
		if got, err := parseStartAt(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	check("", time.Time{})
	check("12:31", time.Date(2026, 5, 6, 12, 31, 0, 0, now.Location()))
	check("23:59:59", time.Date(2026, 5, 6, 23, 59, 59, 0, now.Location()))
	check("2026-05-06T11:30:01Z", time.Date(2026, 5, 6, 11, 30, 1, 0, time.UTC))
	check("2027-01-01T00:00:00.5+02:00", time.Date(2026, 12, 31, 22, 0, 0, 5e8, time.UTC))
	for _, text := range []string{"12:30", "12:29:59", "00:00", "2026-05-06T11:30:00Z", "24:00", "12:60", "noon", "5m", "2026-05-06"} {
		if got, err := parseStartAt(text, now); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestParseLabels(t *testing.T) {
	t.Parallel()
	got, err := parseLabels([]string{"a=1", "b=x=y", "c="})
	if want := map[string]string{"a": "1", "b": "x=y", "c": ""}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, pairs := range [][]string{{"a"}, {"=1"}, {""}} {
		if got, err := parseLabels(pairs); err == nil {
			t.Errorf("%q: got %v, want an error", pairs, got)
		}
	}
}

// TestOptionsInTheRecord checks that only named flags get there, resolved.
func TestOptionsInTheRecord(t *testing.T) {
	t.Parallel()
	p, _, err := resolved(t, nil, "get", "-s", "64KiB", "-c", "3", "--range", "1KiB", "dummy://?seed=1")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"size": "65536", "concurrency": "3", "prefixes": "3", "duration": "30s"} {
		if got := p.Options[name]; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"out", "json", "quiet", "progress", "label", "seed"} {
		if got, ok := p.Options[name]; ok {
			t.Errorf("%s is kept: %q", name, got)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	f := &loadFlags{}
	fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.add(fs)
	if err := fs.Parse([]string{"-c", "3"}); err != nil {
		t.Fatal(err)
	}
	var stderr terminal
	env := &Env{Stderr: &stderr, Environ: []string{
		"BENCH_CONCURRENCY=9", "BENCH_MAX_ERRORS=4", "BENCH_VERIFY=true", "BENCH_DURATION=1s", "BENCH_DURATION=2s",
		"BENCH_SISE=1", "BENCH_TEST_X=1", "BENCHMARK=1", "OTHER=1",
	}}
	if err := applyEnviron(env, fs); err != nil {
		t.Fatal(err)
	}
	if f.concurrency != 3 || f.maxErrors != 4 || !f.verify || f.duration != 2*time.Second {
		t.Errorf("got %+v", f)
	}
	if got, want := stderr.String(), "bench: warning: BENCH_SISE is no setting of this command and has no effect\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	err := applyEnviron(&Env{Stderr: &stderr, Environ: []string{"BENCH_RETRIES=many"}}, fs)
	if codeOf(err) != exitUsage || !strings.Contains(fmt.Sprint(err), "BENCH_RETRIES") {
		t.Errorf("BENCH_RETRIES=many: got %v", err)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	plain := errors.New("x")
	check := func(name string, result run.Result, err error, want int) {
		t.Helper()
		if got := codeOfRun(&result, err); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	all := run.Result{Interrupted: true, OverErrors: true, Tried: 3, Failed: 3}
	check("fine", run.Result{Tried: 3}, nil, exitOK)
	check("nothing tried", run.Result{}, nil, exitOK)
	check("some failed", run.Result{Tried: 3, Failed: 1}, nil, exitOK)
	check("all failed", run.Result{Tried: 3, Failed: 3}, nil, exitErrors)
	check("over the limit", run.Result{Tried: 3, Failed: 1, OverErrors: true}, nil, exitErrors)
	check("interrupted", run.Result{Interrupted: true}, nil, exitInterrupted)
	check("interrupted, errors too", all, nil, exitInterrupted)
	check("the record was lost, all the rest too", all, plain, exitEnvironment)
	check("wrong usage, all the rest too", all, fmt.Errorf("a: %w", usage(plain)), exitUsage)
}
