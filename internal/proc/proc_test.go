package proc_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"bench/internal/proc"
)

func TestCPUGrowsWithWork(t *testing.T) {
	t.Parallel()
	user, system := proc.CPU()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		u, s := proc.CPU()
		if u < user || s < system {
			t.Fatalf("CPU went from %v, %v to %v, %v", user, system, u, s)
		}
		if u+s >= user+system+20*time.Millisecond {
			return
		}
	}
	t.Error("ten seconds of work took less than 20 ms of CPU")
}

func TestRSS(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("this system does not tell")
	}
	if got := proc.RSS(); got < 1<<20 || got > 1<<40 {
		t.Errorf("got %d bytes", got)
	}
}

func TestGCPauseGrows(t *testing.T) {
	t.Parallel()
	before := proc.GCPause()
	for range 5 {
		runtime.GC()
	}
	if after := proc.GCPause(); after <= before || after > time.Minute {
		t.Errorf("five collections: got %v after %v", after, before)
	}
}
