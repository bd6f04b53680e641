package record_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bench/internal/oplog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a sink that keeps all rows.
type memory struct {
	mu      sync.Mutex
	rows    []oplog.Op
	samples []oplog.Sample
	end     *oplog.End
	flushes int
	// before is called for each row, outside of the lock.
	before func()
}

func (m *memory) Row(op *oplog.Op) error {
	if m.before != nil {
		m.before()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows = append(m.rows, *op)
	return nil
}

func (m *memory) Sample(s *oplog.Sample) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples = append(m.samples, *s)
	return nil
}

func (m *memory) Flush() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushes++
	return nil
}

func (m *memory) Pending() bool { return true }

func (m *memory) Safe() int64 { return 0 }

func (m *memory) Finish(end *oplog.End) error {
	m.end = end
	return nil
}

var errDisk = errors.New("no space left on device")

// disk is a storage that fails at the nth write, at syncing or at closing.
type disk struct {
	mu                  sync.Mutex
	data                bytes.Buffer
	writes, failWrite   int
	failSync, failClose bool
	synced              bool
	closed, published   bool
}

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writes++; d.writes == d.failWrite {
		n, _ := d.data.Write(p[:len(p)/2])
		return n, errDisk
	}
	return d.data.Write(p)
}

func (d *disk) Sync() error {
	if d.failSync {
		return errDisk
	}
	d.synced = true
	return nil
}

func (d *disk) Close(publish bool) error {
	d.closed = true
	if d.failClose {
		return errDisk
	}
	d.published = publish
	return nil
}

func (d *disk) Name() string { return "record.partial" }

func (d *disk) bytes() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Clone(d.data.Bytes())
}

// reading collects what is read back.
type reading struct{ rows []oplog.Row }

func (c *reading) Row(r *oplog.Row) error {
	c.rows = append(c.rows, *r)
	return nil
}

func (c *reading) Sample(*oplog.Sample) error { return nil }

// readBack returns the rows that are on the disk, whole or torn.
func readBack(t *testing.T, data []byte) ([]oplog.Row, oplog.Summary) {
	t.Helper()
	f, err := oplog.NewFile("disk", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var c reading
	sum, err := f.Scan(context.Background(), oplog.ScanOptions{Workers: 1}, func(int) oplog.Visitor { return &c })
	if err != nil {
		t.Fatalf("read %d bytes back: %v", len(data), err)
	}
	return c.rows, sum
}

func row(worker, n int) oplog.Op {
	var op oplog.Op
	op.Reset()
	op.Name, op.Phase = oplog.OpPut, oplog.PhaseMeasure
	op.Thread, op.Start, op.End = uint32(worker), int64(n), int64(n)+1
	return op
}

func newWriter(t *testing.T, d *disk) *oplog.Writer {
	t.Helper()
	w, err := oplog.NewWriter(d, &oplog.Meta{Schema: oplog.SchemaVersion, Epoch: time.Now(), ClientID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}
