package workload

import (
	"fmt"

	"bench/backends"
)

// Mode is a workload as the command line names it.
type Mode struct {
	Letter byte
	Name   string
	// Objects is the default population; 0 means that the mode writes and is
	// not limited.
	Objects int64
	// Size is the default object size.
	Size string
	// Batch is the default number of objects per delete request.
	Batch int
	// Writes is set when the mode stores new objects.
	Writes bool
	// Reads is set when the mode needs a population that was written before.
	Reads bool
}

// Modes returns all modes in the order the command line lists them.
func Modes() []Mode {
	return []Mode{
		{Letter: 'p', Name: "put", Size: "1MiB", Batch: 1, Writes: true},
		{Letter: 'g', Name: "get", Objects: 1000, Size: "1MiB", Batch: 1, Reads: true},
		{Letter: 'd', Name: "del", Objects: 25000, Size: "1KiB", Batch: 100, Reads: true},
		{Letter: 's', Name: "stat", Objects: 10000, Size: "1KiB", Batch: 1, Reads: true},
		{Letter: 'l', Name: "list", Objects: 10000, Size: "1KiB", Batch: 1, Reads: true},
		{Letter: 'm', Name: "mixed", Objects: 1000, Size: "1MiB", Batch: 1, Writes: true, Reads: true},
	}
}

// Needs are the abilities without which the mode cannot run; mix is what a
// mixed load does.
func (m Mode) Needs(mix Mix) backends.Caps {
	if m.Name == "list" || m.Name == "mixed" && mix.List > 0 {
		return backends.CapList
	}
	return backends.CapCore
}

// ParseModes reads mode letters in order, for example "pgd".
func ParseModes(letters string) ([]Mode, error) {
	var out []Mode
	for _, c := range []byte(letters) {
		m, ok := modeOf(c)
		if !ok {
			return nil, fmt.Errorf("modes %q: no mode %q; there are p (put), g (get), d (del), s (stat), l (list), m (mixed)", letters, c)
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("modes %q: none given", letters)
	}
	return out, nil
}

func modeOf(letter byte) (Mode, bool) {
	for _, m := range Modes() {
		if m.Letter == letter {
			return m, true
		}
	}
	return Mode{}, false
}
