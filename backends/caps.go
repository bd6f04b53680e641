package backends

import "strings"

// Caps is a set of abilities.
type Caps uint32

// The abilities. CapCore is what every backend can do.
const (
	CapList Caps = 1 << iota
	CapBatchDelete
	CapAppend
	CapPrune
	CapSpace

	CapCore Caps = 0
)

// Abilities are a backend's optional interfaces, resolved once. A field is
// nil where the backend cannot do it.
type Abilities struct {
	Lister       Lister
	BatchDeleter BatchDeleter
	Appender     Appender
	Pruner       Pruner
	Space        SpaceReporter
	// Synthetic is set for a store that makes up what it lists.
	Synthetic bool
}

// Discover finds what b can do beyond the core. It is the only place that
// asserts optional interfaces.
func Discover(b Backend) Abilities {
	var a Abilities
	a.Lister, _ = b.(Lister)
	a.BatchDeleter, _ = b.(BatchDeleter)
	a.Appender, _ = b.(Appender)
	a.Pruner, _ = b.(Pruner)
	a.Space, _ = b.(SpaceReporter)
	if s, ok := b.(Synthesizer); ok {
		a.Synthetic = s.Synthesizes()
	}
	return a
}

// Caps returns the set of abilities that are present.
func (a Abilities) Caps() Caps {
	var c Caps
	if a.Lister != nil {
		c |= CapList
	}
	if a.BatchDeleter != nil {
		c |= CapBatchDelete
	}
	if a.Appender != nil {
		c |= CapAppend
	}
	if a.Pruner != nil {
		c |= CapPrune
	}
	if a.Space != nil {
		c |= CapSpace
	}
	return c
}

// Missing returns the abilities of need that c lacks.
func (c Caps) Missing(need Caps) Caps { return need &^ c }

// String names the abilities as verbs for messages, for example
// "list, append".
func (c Caps) String() string {
	names := []string{"list", "delete in batches", "append", "prune", "report space"}
	var out []string
	for i, name := range names {
		if c&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return "core"
	}
	return strings.Join(out, ", ")
}
