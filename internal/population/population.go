package population

import (
	"sync/atomic"

	"bench/backends"
)

// MaxIDs is how many ids a population can hold in its life.
const MaxIDs uint64 = 1 << 40

// Config is what keys and sizes follow from.
type Config struct {
	// Root stands before every key, for example "bench-<run id>/".
	Root string
	// Prefixes is the number of key prefixes, 0 for none.
	Prefixes int
	// Seed is the run's seed. Sizes follow from it.
	Seed uint64
	// Sizes is the distribution of object sizes.
	Sizes Sizes
	// TrackBytes keeps [Population.LiveBytes] up to date, at the cost of an
	// atomic addition to a shared counter per change.
	TrackBytes bool
}

// Ref is how a store addresses an object beyond its key. It is remembered only
// where a field is set.
type Ref struct {
	Version, Handle string
}

// A Population is the set of objects of one run.
type Population struct {
	cfg  Config
	full *chunk
	dir  directory[chunk]

	_    [64]byte
	next atomic.Uint64
	_    [64]byte
	// oldest is where TakeOldest looks first.
	oldest atomic.Uint64
	_      [64]byte
	bytes  atomic.Int64
}

// New returns an empty population.
func New(cfg Config) *Population {
	return &Population{cfg: cfg, full: fullChunk()}
}

// Sizes returns the configured distribution of sizes.
func (p *Population) Sizes() Sizes { return p.cfg.Sizes }

// Bound returns a number above every id claimed or written so far.
func (p *Population) Bound() uint64 { return p.next.Load() }

// Reserve makes Bound at least n, so that ids below n are not claimed: for a
// population that was read from an inventory.
func (p *Population) Reserve(n uint64) {
	for {
		old := p.next.Load()
		if old >= n || p.next.CompareAndSwap(old, n) {
			return
		}
	}
}

// LiveBytes returns the size of all live objects together. It is 0 unless
// [Config].TrackBytes is set. An object in doubt is not counted.
func (p *Population) LiveBytes() int64 { return p.bytes.Load() }

// Size returns the size in bytes that object id has. It is a function of the
// seed and the id, whether or not the object exists.
func (p *Population) Size(id uint64) int64 {
	if p.cfg.Sizes.kind == fixedSize {
		return p.cfg.Sizes.lo
	}
	return p.cfg.Sizes.At(mix(mix(p.cfg.Seed+golden) + id*golden))
}

// Object returns how the store addresses object id.
func (p *Population) Object(m *KeyMaker, id uint64) backends.Object {
	obj := backends.Object{Key: p.Key(m, id), Size: p.Size(id)}
	if ref := p.ref(id); ref != nil {
		obj.Version, obj.Handle = ref.Version, ref.Handle
	}
	return obj
}

const golden = 0x9e3779b97f4a7c15

// mix is the finaliser of splitmix64, a bijection.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
