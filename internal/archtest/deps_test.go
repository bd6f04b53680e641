package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// bans say what a package must not depend on, directly or through others.
var bans = []struct{ pkg, banned, reason string }{
	{"bench/backends", "bench/internal", "the contract imports the standard library only"},
	{"bench/backends", "github.com", "the contract imports the standard library only"},
	{"bench/backends", "golang.org", "the contract imports the standard library only"},
	{"bench/backends/dummy", "bench/internal", "a backend knows the contract only"},
	{"bench/backends/dummy", "github.com", "dummy needs no SDK"},
	{"bench/backends/file", "bench/internal", "a backend knows the contract only"},
	{"bench/backends/file", "github.com", "file needs no SDK"},
	{"bench/internal/engine", "bench/backends", "the engine knows no store"},
	{"bench/internal/engine", "bench/analyze", "the engine records and does not analyze"},
	{"bench/internal/engine", "github.com/spf13", "the engine knows no command line"},
	{"bench/internal/record", "bench/backends", "the record knows no store"},
	{"bench/internal/oplog", "bench/backends", "the format knows no store"},
	{"bench/internal/oplog", "bench/internal/engine", "the format is read without the engine"},
	{"bench/internal/workload", "bench/backends/all", "a workload knows the contract, not the stores"},
	{"bench/internal/workload", "github.com/spf13", "a workload knows no command line"},
	{"bench/internal/run", "bench/backends/all", "only the command line names the stores"},
	{"bench/internal/run", "github.com/spf13", "a run knows no command line"},
	{"bench/internal/run", "bench/analyze", "a run records; reports come from the record"},
	{"bench/analyze", "bench/backends", "analysis works offline"},
	{"bench/analyze", "bench/internal/engine", "analysis works offline"},
	{"bench/analyze", "bench/internal/run", "analysis works offline"},
	{"bench/analyze/report", "bench/backends", "reports are made offline"},
	{"bench/analyze/stat", "bench/internal", "numbers in, numbers out"},
}

// TestDependencies follows every dependency of the packages above. It fails
// too when a package is gone, so that no ban outlives what it protects.
func TestDependencies(t *testing.T) {
	deps := dependencies(t)
	for _, ban := range bans {
		list, ok := deps[ban.pkg]
		if !ok {
			t.Errorf("package %s does not exist any more: remove or rename its ban", ban.pkg)
			continue
		}
		for _, dep := range list {
			if dep == ban.banned || strings.HasPrefix(dep, ban.banned+"/") {
				t.Errorf("%s depends on %s: %s", ban.pkg, dep, ban.reason)
			}
		}
	}
}

// TestOneFileNamesBackends: only backends/all imports the stores, and only
// the command line imports it.
func TestOneFileNamesBackends(t *testing.T) {
	for pkg, list := range imports(t) {
		for _, dep := range list {
			store := strings.HasPrefix(dep, "bench/backends/") && dep != "bench/backends/all" && dep != "bench/backends/transport"
			if store && pkg != "bench/backends/all" {
				t.Errorf("%s imports %s: only backends/all names the stores", pkg, dep)
			}
			if dep == "bench/backends/all" && pkg != "bench/internal/cli" {
				t.Errorf("%s imports %s: only the command line does", pkg, dep)
			}
		}
	}
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func dependencies(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, p := range golist(t) {
		out[p.ImportPath] = p.Deps
	}
	return out
}

func imports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, p := range golist(t) {
		out[p.ImportPath] = p.Imports
	}
	return out
}

func golist(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "bench/...")
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var out []listed
	for d := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("decode go list: %v", err)
		}
		out = append(out, p)
	}
}
