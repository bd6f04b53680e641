package cli

import (
	"fmt"
	"strings"

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
	root.PersistentPreRun = func(*cobra.Command, []string) { env.accepted = true }
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(newRunCommand(env), newAnalyzeCommand(env), newCleanCommand(env), newVersionCommand(env))
	refuseUnknownShells(root)
	return root
}

// newHelpCommand is cobra's, but refuses what it does not know.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage(fmt.Errorf("no command %q; see bench --help", strings.Join(args, " ")))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// refuseUnknownShells makes "bench completion nope" wrong usage.
func refuseUnknownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil || cmd == root {
		return
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(fmt.Errorf("completion: no shell %q", args[0]))
		}
		return cmd.Help()
	}
}
