package oplog

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzReader feeds anything to the reader. It must not panic, and what it
// reads it must read again the same with other goroutines.
func FuzzReader(f *testing.F) {
	f.Add(writeRecord(f, variedOps(12), 5, &End{}))
	f.Add(writeRecord(f, variedOps(3), 0, nil))
	f.Add(pack(f, warpHeader+"7\t1\tGET\tab\t1\t5\thttp://h\tk\t\"x\n\"\t2020-01-02T03:04:05Z\t\t2020-01-02T03:04:06.5+01:00\t1\n# warp\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		one, _, a, errA := readAll(t.Context(), data, 1)
		two, _, b, errB := readAll(t.Context(), data, 3)
		if (errA == nil) != (errB == nil) || a.Rows != b.Rows {
			t.Fatalf("one goroutine: %+v, %v; three: %+v, %v", a, errA, b, errB)
		}
		if errA == nil && len(one) != len(two) {
			t.Fatalf("one goroutine reads %d rows, three %d", len(one), len(two))
		}
	})
}

// FuzzText feeds any text as the body of a foreign record.
func FuzzText(f *testing.F) {
	f.Add("GET\t2020-01-02T03:04:05Z\t2020-01-02T03:04:06Z\tk\n")
	f.Add("\"G\"\"T\"\t2020-01-02T03:04:05Z\t2020-01-02T03:04:06Z\t\"a\r\nb\"\r\n\r\n#x\n")
	f.Fuzz(func(t *testing.T, body string) {
		_, _, _, err := readAll(t.Context(), pack(t, "op\tstart\tend\tfile\n"+body), 2)
		_ = err
	})
}

// FuzzSplit compares the row splitter with encoding/csv: what that accepts,
// ours splits the same.
func FuzzSplit(f *testing.F) {
	f.Add("a\tb\n\"c\"\"d\"\t\"e\nf\"\r\n\r\n# x\n\t\n")
	f.Add("\"a\r\nb\"\t\r")
	f.Fuzz(func(t *testing.T, text string) {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.Comment, r.FieldsPerRecord = '\t', '#', -1
		want, err := r.ReadAll()
		if err != nil || len(text) > maxLine {
			t.Skip()
		}
		got, msg := splitAll(text)
		if msg != "" {
			t.Fatalf("ours refuses %q: %s", text, msg)
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d rows %q, want %d %q", text, len(got), got, len(want), want)
		}
		for i := range got {
			if strings.Join(got[i], "\x00\t") != strings.Join(want[i], "\x00\t") {
				t.Fatalf("%q: row %d is %q, want %q", text, i, got[i], want[i])
			}
		}
		if n := lastRowEnd([]byte(text)); n > len(text) || n > 0 && text[n-1] != '\n' {
			t.Fatalf("%q: rows end at %d", text, n)
		}
	})
}

func splitAll(text string) ([][]string, string) {
	var s scanner
	var rows [][]string
	b := []byte(text)
	for len(b) > 0 {
		if b[0] == '#' {
			b = b[lineLength(b):]
			continue
		}
		n, msg := s.split(b)
		if msg != "" {
			return nil, msg
		}
		if len(s.fields) > 0 {
			var row []string
			for _, f := range s.fields {
				row = append(row, string(f))
			}
			rows = append(rows, row)
		}
		b = b[n:]
	}
	return rows, ""
}

// FuzzTime compares the time parsers with package time.
func FuzzTime(f *testing.F) {
	for _, s := range []string{
		"2026-11-21T00:31:44.123456789Z", "2024-02-29T23:59:59Z", "2023-02-29T00:00:00Z", "1999-12-31T23:59:60Z",
		"2020-01-01T00:00:00.1234567891+05:30", "2020-01-01T00:00:00-24:00", "2020-01-01t00:00:00z", "2020-13-01T00:00:00Z",
		"2020-01-01T00:00:00,5Z", "1678-01-01T00:00:00Z", "2261-01-01T00:00:00Z", "2000-01-01T00:00:0\xffZ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := time.Parse(time.RFC3339Nano, s)
		inRange := err == nil && want.Year() >= minYear && want.Year() <= maxYear
		var tp timeParser
		tp.parse([]byte(s)) // the second time from what it remembers
		got, ok := tp.parse([]byte(s))
		if ok != inRange && !nearEdge(want) {
			t.Fatalf("parseTime(%q) is %v, package time says %v", s, ok, err)
		}
		if ok && err == nil && got != want.UnixNano() {
			t.Fatalf("parseTime(%q) = %d, want %d", s, got, want.UnixNano())
		}
		if ok && err != nil {
			t.Fatalf("parseTime(%q) accepts what package time refuses: %v", s, err)
		}
		if len(s) < stampLen {
			return
		}
		var p stampParser
		for range 2 {
			if got, ok := p.parse([]byte(s)); ok && (err != nil && len(s) == stampLen || err == nil && got != want.UnixNano()) {
				t.Fatalf("stamp %q = %d, want %v, %v", s, got, want, err)
			}
		}
	})
}

// nearEdge tells that a zone may carry a time out of the accepted years.
func nearEdge(at time.Time) bool {
	return at.Year() <= minYear+1 || at.Year() >= maxYear-1
}

// FuzzFastRow compares the fast readers of rows with the general one.
func FuzzFastRow(f *testing.F) {
	text := unpack(f, writeRecord(f, variedOps(20), 0, nil))
	for line := range strings.Lines(text) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		fast, plain := newScanner(t), newScanner(t)
		for range 2 { // the second time from what they remember
			sameAsGeneral(t, line, fast, fast.fastRow([]byte(line)))
			sameAsGeneral(t, line, plain, plain.plainRow([]byte(line)))
		}
	})
}

// sameAsGeneral compares a row of n bytes that s has read.
func sameAsGeneral(t *testing.T, line string, s *scanner, n int) {
	t.Helper()
	if n == 0 {
		return
	}
	general := newScanner(t)
	m, msg := general.generalRow([]byte(line))
	if msg != "" || n != m {
		t.Fatalf("%q: fast reads %d bytes, general %d and says %q", line, n, m, msg)
	}
	s.row.finish()
	general.row.finish()
	if s.row != general.row {
		t.Fatalf("%q:\n   fast %+v\ngeneral %+v", line, s.row, general.row)
	}
}

func newScanner(t testing.TB) *scanner {
	t.Helper()
	var l layout
	fl := File{Path: "x"}
	if err := fl.parseHeader([]byte(strings.Join(Columns(), "\t"))); err != nil {
		t.Fatal(err)
	}
	l = fl.layout
	return &scanner{order: l.order, header: l.header, native: true, escaped: true, epoch: testMeta().Epoch.UnixNano()}
}

// FuzzRoundTrip writes any texts and reads them back.
func FuzzRoundTrip(f *testing.F) {
	f.Add("key", "error", int64(5), int64(9))
	f.Add("#\"\\\x00\xff", "\n\r\t", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, key, text string, start, took int64) {
		if start < 0 || took < 0 || start > 1<<60 || took > 1<<60 || len(key)+len(text) > 1000 {
			t.Skip()
		}
		var op Op
		op.Reset()
		op.Name, op.Key, op.Error, op.Start, op.End = OpPut, key, text, start, start+took
		rows, _, _, err := readAll(t.Context(), writeRecord(t, []Op{op}, 0, &End{}), 1)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		if r := rows[0]; r.Key != key || r.Error != text || r.Start != start || r.End != start+took {
			t.Fatalf("got %+v", r)
		}
	})
}

// endless is a text without end.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{byte(e)}, len(p)))
	return len(p), nil
}

var _ io.Reader = endless(0)
