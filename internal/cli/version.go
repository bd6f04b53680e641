package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"bench/internal/buildinfo"
)

func newVersionCommand(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			info := buildinfo.Read()
			if asJSON {
				return json.NewEncoder(env.Stdout).Encode(info)
			}
			_, err := fmt.Fprintf(env.Stdout, "bench %s %s\n", info.Version, info.Go)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// noArgs refuses positional arguments as wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args[0]))
	}
	return nil
}
