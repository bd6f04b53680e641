package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// rowsOf returns how many rows analyze reads.
func rowsOf(t *testing.T, dir, path string) int {
	t.Helper()
	stdout, stderr, _ := call(t, dir, "analyze", "--json", path)
	var v struct {
		Rows int `json:"rows"`
	}
	if err := json.Unmarshal([]byte(stdout), &v); err != nil {
		t.Fatalf("analyze --json: %v\n%s", err, stderr)
	}
	return v.Rows
}

// sound makes a record of some frames and returns it with its report.
func sound(t *testing.T) (content []byte, report string) {
	t.Helper()
	dir := t.TempDir()
	_, stderr, code := call(t, dir, "mixed", "dummy://?latency=10ms&store=1", "-n", "20", "-s", "1KiB",
		"-d", "1500ms", "-o", "r.csv.zst", "--progress", "none")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	content, err := os.ReadFile(filepath.Join(dir, "r.csv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	report, _, code = call(t, dir, "analyze", "r.csv.zst")
	if code != 0 {
		t.Fatal("analyze of a sound record fails")
	}
	return content, report
}

// analyzeBytes analyzes a file with this content.
func analyzeBytes(t *testing.T, content []byte) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "r.csv.zst"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = call(t, dir, "analyze", "r.csv.zst")
	if strings.Contains(stderr, "panic") || strings.Contains(stderr, "goroutine ") {
		t.Errorf("analyze panics:\n%s", stderr)
	}
	if code != 0 && !strings.HasPrefix(stderr, "bench: ") {
		t.Errorf("exit code %d without a message: %q", code, stderr)
	}
	if code == 1 && !strings.Contains(stderr, "r.csv.zst") {
		t.Errorf("the message does not name the file: %q", stderr)
	}
	return stdout, stderr, code
}

// TestTruncated cuts a record at many places. What remains is reported as
// incomplete; nothing that remains, not at all.
func TestTruncated(t *testing.T) {
	t.Parallel()
	content, report := sound(t)
	incomplete := 0
	for cut := 0; cut < len(content); cut += 1 + len(content)/40 {
		stdout, stderr, code := analyzeBytes(t, content[:cut])
		switch {
		case code == 0 && strings.Contains(stdout, "INCOMPLETE"):
			incomplete++
		case code == 0 && stdout == report:
			// Only the list of frames behind the end is cut.
		case code == 1:
		default:
			t.Errorf("cut at byte %d of %d: exit code %d\n%s%s", cut, len(content), code, stdout, stderr)
		}
	}
	if incomplete < 10 {
		t.Errorf("only %d of the cut records were read", incomplete)
	}
}

// TestFlipped damages a record at many places. It must not go unnoticed.
func TestFlipped(t *testing.T) {
	t.Parallel()
	content, report := sound(t)
	damaged := 0
	for at := 0; at < len(content); at += 1 + len(content)/50 {
		bad := append([]byte(nil), content...)
		bad[at] ^= 0x10
		stdout, stderr, code := analyzeBytes(t, bad)
		switch {
		case code == 1 && stdout == "":
		case code == 1 && strings.Contains(stdout, "DAMAGED"):
			damaged++
		case code == 0 && stdout == report:
			// Only the list of frames behind the end is damaged.
		default:
			t.Errorf("flipped byte %d of %d: exit code %d\n%s%s", at, len(content), code, stdout, stderr)
		}
	}
	if damaged < 10 {
		t.Errorf("only %d of the damaged records were reported as such", damaged)
	}
}

// TestNoRecord reads files that are none.
func TestNoRecord(t *testing.T) {
	t.Parallel()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = enc.Close() })
	header := strings.ReplaceAll(columns, " ", "\t") + "\n"
	for name, content := range map[string]string{
		"empty":             "",
		"text":              "hello\n",
		"zeros":             strings.Repeat("\x00", 1000),
		"rows, not zstd":    header,
		"empty frame":       string(enc.EncodeAll(nil, nil)),
		"other text":        string(enc.EncodeAll([]byte("hello\n"), nil)),
		"header only":       string(enc.EncodeAll([]byte(header), nil)),
		"first line broken": string(enc.EncodeAll([]byte("# bench {\n"+header), nil)),
		"header incomplete": string(enc.EncodeAll([]byte("# bench {}\nidx\tthread\n0\t0\n"), nil)),
		"row too short":     string(enc.EncodeAll([]byte(header+"0\t0\tPUT\n"), nil)),
		"gzip":              "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := analyzeBytes(t, []byte(content))
			if code != 1 || strings.Contains(stdout, "complete, ") && !strings.Contains(stdout, "INCOMPLETE") {
				t.Errorf("exit code %d, want 1\n%s%s", code, stdout, stderr)
			}
		})
	}
}
