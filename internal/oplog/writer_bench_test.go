package oplog

import (
	"io"
	"testing"
	"time"
)

// benchOps are rows as the dummy backend produces them.
func benchOps() (put, get Op) {
	put.Reset()
	put.Name, put.Key, put.Thread = OpPut, "1/1234567", 1
	put.Phase, put.Bytes = PhaseMeasure, 10240
	get = put
	get.Name = OpGet
	return put, get
}

func BenchmarkWriterRow(b *testing.B) {
	put, get := benchOps()
	for name, op := range map[string]*Op{"put": &put, "get": &get} {
		b.Run(name, func(b *testing.B) {
			w, err := NewWriter(io.Discard, &Meta{Epoch: time.Now(), ClientID: "k3j9x2ab"})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := range b.N {
				op.Start = int64(i)*333 + int64(i*7919%97)
				op.End = op.Start + 120 + int64(i*7919%61)
				if name == "get" {
					op.FirstByte, op.LastByte = op.Start+80, op.Start+80
				}
				if err := w.Row(op); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.offset)/float64(b.N), "stored-B/op")
		})
	}
}

func BenchmarkEncodeRow(b *testing.B) {
	put, _ := benchOps()
	e := newRowEncoder(time.Now(), "k3j9x2ab")
	buf := make([]byte, 0, 1024)
	for i := range b.N {
		put.Start = int64(i) * 333
		put.End = put.Start + 150
		buf = e.appendRow(buf[:0], &put)
	}
	b.SetBytes(int64(len(buf)))
}
