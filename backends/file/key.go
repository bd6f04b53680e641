package file

import (
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"

	"bench/backends"
)

const (
	// tempPrefix begins the name of every file that is being written.
	tempPrefix = ".bench-tmp-"
	// tempLen is the length of such a name.
	tempLen = len(tempPrefix) + 32
	// maxComponent is the longest name Linux file systems take.
	maxComponent = 255
)

// temps makes names for files that are being written. They are unique among
// all processes, for any length of the object's own name.
type temps struct {
	instance uint64
	count    atomic.Uint64
}

func (t *temps) next() string {
	return fmt.Sprintf("%s%016x%016x", tempPrefix, t.instance, t.count.Add(1))
}

// checkKey refuses keys that a directory cannot hold or that could leave it.
func checkKey(key string) error {
	if key == "" {
		return badKey("is empty")
	}
	if strings.IndexByte(key, 0) >= 0 {
		return badKey("holds a NUL byte")
	}
	for rest, more := key, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		if err := checkComponent(name); err != nil {
			return err
		}
	}
	return nil
}

func checkComponent(name string) error {
	switch {
	case name == "":
		return badKey("begins or ends with a slash or holds two in a row")
	case name == "." || name == "..":
		return badKey("holds the component " + name)
	case len(name) > maxComponent:
		return badKey(fmt.Sprintf("holds a component of %d bytes, at most %d fit", len(name), maxComponent))
	case strings.HasPrefix(name, tempPrefix):
		return badKey("holds a component that begins with " + tempPrefix)
	}
	return checkName(name)
}

func badKey(why string) error {
	return backends.Errorf(backends.ClassClient, "a file cannot have this key: it %s", why)
}

// split returns the directory of a path and the name in it.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// checkRegular refuses what is no object.
func checkRegular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return backends.Errorf(backends.ClassNotFound, "is a directory: %w", fs.ErrNotExist)
	case mode&fs.ModeSymlink != 0:
		return backends.Errorf(backends.ClassClient, "is a symbolic link")
	default:
		return backends.Errorf(backends.ClassClient, "is not a regular file")
	}
}
