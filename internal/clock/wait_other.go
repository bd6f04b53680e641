//go:build !linux

package clock

import "time"

// Stretch waits until c reads at least ns; its last millisecond is spun,
// because the runtime's timers are that coarse.
func Stretch(c Clock, ns int64) {
	if left := time.Duration(ns-c.Now()) - time.Millisecond; left > 0 {
		time.Sleep(left)
	}
	for c.Now() < ns {
		continue
	}
}
