package file_test

import (
	"net/url"
	"path/filepath"
	"testing"

	"bench/backends"
	"bench/backends/backendtest"
	"bench/backends/file"
)

const wantCaps = backends.CapList | backends.CapAppend | backends.CapPrune | backends.CapSpace

func openDir(t testing.TB, dir string, cfg backends.Config) backends.Backend {
	t.Helper()
	cfg.Target = &url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
	b, err := file.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func opener(cfg backends.Config) func(*testing.T) backends.Backend {
	return func(t *testing.T) backends.Backend {
		return openDir(t, filepath.Join(t.TempDir(), "made", "here"), cfg)
	}
}

func TestPassesTheSuite(t *testing.T) {
	backendtest.RunBoth(t, backendtest.Options{Open: opener(backends.Config{}), Want: wantCaps})
}
