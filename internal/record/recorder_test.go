package record_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bench/internal/clock"
	"bench/internal/oplog"
	"bench/internal/record"
)

// TestEveryRowOnce checks that each worker's rows arrive once and in order.
func TestEveryRowOnce(t *testing.T) {
	t.Parallel()
	const workers, rows = 16, 20_000
	var sink memory
	rec := record.New(clock.New(), &sink, nil, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			s := rec.Shard(w)
			for n := range rows {
				op := row(w, n)
				s.Put(&op)
			}
		})
	}
	wg.Wait()
	if err := rec.Close(&oplog.End{}); err != nil {
		t.Fatal(err)
	}
	var next [workers]int64
	for i, op := range sink.rows {
		if op.Start != next[op.Thread] {
			t.Fatalf("row %d is number %d of worker %d, want %d", i, op.Start, op.Thread, next[op.Thread])
		}
		next[op.Thread]++
	}
	if len(sink.rows) != workers*rows {
		t.Errorf("got %d rows, want %d", len(sink.rows), workers*rows)
	}
}

// TestFullRingMakesWorkersWait has a sink of a thousand rows a second: the
// workers wait, the wait is counted to the nanosecond, and no row is lost.
func TestFullRingMakesWorkersWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const workers, rows = 3, 15_000
		sink := memory{before: func() { time.Sleep(time.Millisecond) }}
		rec := record.New(clock.New(), &sink, nil, workers)
		var waited [workers]time.Duration
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				began := time.Now()
				for n := range rows {
					op := row(w, n)
					rec.Shard(w).Put(&op)
				}
				waited[w] = time.Since(began) // time passes in Put only
			})
		}
		wg.Wait()
		stall := rec.Stall()
		end := &oplog.End{}
		if err := rec.Close(end); err != nil {
			t.Fatal(err)
		}
		want := waited[0] + waited[1] + waited[2]
		if stall != want || want == 0 || end.StallNS != int64(want) {
			t.Errorf("got a stall of %v, in the end line %v, want %v", stall, time.Duration(end.StallNS), want)
		}
		if len(sink.rows) != workers*rows {
			t.Errorf("got %d rows, want %d", len(sink.rows), workers*rows)
		}
	})
}

// TestManyWorkersStillMove checks the smallest rings.
func TestManyWorkersStillMove(t *testing.T) {
	t.Parallel()
	const workers, rows = 5000, 100
	var sink memory
	rec := record.New(clock.New(), &sink, nil, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for n := range rows {
				op := row(w, n)
				rec.Shard(w).Put(&op)
			}
		})
	}
	wg.Wait()
	if err := rec.Close(&oplog.End{}); err != nil || len(sink.rows) != workers*rows {
		t.Errorf("got %d rows, %v, want %d", len(sink.rows), err, workers*rows)
	}
}

// TestRowIsReadableWithinASecond puts rows at odd moments while another
// worker hangs, and reads the file a second after each.
func TestRowIsReadableWithinASecond(t *testing.T) {
	t.Parallel()
	for _, gap := range []time.Duration{0, time.Millisecond, 37 * time.Millisecond, 99 * time.Millisecond, 401 * time.Millisecond, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var d disk
			rec := record.New(clock.New(), newWriter(t, &d), &d, 2)
			hang := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() { // a worker in an operation that does not end
				<-hang
				op := row(1, 0)
				rec.Shard(1).Put(&op)
			})
			total := 0
			put := func() {
				op := row(0, total)
				rec.Shard(0).Put(&op)
				total++
			}
			for range 15 {
				put()
				at, first := time.Now(), total
				for time.Since(at)+max(gap, 1) < time.Second { // others follow, or none
					if gap == 0 {
						break
					}
					time.Sleep(gap)
					put()
				}
				time.Sleep(time.Second - time.Since(at))
				synctest.Wait()
				if rows, _ := readBack(t, d.bytes()); len(rows) < first {
					t.Fatalf("gap %v: a second after row %d only %d rows can be read", gap, first, len(rows))
				}
				time.Sleep(13 * time.Millisecond)
			}
			close(hang)
			wg.Wait()
			if err := rec.Close(&oplog.End{}); err != nil {
				t.Fatal(err)
			}
			if rows, _ := readBack(t, d.bytes()); len(rows) != total+1 {
				t.Errorf("gap %v: got %d rows, want %d", gap, len(rows), total+1)
			}
		})
	}
}

