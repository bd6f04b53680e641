// Package backendtest is the conformance suite of the backend contract. A
// backend passes it whole, or names what it leaves out and why.
//
// The suite is an explicit list that runs in order; every test opens a
// backend of its own. Tests of an ability run where Options.Want holds it.
package backendtest

import (
	"slices"
	"testing"

	"bench/backends"
)

// Options describe the backend under test.
type Options struct {
	// Open returns a backend on a namespace that is empty and stays so until
	// the test writes to it. The suite closes it.
	Open func(t *testing.T) backends.Backend
	// Want are exactly the abilities the backend must have.
	Want backends.Caps
	// Prefix begins every key the suite uses.
	Prefix string
	// Only names the tests to run, nil for all. It is for stores that keep
	// nothing.
	Only []string
	// Skip maps the name of a test to the reason it cannot pass. A name that
	// no test has fails.
	Skip map[string]string
	// IdempotentDelete says that deleting what is not there succeeds.
	IdempotentDelete bool
}

// Subset returns the names of the tests that a store which keeps nothing
// passes.
func Subset() []string {
	return []string{
		"abilities", "put reads no more than the body", "get does not read ahead", "canceled context",
		"delete batch within limit", "concurrent use", "double close",
	}
}

// Run runs the suite. Every test is a subtest of t.
func Run(t *testing.T, o Options) {
	t.Helper()
	checkNames(t, o)
	for _, c := range cases() {
		if c.need&^o.Want != 0 || (o.Only != nil && !slices.Contains(o.Only, c.name)) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if reason, ok := o.Skip[c.name]; ok {
				t.Skip(reason)
			}
			c.run(newEnv(t, o))
		})
	}
}

// RunBoth runs the suite plainly and with every key below a prefix.
func RunBoth(t *testing.T, o Options) {
	t.Helper()
	t.Run("plain", func(t *testing.T) { Run(t, o) })
	t.Run("prefix", func(t *testing.T) {
		o.Prefix = "some/where deep/"
		Run(t, o)
	})
}

// A testCase is one test of the suite.
type testCase struct {
	name string
	need backends.Caps
	run  func(e *env)
}

func cases() []testCase {
	return slices.Concat(coreCases(), rangeCases(), keyCases(), listCases(), batchCases(), appendCases(),
		honestyCases(), lifeCases())
}

// checkNames fails for names in Skip and Only that no test has.
func checkNames(t *testing.T, o Options) {
	t.Helper()
	known := make(map[string]bool)
	for _, c := range cases() {
		if known[c.name] {
			t.Errorf("two tests are named %q", c.name)
		}
		known[c.name] = true
	}
	for name := range o.Skip {
		if !known[name] {
			t.Errorf("skip %q: there is no such test", name)
		}
	}
	for _, name := range o.Only {
		if !known[name] {
			t.Errorf("only %q: there is no such test", name)
		}
	}
}
