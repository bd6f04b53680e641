package file

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"bench/backends"
)

var _ backends.SpaceReporter = (*Backend)(nil)

// Space returns what the file system leaves to processes without privilege,
// and its size.
func (b *Backend) Space() (free, total int64, err error) {
	d := b.dirs.lookup("")
	defer b.dirs.release(d)
	f, err := d.root.Open(".")
	if err != nil {
		return 0, 0, fmt.Errorf("read free space: %w", cause(err))
	}
	var st unix.Statfs_t
	err = errors.Join(unix.Fstatfs(int(f.Fd()), &st), f.Close())
	if err != nil {
		return 0, 0, fmt.Errorf("read free space: %w", cause(err))
	}
	return int64(st.Bavail) * st.Frsize, int64(st.Blocks) * st.Frsize, nil
}