// load records for half a minute of virtual time with three workers and
// returns how Close ended and how many rows were put.
func load(t *testing.T, d *disk) (*record.Recorder, int, error) {
	t.Helper()
	w, err := oplog.NewWriter(d, &oplog.Meta{Schema: oplog.SchemaVersion, Epoch: time.Now(), ClientID: "c"})
	if err != nil {
		return nil, 0, err
	}
	rec := record.New(clock.New(), w, d, 3)
	var wg sync.WaitGroup
	const rows = 300
	for worker := range 3 {
		wg.Go(func() {
			for n := range rows {
				op := row(worker, n)
				rec.Shard(worker).Put(&op)
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	return rec, 3 * rows, rec.Close(&oplog.End{Reason: oplog.ReasonDone})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestLostRecord fails every write, the sync and the close in turn. The error
// has to name no more rows than can be read back.
func TestLostRecord(t *testing.T) {
	t.Parallel()
	check := func(name string, d *disk, wantErr bool) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			rec, put, err := load(t, d)
			if !wantErr || d.writes < d.failWrite { // ticks do not fall the same way each time
				if err != nil || !d.published || !d.synced || isClosed(rec.Failed()) {
					t.Errorf("%s: got %v, published %v, synced %v", name, err, d.published, d.synced)
				}
				return
			}
			if rec == nil { // the very first write
				if !errors.Is(err, errDisk) {
					t.Errorf("%s: NewWriter got %v", name, err)
				}
				return
			}
			var lost *record.LostError
			if !errors.As(err, &lost) || !errors.Is(err, errDisk) || lost.Name != d.Name() {
				t.Fatalf("%s: got %v, want a LostError", name, err)
			}
			if !isClosed(rec.Failed()) || !errors.Is(rec.Err(), errDisk) {
				t.Errorf("%s: Failed closed %v, Err %v", name, isClosed(rec.Failed()), rec.Err())
			}
			if d.published || !d.closed {
				t.Errorf("%s: published %v, closed %v", name, d.published, d.closed)
			}
			rows, _ := readBack(t, d.data.Bytes())
			if int64(len(rows)) < lost.Safe || lost.Safe > int64(put) {
				t.Errorf("%s: %d rows are said to be safe, %d can be read, %d were put", name, lost.Safe, len(rows), put)
			}
			if !strings.Contains(err.Error(), "rows are safe in record.partial") {
				t.Errorf("%s: message %q does not say what is safe", name, err)
			}
			if d.failWrite > 0 && d.writes != d.failWrite {
				t.Errorf("%s: %d writes, want none after the one that failed", name, d.writes)
			}
		})
	}
	var whole disk
	check("nothing fails", &whole, false)
	if whole.writes < 50 {
		t.Fatalf("got %d writes, want at least 50 to fail", whole.writes)
	}
	for n := 1; n <= 50; n++ {
		check(fmt.Sprintf("write %d", n), &disk{failWrite: n}, true)
	}
	for n := whole.writes - 3; n <= whole.writes; n++ {
		check("one of the last writes", &disk{failWrite: n}, true)
	}
	check("sync", &disk{failSync: true}, true)
	check("close", &disk{failClose: true}, true)
	check("sync and close", &disk{failSync: true, failClose: true}, true)
}

// TestFailedRecordStopsNobody fills rings many times over after a failure.
func TestFailedRecordStopsNobody(t *testing.T) {
	t.Parallel()
	d := &disk{failWrite: 2}
	rec := record.New(clock.New(), newWriter(t, d), d, 2)
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for n := range 100_000 {
				op := row(w, n)
				rec.Shard(w).Put(&op)
			}
		})
	}
	<-rec.Failed()
	wg.Wait()
	rec.Sample(oplog.Sample{})
	var lost *record.LostError
	if err := rec.Close(&oplog.End{}); !errors.As(err, &lost) || lost.Safe != 0 {
		t.Errorf("got %v, want a LostError with no safe row", err)
	}
}

// TestSamples checks that samples reach the sink, the last one too, and that
// one that comes after the end waits for nobody.
func TestSamples(t *testing.T) {
	t.Parallel()
	for range 50 {
		var sink memory
		rec := record.New(clock.New(), &sink, nil, 1)
		rec.Sample(oplog.Sample{AtNS: 1})
		rec.Sample(oplog.Sample{AtNS: 2})
		if err := rec.Close(&oplog.End{}); err != nil {
			t.Fatal(err)
		}
		if len(sink.samples) != 2 || sink.samples[0].AtNS != 1 || sink.samples[1].AtNS != 2 {
			t.Fatalf("got samples %+v, want both", sink.samples)
		}
		for range 20 {
			rec.Sample(oplog.Sample{AtNS: 3})
		}
	}
}
