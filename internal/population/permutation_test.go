package population_test

import (
	"testing"

	"bench/internal/population"
)

func TestPermutationIsABijection(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 7, 8, 9, 100, 1023, 1024, 1025, 65_537} {
		for seed := range uint64(3) {
			p := population.NewPermutation(n, seed)
			seen := make([]bool, n)
			for i := range n {
				got := p.At(i)
				if got >= n || seen[got] {
					t.Fatalf("n %d seed %d: At(%d) = %d is too large or was there before", n, seed, i, got)
				}
				seen[got] = true
			}
		}
	}
}

func TestPermutationShuffles(t *testing.T) {
	const n = 10_000
	p, q := population.NewPermutation(n, 1), population.NewPermutation(n, 2)
	var same, fixed, steps int
	for i := range uint64(n) {
		if p.At(i) == q.At(i) {
			same++
		}
		if p.At(i) == i {
			fixed++
		}
		if i > 0 && p.At(i) == p.At(i-1)+1 {
			steps++
		}
	}
	if same > 10 || fixed > 10 || steps > 10 {
		t.Errorf("%d places are the same for two seeds, %d are their own, %d follow the one before; want about 1 of each", same, fixed, steps)
	}
}

func TestPermutationOfALargePopulation(t *testing.T) {
	n := population.MaxIDs - 5
	p := population.NewPermutation(n, 9)
	seen := map[uint64]bool{}
	for i := range uint64(100_000) {
		got := p.At(n - 1 - i)
		if got >= n || seen[got] {
			t.Fatalf("At(%d) = %d is too large or was there before", n-1-i, got)
		}
		seen[got] = true
	}
}

func BenchmarkPermutation(b *testing.B) {
	p := population.NewPermutation(1_000_003, 1)
	for i := uint64(0); b.Loop(); i++ {
		p.At(i % 1_000_003)
	}
}
