package workload_test

import (
	"strings"
	"testing"

	"bench/internal/workload"
)

func TestParseMix(t *testing.T) {
	t.Parallel()
	check := func(text string, want workload.Mix) {
		t.Helper()
		if got, err := workload.ParseMix(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	check(workload.DefaultMix, workload.Mix{Get: 45, Stat: 30, Put: 15, Del: 10})
	check("list=1", workload.Mix{List: 1})
	check(" get=0.5 , put=1e3", workload.Mix{Get: 0.5, Put: 1000})
	check("get=1,put=0", workload.Mix{Get: 1})

	fails := func(text, want string) {
		t.Helper()
		if got, err := workload.ParseMix(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v, want an error with %q", text, got, err, want)
		}
	}
	fails("", "want pairs")
	fails("get", "want pairs")
	fails("45", "want pairs")
	fails("get=1,", "want pairs")
	fails("read=1", "want pairs")
	fails("Get=1", "want pairs")
	fails("get=", "share of get")
	fails("get=x", "share of get")
	fails("get=-1", "share of get")
	fails("get=NaN", "share of get")
	fails("get=Inf", "share of get")
	fails("get=2e9", "share of get")
	fails("get=1,get=2", "twice")
	fails("get=0,put=0", "every share is 0")
	fails("get=-0", "every share is 0")
}

func TestParseModes(t *testing.T) {
	t.Parallel()
	check := func(letters, want string) {
		t.Helper()
		modes, err := workload.ParseModes(letters)
		var names []string
		for _, m := range modes {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", letters, got, err, want)
		}
	}
	check("pgd", "put get del")
	check("pggg", "put get get get")
	check("slm", "stat list mixed")
	for _, letters := range []string{"", "x", "pxd", "P", "p,g", "p g"} {
		if modes, err := workload.ParseModes(letters); err == nil {
			t.Errorf("%q: got %v, want an error", letters, modes)
		}
	}
}

func TestModesHaveDefaults(t *testing.T) {
	t.Parallel()
	for _, m := range workload.Modes() {
		if m.Reads && m.Objects == 0 || m.Size == "" || m.Batch < 1 {
			t.Errorf("%s lacks a default: %+v", m.Name, m)
		}
	}
}
