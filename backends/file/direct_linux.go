package file

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	directSupported = true
	directFlag      = unix.O_DIRECT
	dsyncFlag       = unix.O_DSYNC
)

// setDirect switches direct I/O of an open file.
func setDirect(f *os.File, on bool) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return fmt.Errorf("read the file's flags: %w", err)
	}
	flags &^= unix.O_DIRECT
	if on {
		flags |= unix.O_DIRECT
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFL, flags); err != nil {
		return fmt.Errorf("switch direct I/O: %w", err)
	}
	return nil
}

// readDirect reads once: after the short read at the end of a file the
// offset is no longer one that direct I/O takes.
func readDirect(f *os.File, p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(int(f.Fd()), p, off)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// probeDirect finds out whether the file system takes direct I/O, by writing
// one block to a temporary file.
func (b *Backend) probeDirect(root *os.Root) error {
	name := b.temps.next()
	f, err := root.OpenFile(name, createFlags|directFlag, 0o666)
	if err == nil {
		buf := b.buffers.get()
		_, err = f.WriteAt((*buf)[:align], 0)
		b.buffers.put(buf)
		err = errors.Join(err, f.Close())
	}
	if removed := root.Remove(name); err == nil && removed != nil {
		return fmt.Errorf("remove temporary file %s: %w", name, cause(removed))
	}
	if isAny(err, unix.EINVAL, unix.EOPNOTSUPP) {
		return fmt.Errorf("the file system refuses direct I/O: %w", cause(err))
	}
	if err != nil {
		return fmt.Errorf("try direct I/O: %w", cause(err))
	}
	return nil
}
