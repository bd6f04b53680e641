//go:build !amd64

package rowzstd

// differences returns a bit for every byte, from the lowest, set where the
// two differ.
func differences(a, b *[chunk]byte) uint64 {
	return plainDifferences(a, b)
}
