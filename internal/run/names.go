package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"bench/backends"
	"bench/internal/oplog"
)

// dirPrefix begins the name of every run's own directory.
const dirPrefix = "bench-"

// dirOf returns the key prefix that belongs to a run.
func dirOf(id string) string { return dirPrefix + id + "/" }

// idPattern is the shape of a run id: 26 base32 characters.
const idPattern = `[a-z2-7]{26}`

// ValidRunID reports whether s has the shape of a run id.
func ValidRunID(s string) bool {
	return regexp.MustCompile(`^` + idPattern + `$`).MatchString(s)
}

// clientIDLen is how much of the run id tells clients apart in merged
// records: 40 bits.
const clientIDLen = 8

// createRecord opens the record's file. A file that exists is never touched.
func (r *runner) createRecord() (oplog.Storage, error) {
	path := r.plan.Out
	switch path {
	case "":
		path = r.defaultName()
	case NoRecord:
		path = filepath.Join(os.TempDir(), r.defaultName())
	}
	r.result.Record = path
	storage, err := oplog.Create(path)
	if err == nil {
		return storage, nil
	}
	r.result.Record = ""
	if errors.Is(err, fs.ErrExist) {
		err = &backends.UsageError{Err: err}
	}
	return nil, err
}

// defaultName is bench-<command>-<UTC time>-<start of the run id>.csv.zst.
func (r *runner) defaultName() string {
	at := r.clock.Epoch().UTC().Format("20060102T150405Z")
	return fmt.Sprintf("bench-%s-%s-%s.csv.zst", r.plan.Command, at, r.id[:6])
}
