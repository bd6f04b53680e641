package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// phases are runs that spend long in one phase, and the progress line that
// tells that it has begun.
func phases() []struct{ name, line, flags string } {
	return []struct{ name, line, flags string }{
		{"prepare", `(?i)get prepare: `, "get -n 100000000 -s 1B -c 2"},
		{"warmup", `(?i)put: `, "put --warmup 1h -s 1B -c 2"},
		{"measure", `(?i)mixed: `, "mixed -n 500 -s 1B -d 1h -c 2"},
		{"cleanup", `(?i)cleanup: `, "put -n 8000 -s 1B -d 0 -c 1"},
	}
}

// interrupt starts a run, waits for the phase and sends the signals. A cleanup
// may be over before they arrive; then it is tried again with more objects.
func interrupt(t *testing.T, line, flags string, signals ...os.Signal) *process {
	t.Helper()
	for n := 8000; ; n *= 2 {
		dir := t.TempDir()
		flags := strings.ReplaceAll(flags, "-n 8000", fmt.Sprint("-n ", n))
		args := append(strings.Fields(flags), "file://"+dir+"/store", "--interval", "10ms", "-o", "r.csv.zst")
		p := launch(t, dir, args...)
		p.await(line)
		p.send(signals...)
		if code := p.wait(); code != 0 || n > 200000 {
			if code != 130 {
				t.Errorf("bench %s: exit code %d after %v, want 130\n%s", flags, code, signals, lastOf(p.stderr.String()))
			}
			return p
		}
	}
}

// checkInterrupted reads the record of an interrupted run.
func checkInterrupted(t *testing.T, p *process) *recorded {
	t.Helper()
	path := filepath.Join(p.dir, "r.csv.zst")
	rec, err := readRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.check(); err != nil {
		t.Errorf("%v\nrecord: %v", p.cmd.Args[1:], err)
	}
	if rec.end != nil && rec.end.Reason != "interrupted" {
		t.Errorf("%v\nreason %q, want interrupted", p.cmd.Args[1:], rec.end.Reason)
	}
	if _, err := os.Lstat(path + ".partial"); err == nil {
		t.Error("the partial record is still there")
	}
	stdout, stderr, code := call(t, p.dir, "analyze", "r.csv.zst")
	if len(rec.rows) > 0 && (code != 0 || stdout != p.stdout.String()) {
		t.Errorf("analyze exits with %d and prints something else than the run:\n%s\n%s\n%s", code, stderr, stdout, p.stdout.String())
	}
	return rec
}

func TestOneSignal(t *testing.T) {
	t.Parallel()
	for _, phase := range phases() {
		for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(fmt.Sprint(phase.name, " ", sig), func(t *testing.T) {
				t.Parallel()
				p := interrupt(t, phase.line, phase.flags, sig)
				rec := checkInterrupted(t, p)
				if _, err := os.Lstat(filepath.Join(p.dir, "store")); err == nil {
					t.Errorf("the target is left with %d files\n%s", len(filesBelow(t, filepath.Join(p.dir, "store"))), lastOf(p.stderr.String()))
				}
				last := "measure"
				for _, r := range rec.rows {
					if r["phase"] != "cleanup" {
						last = r["phase"]
					}
				}
				if want := phase.name; want != "cleanup" && last != want {
					t.Errorf("the last load was %s, want %s", last, want)
				}
			})
		}
	}
}

var cleanLine = regexp.MustCompile(`bench (clean file://\S+ --run-id [a-z2-7]{26})`)

