package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"bench/analyze"
	"bench/analyze/report"
)

type analyzeFlags struct {
	segment time.Duration
	json    bool
}

func newAnalyzeCommand(env *Env) *cobra.Command {
	f := analyzeFlags{}
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Print the result of a record again",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("analyze needs at least one record"))
			}
			if f.segment <= 0 {
				return usage(fmt.Errorf("--segment %v: want more than 0", f.segment))
			}
			return analyzeFiles(env, args, f)
		},
	}
	cmd.Flags().DurationVar(&f.segment, "segment", time.Second, "length of a segment")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	return cmd
}

// analyzeFiles prints the report of records. A damaged record gives a report
// of its sound part and an error. A reader that has gone away, as in
// "bench analyze FILE | head", is no error.
func analyzeFiles(env *Env, paths []string, f analyzeFlags) error {
	a, err := analyze.Load(context.Background(), paths, analyze.Options{Segment: f.segment})
	if a != nil {
		write := report.Text
		if f.json {
			write = report.JSON
		}
		if perr := write(env.Stdout, a); perr != nil && err == nil && !errors.Is(perr, syscall.EPIPE) {
			err = fmt.Errorf("print the report: %w", perr)
		}
	}
	return err
}
