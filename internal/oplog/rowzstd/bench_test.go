package rowzstd

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// BenchmarkRows compares this package with a general encoder on the same
// rows: cost and stored bytes per row, both ways.
func BenchmarkRows(b *testing.B) {
	general, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	e := New()
	for _, c := range []struct {
		name  string
		shape rowShape
	}{{"put", putShape()}, {"get", getShape()}, {"mixed", mixedShape()}, {"batch", batchShape()}} {
		raw := newRowSource(c.shape, 1).rows(1 << 20)
		rows := bytes.Count(raw, []byte("\n"))
		b.Run(c.name+"/rowzstd", func(b *testing.B) {
			benchEncode(b, rows, func(dst []byte) []byte { return e.AppendFrame(dst, raw) })
		})
		b.Run(c.name+"/general", func(b *testing.B) {
			benchEncode(b, rows, func(dst []byte) []byte { return general.EncodeAll(raw, dst) })
		})
		b.Run(c.name+"/decode-rowzstd", func(b *testing.B) {
			benchDecode(b, rows, e.AppendFrame(nil, raw))
		})
		b.Run(c.name+"/decode-general", func(b *testing.B) {
			benchDecode(b, rows, general.EncodeAll(raw, nil))
		})
	}
}

func benchEncode(b *testing.B, rows int, encode func(dst []byte) []byte) {
	dst := encode(nil)
	for b.Loop() {
		dst = encode(dst[:0])
	}
	b.ReportMetric(float64(len(dst))/float64(rows), "B/row")
	perRow(b, rows)
}

func benchDecode(b *testing.B, rows int, frame []byte) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	var dst []byte
	for b.Loop() {
		if dst, err = d.DecodeAll(frame, dst[:0]); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, rows)
}

func perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	b.ReportMetric(0, "ns/op")
}
