package rowzstd

import "encoding/binary"

const (
	// maxBlock is the largest block the format allows.
	maxBlock = 128 << 10
	// maxWindow bounds the memory a streaming decoder needs and therefore
	// the distance of a match. Frames up to this size are one segment.
	maxWindow = 1 << 20
	windowLog = 20

	magic = 0xFD2FB528
)

// The frame header's descriptor byte: a content checksum follows the blocks,
// the content is one segment, the content size takes four or eight bytes.
const (
	flagChecksum = 1 << 2
	flagSegment  = 1 << 5
	flagSize4    = 2 << 6
	flagSize8    = 3 << 6
)

const (
	blockRaw = iota
	blockRLE
	blockCompressed
)

// An Encoder writes zstd frames. It keeps its buffers between frames and is
// not safe for concurrent use.
type Encoder struct {
	seqs seqEncoder
	rows rowMatcher // adds to seqs
	lits litEncoder
	out  []byte // the compressed block being built
}

// New returns an Encoder. It holds some 700 KiB of buffers.
func New() *Encoder {
	e := &Encoder{
		seqs: newSeqEncoder(),
		out:  make([]byte, outSize(maxBlock, 8<<10)),
	}
	e.rows = newRowMatcher(&e.seqs)
	return e
}

// AppendFrame appends one complete frame holding raw to dst and returns the
// extended slice. The frame depends on nothing before it. It carries the
// content size and a checksum. dst must not overlap raw.
func (e *Encoder) AppendFrame(dst, raw []byte) []byte {
	dst = appendFrameHeader(dst, len(raw))
	e.rows.reset(raw)
	sum := newXXH64()
	for start := 0; ; {
		end := blockEnd(raw, start)
		// The checksum goes along with the blocks, over bytes just read.
		sum.stripes(raw, end)
		dst = e.appendBlock(dst, raw, start, end)
		if start = end; start == len(raw) {
			break
		}
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(sum.finish(raw)))
}

func appendFrameHeader(dst []byte, size int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	switch {
	case size <= maxWindow:
		dst = append(dst, flagChecksum|flagSize4|flagSegment)
	case uint64(size) >= 1<<32:
		dst = append(dst, flagChecksum|flagSize8, (windowLog-10)<<3)
		return binary.LittleEndian.AppendUint64(dst, uint64(size))
	default:
		dst = append(dst, flagChecksum|flagSize4, (windowLog-10)<<3)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(size))
}

// blockEnd returns where the block starting at start ends: after the last
// newline of the largest block, unless that would waste much of it.
func blockEnd(raw []byte, start int) int {
	if len(raw)-start <= maxBlock {
		return len(raw)
	}
	end := start + maxBlock
	for i := end; i > end-maxBlock/8; i-- {
		if raw[i-1] == '\n' {
			return i
		}
	}
	return end
}

func (e *Encoder) appendBlock(dst, raw []byte, start, end int) []byte {
	src := raw[start:end]
	last := end == len(raw)
	if len(src) > 1 && allEqual(src) {
		return append(appendBlockHeader(dst, blockRLE, len(src), last), src[0])
	}
	rep := e.rows.rep
	e.rows.scan(start, end)
	if body := e.compress(); len(body) < len(src) {
		return append(appendBlockHeader(dst, blockCompressed, len(body), last), body...)
	}
	// A stored block leaves the decoder's repeat offsets as they were.
	e.rows.rep = rep
	return append(appendBlockHeader(dst, blockRaw, len(src), last), src...)
}

// compress encodes what the last scan found.
func (e *Encoder) compress() []byte {
	lits := e.rows.lits[:e.rows.nlits]
	if need := outSize(len(lits), len(e.seqs.seqs)); need > len(e.out) {
		e.out = make([]byte, need)
	}
	n := e.lits.encode(e.out, lits)
	n += e.seqs.encode(e.out[n:])
	return e.out[:n]
}

// outSize bounds what a block may take while it is built. Huffman codes are
// tried before it is known whether they save anything.
func outSize(lits, seqs int) int {
	return lits + lits/4 + seqs*maxSeqBytes + outSlack
}

func appendBlockHeader(dst []byte, kind, size int, last bool) []byte {
	h := uint32(size)<<3 | uint32(kind)<<1
	if last {
		h |= 1
	}
	return append(dst, byte(h), byte(h>>8), byte(h>>16))
}

func allEqual(b []byte) bool {
	for _, c := range b {
		if c != b[0] {
			return false
		}
	}
	return true
}
