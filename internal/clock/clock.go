// Package clock tells the time of a run. One wall-clock anchor is taken when
// the run starts; every later moment is the monotonic time since then, so a
// stepped system clock changes no duration.
//
// It does not schedule anything. A Clock is an immutable value and may be
// used from many goroutines.
package clock

import "time"

// Clock counts nanoseconds since its epoch.
type Clock struct{ epoch time.Time }

// New returns a clock whose epoch is now.
func New() Clock { return Clock{epoch: time.Now()} }

// Now returns the nanoseconds since the epoch.
func (c Clock) Now() int64 { return int64(time.Since(c.epoch)) }

// Epoch returns the wall-clock time of the epoch.
func (c Clock) Epoch() time.Time { return c.epoch }

// At returns the offset from the epoch of a wall-clock time. The answer is as
// good as the system clock is steady.
func (c Clock) At(t time.Time) int64 { return int64(t.Sub(c.epoch)) }
