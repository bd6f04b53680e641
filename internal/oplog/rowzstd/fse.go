package rowzstd

import "math/bits"

const (
	maxFSELog    = 9
	maxFSESymbol = 53
)

// fseTable encodes one kind of symbol with finite state entropy.
//
// A state is a number in [size, 2*size). Encoding symbol s shifts out low
// bits until the rest lies in [p, 2p), p being the share of s in the table,
// and looks up the next state at that rest.
type fseTable struct {
	next [1 << maxFSELog]uint16
	sym  [64]fseSymbol // 64, so that a masked index needs no check
	norm [maxFSESymbol]uint16
	cell [1 << maxFSELog]uint8
	log  uint
}

// fseSymbol says how to leave a state with one symbol: the number of bits to
// shift out is (state+bits)>>16, the next state is at (state>>n)+find.
type fseSymbol struct {
	bits uint32
	find int32
}

// plan chooses the table's size and the symbols' shares for counts, which
// must hold at least two symbols that occur.
func (t *fseTable) plan(counts []uint32, total, maxLog uint) {
	used := uint(0)
	for _, c := range counts {
		if c != 0 {
			used++
		}
	}
	t.log = max(5, uint(bits.Len(total))-2, uint(bits.Len(used)))
	t.log = min(t.log, maxLog)
	rest := int(1) << t.log
	for s, c := range counts {
		t.norm[s] = share(c, total, t.log)
		rest -= int(t.norm[s])
	}
	t.settle(t.norm[:len(counts)], rest)
}

// share rounds count/total to parts of the table; no symbol that occurs
// may vanish.
func share(count uint32, total, log uint) uint16 {
	if count == 0 {
		return 0
	}
	return max(1, uint16((uint64(count)<<log+uint64(total)/2)/uint64(total)))
}

// settle makes the shares fill the table, at the cost of the largest.
func (t *fseTable) settle(norm []uint16, rest int) {
	for rest != 0 {
		top := 0
		for s, p := range norm {
			if p > norm[top] {
				top = s
			}
		}
		step := rest
		if rest < 0 {
			step = -min(-rest, max(1, int(norm[top])/4))
		}
		norm[top] = uint16(int(norm[top]) + step)
		rest -= step
	}
}

// build makes the encoding table from the shares of n symbols.
func (t *fseTable) build(n int) {
	size := 1 << t.log
	t.spread(n, size)
	var at [maxFSESymbol]int32
	sum := int32(0)
	for s, p := range t.norm[:n] {
		at[s] = sum
		t.sym[s] = newFSESymbol(uint(p), sum, t.log)
		sum += int32(p)
	}
	for i, s := range t.cell[:size] {
		t.next[at[s]] = uint16(size + i)
		at[s]++
	}
}

func newFSESymbol(p uint, first int32, log uint) fseSymbol {
	if p == 0 {
		return fseSymbol{}
	}
	most := log - uint(bits.Len(p-1)) + 1
	if p == 1 {
		most = log
	}
	return fseSymbol{
		bits: uint32(most<<16) - uint32(p<<most),
		find: first - int32(p),
	}
}

// spread gives every symbol its cells, in the order the format fixes.
func (t *fseTable) spread(n, size int) {
	step := size>>1 + size>>3 + 3
	pos := 0
	for s, p := range t.norm[:n] {
		for range p {
			t.cell[pos] = uint8(s)
			pos = (pos + step) & (size - 1)
		}
	}
}

// start returns a state that decodes to symbol s.
func (t *fseTable) start(s uint8) uint32 {
	y := t.sym[s&63]
	p := uint32(t.norm[s])
	return uint32(t.next[(int32(p)+y.find)&(1<<maxFSELog-1)])
}

// describe writes the shares of n symbols, the last of which occurs.
func (t *fseTable) describe(out []byte, n int) int {
	w := bitWriter{out: out}
	w.add(uint64(t.log-5), 4)
	rest := uint(1) << t.log
	for s := 0; s < n; s++ {
		p := uint(t.norm[s])
		describeShare(&w, p+1, rest+1)
		rest -= p
		if p == 0 {
			s += describeZeros(&w, t.norm[s+1:n])
		}
		w.flush()
	}
	return w.closeAligned()
}

// describeShare writes v, one more than a share, knowing it is at most top:
// the values below some limit take one bit less.
func describeShare(w *bitWriter, v, top uint) {
	n := uint(bits.Len(top))
	short := uint(1)<<n - 1 - top
	switch {
	case v < short:
		w.add(uint64(v), n-1)
	case v < 1<<(n-1):
		w.add(uint64(v), n)
	default:
		w.add(uint64(v+short), n)
	}
}

// describeZeros writes how many more zero shares follow one, in digits of
// base four of which a three says that another follows, and returns them.
func describeZeros(w *bitWriter, norm []uint16) int {
	run := 0
	for run < len(norm) && norm[run] == 0 {
		run++
	}
	left := run
	for ; left >= 3; left -= 3 {
		w.add(3, 2)
		w.flush()
	}
	w.add(uint64(left), 2)
	return run
}

// constant makes the table encode symbol s, the only one, in no bits.
func (t *fseTable) constant(s int) {
	t.log = 0
	t.norm[s] = 1
	t.sym[s] = fseSymbol{}
	t.next[0], t.next[1] = 0, 0
}
