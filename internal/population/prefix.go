package population

// Prefixes returns the number of key prefixes, 0 if keys have none.
func (p *Population) Prefixes() int { return p.cfg.Prefixes }

// PrefixOf returns the number of the prefix that the key of id has, 0 if keys
// have none.
func (p *Population) PrefixOf(id uint64) int {
	if p.cfg.Prefixes <= 0 {
		return 0
	}
	return int(id / blockIDs % uint64(p.cfg.Prefixes))
}

// Empty reports whether no object of the pool can be leased now or when
// present leases end. It looks at every slot.
func (p *Pool) Empty() bool {
	for at := range p.size.Load() {
		if p.slot(at).Load()&slotState == slotLive {
			return false
		}
	}
	return true
}
