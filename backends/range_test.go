package backends_test

import (
	"math"
	"testing"

	"bench/backends"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r                  backends.Range
		size, offset, want int64
		class              backends.Class
	}{
		{r: backends.Range{}, size: 10, want: 10},
		{r: backends.Range{}, size: 0, want: 0},
		{r: backends.Range{Length: 1}, size: 10, want: 1},
		{r: backends.Range{Offset: 9}, size: 10, offset: 9, want: 1},
		{r: backends.Range{Offset: 3, Length: 4}, size: 10, offset: 3, want: 4},
		{r: backends.Range{Offset: 3, Length: math.MaxInt64}, size: 10, offset: 3, want: 7},
		{r: backends.Range{Offset: 10}, size: 10, class: backends.ClassClient},
		{r: backends.Range{Offset: math.MaxInt64, Length: 1}, size: 10, class: backends.ClassClient},
		{r: backends.Range{Length: 1}, size: 0, class: backends.ClassClient},
		{r: backends.Range{Offset: -1}, size: 10, class: backends.ClassClient},
		{r: backends.Range{Length: -1}, size: 10, class: backends.ClassClient},
	} {
		offset, length, err := c.r.Clip(c.size)
		if backends.Classify(err) != c.class || offset != c.offset || length != c.want {
			t.Errorf("%+v of %d bytes: %d at %d, error %v; want %d at %d, class %q",
				c.r, c.size, length, offset, err, c.want, c.offset, c.class)
		}
	}
}
