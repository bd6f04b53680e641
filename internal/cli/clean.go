package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bench/backends"
	"bench/internal/run"
)

type cleanFlags struct {
	runID string
	list  bool
	json  bool
}

func newCleanCommand(env *Env) *cobra.Command {
	f := &cleanFlags{}
	cmd := &cobra.Command{
		Use:   "clean TARGET --run-id ID | --list",
		Short: "Find and remove what earlier runs left in a store",
		Long: "Find and remove what earlier runs left in a store. Only objects below bench-<run id>/ whose\n" +
			"marker names that run are deleted, and only names that this tool writes.",
		RunE: func(_ *cobra.Command, args []string) error { return f.run(env, args) },
	}
	cmd.Flags().StringVar(&f.runID, "run-id", "", "the run whose objects are to be deleted")
	cmd.Flags().BoolVar(&f.list, "list", false, "list the runs that left objects; delete nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	return cmd
}

func (f *cleanFlags) run(env *Env, args []string) error {
	if len(args) != 1 {
		return usage(errors.New("clean needs one TARGET"))
	}
	if f.list == (f.runID != "") {
		return usage(errors.New("clean needs either --run-id or --list"))
	}
	if f.runID != "" && !run.ValidRunID(f.runID) {
		return usage(fmt.Errorf("--run-id %q: a run id has 26 characters a-z and 2-7", f.runID))
	}
	t, err := parseTarget(args[0])
	if err != nil {
		return err
	}
	sig, stop := withSignals()
	defer stop()
	store, err := t.open(sig.Issue, backends.Config{Target: t.url, Concurrency: 1})
	if err != nil {
		return err // the store names itself
	}
	err = errors.Join(f.withStore(sig.Issue, env, store, t), store.Close())
	if sig.Issue.Err() != nil {
		env.Warn("interrupted; run it again to remove the rest")
		return exitWith(exitInterrupted)
	}
	return err
}

func (f *cleanFlags) withStore(ctx context.Context, env *Env, store backends.Backend, t target) error {
	c, err := run.NewCleaner(store, t.parent)
	if err != nil {
		return err
	}
	if f.list {
		return f.printRuns(ctx, env, c)
	}
	done, err := c.Clean(ctx, f.runID)
	if perr := f.printCleaned(env, done); err == nil {
		err = perr
	}
	if err == nil && len(done.Failed)+len(done.Foreign) > 0 {
		return fmt.Errorf("clean %s: %d keys are left", f.runID, len(done.Failed)+len(done.Foreign))
	}
	return err
}

func (f *cleanFlags) printRuns(ctx context.Context, env *Env, c *run.Cleaner) error {
	runs, err := c.Runs(ctx)
	if err != nil {
		return err
	}
	if f.json {
		if runs == nil {
			runs = []run.Leftover{}
		}
		return json.NewEncoder(env.Stdout).Encode(runs)
	}
	for _, r := range runs {
		text := r.RunID + "  no marker: clean will not touch it"
		if r.Marked {
			text = fmt.Sprintf("%s  %s  %s", r.RunID, r.Start.UTC().Format(time.RFC3339), clean(r.Host))
		}
		if _, err := fmt.Fprintln(env.Stdout, text); err != nil {
			return err
		}
	}
	if len(runs) == 0 {
		env.Say("no run has left anything")
	}
	return nil
}

func (f *cleanFlags) printCleaned(env *Env, done run.Cleaned) error {
	if f.json {
		return json.NewEncoder(env.Stdout).Encode(done)
	}
	for _, key := range done.Foreign {
		env.Warn("left alone, not written by bench: %s", key)
	}
	for _, key := range done.Failed {
		env.Warn("could not delete %s", key)
	}
	_, err := fmt.Fprintf(env.Stdout, "deleted %d objects\n", done.Deleted)
	return err
}
