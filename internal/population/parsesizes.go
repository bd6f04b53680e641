package population

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bench/internal/units"
)

// maxChoices bounds a weighted specification; every size is looked up by
// trying one after the other.
const maxChoices = 64

const wantSizes = "want 64KiB, a range 1KiB..10MiB or weights 4KiB:60,1MiB:40"

// ParseSizes reads a distribution of sizes: a fixed size ("64KiB"), a range
// with both ends ("1KiB..10MiB"), or sizes with weights
// ("4KiB:60,1MiB:30,64MiB:10"). dist says how sizes are spread over a range:
// "log2" has equally many objects in every doubling, "uniform" equally many of
// every size; empty is log2. Without a range, dist must be empty or log2, its
// default, and has no effect.
func ParseSizes(spec, dist string) (Sizes, error) {
	s, err := parseSizes(strings.TrimSpace(spec), dist)
	if err != nil {
		return Sizes{}, fmt.Errorf("parse sizes %q: %w", spec, err)
	}
	return s, nil
}

func parseSizes(spec, dist string) (Sizes, error) {
	if dist != "" && dist != "log2" && dist != "uniform" {
		return Sizes{}, fmt.Errorf("unknown distribution %q, want log2 or uniform", dist)
	}
	lo, hi, ranged := strings.Cut(spec, "..")
	switch {
	case spec == "":
		return Sizes{}, errors.New("empty, " + wantSizes)
	case ranged && strings.Contains(spec, ":"):
		return Sizes{}, errors.New("a range cannot have a weight, " + wantSizes)
	case ranged:
		return parseRange(lo, hi, dist)
	case dist == "uniform":
		return Sizes{}, errors.New("uniform needs a range such as 1KiB..10MiB")
	case strings.ContainsAny(spec, ":,"):
		return parseWeights(spec)
	}
	size, err := units.ParseSize(spec)
	return Fixed(size), err
}

func parseRange(lo, hi, dist string) (Sizes, error) {
	if strings.TrimSpace(lo) == "" || strings.TrimSpace(hi) == "" {
		return Sizes{}, errors.New("a range needs both ends, such as 1KiB..10MiB")
	}
	first, err := units.ParseSize(lo)
	if err != nil {
		return Sizes{}, err
	}
	last, err := units.ParseSize(hi)
	if err != nil {
		return Sizes{}, err
	}
	switch {
	case first > last:
		return Sizes{}, fmt.Errorf("the range is upside down: %d is larger than %d bytes", first, last)
	case first == last:
		return Fixed(first), nil
	case dist == "uniform":
		return Sizes{kind: uniformSize, lo: first, hi: last}, nil
	case first == 0:
		return Sizes{}, errors.New("a log2 range cannot begin at 0; begin at 1 or use uniform")
	}
	return Sizes{kind: log2Size, lo: first, hi: last, log: newLogScale(first, last)}, nil
}

func parseWeights(spec string) (Sizes, error) {
	parts := strings.Split(spec, ",")
	if len(parts) > maxChoices {
		return Sizes{}, fmt.Errorf("%d weighted sizes, want at most %d", len(parts), maxChoices)
	}
	s := Sizes{kind: weightedSize, lo: math.MaxInt64}
	var sum float64
	for _, part := range parts {
		c, err := parseChoice(part)
		if err != nil {
			return Sizes{}, err
		}
		s.choices = append(s.choices, c)
		s.lo, s.hi = min(s.lo, c.size), max(s.hi, c.size)
		sum += c.weight
	}
	if len(s.choices) == 1 {
		return Fixed(s.lo), nil
	}
	s.share(sum)
	return s, nil
}

// share divides the range of random numbers in proportion to the weights.
func (s *Sizes) share(sum float64) {
	var upTo float64
	for i := range s.choices {
		upTo += s.choices[i].weight
		s.choices[i].below = threshold(upTo / sum)
	}
}

// threshold returns the number below which a random word is with the given
// probability.
func threshold(fraction float64) uint64 {
	if fraction >= 1 {
		return math.MaxUint64
	}
	return uint64(fraction*0x1p53) << 11
}

func parseChoice(part string) (choice, error) {
	size, weight, ok := strings.Cut(part, ":")
	if !ok {
		return choice{}, fmt.Errorf("%q has no weight, want SIZE:WEIGHT such as 4KiB:60", part)
	}
	n, err := units.ParseSize(size)
	if err != nil {
		return choice{}, err
	}
	w, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
	if err != nil || math.IsNaN(w) || w <= 0 || w > 1e9 {
		return choice{}, fmt.Errorf("weight %q of %s: want a number above 0 and at most 1e9", weight, strings.TrimSpace(size))
	}
	return choice{size: n, weight: w}, nil
}
