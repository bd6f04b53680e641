package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"bench/backends"
)

// cause strips what a path error says about the path: the caller names the
// key, and a path would tell where the machine keeps it.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}

// wrap says what failed and gives it a class.
func wrap(action, key string, err error) error {
	return backends.Errorf(classify(err), "%s %q: %w", action, key, cause(err))
}

// classify maps system errors to classes. A full or broken disk is the
// store's fault, as it is where a server answers 507 or 500.
func classify(err error) backends.Class {
	if classed, ok := errors.AsType[*backends.Error](err); ok {
		return classed.Class()
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return classifyErrno(errno)
	}
	if class := backends.Classify(err); class != backends.ClassOther {
		return class
	}
	if errors.Is(err, fs.ErrClosed) {
		return backends.ClassOther
	}
	// What os.Root refuses has no error number: the path leaves the root.
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return backends.ClassClient
	}
	return backends.ClassOther
}

func classifyErrno(errno syscall.Errno) backends.Class {
	switch errno {
	case syscall.ENOENT:
		return backends.ClassNotFound
	case syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return backends.ClassAuth
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ESTALE:
		return backends.ClassServer
	case syscall.ETIMEDOUT:
		return backends.ClassTimeout
	case syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY, syscall.ELOOP, syscall.ENXIO,
		syscall.ENAMETOOLONG, syscall.EINVAL, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE:
		return backends.ClassClient
	default:
		return backends.Classify(errno)
	}
}

// asWrite gives the errors of storing key the words of its cause: a name is
// a file or a directory, never both.
func asWrite(key string, err error) error {
	switch {
	case isAny(err, syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY):
		return backends.Errorf(backends.ClassClient, "%q is a directory, so it cannot be an object as well: %w", key, cause(err))
	case isAny(err, syscall.ENOENT):
		return backends.Errorf(backends.ClassOther, "its directory vanished: %w", cause(err))
	}
	return err
}

// asRead makes a path through a file a missing object, which it is.
func asRead(err error) error {
	if isAny(err, syscall.ENOTDIR) {
		return backends.Errorf(backends.ClassNotFound, "%w", cause(err))
	}
	return err
}

// staysInUse reports whether err says that a directory holds something.
func staysInUse(err error) bool {
	return isAny(err, syscall.ENOTEMPTY, syscall.EEXIST, syscall.EBUSY)
}

func isAny(err error, errnos ...syscall.Errno) bool {
	for _, errno := range errnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
