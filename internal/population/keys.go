package population

import (
	"math"
	"strconv"
	"strings"
	"unsafe"

	"bench/backends"
)

// slabSize is how many bytes of keys are allocated at once.
const slabSize = 64 << 10

// maxDigits is the length of the largest uint64 in decimal.
const maxDigits = 20

// A KeyMaker makes key strings for one worker out of slabs, with one
// allocation per some thousand keys. The strings stay valid for ever; a slab
// is freed when none of its keys is in use. The zero KeyMaker is ready.
//
// On the hot path it stores numbers only: a pointer would cost a write barrier
// while the garbage collector runs.
type KeyMaker struct {
	slab []byte
	used int
	// The slab ends, at used, with the key of id lastID of the population of,
	// lastLen bytes long; 0 where there is none.
	lastLen int
	lastID  uint64
	of      *Population
}

// room returns the unused rest of a slab, at least n bytes of it.
func (m *KeyMaker) room(n int) []byte {
	if len(m.slab)-m.used < n {
		m.slab = make([]byte, max(slabSize, n))
		m.used, m.lastLen = 0, 0
	}
	return m.slab[m.used:m.used]
}

// cut returns the next n bytes of the slab as a string. Nothing writes to them
// again: the next key begins behind them.
func (m *KeyMaker) cut(n int) string {
	key := m.slab[m.used : m.used+n]
	m.used += n
	m.lastLen = n
	return unsafe.String(unsafe.SliceData(key), n)
}

// Key returns the key of id: Root, then "<prefix>/" where there are prefixes,
// then the id in decimal. Blocks of 64 ids share a prefix.
func (p *Population) Key(m *KeyMaker, id uint64) string {
	b := m.room(len(p.cfg.Root) + 2*maxDigits + 1)
	if m.of != p {
		m.of, m.lastLen = p, 0
	}
	next := id == m.lastID+1 && id%10 != 0 && id%blockIDs != 0
	m.lastID = id
	if next && m.lastLen > 0 {
		return m.successor()
	}
	return m.cut(len(p.appendKey(b, id)))
}

// successor returns the last key with its last digit, not a 9, one higher.
// That is nine of ten keys in a run of ids.
func (m *KeyMaker) successor() string {
	n := m.lastLen
	copy(m.slab[m.used:], m.slab[m.used-n:m.used])
	m.slab[m.used+n-1]++
	return m.cut(n)
}

// appendKey appends the key of id to b.
func (p *Population) appendKey(b []byte, id uint64) []byte {
	b = append(b, p.cfg.Root...)
	if n := p.cfg.Prefixes; n > 0 {
		b = strconv.AppendUint(b, id/blockIDs%uint64(n), 10)
		b = append(b, '/')
	}
	return strconv.AppendUint(b, id, 10)
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
// "<id>", "<prefix>/<id>" or [backends.MarkerName].
func OwnName(rest string) bool {
	if rest == backends.MarkerName {
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
