// Package proc reads what this process has used: CPU time, memory, pauses of
// the garbage collector. It keeps no state and may be used from many
// goroutines.
package proc

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// CPU returns the user and system time of the whole process since it
// started.
func CPU() (user, system time.Duration) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}

// RSS returns the resident memory in bytes, 0 where the system does not tell.
func RSS() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// GCPause returns the approximate time the garbage collector has stopped the
// process, in all.
func GCPause() time.Duration {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	h := s[0].Value.Float64Histogram()
	var seconds float64
	for i, n := range h.Counts {
		if n > 0 {
			seconds += float64(n) * middle(h.Buckets[i], h.Buckets[i+1])
		}
	}
	return time.Duration(seconds * float64(time.Second))
}

// middle is the middle of a bucket, or its finite border.
func middle(lo, hi float64) float64 {
	const huge = 1e300
	switch {
	case lo < -huge:
		return hi
	case hi > huge:
		return lo
	}
	return (lo + hi) / 2
}
