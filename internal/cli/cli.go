package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/run"
)

// Main runs the program and returns its exit code.
func Main() int {
	env := osEnv()
	// Writing to a pipe that was closed is an error for the writer, not the
	// end of a run.
	signal.Ignore(syscall.SIGPIPE)
	return Run(env)
}

// Run executes the command line of env and returns the exit code.
func Run(env *Env) int {
	root := newRootCommand(env)
	root.SetArgs(env.Args)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.Execute()
	var silent *silentError
	if errors.As(err, &silent) {
		return silent.code
	}
	if err != nil {
		env.message("", "%v", err)
	}
	if err != nil && !env.accepted {
		return exitUsage
	}
	return codeOf(err)
}

// silentError ends the program with a code when everything has been said.
type silentError struct{ code int }

func (e *silentError) Error() string { return "exit" }

// exitWith returns nil for 0.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &silentError{code}
}

// withSignals returns the two contexts of a run. The first SIGINT, SIGTERM or
// SIGHUP ends issue, the second flight; any further one has no effect.
func withSignals() (sig run.Signals, stop func()) {
	issue, endIssue := context.WithCancelCause(context.Background())
	flight, endFlight := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	quit := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2 {
			select {
			case <-signals:
			case <-quit:
				return
			}
			if issue.Err() != nil {
				endFlight()
			}
			endIssue(engine.Stop(oplog.ReasonInterrupted))
		}
	}()
	return run.Signals{Issue: issue, Flight: flight}, func() {
		signal.Stop(signals)
		close(quit)
		<-done
		endFlight()
		endIssue(nil)
	}
}
