package workload_test

import (
	"testing"

	"bench/backends"
	"bench/internal/engine"
	"bench/internal/oplog"
	"bench/internal/population"
	"bench/internal/workload"
)

func retries(n int) func(*engine.Load) { return func(l *engine.Load) { l.Retries = n } }

func TestStat(t *testing.T) {
	t.Parallel()
	check := func(name string, answer func(*backends.Info) error, class backends.Class) {
		t.Helper()
		h := hook(open(t, "store=1"))
		tr := newTrial(config{store: h, sizes: population.Fixed(10), workers: 2})
		tr.prepare(t, 4)
		h.stat = answer
		tr.run(t, oplog.PhaseMeasure, workload.NewStat(&tr.Env, false), ops(8))
		rows := tr.book.rows(oplog.PhaseMeasure)
		if len(rows) != 8 {
			t.Errorf("%s: got %d rows, want 8", name, len(rows))
		}
		for _, op := range rows {
			wantObjects := int64(1)
			if class != backends.ClassNone {
				wantObjects = 0
			}
			if op.Name != oplog.OpStat || op.Class != string(class) || op.Bytes != 0 || op.Objects != wantObjects {
				t.Errorf("%s: got %+v, want class %q", name, op, class)
			}
		}
	}
	check("right", nil, backends.ClassNone)
	check("too small", func(i *backends.Info) error { i.Size--; return nil }, backends.ClassChecksum)
	check("too large", func(i *backends.Info) error { i.Size++; return nil }, backends.ClassChecksum)
	check("empty", func(i *backends.Info) error { i.Size = 0; return nil }, backends.ClassChecksum)
	check("error", func(*backends.Info) error { return errStore }, backends.ClassServer)
}
