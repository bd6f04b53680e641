package payload_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"bench/internal/payload"
)

// filled returns n bytes of a content from off on.
func filled(c payload.Content, off int64, n int) []byte {
	p := make([]byte, n)
	c.Fill(off, p)
	return p
}

// The hashes are part of what a seed means: a record says the seed, and the
// content has to be the same in every later release.
func TestContentIsTheSameForEver(t *testing.T) {
	for _, c := range []struct {
		seed    uint64
		key     string
		version uint64
		off     int64
		n       int
		want    string
	}{
		{0, "", 0, 0, 1, goldenEmpty},
		{1, "bench-x/0/17", 0, 0, 100_000, goldenFirst},
		{1, "bench-x/0/17", 1, 0, 100_000, goldenVersion},
		{1, "bench-x/0/18", 0, 12345, 54321, goldenOffset},
		{1 << 63, "bench-x/0/18", 0, 1<<40 + 3, 8191, goldenFar},
	} {
		content := payload.NewSource(c.seed).Content(c.key, c.version)
		sum := sha256.Sum256(filled(content, c.off, c.n))
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("seed %d key %q version %d: %d bytes at %d hash to %s, want %s",
				c.seed, c.key, c.version, c.n, c.off, got, c.want)
		}
	}
}

const (
	goldenEmpty   = "88aa3e3b1f22c616"
	goldenFirst   = "50ec7ede4dac25a0"
	goldenVersion = "b92f0c18847a5d7b"
	goldenOffset  = "bdae2b77f11a9e8f"
	goldenFar     = "f35b4731c0de631e"
)

func TestContentDependsOnEverything(t *testing.T) {
	base := filled(payload.NewSource(1).Content("k", 0), 0, 64)
	for name, other := range map[string]payload.Content{
		"seed":    payload.NewSource(2).Content("k", 0),
		"key":     payload.NewSource(1).Content("l", 0),
		"nul":     payload.NewSource(1).Content("k\x00", 0),
		"version": payload.NewSource(1).Content("k", 1),
	} {
		if bytes.Equal(base, filled(other, 0, 64)) {
			t.Errorf("another %s gives the same content", name)
		}
	}
}

func TestFillAnywhereIsAPieceOfTheWhole(t *testing.T) {
	c := payload.NewSource(7).Content("key", 0)
	whole := filled(c, 0, 5*payload.BlockSize+77)
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		off := r.IntN(len(whole))
		n := r.IntN(len(whole) - off + 1)
		if r.IntN(2) == 0 {
			n = min(n, 200)
		}
		if !bytes.Equal(filled(c, int64(off), n), whole[off:off+n]) {
			t.Fatalf("Fill(%d, %d bytes) is not the same piece of a whole fill", off, n)
		}
		if i := c.Verify(int64(off), whole[off:off+n]); i != -1 {
			t.Fatalf("Verify(%d, %d bytes) = %d, want -1", off, n, i)
		}
	}
}

func FuzzFillInTwoPieces(f *testing.F) {
	f.Add(uint64(1), "key", int64(0), 4096, 1)
	f.Add(uint64(0), "", int64(4095), 9000, 4097)
	f.Fuzz(func(t *testing.T, seed uint64, key string, off int64, n, cut int) {
		off = int64(uint64(off) >> 2)
		n = int(uint(n) % 20_000)
		cut = int(uint(cut) % uint(n+1))
		c := payload.NewSource(seed).Content(key, seed)
		whole := filled(c, off, n)
		if !bytes.Equal(whole[cut:], filled(c, off+int64(cut), n-cut)) {
			t.Fatal("the second piece differs")
		}
		if i := c.Verify(off, whole); i != -1 {
			t.Fatalf("Verify = %d, want -1", i)
		}
		if n > 0 {
			at := cut % n
			whole[at] ^= 1 << (seed % 8)
			if i := c.Verify(off, whole); i != at {
				t.Fatalf("Verify = %d, want %d", i, at)
			}
		}
	})
}

func TestVerifyFindsEveryFlippedBit(t *testing.T) {
	c := payload.NewSource(3).Content("key", 0)
	for _, off := range []int64{0, 5, payload.BlockSize - 100} {
		p := filled(c, off, 300)
		for i := range p {
			for bit := range 8 {
				p[i] ^= 1 << bit
				if got := c.Verify(off, p); got != i {
					t.Fatalf("bit %d of byte %d flipped at offset %d: Verify = %d", bit, i, off, got)
				}
				p[i] ^= 1 << bit
			}
		}
		p[10]++
		p[200]++
		if got := c.Verify(off, p); got != 10 {
			t.Fatalf("Verify = %d, want the first difference, 10", got)
		}
	}
}

func TestVerifyOfNothingIsWell(t *testing.T) {
	if got := payload.NewSource(3).Content("key", 0).Verify(9, nil); got != -1 {
		t.Fatalf("Verify of no bytes = %d, want -1", got)
	}
}

// objects returns total bytes of many objects of one source, of mixed sizes.
func objects(total int) []byte {
	s := payload.NewSource(11)
	out := make([]byte, 0, total)
	for i := 0; len(out) < total; i++ {
		n := min(payload.BlockSize<<(i%9), total-len(out))
		out = append(out, filled(s.Content(fmt.Sprintf("bench-run/%d/%d", i%16, i), 0), 0, n)...)
	}
	return out
}

