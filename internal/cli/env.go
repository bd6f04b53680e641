package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Env is everything outside of the process that commands use.
type Env struct {
	Args           []string
	Stdout, Stderr io.Writer
	Environ        []string
	// Quiet drops what is said, not what is warned about.
	Quiet bool

	// accepted is set once a command's arguments and flags have been
	// parsed; an error before that is the user's.
	accepted bool

	mu sync.Mutex
}

// osEnv is the environment of the real process.
func osEnv() *Env {
	return &Env{Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ()}
}

// lookup returns an environment variable.
func (e *Env) lookup(name string) (string, bool) {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e.Environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// Say tells the user something; it implements run.Messenger.
func (e *Env) Say(format string, args ...any) {
	if !e.Quiet {
		e.message("", format, args...)
	}
}

// Warn tells the user that something may be wrong.
func (e *Env) Warn(format string, args ...any) { e.message("warning: ", format, args...) }

// Hint tells the user what to do.
func (e *Env) Hint(format string, args ...any) { e.message("hint: ", format, args...) }

// message writes one line. A stderr that is closed never ends a run.
func (e *Env) message(kind, format string, args ...any) {
	text := "bench: " + kind + clean(fmt.Sprintf(format, args...)) + "\n"
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = io.WriteString(e.Stderr, text)
}

// clean keeps control bytes of keys and server errors off the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
