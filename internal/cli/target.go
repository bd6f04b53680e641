package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"bench/backends"
	"bench/backends/all"
)

// target is a parsed TARGET.
type target struct {
	url *url.URL
	// shown is the target as printed and recorded.
	shown string
	open  backends.OpenFunc
	// parent is the key prefix the target names inside of the store.
	parent string
	// temporary is a directory to remove at the end, empty otherwise.
	temporary string
}

// parseTarget reads a TARGET. Errors are the user's.
func parseTarget(text string) (target, error) {
	scheme, _, ok := strings.Cut(text, "://")
	open, known := all.Registry()[scheme]
	if !ok || !known {
		return target{}, usage(fmt.Errorf("target %q: want one of %s://…", withoutUser(text), strings.Join(all.Schemes(), "://, ")))
	}
	u, err := url.Parse(text)
	if err != nil {
		return target{}, usage(fmt.Errorf("target %q: %w", withoutUser(text), errors.Unwrap(err)))
	}
	if u.User != nil {
		return target{}, usage(fmt.Errorf("target %s: user names and passwords do not belong into a target", u.Redacted()))
	}
	if slices.Contains(strings.Split(u.Path, "/"), "..") {
		return target{}, usage(fmt.Errorf("target %q: %q is not allowed in a path", text, ".."))
	}
	return target{url: u, shown: text, open: open}, nil
}

// withoutUser leaves out of a target what may be a password.
func withoutUser(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	host, path, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if !ok || at < 0 {
		return text
	}
	return scheme + "://…@" + host[at+1:] + "/" + path
}

// temporaryTarget is what a load runs on when no TARGET is given: a fresh
// directory that is removed at the end.
func temporaryTarget() (target, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return target{}, fmt.Errorf("make a directory to run in: %w", err)
	}
	u := &url.URL{Scheme: "file", Path: dir}
	return target{url: u, shown: "file://" + path.Clean(dir), open: all.Registry()["file"], temporary: dir}, nil
}