func TestNoTwoBlocksAreEqual(t *testing.T) {
	total := 64 << 20
	if testing.Short() {
		total = 8 << 20
	}
	data := objects(total)
	seen := make(map[[16]byte]bool, total/payload.BlockSize)
	for at := 0; at+payload.BlockSize <= len(data); at += payload.BlockSize {
		sum := [16]byte(hash(data[at : at+payload.BlockSize]))
		if seen[sum] {
			t.Fatalf("the block at %d was there before", at)
		}
		seen[sum] = true
	}
}

func hash(p []byte) []byte {
	sum := sha256.Sum256(p)
	return sum[:16]
}

// A store that cuts blocks by content finds equal data at any distance: no 16
// bytes at a multiple of 8 may occur twice.
func TestNothingIsRepeatedAtAnyShift(t *testing.T) {
	data := objects(4 << 20)
	seen := make(map[[16]byte]int, len(data)/8)
	for at := 0; at+16 <= len(data); at += 8 {
		piece := [16]byte(data[at:])
		if first, ok := seen[piece]; ok {
			t.Fatalf("the 16 bytes at %d were there before at %d", at, first)
		}
		seen[piece] = at
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestContentDoesNotCompress(t *testing.T) {
	data := objects(16 << 20)
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(32<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(encoder.EncodeAll(data, nil)); float64(got) < 0.999*float64(len(data)) {
		t.Errorf("zstd makes %d bytes of %d", got, len(data))
	}
	var size counter
	w, err := flate.NewWriter(&size, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if float64(size) < 0.999*float64(len(data)) {
		t.Errorf("flate makes %d bytes of %d", size, len(data))
	}
}

func TestBodyIsAReader(t *testing.T) {
	c := payload.NewSource(1).Content("key", 0)
	for _, size := range []int64{0, 1, 7, 4096, 10_000} {
		var b payload.Body
		b.Reset(c, size)
		if err := iotest.TestReader(&b, filled(c, 0, int(size))); err != nil {
			t.Errorf("body of %d bytes: %v", size, err)
		}
		if b.Size() != size {
			t.Errorf("Size = %d, want %d", b.Size(), size)
		}
	}
}

func TestBodyOfAPart(t *testing.T) {
	c := payload.NewSource(1).Content("key", 0)
	var b payload.Body
	b.ResetAt(c, 5000, 1234)
	got, err := io.ReadAll(&b)
	if err != nil || !bytes.Equal(got, filled(c, 5000, 1234)) {
		t.Fatalf("a body that begins at 5000 differs from the content there (error %v)", err)
	}
}

func TestBodyNotifiesOfTheLastByte(t *testing.T) {
	var b payload.Body
	calls := 0
	b.SetNotify(func() { calls++ })
	b.Reset(payload.NewSource(1).Content("key", 0), 100)
	p := make([]byte, 60)
	check := func(what string, n, wantN, want int) {
		t.Helper()
		if calls != want || n != wantN {
			t.Fatalf("%s: %d bytes and %d calls, want %d and %d", what, n, calls, wantN, want)
		}
	}
	read := func() int {
		n, err := b.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return n
	}
	readAt := func(off int64) int {
		n, err := b.ReadAt(p, off)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return n
	}
	check("the first 60 of 100 bytes", read(), 60, 0)
	check("the rest", read(), 40, 1)
	check("reading at the end", read(), 0, 1)
	if _, err := b.Seek(50, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	check("reading the end again", read(), 50, 2)
	check("ReadAt of the start", readAt(0), 60, 2)
	check("ReadAt of the end", readAt(40), 60, 3)
	b.Reset(payload.NewSource(1).Content("key", 0), 0)
	check("an empty body", read(), 0, 3)
}

func TestBodyRejectsBadPositions(t *testing.T) {
	var b payload.Body
	b.Reset(payload.NewSource(1).Content("key", 0), 10)
	if _, err := b.Seek(-1, io.SeekStart); err == nil {
		t.Error("Seek before the start: no error")
	}
	if _, err := b.Seek(0, 9); err == nil {
		t.Error("Seek with an unknown whence: no error")
	}
	if _, err := b.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("ReadAt before the start: no error")
	}
	if pos, err := b.Seek(-3, io.SeekEnd); err != nil || pos != 7 {
		t.Errorf("Seek(-3, end) = %d, %v", pos, err)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	s := payload.NewSource(1)
	var b payload.Body
	p := make([]byte, 64<<10)
	key := "bench-abcdefghijklmnopqrstuvwxyz/3/123456"
	got := testing.AllocsPerRun(100, func() {
		c := s.Content(key, 1)
		b.Reset(c, int64(len(p)))
		if n, _ := b.Read(p); c.Verify(0, p[:n]) != -1 {
			t.Error("content differs")
		}
	})
	if got != 0 {
		t.Errorf("%v allocations per body, want 0", got)
	}
}

func sizes(b *testing.B, run func(b *testing.B, c payload.Content, p []byte)) {
	for _, n := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", n>>10), func(b *testing.B) {
			c := payload.NewSource(1).Content("key", 0)
			p := filled(c, 0, n)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, c, p)
		})
	}
}

func BenchmarkFill(b *testing.B) {
	sizes(b, func(b *testing.B, c payload.Content, p []byte) {
		for b.Loop() {
			c.Fill(0, p)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	sizes(b, func(b *testing.B, c payload.Content, p []byte) {
		for b.Loop() {
			if c.Verify(0, p) != -1 {
				b.Fatal("content differs")
			}
		}
	})
}

func BenchmarkContent(b *testing.B) {
	s := payload.NewSource(1)
	key := "bench-abcdefghijklmnopqrstuvwxyz/3/123456"
	for b.Loop() {
		_ = s.Content(key, 0)
	}
}
