package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Mix is the share of each operation in a mixed load. Shares are relative.
type Mix struct{ Get, Stat, Put, Del, List float64 }

// DefaultMix is the mix when none is given.
const DefaultMix = "get=45,stat=30,put=15,del=10"

// ParseMix reads "get=45,stat=30,put=15,del=10". Operations that are not
// named have no share.
func ParseMix(s string) (Mix, error) {
	var m Mix
	shares := map[string]*float64{"get": &m.Get, "stat": &m.Stat, "put": &m.Put, "del": &m.Del, "list": &m.List}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		share := shares[name]
		if !ok || share == nil {
			return Mix{}, fmt.Errorf("mix %q: want pairs such as get=45 with get, stat, put, del or list", s)
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= 0 && v <= 1e9) {
			return Mix{}, fmt.Errorf("mix %q: share of %s is no number from 0 to 1e9", s, name)
		}
		if seen[name] {
			return Mix{}, fmt.Errorf("mix %q: %s is given twice", s, name)
		}
		seen[name], *share = true, v
	}
	if m.sum() <= 0 {
		return Mix{}, fmt.Errorf("mix %q: every share is 0", s)
	}
	return m, nil
}

func (m Mix) sum() float64 { return m.Get + m.Stat + m.Put + m.Del + m.List }

type kind uint8

const (
	kindGet kind = iota
	kindStat
	kindPut
	kindDel
	kindList
)

// pick maps a random fraction from 0 to 1 to an operation.
func (m Mix) pick(u float64) kind {
	u *= m.sum()
	for k, share := range [...]float64{m.Get, m.Stat, m.Put, m.Del, m.List} {
		if u < share {
			return kind(k)
		}
		u -= share
	}
	return m.first()
}

// first returns any operation that has a share, for a fraction that rounding
// has pushed past the last one.
func (m Mix) first() kind {
	for k, share := range [...]float64{m.Get, m.Stat, m.Put, m.Del, m.List} {
		if share > 0 {
			return kind(k)
		}
	}
	return kindGet
}
