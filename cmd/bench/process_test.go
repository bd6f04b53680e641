package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long anything may take before a test gives up.
const patience = 60 * time.Second

// A process is the program while it runs in a directory of its own.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	dir            string
	stdout, stderr output
	done           chan struct{}
}

// output gathers what a process writes and tells who waits for it.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.changed <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// launch starts the program in dir. Nothing of the test's environment reaches
// it but what it needs to be found and covered.
func launch(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{t: t, dir: dir, done: make(chan struct{})}
	p.stdout.changed, p.stderr.changed = make(chan struct{}, 1), make(chan struct{}, 1)
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), "bench", args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.stdout, &p.stderr
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "HOME=" + dir}
	if cover := os.Getenv("GOCOVERDIR"); cover != "" {
		p.cmd.Env = append(p.cmd.Env, "GOCOVERDIR="+cover)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // the exit code says it
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		<-p.done
	})
	return p
}

// await waits until stderr matches.
func (p *process) await(pattern string) {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(patience)
	for !re.MatchString(p.stderr.String()) {
		select {
		case <-p.stderr.changed:
		case <-p.done:
			if !re.MatchString(p.stderr.String()) {
				p.t.Fatalf("bench %q ended without saying %q:\n%s", p.cmd.Args[1:], pattern, p.stderr.String())
			}
			return
		case <-limit:
			p.t.Fatalf("bench %q did not say %q:\n%s", p.cmd.Args[1:], pattern, p.stderr.String())
		}
	}
}

// send delivers signals, one right after the other. A process that has ended
// is left alone: wait will tell.
func (p *process) send(signals ...os.Signal) {
	p.t.Helper()
	for _, s := range signals {
		if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
			p.t.Fatal(err)
		}
	}
}

// wait returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("bench %q does not end:\n%s", p.cmd.Args[1:], p.stderr.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// call runs the program to its end.
func call(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	p := launch(t, dir, args...)
	code = p.wait()
	return p.stdout.String(), p.stderr.String(), code
}

// filesBelow returns the files of a directory that may be missing.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// lastOf returns the end of a text for messages.
func lastOf(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}
