package rowzstd

import (
	"encoding/binary"
	"slices"
)

const (
	maxHuffBits = 11
	// minHuff is the number of literals below which a tree costs more than
	// it saves.
	minHuff = 128
	// maxDirect is the largest symbol of a tree whose weights are written
	// as plain numbers: the weight of the last symbol is implied.
	maxDirect = 128
)

const (
	litsRaw        = 0
	litsRLE        = 1
	litsCompressed = 2
)

// litEncoder writes the literals section of a block.
type litEncoder struct {
	code  [256]uint16 // length<<12 | code
	count [256]uint32
	tree  huffTree
}

func (e *litEncoder) encode(out, lits []byte) int {
	if len(lits) < minHuff {
		return putPlainLits(out, litsRaw, lits, len(lits))
	}
	histogram(&e.count, lits)
	used, last := usedSymbols(&e.count)
	switch {
	case used == 1:
		return putPlainLits(out, litsRLE, lits[:1], len(lits))
	case last > maxDirect:
		return putPlainLits(out, litsRaw, lits, len(lits))
	}
	top := e.tree.build(&e.count, uint32(len(lits)))
	e.assignCodes(top)
	if n := e.huffman(out, lits, last, top); n < len(lits) {
		return n
	}
	return putPlainLits(out, litsRaw, lits, len(lits))
}

// putPlainLits writes a section of size literals which body stands for.
func putPlainLits(out []byte, kind byte, body []byte, size int) int {
	var n int
	switch {
	case size < 32:
		out[0], n = kind|byte(size<<3), 1
	case size < 4096:
		h := uint16(kind) | 1<<2 | uint16(size)<<4
		out[0], out[1], n = byte(h), byte(h>>8), 2
	default:
		h := uint32(kind) | 3<<2 | uint32(size)<<4
		out[0], out[1], out[2], n = byte(h), byte(h>>8), byte(h>>16), 3
	}
	return n + copy(out[n:], body)
}

func histogram(count *[256]uint32, b []byte) {
	clear(count[:])
	var other [256]uint32 // two tables, so that equal neighbours do not wait
	for ; len(b) >= 2; b = b[2:] {
		count[b[0]]++
		other[b[1]]++
	}
	if len(b) > 0 {
		count[b[0]]++
	}
	for i := range other {
		count[i] += other[i]
	}
}

func usedSymbols(count *[256]uint32) (used, last int) {
	for s, c := range count {
		if c != 0 {
			used++
			last = s
		}
	}
	return used, last
}

// assignCodes numbers the codes as the format does: from the longest to the
// shortest, by symbol within one length.
func (e *litEncoder) assignCodes(top int) {
	next := 0
	for n := top; n > 0; n-- {
		for s, l := range e.tree.length {
			if int(l) == n {
				e.code[s] = uint16(n<<12 | next)
				next++
			}
		}
		next >>= 1
	}
}

// huffman writes a section of four streams. Its header has a fixed length,
// large enough for any block.
func (e *litEncoder) huffman(out, lits []byte, last, top int) int {
	const header = 5
	n := header
	out[n] = byte(127 + last)
	n++
	n += e.putWeights(out[n:], last, top)
	jump := out[n : n+6]
	n += 6
	quarter := (len(lits) + 3) / 4
	for i := range 4 {
		size := e.stream(out[n:], lits[i*quarter:min((i+1)*quarter, len(lits))])
		if n += size; i < 3 {
			jump[2*i], jump[2*i+1] = byte(size), byte(size>>8)
		}
	}
	h := uint64(litsCompressed) | 3<<2 | uint64(len(lits))<<4 | uint64(n-header)<<22
	for i := range header {
		out[i] = byte(h >> (8 * i))
	}
	return n
}

