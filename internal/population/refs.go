package population

import "sync/atomic"

const refGroup = 64

// refs holds the refs of a chunk. They are pointers, since a ref may be
// replaced while another worker reads it.
type refs [chunkIDs / refGroup]atomic.Pointer[[refGroup]atomic.Pointer[Ref]]

// setRef replaces the ref of id; nil removes it.
func (c *chunk) setRef(id uint64, ref *Ref) {
	table := c.refs.Load()
	if table == nil {
		if ref == nil {
			return
		}
		c.refs.CompareAndSwap(nil, new(refs))
		table = c.refs.Load()
	}
	at := &table[id%chunkIDs/refGroup]
	if at.Load() == nil {
		if ref == nil {
			return
		}
		at.CompareAndSwap(nil, new([refGroup]atomic.Pointer[Ref]))
	}
	at.Load()[id%refGroup].Store(ref)
}

// ref returns the ref of id, nil where there is none.
func (p *Population) ref(id uint64) *Ref {
	place := p.dir.find(id >> chunkBits)
	if place == nil {
		return nil
	}
	c := place.Load()
	if c == nil {
		return nil
	}
	table := c.refs.Load()
	if table == nil {
		return nil
	}
	if group := table[id%chunkIDs/refGroup].Load(); group != nil {
		return group[id%refGroup].Load()
	}
	return nil
}
