package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestVerifyFindsDamage changes an object behind the back of a run that reads
// it all the time.
func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]struct {
		class string
		do    func(path string) error
	}{
		"changed byte": {"checksum", func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			var b [1]byte
			if _, err := f.ReadAt(b[:], 70000); err != nil {
				return err
			}
			b[0] ^= 1
			_, err = f.WriteAt(b[:], 70000)
			return err
		}},
		"cut":     {"truncated", func(path string) error { return os.Truncate(path, 70000) }},
		"longer":  {"checksum", func(path string) error { return os.Truncate(path, 200000) }},
		"missing": {"notfound", os.Remove},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := launch(t, dir, "get", "file://"+dir+"/store", "-n", "8", "-s", "100000", "-c", "2", "--verify", "-d", "1h",
				"--rate", "500", "--max-errors", "0", "--interval", "10ms", "-o", "r.csv.zst")
			p.await(`(?i)get: int`)
			var path string
			for _, f := range filesBelow(t, filepath.Join(dir, "store")) {
				if filepath.Base(f) != ".bench-run" {
					path = f
				}
			}
			if err := damage.do(path); err != nil {
				t.Fatal(err)
			}
			if code := p.wait(); code != 3 {
				t.Errorf("exit code %d, want 3\n%s", code, lastOf(p.stderr.String()))
			}
			rec, err := readRecord(filepath.Join(dir, "r.csv.zst"))
			if err != nil {
				t.Fatal(err)
			}
			failed, err := rec.where([]string{"op=GET", "phase=measure", "error_class=" + damage.class})
			if err != nil || len(failed) == 0 {
				t.Errorf("no get failed with class %s (%v)", damage.class, err)
			}
			all, err := rec.where([]string{"op=GET", "phase=measure", "error_class!="})
			if err != nil || len(all) != len(failed) {
				t.Errorf("%d gets failed, %d of them with class %s (%v)", len(all), len(failed), damage.class, err)
			}
			if left := filesBelow(t, filepath.Join(dir, "store")); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}