func TestTwoSignals(t *testing.T) {
	t.Parallel()
	for _, phase := range phases() {
		t.Run(phase.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			p := interrupt(t, phase.line, phase.flags, syscall.SIGINT, syscall.SIGTERM)
			checkInterrupted(t, p)
			store := filepath.Join(p.dir, "store")
			if len(filesBelow(t, store)) == 0 {
				t.Skip("the cleanup was faster than the second signal")
			}
			m := cleanLine.FindStringSubmatch(p.stderr.String())
			if m == nil {
				t.Fatalf("objects are left, but no clean command is told:\n%s", lastOf(p.stderr.String()))
			}
			stdout, stderr, code := call(t, p.dir, strings.Fields(m[1])...)
			if left := filesBelow(t, store); code != 0 || len(left) > 0 {
				t.Errorf("%s: exit code %d, %d files are left such as %q\n%s%s", m[0], code, len(left), left[:min(1, len(left))], stdout, stderr)
			}
			if took := time.Since(began); took > patience {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestSignalBeforeLoad interrupts a run before its first operation.
func TestSignalBeforeLoad(t *testing.T) {
	t.Parallel()
	t.Run("marker", func(t *testing.T) {
		t.Parallel()
		p := launch(t, t.TempDir(), "put", "dummy://?latency=20s", "-o", "r.csv.zst")
		p.await(`run [a-z2-7]{26} on`)
		p.send(syscall.SIGINT)
		if code := p.wait(); code != 130 {
			t.Errorf("exit code %d, want 130\n%s", code, p.stderr.String())
		}
	})
	t.Run("start", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		p := launch(t, dir, "get", "file://"+dir+"/store", "-n", "10", "-s", "1B", "--start-at", at, "-o", "r.csv.zst")
		p.await(`run [a-z2-7]{26} on`)
		p.send(syscall.SIGTERM)
		if code := p.wait(); code != 130 {
			t.Errorf("exit code %d, want 130\n%s", code, p.stderr.String())
		}
		if left := filesBelow(t, filepath.Join(dir, "store")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// TestGrace lets operations hang: they are given the grace period, then
// aborted and recorded as canceled, and the cleanup still runs.
func TestGrace(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir(), "put", "dummy://?latency=1500ms", "-c", "4", "--timeout", "0", "--grace", "50ms",
		"--interval", "10ms", "-o", "r.csv.zst")
	p.await(`(?i)put: `)
	p.send(syscall.SIGINT)
	if code := p.wait(); code != 130 {
		t.Fatalf("exit code %d, want 130\n%s", code, p.stderr.String())
	}
	rec := checkInterrupted(t, p)
	canceled, err := rec.where([]string{"op=PUT", "phase=measure", "error_class=canceled"})
	if err != nil || len(canceled) != 4 {
		t.Errorf("%d canceled puts, want 4 (%v)", len(canceled), err)
	}
	deleted, err := rec.where([]string{"op=DELETE", "phase=cleanup", "error_class="})
	if err != nil || len(deleted) != 4 {
		t.Errorf("%d deletes in cleanup, want 4: each put may have arrived (%v)", len(deleted), err)
	}
}

// TestCleanInterrupted interrupts clean once it has begun to delete. It stops,
// and can be called again.
func TestCleanInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := "file://" + dir + "/store"
	_, stderr, code := call(t, dir, "put", store, "-n", "12000", "-d", "0", "-s", "1B", "--prefixes", "0", "--keep", "-o", "none")
	m := cleanLine.FindStringSubmatch(stderr)
	if code != 0 || m == nil {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	all := len(filesBelow(t, filepath.Join(dir, "store")))
	p := launch(t, dir, strings.Fields(m[1])...)
	for deadline := time.Now().Add(patience); len(filesBelow(t, filepath.Join(dir, "store"))) == all; {
		if time.Now().After(deadline) {
			t.Fatal("clean deletes nothing")
		}
	}
	p.send(syscall.SIGINT)
	code = p.wait()
	left := len(filesBelow(t, filepath.Join(dir, "store")))
	if left == 0 {
		t.Skip("clean was faster than the signal")
	}
	if code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, p.stderr.String())
	}
	_, stderr, code = call(t, dir, strings.Fields(m[1])...)
	if left := filesBelow(t, filepath.Join(dir, "store")); code != 0 || len(left) > 0 {
		t.Errorf("the second clean: exit code %d, %d files are left\n%s", code, len(left), stderr)
	}
}
