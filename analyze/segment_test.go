package analyze

import (
	"math/big"
	"testing"
)

// slowSpread computes what each segment gets the way the definition reads.
func slowSpread(w bounds, length, start, end, total int64) []int64 {
	cells := make([]int64, w.segments(length))
	share := func(ns int64) int64 {
		v := new(big.Int).Mul(big.NewInt(total), big.NewInt(ns))
		return v.Div(v, big.NewInt(end-start)).Int64()
	}
	rest := total
	last := -1
	if start < w.start {
		rest -= share(min(end, w.start) - start)
	}
	for i := range cells {
		lo := w.start + int64(i)*length
		hi := min(lo+length, w.end)
		if overlap := min(end, hi) - max(start, lo); overlap > 0 {
			cells[i] = share(overlap)
			rest -= cells[i]
			last = i
		}
	}
	if last >= 0 && end <= w.end {
		cells[last] += rest
	}
	return cells
}

func FuzzSegment(f *testing.F) {
	f.Add(int64(1000), int64(9000), int64(1000), int64(500), int64(9500), int64(1<<40))
	f.Add(int64(0), int64(10), int64(3), int64(2), int64(3), int64(1))
	f.Add(int64(0), int64(100), int64(7), int64(0), int64(100), int64(99))
	f.Add(int64(5), int64(6), int64(1), int64(6), int64(8), int64(3))
	f.Fuzz(func(t *testing.T, wStart, wLen, length, start, dur, total int64) {
		const limit = 1 << 50
		if wLen <= 0 || length <= 0 || wLen/length > 1000 || dur <= 0 || total < 0 ||
			wStart < 0 || start < 0 || wStart > limit || wLen > limit || start > limit || dur > limit || length > limit || total > 1<<60 {
			t.Skip()
		}
		w := bounds{start: wStart, end: wStart + wLen}
		p := spreader{series: newSeries(w, length)}
		p.add(start, start+dur, amount{total, total})
		p.flush()
		want := slowSpread(w, length, start, start+dur, total)
		sum := int64(0)
		for i, got := range p.series.amounts() {
			if got.bytes != want[i] || got.objects != want[i] {
				t.Fatalf("segment %d of %v got %+v, want %d", i, w, got, want[i])
			}
			sum += got.bytes
		}
		if inside := start >= wStart && start+dur <= w.end; inside && sum != total {
			t.Fatalf("segments sum to %d, want %d", sum, total)
		}
		if sum > total {
			t.Fatalf("segments sum to %d, more than %d", sum, total)
		}
	})
}

func TestSpreadInstant(t *testing.T) {
	t.Parallel()
	p := spreader{series: newSeries(bounds{start: 100, end: 200}, 50)}
	for _, at := range []int64{99, 100, 150, 199, 200} {
		p.add(at, at, amount{1, 10})
	}
	p.flush()
	got := p.series.amounts()
	if got[0] != (amount{1, 10}) || got[1] != (amount{2, 20}) || p.series.ops.Load() != 3 {
		t.Errorf("instants give %v and %d operations", got, p.series.ops.Load())
	}
}

func TestSpreaderManySegments(t *testing.T) {
	t.Parallel()
	p := spreader{series: newSeries(bounds{start: 0, end: 1000}, 10)}
	for i := range int64(3000) {
		p.add(i*7%1000, i*7%1000+1, amount{1, 5})
	}
	p.flush()
	sum := amount{}
	for _, c := range p.series.amounts() {
		sum.add(c)
	}
	if sum != (amount{3000, 15000}) {
		t.Errorf("segments sum to %+v", sum)
	}
}
