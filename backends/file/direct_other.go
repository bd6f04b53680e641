//go:build !linux

package file

import (
	"errors"
	"os"
)

// Without direct I/O these are never reached: Open refuses to ask for it.
const (
	directSupported = false
	directFlag      = 0
	dsyncFlag       = 0
)

func setDirect(*os.File, bool) error { return errors.ErrUnsupported }

func readDirect(*os.File, []byte, int64) (int, error) { return 0, errors.ErrUnsupported }

func (b *Backend) probeDirect(*os.Root) error { return errors.ErrUnsupported }
