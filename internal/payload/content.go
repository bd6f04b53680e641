package payload

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// BlockSize is the size in bytes of the blocks no two of which are equal.
const BlockSize = 4096

// poolSize is the number of bytes in which windows begin. The pool fits the
// second-level cache of a server core, and BlockSize more is behind it.
const poolSize = 1 << 20

// A Source makes the content of every object of one run. It is read-only and
// may be used by many goroutines.
type Source struct {
	pool []byte
	seed uint64
}

// NewSource returns the source of a seed. The same seed gives the same content
// on every machine. It holds 1 MiB of memory.
func NewSource(seed uint64) *Source {
	var key [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(key[8*i:], mix(seed+uint64(i+1)*mulA))
	}
	s := &Source{pool: make([]byte, poolSize+BlockSize), seed: seed}
	// A ChaCha8 never fails to read.
	_, _ = rand.NewChaCha8(key).Read(s.pool)
	return s
}

// Content returns the content of one version of an object. It allocates
// nothing; versions only have to differ where the content is to differ.
func (s *Source) Content(key string, version uint64) Content {
	a, b := identity(s.seed, key, version)
	return Content{pool: s.pool, a: a, b: b}
}

// Content is the endless content of one object; its size is not part of it.
// It is a small value to be copied, and read-only. The zero Content is not
// usable.
type Content struct {
	pool []byte
	a, b uint64
}

// window returns the piece of the pool behind block n, and its mask.
func (c Content) window(n uint64) (pool []byte, mask uint64) {
	at := mix(c.a+n*mulA) % (poolSize / 8) * 8
	return c.pool[at : at+BlockSize], mix(c.b ^ mix(n+mulD))
}

// piece returns what [BlockSize]-aligned content gives from off on: the pool
// bytes to the end of the block, and the mask turned to fit the first of them.
func (c Content) piece(off uint64) (pool []byte, mask uint64) {
	pool, mask = c.window(off / BlockSize)
	start := off % BlockSize
	return pool[start:], bits.RotateLeft64(mask, -8*int(start%8))
}

// Fill writes the content from offset off, which is not negative, into p.
func (c Content) Fill(off int64, p []byte) {
	for at := uint64(off); len(p) > 0; {
		pool, mask := c.piece(at)
		n := min(len(p), len(pool))
		xor(p[:n], pool[:n], mask)
		p, at = p[n:], at+uint64(n)
	}
}

// Verify compares p with the content from offset off, which is not negative.
// It returns the index in p of the first byte that differs, -1 where none
// does.
func (c Content) Verify(off int64, p []byte) int {
	for done := 0; done < len(p); {
		pool, mask := c.piece(uint64(off) + uint64(done))
		n := min(len(p)-done, len(pool))
		if i := differ(p[done:done+n], pool[:n], mask); i >= 0 {
			return done + i
		}
		done += n
	}
	return -1
}

// stride is how many bytes a turn of the unrolled loops takes.
const stride = 64

// xor sets dst to src ^ mask. Both have the same length.
func xor(dst, src []byte, mask uint64) {
	le := binary.LittleEndian
	for len(dst) >= stride && len(src) >= stride {
		d, s := dst[:stride:stride], src[:stride:stride]
		le.PutUint64(d, le.Uint64(s)^mask)
		le.PutUint64(d[8:], le.Uint64(s[8:])^mask)
		le.PutUint64(d[16:], le.Uint64(s[16:])^mask)
		le.PutUint64(d[24:], le.Uint64(s[24:])^mask)
		le.PutUint64(d[32:], le.Uint64(s[32:])^mask)
		le.PutUint64(d[40:], le.Uint64(s[40:])^mask)
		le.PutUint64(d[48:], le.Uint64(s[48:])^mask)
		le.PutUint64(d[56:], le.Uint64(s[56:])^mask)
		dst, src = dst[stride:], src[stride:]
	}
	for i := range dst {
		dst[i] = src[i] ^ byte(mask>>(8*(i%8)))
	}
}

// differ returns the index of the first byte in which p is not src ^ mask, -1
// where there is none. Both have the same length.
func differ(p, src []byte, mask uint64) int {
	le := binary.LittleEndian
	done := 0
	for len(p)-done >= stride && len(src)-done >= stride {
		d, s := p[done:done+stride:done+stride], src[done:done+stride:done+stride]
		bad := le.Uint64(d) ^ le.Uint64(s) ^ mask
		bad |= le.Uint64(d[8:]) ^ le.Uint64(s[8:]) ^ mask
		bad |= le.Uint64(d[16:]) ^ le.Uint64(s[16:]) ^ mask
		bad |= le.Uint64(d[24:]) ^ le.Uint64(s[24:]) ^ mask
		bad |= le.Uint64(d[32:]) ^ le.Uint64(s[32:]) ^ mask
		bad |= le.Uint64(d[40:]) ^ le.Uint64(s[40:]) ^ mask
		bad |= le.Uint64(d[48:]) ^ le.Uint64(s[48:]) ^ mask
		bad |= le.Uint64(d[56:]) ^ le.Uint64(s[56:]) ^ mask
		if bad != 0 {
			break
		}
		done += stride
	}
	for i, got := range p[done:] {
		if got != src[done+i]^byte(mask>>(8*(i%8))) {
			return done + i
		}
	}
	return -1
}
