package clock

import "golang.org/x/sys/unix"

// spin is the last part of a wait, which the kernel's timers are too coarse
// for.
const spin = 50_000

// Stretch waits until c reads at least ns. It is meant for the last
// milliseconds before a planned moment: the runtime's timers are late by up
// to a millisecond, the kernel's by some tens of microseconds, and the rest
// is spun.
func Stretch(c Clock, ns int64) {
	if left := ns - c.Now() - spin; left > 0 {
		ts := unix.NsecToTimespec(left)
		_ = unix.Nanosleep(&ts, nil) // a signal may cut it short; the spin makes up for it
	}
	for c.Now() < ns {
		continue
	}
}
