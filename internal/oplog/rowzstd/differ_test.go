package rowzstd

import (
	"math/rand/v2"
	"testing"
)

func TestDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var a, b [chunk]byte
		want := uint64(0)
		for i := range a {
			a[i] = byte(rng.Uint32())
			b[i] = a[i]
			if rng.IntN(3) == 0 {
				b[i] ^= 1 << rng.IntN(8)
				want |= 1 << i
			}
		}
		if got := differences(&a, &b); got != want {
			t.Fatalf("differences: %064b, want %064b", got, want)
		}
		if got := plainDifferences(&a, &b); got != want {
			t.Fatalf("plainDifferences: %064b, want %064b", got, want)
		}
	}
}
