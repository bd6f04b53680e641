package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are what the scripts need beyond testscript's own commands:
//
//	exitcode N COMMAND ARG…      run a command; its exit code must be N
//	record FILE                  check a complete record throughout
//	rows FILE COUNT [COL=VALUE…] count the rows whose columns have these values
//	cells OUT FILE COL,… [COL=VALUE…]  write columns of rows, sorted
//	unzstd FILE OUT              decompress
//	json FILE PATH VALUE         compare one value, PATH as in run.labels.a
//	lines FILE COUNT             count lines
//	entries DIR COUNT            count files and directories below DIR
//	files DIR COUNT              count files below DIR
//	tree OUT DIR                 write name and digest of every file below DIR
//	only VAR PATTERN             set VAR to the one file that matches
//	capture VAR FILE REGEXP      set VAR to the first group of the match
//
// FILE may be stdout or stderr. COUNT is N, N.., or N..M. VALUE may be
// several, a|b, and COL!=VALUE turns it round.
func scriptCommands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	all := map[string]struct {
		least int
		run   func(ts *testscript.TestScript, args []string) error
	}{
		"exitcode": {2, scriptExitCode},
		"record":   {1, scriptRecord},
		"rows":     {2, scriptRows},
		"cells":    {3, scriptCells},
		"unzstd":   {2, scriptUnzstd},
		"json":     {3, scriptJSON},
		"lines":    {2, scriptLines},
		"entries":  {2, scriptEntries},
		"files":    {2, scriptFiles},
		"tree":     {2, scriptTree},
		"only":     {2, scriptOnly},
		"capture":  {3, scriptCapture},
	}
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for name, c := range all {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) < c.least {
				ts.Fatalf("usage: %s with at least %d arguments, without !", name, c.least)
			}
			if err := c.run(ts, args); err != nil {
				ts.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
			}
		}
	}
	return out
}

func scriptExitCode(ts *testscript.TestScript, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	got := 0
	if exit != nil {
		got = exit.ExitCode()
	}
	if got != want {
		return fmt.Errorf("exit code %d, want %d", got, want)
	}
	return nil
}

func scriptRecord(ts *testscript.TestScript, args []string) error {
	rec, err := readRecord(ts.MkAbs(args[0]))
	if err != nil {
		return err
	}
	return rec.check()
}

func scriptRows(ts *testscript.TestScript, args []string) error {
	rec, err := readRecord(ts.MkAbs(args[0]))
	if err != nil {
		return err
	}
	rows, err := rec.where(args[2:])
	if err != nil {
		return err
	}
	return checkCount(len(rows), args[1], "rows")
}

func scriptCells(ts *testscript.TestScript, args []string) error {
	rec, err := readRecord(ts.MkAbs(args[1]))
	if err != nil {
		return err
	}
	rows, err := rec.where(args[3:])
	if err != nil {
		return err
	}
	var lines []string
	for _, r := range rows {
		var cells []string
		for col := range strings.SplitSeq(args[2], ",") {
			cells = append(cells, r[col])
		}
		lines = append(lines, strings.Join(cells, " ")+"\n")
	}
	slices.Sort(lines)
	return os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "")), 0o666)
}

func scriptUnzstd(ts *testscript.TestScript, args []string) error {
	text, err := unzstd(ts.MkAbs(args[0]))
	if err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs(args[1]), text, 0o666)
}

func scriptJSON(ts *testscript.TestScript, args []string) error {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON document")
	}
	got, err := lookup(v, args[1])
	if err != nil {
		return err
	}
	if text := fmt.Sprint(got); text != args[2] {
		return fmt.Errorf("got %s, want %s", text, args[2])
	}
	return nil
}

// lookup follows a path such as stages.0.ops.0.count; len is a length.
func lookup(v any, path string) (any, error) {
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return nil, fmt.Errorf("no %q of %q", step, path)
			}
			v = next
		case []any:
			if step == "len" {
				return len(at), nil
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, fmt.Errorf("no %q of %q among %d", step, path, len(at))
			}
			v = at[i]
		default:
			return nil, fmt.Errorf("no %q of %q", step, path)
		}
	}
	return v, nil
}

func scriptLines(ts *testscript.TestScript, args []string) error {
	return checkCount(strings.Count(ts.ReadFile(args[0]), "\n"), args[1], "lines")
}

func scriptEntries(ts *testscript.TestScript, args []string) error {
	return countBelow(ts.MkAbs(args[0]), args[1], func(fs.DirEntry) bool { return true })
}

func scriptFiles(ts *testscript.TestScript, args []string) error {
	return countBelow(ts.MkAbs(args[0]), args[1], func(d fs.DirEntry) bool { return !d.IsDir() })
}

func countBelow(dir, want string, counts func(fs.DirEntry) bool) error {
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir && counts(d) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := checkCount(len(names), want, "entries"); err != nil {
		return fmt.Errorf("%w: %q", err, names[:min(len(names), 20)])
	}
	return nil
}

func scriptTree(ts *testscript.TestScript, args []string) error {
	var out bytes.Buffer
	root := ts.MkAbs(args[1])
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		fmt.Fprintf(&out, "%x %s\n", sha256.Sum256(content), name)
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666)
}

func scriptOnly(ts *testscript.TestScript, args []string) error {
	found, err := filepath.Glob(ts.MkAbs(args[1]))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("%d files match: %q", len(found), found)
	}
	ts.Setenv(args[0], found[0])
	return nil
}

func scriptCapture(ts *testscript.TestScript, args []string) error {
	re, err := regexp.Compile(args[2])
	if err != nil {
		return err
	}
	m := re.FindStringSubmatch(ts.ReadFile(args[1]))
	if len(m) < 2 {
		return errors.New("no match")
	}
	ts.Setenv(args[0], m[1])
	return nil
}

// checkCount compares with N, N.. or N..M.
func checkCount(got int, want, what string) error {
	lo, hi, ranged := strings.Cut(want, "..")
	least, err := strconv.Atoi(lo)
	if err != nil {
		return err
	}
	most := least
	if ranged {
		most = got
		if hi != "" {
			if most, err = strconv.Atoi(hi); err != nil {
				return err
			}
		}
	}
	if got < least || got > most {
		return fmt.Errorf("%d %s, want %s", got, what, want)
	}
	return nil
}
