package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"bench/analyze"
	"bench/analyze/internal/synth"
	"bench/analyze/report"
)

var update = flag.Bool("update", false, "rewrite records and golden files")

const (
	records = "../../testdata/oplog/v1"
	golden  = "../../testdata/golden"
)

// files are the committed records and how they were made.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, r := range map[string]*synth.Record{
		"put": synth.Put(1), "mixed": synth.Mixed(1), "stages": synth.Stages(1),
		"rate": synth.Rate(1), "torn": synth.Torn(1), "failing": synth.Failing(1),
	} {
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		all[name] = data
	}
	all["torn"] = all["torn"][:len(all["torn"])-5]
	damaged := bytes.Clone(all["mixed"])
	damaged[len(damaged)/2] ^= 1
	all["damaged"] = damaged
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	all["warp"] = enc.EncodeAll([]byte(synth.Warp(1)), nil)
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGolden(t *testing.T) {
	t.Parallel()
	if *update {
		for name, data := range files(t) {
			write(t, filepath.Join(records, name+".csv.zst"), data)
		}
	}
	paths, err := filepath.Glob(records + "/*.csv.zst")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d records, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv.zst")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := analyze.Load(t.Context(), []string{path}, analyze.Options{})
			if (err != nil) != (name == "damaged") {
				t.Fatal(err)
			}
			for i := range a.Records {
				if a.Records[i].Err != nil {
					a.Records[i].Err = errors.New(strings.ReplaceAll(a.Records[i].Err.Error(), path, "FILE"))
				}
			}
			compare(t, name+".txt", render(t, report.Text, a))
			compare(t, name+".json", render(t, report.JSON, a))
		})
	}
}

func render(t *testing.T, f func(io.Writer, *analyze.Analysis) error, a *analyze.Analysis) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, a); err != nil {
		t.Fatal(err)
	}
	checkText(t, b.String())
	return b.String()
}

// checkText finds what no output may contain.
func checkText(t *testing.T, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > 100 && !strings.HasPrefix(text, "{") {
			t.Errorf("line %d has %d columns: %q", i+1, n, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line %d ends with blanks: %q", i+1, line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("line %d has %U in it: %q", i+1, r, line)
			}
		}
	}
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(text, bad) {
			t.Errorf("the output contains %s", bad)
		}
	}
}

// compare compares with a golden file; what differs is left beside it.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(golden, name)
	if *update {
		write(t, path, []byte(got))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(string(want), got); d != "" {
		write(t, path+".got", []byte(got))
		t.Errorf("%s differs (-want +got), see %s.got:\n%s", name, path, d)
	}
}

// diff shows the first line that differs.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\n-%s\n+%s", i+1, w[i], g[i])
		}
	}
	if len(w) != len(g) {
		return fmt.Sprintf("%d lines, want %d", len(g), len(w))
	}
	return ""
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestCommittedRecordsRead reads the committed records as they were written
// by this version: an older record must stay readable.
func TestCommittedRecordsAreOurs(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*synth.Record{"put": synth.Put(1), "rate": synth.Rate(1)} {
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		fresh := filepath.Join(t.TempDir(), name+".csv.zst")
		write(t, fresh, data)
		var texts []string
		for _, path := range []string{fresh, filepath.Join(records, name+".csv.zst")} {
			a, err := analyze.Load(t.Context(), []string{path}, analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, render(t, report.Text, a))
		}
		if d := diff(texts[1], texts[0]); d != "" {
			t.Errorf("%s: a new record differs from the committed one:\n%s", name, d)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	a := &analyze.Analysis{Warnings: []string{"x"}}
	if err := report.Text(failing{}, a); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Text: %v", err)
	}
	if err := report.JSON(failing{}, a); !errors.Is(err, os.ErrClosed) {
		t.Errorf("JSON: %v", err)
	}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	evil := "\x1b]0;owned\a\u202e\x00\xff\n" + strings.Repeat("w", 300)
	a := &analyze.Analysis{
		Records: []analyze.Record{{Name: evil, Complete: true, Reason: evil}},
		Run: analyze.Run{
			ID: evil, Command: evil, Target: evil, Host: evil, Arrival: evil, Load: "rate",
			Rate: math.Inf(1), CPUs: 1, Workers: 1, Labels: map[string]string{"a": evil}, Begin: time.Unix(0, 0), End: time.Unix(1, 0),
		},
		Stages: []analyze.Stage{
			{Mode: evil, Size: evil, Reason: evil, Ops: []analyze.Op{{
				Name:   evil,
				Errors: analyze.Errors{Objects: 1, Of: 1, ByClass: []analyze.ClassCount{{Class: evil, Count: 1, Example: evil}}},
			}}, Steps: []analyze.Step{{Name: evil, Count: 1, Failed: 1}}, Phases: []analyze.Phase{{Phase: evil, Name: evil}}},
			{Size: "5..10 log2", Loop: 1},
			{Size: "4096:60,1048576:40"},
		},
		Warnings: []string{evil},
	}
	var text, doc bytes.Buffer
	if err := errors.Join(report.Text(&text, a), report.JSON(&doc, a)); err != nil {
		t.Fatal(err)
	}
	for _, r := range text.String() {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("the text contains %U", r)
		}
	}
	if !json.Valid(doc.Bytes()) {
		t.Error("the JSON is not valid")
	}
}