// putWeights writes the weights of the symbols before last, two in a byte.
func (e *litEncoder) putWeights(out []byte, last, top int) int {
	weight := func(s int) byte {
		if l := e.tree.length[s]; l != 0 && s < last {
			return byte(top+1) - l
		}
		return 0
	}
	for s := 0; s < last; s += 2 {
		out[s/2] = weight(s)<<4 | weight(s+1)
	}
	return (last + 1) / 2
}

// stream writes one stream of codes, the last literal first.
func (e *litEncoder) stream(out, lits []byte) int {
	acc, n, pos := uint64(0), uint(0), 0
	for len(lits) >= 5 { // 55 bits and the 7 left from before
		p := (*[5]byte)(lits[len(lits)-5:])
		lits = lits[:len(lits)-5]
		h := e.code[p[4]]
		acc |= uint64(h&0xFFF) << (n & 63)
		n += uint(h >> 12)
		h = e.code[p[3]]
		acc |= uint64(h&0xFFF) << (n & 63)
		n += uint(h >> 12)
		h = e.code[p[2]]
		acc |= uint64(h&0xFFF) << (n & 63)
		n += uint(h >> 12)
		h = e.code[p[1]]
		acc |= uint64(h&0xFFF) << (n & 63)
		n += uint(h >> 12)
		h = e.code[p[0]]
		acc |= uint64(h&0xFFF) << (n & 63)
		n += uint(h >> 12)
		binary.LittleEndian.PutUint64(out[pos:], acc)
		pos += int(n >> 3)
		acc >>= n & 56
		n &= 7
	}
	w := bitWriter{out: out, pos: pos, acc: acc, n: n}
	for _, c := range slices.Backward(lits) {
		h := e.code[c]
		w.add(uint64(h&0xFFF), uint(h>>12))
	}
	return w.closeMarked()
}

// huffTree finds code lengths.
type huffTree struct {
	length [256]uint8
	leaf   [256]uint64 // count<<8 | symbol, ascending
	node   [512]huffNode
}

type huffNode struct {
	count  uint32
	parent uint16
}

// build sets the lengths of an optimal code for count and returns the
// longest. If that would be too long for the format, it raises the smallest
// counts and starts again; equal counts of 256 symbols need eight bits.
func (t *huffTree) build(count *[256]uint32, total uint32) int {
	for least := uint32(1); ; least = max(2*least, total>>maxHuffBits) {
		n := t.sortLeaves(count, least)
		t.join(n)
		if top := t.measure(n); top <= maxHuffBits {
			return top
		}
	}
}

func (t *huffTree) sortLeaves(count *[256]uint32, least uint32) int {
	n := 0
	for s, c := range count {
		if c != 0 {
			t.leaf[n] = uint64(max(c, least))<<8 | uint64(s)
			n++
		}
	}
	slices.Sort(t.leaf[:n])
	for i, l := range t.leaf[:n] {
		t.node[i].count = uint32(l >> 8)
	}
	return n
}

// join builds the tree over n leaves. Inner nodes come into being in
// ascending order, so the two smallest are always at the head of the leaves
// or of the inner nodes.
func (t *huffTree) join(n int) {
	leaf, inner := 0, n
	for next := n; next < 2*n-1; next++ {
		sum := uint32(0)
		for range 2 {
			i := leaf
			if leaf >= n || inner < next && t.node[inner].count < t.node[leaf].count {
				i = inner
				inner++
			} else {
				leaf++
			}
			t.node[i].parent = uint16(next)
			sum += t.node[i].count
		}
		t.node[next].count = sum
	}
}

// measure sets the lengths from the depths of the leaves and returns the
// largest. It overwrites the counts of the nodes with their depths.
func (t *huffTree) measure(n int) int {
	clear(t.length[:])
	t.node[2*n-2].count = 0
	top := uint32(0)
	for i := 2*n - 3; i >= 0; i-- {
		depth := t.node[t.node[i].parent].count + 1
		t.node[i].count = depth
		if i < n {
			t.length[byte(t.leaf[i])] = uint8(min(depth, 255))
			top = max(top, depth)
		}
	}
	return int(top)
}
