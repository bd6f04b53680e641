package rowzstd

// differences returns a bit for every byte, from the lowest, set where the
// two differ.
//
//go:noescape
func differences(a, b *[chunk]byte) uint64
