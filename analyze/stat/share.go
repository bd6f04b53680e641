package stat

import "math/bits"

// Share returns floor(total·part/whole) without overflow, for 0 ≤ part ≤
// whole, 0 < whole and 0 ≤ total.
func Share(total, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	if hi == 0 {
		return int64(lo / uint64(whole))
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}
