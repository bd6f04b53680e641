package dummy

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"bench/backends"
)

// An op is the kind of a call, as far as the script tells them apart.
type op string

const (
	opPut    op = "put"
	opGet    op = "get"
	opStat   op = "stat"
	opDelete op = "delete"
	opList   op = "list"
	opAppend op = "append"
	opBatch  op = "delete batch"
)

// A script says what each call meets.
type script struct {
	latency, jitter time.Duration
	// threshold is the error rate scaled to 64 bits.
	threshold uint64
	class     backends.Class
	seed      uint64
}

// parseRate turns a rate from 0 to 1 into a threshold for a random 64-bit
// number.
func parseRate(s string) (uint64, error) {
	rate, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return 0, err
	case !(rate >= 0 && rate <= 1):
		return 0, errors.New("must be from 0 to 1")
	case rate == 1:
		return math.MaxUint64, nil
	}
	return uint64(rate * (1 << 63) * 2), nil
}

// meet waits and fails as the script has it for this call. The script is for
// the load: the run's own marker always meets a quiet store.
func (s *script) meet(ctx context.Context, what op, key string) error {
	if err := ctx.Err(); err != nil {
		return stopped(what, key, err)
	}
	if s.latency|s.jitter == 0 && s.threshold == 0 || strings.HasSuffix(key, backends.MarkerName) {
		return nil
	}
	return s.play(ctx, what, key)
}

func (s *script) play(ctx context.Context, what op, key string) error {
	outcome := s.roll(what, key, backends.Try(ctx))
	if err := s.wait(ctx, outcome); err != nil {
		return stopped(what, key, err)
	}
	return s.fail(what, key, outcome)
}

// wait spends the latency of a call and up to jitter more.
func (s *script) wait(ctx context.Context, outcome uint64) error {
	d := s.latency
	if s.jitter > 0 {
		more, _ := bits.Mul64(mix(outcome+1), uint64(s.jitter)+1)
		d += time.Duration(more)
	}
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fail returns the scripted error of a call, or nil.
func (s *script) fail(what op, key string, outcome uint64) error {
	if s.threshold == 0 || (outcome >= s.threshold && s.threshold != math.MaxUint64) {
		return nil
	}
	return backends.Errorf(s.class, "%s %s: scripted error", what, key)
}

// roll returns a uniform number that depends on nothing but its arguments
// and the seed. The run's own directory, which begins the key and is another
// in every run, is left out, so that a seed meets the same failures again.
func (s *script) roll(what op, key string, try int) uint64 {
	if _, rest, ok := strings.Cut(key, "/"); ok {
		key = rest
	}
	h := mix(s.seed ^ uint64(try))
	h = digest(h, string(what))
	return mix(digest(h, key))
}

// digest adds s to h as FNV-1a does.
func digest(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h ^ uint64(len(s)))
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func stopped(what op, key string, cause error) error {
	return backends.Errorf(backends.Classify(cause), "%s %s: %w", what, key, cause)
}
