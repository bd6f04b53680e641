package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestMain makes the test binary stand in for the program: a process that it
// starts under the name bench runs main.
//
// Most tests wait for processes, so more of them than processors can run.
func TestMain(m *testing.M) {
	if f := flag.Lookup("test.parallel"); f != nil {
		_ = f.Value.Set("6") // a default; the command line comes after
	}
	testscript.Main(m, map[string]func(){"bench": main})
}

// TestScript runs testdata/script. script_test.go has the commands that are
// not testscript's own.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds:                scriptCommands(),
	})
}
