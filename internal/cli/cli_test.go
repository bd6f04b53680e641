package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExitCodes runs whole command lines against the dummy.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"put -d 0 -n 50 dummy://":                                   exitOK,
		"get -d 0 --ops 50 -n 10 --verify dummy://":                 exitOK,
		"run -d 0 -n 50 --modes pgsd --loops 2 dummy://?store=1":    exitOK,
		"mixed -d 0 --ops 200 -n 50 --verify dummy://?store=1":      exitOK,
		"list -d 0 --ops 20 -n 50 dummy://?store=1":                 exitOK,
		"put -d 0 -n 500 dummy://?error-rate=0.5":                   exitErrors,
		"put -d 0 -n 50 --max-error-rate 60% dummy://?error-rate=1": exitErrors,
		"get -d 0 --ops 5 -n 50 dummy://?error-rate=1":              exitEnvironment,
		"put -d 0 -n 5 dummy://?latency=x":                          exitUsage,
		"put -d 0 -n 5 dummy://host":                                exitUsage,
		"put -d 0 -n 5 --direct dummy://":                           exitUsage,
		"put --nonsense dummy://":                                   exitUsage,
		"put -d 1 dummy://":                                         exitUsage,
		"nonsense":                                                  exitUsage,
	} {
		got := bench(nil, words(t, line)...)
		if got.code != want {
			t.Errorf("%s: got code %d, want %d\n%s", line, got.code, want, got.stderr)
		}
		if (got.stdout != "") != (want == exitOK || want == exitErrors) && want != exitEnvironment {
			t.Errorf("%s: stdout %q", line, got.stdout)
		}
		for said := range strings.Lines(got.stderr) {
			if !strings.HasPrefix(said, "bench: ") && !strings.HasPrefix(said, "loop ") && !strings.HasPrefix(said, "cleanup") {
				t.Errorf("%s: said %q", line, said)
			}
		}
	}
}

// TestReportIsThatOfAnalyze compares what a run prints with what analyze
// prints of its record, byte for byte.
func TestReportIsThatOfAnalyze(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--json"}} {
		out := filepath.Join(t.TempDir(), "out.csv.zst")
		args := []string{"mixed", "-d", "0", "--ops", "500", "-n", "50", "--quiet", "-o", out, "dummy://?store=1"}
		ran := bench(nil, append(args, flags...)...)
		again := bench(nil, append([]string{"analyze", out}, flags...)...)
		if ran.code != exitOK || again.code != exitOK || ran.stdout != again.stdout || ran.stderr != "" {
			t.Errorf("%q: code %d and %d, said %q\n%s\nagain:\n%s", flags, ran.code, again.code, ran.stderr, ran.stdout, again.stdout)
		}
		if len(flags) > 0 && !json.Valid([]byte(again.stdout)) {
			t.Errorf("not JSON: %.200s", again.stdout)
		}
	}
}

func TestOutputIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out.csv.zst")
	args := []string{"put", "-d", "0", "-n", "5", "-o", out, "dummy://"}
	if got := bench(nil, args...); got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	before, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got := bench(nil, args...)
	if after, err := os.ReadFile(out); got.code != exitUsage || string(after) != string(before) || err != nil {
		t.Errorf("got code %d, said %q, %v", got.code, got.stderr, err)
	}
}

// TestCleanCommand removes what a kept run left.
func TestCleanCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := "file://" + dir
	if got := bench(nil, append(words(t, "put -d 0 -n 20 -s 10 --keep"), target)...); got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	listed := bench(nil, "clean", target, "--list")
	id, _, _ := strings.Cut(listed.stdout, " ")
	if listed.code != exitOK || len(id) != 26 {
		t.Fatalf("got %+v", listed)
	}
	for _, args := range [][]string{
		{"clean"}, {"clean", target}, {"clean", target, "--list", "--run-id", id}, {"clean", target, "--run-id", "x"}, {"clean", "x", "--list"},
	} {
		if got := bench(nil, args...); got.code != exitUsage {
			t.Errorf("%q: got %+v", args, got)
		}
	}
	if got := bench(nil, "clean", target, "--run-id", strings.Repeat("a", 26)); got.code != exitEnvironment {
		t.Errorf("a run that is not there: got %+v", got)
	}
	if got := bench(nil, "clean", target, "--run-id", id); got.code != exitOK || got.stdout != "deleted 21 objects\n" {
		t.Errorf("got %+v", got)
	}
	if got := bench(nil, "clean", target, "--list", "--json"); got.code != exitOK || got.stdout != "[]\n" {
		t.Errorf("got %+v", got)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if got := bench(nil, "version"); got.code != exitOK || !strings.HasPrefix(got.stdout, "bench ") {
		t.Errorf("got %+v", got)
	}
	if got := bench(nil, "version", "--json"); got.code != exitOK || !json.Valid([]byte(got.stdout)) {
		t.Errorf("got %+v", got)
	}
	if got := bench(nil, "version", "x"); got.code != exitUsage {
		t.Errorf("got %+v", got)
	}
}

func TestAnalyzeUsage(t *testing.T) {
	t.Parallel()
	no := filepath.Join(t.TempDir(), "no")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"analyze"}, exitUsage},
		{[]string{"analyze", "--segment", "0", text}, exitUsage},
		{[]string{"analyze", no}, exitEnvironment},
		{[]string{"analyze", text}, exitEnvironment},
	} {
		if got := bench(nil, c.args...); got.code != c.want || got.stdout != "" {
			t.Errorf("%q: got %+v, want code %d", c.args, got, c.want)
		}
	}
}

// TestMessages checks that control bytes of errors do not reach the terminal.
func TestMessages(t *testing.T) {
	t.Parallel()
	var stderr terminal
	env := &Env{Stderr: &stderr, Quiet: true}
	env.Say("not said")
	env.Warn("a\x1b[31mb\x7f\u009bc")
	env.Hint("do %d", 1)
	if got, want := stderr.String(), "bench: warning: a?[31mb??c\nbench: hint: do 1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	env.Stderr = closedWriter{}
	env.Warn("nobody hears")
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }
