package file

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
)

// syncPolicy says which writes are flushed.
type syncPolicy struct {
	// every is N where each N-th write is flushed, 0 where none is.
	every uint64
	// flag is or-ed into the flags of files opened for writing.
	flag  int
	count atomic.Uint64
}

func parseSync(s string) (p *syncPolicy, err error) {
	p = new(syncPolicy)
	n, ok := strings.CutPrefix(s, "every:")
	switch {
	case s == "" || s == "none":
	case s == "close":
		p.every = 1
	case s == "dsync" && dsyncFlag == 0:
		err = errors.New("only Linux has it")
	case s == "dsync":
		p.flag = dsyncFlag
	case ok:
		p.every, err = parseEvery(n)
	default:
		err = errors.New("must be none, close, every:N or dsync")
	}
	return p, err
}

func parseEvery(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n == 0 {
		return 0, errors.New("every:N needs a number of at least 1")
	}
	return n, nil
}

// wanted reports whether writes are to survive a crash of the machine.
func (p *syncPolicy) wanted() bool { return p.every > 0 }

// turn counts one write and reports whether it is to be flushed.
func (p *syncPolicy) turn() bool {
	switch p.every {
	case 0:
		return false
	case 1:
		return true
	}
	return p.count.Add(1)%p.every == 0
}
