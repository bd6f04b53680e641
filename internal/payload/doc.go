// Package payload makes the content of objects and checks it.
//
// Content follows from (seed, key, version) alone, so nothing has to be kept
// to verify a get. It does not compress, and no two objects, nor two blocks of
// one object, have a 4 KiB block in common, so that neither a compressing nor
// a deduplicating store looks faster than it is.
//
// # How
//
// A [Source] holds a little more than 1 MiB of random bytes, the pool. Block b
// (4 KiB) of an object is a window of the pool, XORed word by word with one
// 64-bit mask k:
//
//	block b = pool[o : o+4096] ^ k k k …     (o, k) = mix(hash(seed, key, version), b)
//
// where o is any multiple of 8 below 1 MiB. Windows overlap, but two of them
// that show the same piece of the pool have different masks: that two blocks
// are equal, at any shift, takes a collision of 64 bits of mask (81 with the
// offset). Making content thus costs one load, one XOR and one store per word,
// with no generator to run and no buffer to fill beforehand.
//
// Note: a shared buffer sent again with a counter stamped into each block is
// cheaper still, and is what makes a deduplicating store report wonders.
// A generator per byte costs as much as the network stack.
//
// A Source and a [Content] are read-only and may be used by many goroutines. A
// [Body] belongs to one operation at a time.
package payload
