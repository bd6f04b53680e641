package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// promised is the age at which every finished operation is in the file.
	promised = time.Second
	// slack is for the moment between a file's rename and the end stamp, and
	// for a machine that does other things too.
	slack = 250 * time.Millisecond
)

// TestKill ends runs without warning. The files that a put leaves tell when
// each operation ended, whatever the record says.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	for i := range 14 {
		t.Run(fmt.Sprint("file ", i), func(t *testing.T) {
			t.Parallel()
			killPut(t, 1500*time.Millisecond+time.Duration(i)*73*time.Millisecond)
		})
	}
	for i := range 6 {
		t.Run(fmt.Sprint("hanging ", i), func(t *testing.T) {
			t.Parallel()
			killHanging(t, 2500*time.Millisecond+time.Duration(i)*97*time.Millisecond)
		})
	}
}

func killPut(t *testing.T, after time.Duration) {
	dir := t.TempDir()
	p := launch(t, dir, "put", "file://"+dir+"/store", "-s", "1B", "-c", "8", "--rate", "1500", "-d", "1h",
		"-o", "r.csv.zst", "--progress", "none")
	p.await(`run [a-z2-7]{26} on`)
	time.Sleep(after) // the moment is what is tested
	killed := time.Now()
	p.send(syscall.SIGKILL)
	p.wait()

	rec := readPartial(t, p)
	known := map[string]bool{}
	for _, r := range rec.rows {
		known[r["file"]] = true
	}
	root := filepath.Join(dir, "store", rec.meta.KeyPrefix)
	old, missing := 0, 0
	for _, path := range filesBelow(t, root) {
		name, _ := filepath.Rel(root, path)
		if strings.Contains(name, ".bench-") || killed.Sub(changed(t, path)) < promised+slack {
			continue
		}
		old++
		if !known[name] {
			missing++
		}
	}
	if old == 0 || missing > 0 {
		t.Errorf("of %d objects that were written more than 1 s before the kill, %d have no row", old, missing)
	}
}

// killHanging kills a run most of whose workers hang in an operation while
// others finish all the time.
func killHanging(t *testing.T, after time.Duration) {
	const jitter = 1200 * time.Millisecond
	p := launch(t, t.TempDir(), "put", "dummy://?jitter="+jitter.String(), "-c", "600", "--rate", "400", "-d", "1h",
		"-o", "r.csv.zst", "--interval", "10ms")
	p.await(`(?i)put: `)
	time.Sleep(after) // the moment is what is tested
	killed := time.Now()
	p.send(syscall.SIGKILL)
	p.wait()

	rec := readPartial(t, p)
	first := killed
	planned := map[int64]bool{}
	for _, r := range rec.rows {
		at := intended(t, r)
		if at.Before(first) {
			first = at
		}
		planned[at.UnixNano()] = true
	}
	// The plan is even, so the rows that must be there can be counted.
	last := killed.Add(-jitter - promised - slack)
	want, got := int(last.Sub(first)*400/time.Second), 0
	for ns := range planned {
		if !time.Unix(0, ns).After(last) {
			got++
		}
	}
	if want <= 0 || got < want {
		t.Errorf("%d of %d operations that ended more than 1 s before the kill have a row", got, want)
	}
}

func intended(t *testing.T, r row) time.Time {
	t.Helper()
	col := "intended"
	if r[col] == "" {
		col = "start"
	}
	at, err := r.moment(col)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// readPartial reads what a killed run left, with the program and without.
func readPartial(t *testing.T, p *process) *recorded {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(p.dir, "r.csv.zst")); err == nil {
		t.Error("a killed run has published its record")
	}
	path := filepath.Join(p.dir, "r.csv.zst.partial")
	rec, err := readRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, p.dir, "analyze", path)
	if code != 0 || !strings.Contains(stdout, "INCOMPLETE") {
		t.Fatalf("analyze: exit code %d\n%s\n%s", code, stdout, stderr)
	}
	// What the decoder makes of a last frame that is cut is no concern here.
	rec.rows = rec.rows[:rowsOf(t, p.dir, path)]
	return rec
}

// changed is when the object got its name.
func changed(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatal("no times")
	}
	return time.Unix(stat.Ctim.Unix())
}
