package progress_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bench/internal/clock"
	"bench/internal/oplog"
	"bench/internal/progress"
	"bench/internal/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen keeps what is written and fails after some lines.
type screen struct {
	mu    sync.Mutex
	text  strings.Builder
	lines int
	limit int // 0 for none
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && s.lines == s.limit {
		return 0, errors.New("closed")
	}
	s.lines++
	return s.text.Write(p)
}

// nowhere is a sink.
type nowhere struct{}

func (nowhere) Row(*oplog.Op) error        { return nil }
func (nowhere) Sample(*oplog.Sample) error { return nil }
func (nowhere) Flush() error               { return nil }
func (nowhere) Pending() bool              { return false }
func (nowhere) Safe() int64                { return 0 }
func (nowhere) Finish(*oplog.End) error    { return nil }

// show runs a line for some seconds; each second two operations of 1 MiB and
// one failure end.
func show(t *testing.T, seconds int, line *progress.Line) {
	t.Helper()
	rec := record.New(clock.New(), nowhere{}, nil, 1)
	line.Live = rec.Live()
	put := func(took time.Duration, class string) {
		var op oplog.Op
		op.Reset()
		op.Name, op.Phase, op.End, op.Bytes, op.Class = oplog.OpPut, line.Phase, op.Start+int64(took), 1<<20, class
		if class != "" {
			op.Objects, op.Bytes, op.Failed = 0, 0, 1
		}
		rec.Shard(0).Put(&op)
	}
	put(time.Hour, "") // before the start: not shown
	time.Sleep(time.Second)
	line.Start()
	time.Sleep(500 * time.Millisecond)
	for range seconds {
		put(2*time.Millisecond, "")
		put(4*time.Millisecond, "")
		put(time.Second, "server")
		time.Sleep(time.Second)
	}
	line.Stop()
	if err := rec.Close(&oplog.End{}); err != nil {
		t.Error(err)
	}
}

func TestIntervalLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out screen
		show(t, 3, &progress.Line{Out: &out, Title: "loop 0, put", Phase: oplog.PhaseMeasure, Every: time.Second})
		lines := strings.Split(strings.TrimSuffix(out.text.String(), "\n"), "\n")
		if len(lines) != 3 {
			t.Fatalf("got %q, want 3 lines", lines)
		}
		for i, line := range lines {
			for _, want := range []string{
				fmt.Sprintf("loop 0, put: int %d, ops 2, 2.00 MiB/s, 2 ops/s, lat [ min 2", i), "avg 3", "max 4", ", errors 1",
			} {
				if !strings.Contains(line, want) {
					t.Errorf("line %d: got %q, want %q in it", i, line, want)
				}
			}
			if strings.Contains(line, "backlog") {
				t.Errorf("line %d of a closed load: %q", i, line)
			}
		}
	})
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out screen
		show(t, 1, &progress.Line{Out: &out, Phase: oplog.PhaseMeasure, Every: time.Second, Backlog: func() int64 { return 77 }})
		if got := out.text.String(); !strings.HasSuffix(got, ", errors 1, backlog 77\n") {
			t.Errorf("got %q", got)
		}
	})
}

func TestCountOfATotal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, phase := range []oplog.Phase{oplog.PhasePrepare, oplog.PhaseCleanup} {
			var out screen
			show(t, 2, &progress.Line{Out: &out, Title: "x", Phase: phase, Every: time.Second, Total: 8})
			want := "x: 2 of 8 objects (25 %), 2 obj/s, 2.00 MiB/s, errors 1\nx: 4 of 8 objects (50 %), 2 obj/s, 2.00 MiB/s, errors 1\n"
			if got := out.text.String(); got != want {
				t.Errorf("%v: got %q, want %q", phase, got, want)
			}
		}
	})
}

// TestClosedOutput checks that an error of the output ends the lines only.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := screen{limit: 2}
		show(t, 5, &progress.Line{Out: &out, Phase: oplog.PhaseMeasure, Every: time.Second})
		if out.lines != 2 {
			t.Errorf("got %d lines, want 2", out.lines)
		}
	})
}

// TestStopAtOnce checks a phase that is shorter than an interval.
func TestStopAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out screen
		show(t, 0, &progress.Line{Out: &out, Every: time.Minute})
		if out.lines != 0 {
			t.Errorf("got %q", out.text.String())
		}
	})
}
