package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"bench/internal/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// terminal is a buffer that several goroutines may write to.
type terminal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *terminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *terminal) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// outcome is what came of a command line.
type outcome struct {
	code           int
	stdout, stderr string
}

// bench runs a command line, given as words, with variables.
func bench(environ []string, args ...string) outcome {
	var out, err terminal
	code := Run(&Env{Args: args, Stdout: &out, Stderr: &err, Environ: environ})
	return outcome{code: code, stdout: out.String(), stderr: err.String()}
}

// words splits a command line and gives a load a record of its own.
func words(t *testing.T, line string) []string {
	t.Helper()
	return append(strings.Fields(line), "-o", filepath.Join(t.TempDir(), "out.csv.zst"))
}

func modeNamed(t *testing.T, name string) workload.Mode {
	t.Helper()
	for _, m := range workload.Modes() {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no mode %q", name)
	return workload.Mode{}
}
