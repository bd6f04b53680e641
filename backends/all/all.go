// Package all names every backend there is. It is the only package that
// imports them all; whoever wants a store by its scheme asks here.
package all

import (
	"maps"
	"slices"

	"bench/backends"
	"bench/backends/dummy"
	"bench/backends/file"
)

// Registry returns what opens each scheme of a target. The map is the
// caller's own.
func Registry() map[string]backends.OpenFunc {
	return map[string]backends.OpenFunc{
		"dummy": dummy.Open,
		"file":  file.Open,
	}
}

// Schemes returns the schemes of [Registry] in ascending order.
func Schemes() []string {
	return slices.Sorted(maps.Keys(Registry()))
}
