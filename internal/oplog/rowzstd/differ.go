package rowzstd

import "encoding/binary"

// plainDifferences is differences for any processor.
func plainDifferences(a, b *[chunk]byte) uint64 {
	return differ8(a, b, 0) | differ8(a, b, 8)<<8 | differ8(a, b, 16)<<16 | differ8(a, b, 24)<<24 |
		differ8(a, b, 32)<<32 | differ8(a, b, 40)<<40 | differ8(a, b, 48)<<48 | differ8(a, b, 56)<<56
}

// differ8 is plainDifferences for the eight bytes from i. The multiplication
// brings the highest bits of the bytes together in the highest byte.
func differ8(a, b *[chunk]byte, i int) uint64 {
	const low = 0x7f7f7f7f7f7f7f7f
	x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
	return ((x&low + low) | x) &^ low * 0x0002040810204081 >> 56
}
