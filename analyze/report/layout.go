package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// width is the longest line of the text.
	width = 100
	// labelWidth is the column where values begin.
	labelWidth = 18
)

// A page gathers text. Its first write error sticks.
type page struct {
	w   io.Writer
	err error
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// line prints an indented label and its values, wrapped where they are too
// many for one line.
func (p *page) line(label, separator string, values ...string) {
	first := fmt.Sprintf("  %-*s", labelWidth-2, label)
	if n := utf8.RuneCountInString(first); n > labelWidth || label == "" {
		first = "  " + label
	}
	p.wrap(first, strings.Repeat(" ", labelWidth), separator, values)
}

// wrap prints values behind first, and behind indent where a new line is
// needed.
func (p *page) wrap(first, indent, separator string, values []string) {
	line, used := first, utf8.RuneCountInString(first)
	empty := true
	for _, v := range values {
		n := utf8.RuneCountInString(v)
		sep := separator
		if empty {
			sep = ""
		}
		if !empty && used+utf8.RuneCountInString(sep)+n > width {
			p.printf("%s\n", strings.TrimRight(line, " "))
			line, used, sep = indent, len(indent), ""
		}
		line += sep + v
		used += utf8.RuneCountInString(sep) + n
		empty = false
	}
	p.printf("%s\n", strings.TrimRight(line, " "))
}

// clean makes text from outside fit for a terminal: what is not printable
// becomes a question mark, and at most limit characters remain.
func clean(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			return b.String() + "…"
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}
