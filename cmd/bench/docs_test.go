package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs runs every command of the documentation that begins with
// "$ bench analyze" and compares what it prints, so that the pages show what
// the program does.
func TestDocs(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(string(text)) {
			stdout, stderr, code := call(t, root, b.args...)
			if code != 0 || strings.TrimRight(stdout, "\n") != b.want {
				t.Errorf("%s: bench %s: exit code %d\n%s\ngot:\n%s\nthe page has:\n%s",
					page, strings.Join(b.args, " "), code, stderr, stdout, b.want)
			}
			ran++
		}
	}
	if ran == 0 {
		t.Error("no page has a command to run")
	}
}

type block struct {
	args []string
	want string
}

// blocks returns the fenced blocks that begin with "$ bench analyze".
func blocks(text string) (out []block) {
	for i, part := range strings.Split(text, "```") {
		line, rest, _ := strings.Cut(strings.TrimPrefix(part, "\n"), "\n")
		if i%2 == 1 && strings.HasPrefix(line, "$ bench analyze") {
			out = append(out, block{args: strings.Fields(line)[2:], want: strings.TrimRight(rest, "\n")})
		}
	}
	return out
}
