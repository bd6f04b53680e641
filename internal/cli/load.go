package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bench/internal/run"
	"bench/internal/workload"
)

// newLoadCommand makes the command of one workload: put, get, ….
func newLoadCommand(env *Env, mode workload.Mode) *cobra.Command {
	f := &loadFlags{mix: workload.DefaultMix}
	cmd := &cobra.Command{
		Use:   mode.Name + " [TARGET] [flags]",
		Short: "Measure " + mode.Name + " operations",
		Long: "Measure " + mode.Name + " operations on TARGET, or in a temporary directory without one.\n" +
			"Every operation is recorded; the result is computed from the record.",
		RunE: func(cmd *cobra.Command, args []string) error {
			stages := []run.Stage{{Mode: mode}}
			return runLoad(env, cmd, f, request{command: mode.Name, args: args, stages: stages, mode: mode})
		},
	}
	f.add(cmd.Flags())
	if mode.Name == "mixed" {
		cmd.Flags().StringVar(&f.mix, "mix", workload.DefaultMix, "shares of get, stat, put, del and list")
	}
	return cmd
}

// newRunCommand makes "bench run".
func newRunCommand(env *Env) *cobra.Command {
	f := &loadFlags{mix: workload.DefaultMix}
	cmd := &cobra.Command{
		Use:   "run [TARGET] --modes pgd [flags]",
		Short: "Run several modes in order over one population",
		Long: "Run modes in order over one population of objects: p put, g get, d del, s stat, l list, m mixed.\n" +
			"Each mode of each loop is a stage of its own. g, s and d visit each object once.",
		RunE: func(cmd *cobra.Command, args []string) error {
			stages, err := f.stages()
			if err != nil {
				return usage(err)
			}
			return runLoad(env, cmd, f, request{command: "run", args: args, stages: stages, mode: defaultsOf(stages)})
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&f.mix, "mix", workload.DefaultMix, "mode m: shares of get, stat, put, del and list")
	cmd.Flags().StringVar(&f.modes, "modes", "pgd", "modes in order; letters may repeat")
	cmd.Flags().IntVar(&f.loops, "loops", 1, "how often to run all modes")
	return cmd
}

// defaultsOf returns the mode whose defaults hold for a run: the first one
// that moves content, else the first.
func defaultsOf(stages []run.Stage) workload.Mode {
	for _, s := range stages {
		if s.Mode.Name == "put" || s.Mode.Name == "get" || s.Mode.Name == "mixed" {
			return s.Mode
		}
	}
	return stages[0].Mode
}

// stages expands --modes and --loops.
func (f *loadFlags) stages() ([]run.Stage, error) {
	modes, err := workload.ParseModes(f.modes)
	if err != nil {
		return nil, err
	}
	if f.loops < 1 || f.loops*len(modes) > maxStages {
		return nil, fmt.Errorf("loops %d: want 1 to %d for %d modes", f.loops, maxStages/len(modes), len(modes))
	}
	var out []run.Stage
	for loop := range f.loops {
		reads := 0
		for _, m := range modes {
			s := run.Stage{Mode: m, Loop: loop, Once: true}
			if m.Letter == 'g' {
				s.ReadIndex = reads
				reads++
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// maxStages bounds a run: the record numbers stages with 16 bits.
const maxStages = 10_000

// request is what a load command asks for.
type request struct {
	command string
	args    []string
	stages  []run.Stage
	mode    workload.Mode // whose defaults hold
}

// runLoad resolves the flags, runs the plan, and reports from the record.
func runLoad(env *Env, cmd *cobra.Command, f *loadFlags, req request) error {
	if err := applyEnviron(env, cmd.Flags()); err != nil {
		return err
	}
	plan, temporary, err := f.resolve(env, cmd.Flags(), req)
	if temporary != "" {
		defer func() { _ = os.Remove(temporary) }() // only when empty
	}
	if err != nil {
		return err
	}
	warnUnused(env, cmd.Flags(), req)
	sig, stop := withSignals()
	defer stop()
	result, err := run.Execute(plan, sig, env)
	code := codeOfRun(result, err)
	if err != nil {
		env.message("", "%v", err)
	}
	if result.Record != "" {
		code = reportRun(env, f, plan, result, code)
	}
	return exitWith(code)
}

// warnUnused tells about flags that were given but concern other modes.
func warnUnused(env *Env, fs *pflag.FlagSet, req request) {
	for _, f := range []struct {
		name  string
		modes []string
	}{
		{"range", []string{"get", "mixed"}},
		{"range-align", []string{"get", "mixed"}},
		{"batch", []string{"del", "mixed"}},
		{"max-keys", []string{"list", "mixed"}},
		{"verify", []string{"get", "mixed"}},
	} {
		if fs.Changed(f.name) && !req.has(f.modes...) {
			env.Warn("--%s has no effect on %s", f.name, req.command)
		}
	}
}

// reportRun prints the analysis of the record. A run that failed before it
// measured anything has nothing to report.
func reportRun(env *Env, f *loadFlags, plan *run.Plan, result *run.Result, code int) int {
	if plan.Out == run.NoRecord {
		defer func() { _ = os.Remove(result.Record) }()
	}
	if _, err := os.Stat(result.Record); err != nil {
		return code
	}
	err := analyzeFiles(env, []string{result.Record}, analyzeFlags{json: f.output.json})
	if err != nil {
		env.message("", "%v", err)
		if code == exitOK {
			code = codeOf(err)
		}
	}
	return code
}
