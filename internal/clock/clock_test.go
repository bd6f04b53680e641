package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"bench/internal/clock"
)

func TestClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := clock.New()
		if !c.Epoch().Equal(began) || c.Now() != 0 {
			t.Errorf("epoch %v, now %d, want %v and 0", c.Epoch(), c.Now(), began)
		}
		time.Sleep(1234567 * time.Nanosecond)
		if c.Now() != 1234567 {
			t.Errorf("got %d after 1234567 ns", c.Now())
		}
		for _, d := range []time.Duration{0, 1, -1, time.Hour, -time.Hour} {
			if got := c.At(began.Add(d)); got != int64(d) {
				t.Errorf("at %v: got %d", d, got)
			}
			if got := c.At(began.Add(d).Round(0)); got != int64(d) { // without a monotonic reading
				t.Errorf("wall clock at %v: got %d", d, got)
			}
		}
	})
}

// TestStretch checks that a wait is never too short, and none where the
// moment is past.
func TestStretch(t *testing.T) {
	t.Parallel()
	c := clock.New()
	for _, wait := range []time.Duration{-time.Second, 0, 1, 10 * time.Microsecond, 60 * time.Microsecond, 2 * time.Millisecond} {
		began := c.Now()
		clock.Stretch(c, began+int64(wait))
		if took := time.Duration(c.Now() - began); took < wait || wait <= 0 && took > time.Second {
			t.Errorf("a wait of %v took %v", wait, took)
		}
	}
}
