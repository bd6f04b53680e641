package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"bench/internal/workload"
)

// newRootCommand lists the commands.
func newRootCommand(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "bench",
		Short:         "Measure object stores, and keep a record of every operation",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("no command %q; see bench --help", args[0]))
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.PersistentFlags().BoolVar(&env.Quiet, "quiet", false, "print nothing but the result and warnings")
	root.PersistentFlags().Bool("no-color", false, "plain text (there is no colour now)")
	root.CompletionOptions.HiddenDefaultCmd = false
	for _, m := range workload.Modes() {
		root.AddCommand(newLoadCommand(env, m))
	}
	root.AddCommand(newRunCommand(env), newAnalyzeCommand(env), newCleanCommand(env), newVersionCommand(env))
	return root
}
