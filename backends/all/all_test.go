package all_test

import (
	"net/url"
	"slices"
	"testing"

	"bench/backends"
	"bench/backends/all"
)

func TestEverySchemeOpens(t *testing.T) {
	t.Parallel()
	targets := map[string]*url.URL{
		"dummy": {Scheme: "dummy"},
		"file":  {Scheme: "file", Path: t.TempDir()},
	}
	if got := all.Schemes(); !slices.Equal(got, []string{"dummy", "file"}) {
		t.Errorf("schemes are %v", got)
	}
	for scheme, open := range all.Registry() {
		b, err := open(t.Context(), backends.Config{Target: targets[scheme]})
		if err != nil {
			t.Errorf("open %s: %v", scheme, err)
			continue
		}
		if err := b.Close(); err != nil {
			t.Errorf("close %s: %v", scheme, err)
		}
	}
}
