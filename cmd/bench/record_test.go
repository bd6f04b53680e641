package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// columns is the header every record has.
const columns = "idx thread op client_id n_objects bytes endpoint file error start first_byte last_byte end duration_ns cat " +
	"stage phase level intended offset tries attempts status error_class peer reused"

// A row is one line of a record by column.
type row map[string]string

func (r row) number(col string) int64 {
	n, err := strconv.ParseInt(r[col], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

func (r row) moment(col string) (time.Time, error) {
	return time.Parse("2006-01-02T15:04:05.000000000Z", r[col])
}

// recorded is a record as these tests read it: with a decoder and a parser of
// their own, so that nothing of the product vouches for itself.
type recorded struct {
	header string
	meta   struct {
		RunID       string         `json:"run_id"`
		ClientID    string         `json:"client_id"`
		KeyPrefix   string         `json:"key_prefix"`
		Concurrency int64          `json:"concurrency"`
		Stages      []stageOfMeta  `json:"stages"`
		Labels      map[string]any `json:"labels"`
	}
	rows    []row
	samples int
	end     *endOfRecord
	// after counts the lines behind the end.
	after int
}

type stageOfMeta struct {
	Mode string `json:"mode"`
	Loop int    `json:"loop"`
	Size string `json:"size"`
}

type endOfRecord struct {
	Reason string `json:"reason"`
	Rows   int64  `json:"rows"`
	Stages []struct {
		Index  int `json:"index"`
		Phases []struct {
			Phase string `json:"phase"`
			Ops   []struct {
				Op      string `json:"op"`
				Rows    int64  `json:"rows"`
				Objects int64  `json:"objects"`
				Bytes   int64  `json:"bytes"`
			} `json:"ops"`
		} `json:"phases"`
	} `json:"stages"`
}

// unzstd returns what can be decompressed. Of a file that is cut short that
// is the part before the cut.
func unzstd(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	text, err := io.ReadAll(dec)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text, err = text[:bytes.LastIndexByte(text, '\n')+1], nil
	}
	return text, err
}

func readRecord(path string) (*recorded, error) {
	text, err := unzstd(path)
	if err != nil {
		return nil, err
	}
	rec := &recorded{}
	for line := range strings.Lines(string(text)) {
		if err := rec.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return rec, nil
}

func (rec *recorded) line(line string) error {
	if rec.end != nil {
		rec.after++
	}
	if text, ok := strings.CutPrefix(line, "# bench "); ok {
		return json.Unmarshal([]byte(text), &rec.meta)
	}
	if text, ok := strings.CutPrefix(line, "# end "); ok {
		rec.end = &endOfRecord{}
		return json.Unmarshal([]byte(text), rec.end)
	}
	switch {
	case strings.HasPrefix(line, "# sample "):
		rec.samples++
	case rec.header == "":
		rec.header = line
	default:
		names, cells := strings.Split(rec.header, "\t"), strings.Split(line, "\t")
		if len(names) != len(cells) {
			return fmt.Errorf("row %d has %d cells, want %d: %q", len(rec.rows), len(cells), len(names), line)
		}
		r := row{}
		for i, name := range names {
			r[name] = cells[i]
		}
		rec.rows = append(rec.rows, r)
	}
	return nil
}

// where returns the rows that meet every condition COL=VALUE or COL!=VALUE.
func (rec *recorded) where(conditions []string) ([]row, error) {
	var out []row
	for _, r := range rec.rows {
		ok := true
		for _, c := range conditions {
			col, value, found := strings.Cut(c, "=")
			col, not := strings.CutSuffix(col, "!")
			got, known := r[col]
			if !found || !known {
				return nil, fmt.Errorf("condition %q: want COL=VALUE", c)
			}
			ok = ok && slices.Contains(strings.Split(value, "|"), got) != not
		}
		if ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// check reports everything in which a complete record contradicts itself or
// its description.
func (rec *recorded) check() error {
	var errs []error
	fail := func(format string, args ...any) {
		if len(errs) < 20 {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if want := strings.ReplaceAll(columns, " ", "\t"); rec.header != want {
		fail("header %q, want %q", rec.header, want)
	}
	if rec.end == nil {
		return errors.Join(append(errs, errors.New("there is no end"))...)
	}
	if rec.after > 0 || rec.end.Rows != int64(len(rec.rows)) {
		fail("the end tells %d rows, there are %d, with %d lines behind it", rec.end.Rows, len(rec.rows), rec.after)
	}
	if len(rec.meta.RunID) != 26 || rec.meta.KeyPrefix != "bench-"+rec.meta.RunID+"/" {
		fail("run id %q with key prefix %q", rec.meta.RunID, rec.meta.KeyPrefix)
	}
	for i, r := range rec.rows {
		if err := rec.checkRow(i, r); err != nil {
			fail("row %d: %w: %v", i, err, r)
		}
	}
	if err := rec.checkTries(); err != nil {
		fail("%w", err)
	}
	if err := rec.checkSums(); err != nil {
		fail("%w", err)
	}
	if err := rec.checkThreads(); err != nil {
		fail("%w", err)
	}
	return errors.Join(errs...)
}

func (rec *recorded) checkRow(i int, r row) error {
	start, err1 := r.moment("start")
	end, err2 := r.moment("end")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	last := start
	for _, col := range []string{"first_byte", "last_byte", "end"} {
		if r[col] == "" {
			continue
		}
		at, err := r.moment(col)
		if err != nil {
			return err
		}
		if at.Before(last) {
			return fmt.Errorf("%s lies before what precedes it", col)
		}
		last = at
	}
	levels := map[string]string{
		"PUT": "0", "GET": "0", "DELETE": "0", "STAT": "0", "LIST": "0", "TRY": "1", "DELETEONE": "1",
	}
	failed := r["error_class"] != ""
	switch {
	case r.number("idx") != int64(i):
		return errors.New("idx is not its number")
	case r.number("thread") < 0 || r.number("thread") >= rec.meta.Concurrency:
		return errors.New("no such worker")
	case levels[r["op"]] != r["level"]:
		return errors.New("this operation has another level")
	case r["client_id"] != rec.meta.ClientID || r["client_id"] == "":
		return errors.New("client_id is not that of the run")
	case int64(end.Sub(start)) != r.number("duration_ns") || end.Before(start):
		return errors.New("the duration is not end - start")
	case !slices.Contains([]string{"prepare", "warmup", "measure", "cleanup"}, r["phase"]):
		return errors.New("no such phase")
	case r.number("stage") < 0 || r.number("stage") >= int64(len(rec.meta.Stages)):
		return errors.New("no such stage")
	case failed != (r["error"] != "") || len(r["error"]) > 256:
		return errors.New("error and error_class do not agree")
	case r.number("tries") < 1 || r.number("n_objects") < 0 || r.number("bytes") < 0:
		return errors.New("a count is missing")
	case r["endpoint"] != "" || r["attempts"] != "" || r["status"] != "" || r["peer"] != "" || r["reused"] != "":
		return errors.New("there is no wire")
	case r["op"] == "PUT" && r["first_byte"] != "":
		return errors.New("an upload has a first byte")
	case !failed && r["op"] == "GET" && r["bytes"] != "0" && (r["first_byte"] == "" || r["last_byte"] == ""):
		return errors.New("a get has no first or last byte")
	}
	return nil
}

// checkTries compares the tries of operations with the rows of the tries.
func (rec *recorded) checkTries() error {
	var told, found int64
	for _, r := range rec.rows {
		switch {
		case r["op"] == "TRY":
			found++
		case r["level"] == "0" && r.number("tries") > 1:
			told += r.number("tries")
		}
	}
	if told != found {
		return fmt.Errorf("operations tell %d tries, %d are recorded", told, found)
	}
	return nil
}

// checkSums compares the sums of the end with the rows.
func (rec *recorded) checkSums() error {
	type sums struct{ rows, objects, bytes int64 }
	want, got := map[string]sums{}, map[string]sums{}
	for _, r := range rec.rows {
		if r["level"] == "0" {
			k := r["stage"] + " " + r["phase"] + " " + r["op"]
			s := want[k]
			want[k] = sums{s.rows + 1, s.objects + r.number("n_objects"), s.bytes + r.number("bytes")}
		}
	}
	for _, s := range rec.end.Stages {
		for _, p := range s.Phases {
			for _, o := range p.Ops {
				got[fmt.Sprint(s.Index, " ", p.Phase, " ", o.Op)] = sums{o.Rows, o.Objects, o.Bytes}
			}
		}
	}
	for k, s := range want {
		if got[k] != s {
			return fmt.Errorf("%s: the end tells %v, the rows %v (rows, objects, bytes)", k, got[k], s)
		}
	}
	return nil
}

// checkThreads finds workers that did two operations at a time.
func (rec *recorded) checkThreads() error {
	last := map[string]string{}
	rows := slices.Clone(rec.rows)
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a["start"], b["start"]) })
	for _, r := range rows {
		if r["level"] != "0" {
			continue
		}
		if r["start"] < last[r["thread"]] {
			return fmt.Errorf("worker %s did two operations at %s", r["thread"], r["start"])
		}
		last[r["thread"]] = r["end"]
	}
	return nil
}
