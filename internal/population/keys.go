package population

import (
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// Marker is the name, below the root, of the object that says whose root it
// is.
const Marker = ".bench-run"

// slabSize is how many bytes of keys are allocated at once.
const slabSize = 64 << 10

// maxDigits is the length of the largest uint64 in decimal.
const maxDigits = 20

// A KeyMaker makes key strings for one worker out of slabs, with one
// allocation per some thousand keys. The strings stay valid for ever; a slab
// is freed when none of its keys is in use. The zero KeyMaker is ready.
type KeyMaker struct {
	slab []byte
}

// reserve makes room for n more bytes behind what the slab holds.
func (m *KeyMaker) reserve(n int) {
	if cap(m.slab)-len(m.slab) < n {
		m.slab = make([]byte, 0, max(slabSize, n))
	}
}

// cut returns what was appended to the slab as a string. Nothing writes to
// these bytes again: the next key begins behind them.
func (m *KeyMaker) cut(grown []byte) string {
	key := grown[len(m.slab):]
	m.slab = grown
	return unsafe.String(unsafe.SliceData(key), len(key))
}

// Key returns the key of id: Root, then "<prefix>/" where there are prefixes,
// then the id in decimal. Blocks of 64 ids share a prefix.
func (p *Population) Key(m *KeyMaker, id uint64) string {
	m.reserve(len(p.cfg.Root) + 2*maxDigits + 1)
	b := append(m.slab, p.cfg.Root...)
	if n := p.cfg.Prefixes; n > 0 {
		b = strconv.AppendUint(b, id/blockIDs%uint64(n), 10)
		b = append(b, '/')
	}
	return m.cut(strconv.AppendUint(b, id, 10))
}

// ParseKey returns the id whose key this is. It returns false for anything
// that Key would not have made.
func (p *Population) ParseKey(key string) (id uint64, ok bool) {
	rest, ok := strings.CutPrefix(key, p.cfg.Root)
	if !ok {
		return 0, false
	}
	prefix, name, nested := strings.Cut(rest, "/")
	if !nested {
		id, ok = parseID(rest)
		return id, ok && p.cfg.Prefixes <= 0
	}
	id, ok = parseID(name)
	if !ok || p.cfg.Prefixes <= 0 {
		return 0, false
	}
	want := strconv.FormatUint(id/blockIDs%uint64(p.cfg.Prefixes), 10)
	return id, prefix == want
}

// OwnName reports whether rest, the part of a key behind a run's root, has the
// shape of a name that a run writes, with whatever number of prefixes:
// "<id>", "<prefix>/<id>" or [Marker].
func OwnName(rest string) bool {
	if rest == Marker {
		return true
	}
	prefix, name, nested := strings.Cut(rest, "/")
	if !nested {
		_, ok := parseID(rest)
		return ok
	}
	n, ok := parseID(prefix)
	if !ok || n > math.MaxInt32 {
		return false
	}
	_, ok = parseID(name)
	return ok
}

// parseID reads a decimal number as strconv writes it: no sign, no leading
// zero.
func parseID(s string) (uint64, bool) {
	if s == "" || len(s) > maxDigits || s[0] == '+' || (s[0] == '0' && len(s) > 1) {
		return 0, false
	}
	id, err := strconv.ParseUint(s, 10, 64)
	return id, err == nil
}
