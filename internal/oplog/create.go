package oplog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// partialSuffix marks a record that is still being written.
const partialSuffix = ".partial"

// Storage is where a record is written to. The file system is one; tests
// have others that fail on purpose.
type Storage interface {
	Write(p []byte) (int, error)
	Sync() error
	// Close ends writing. publish puts what was written under its name;
	// otherwise it stays where it is.
	Close(publish bool) error
	// Name is what messages call it.
	Name() string
}

// fileStorage writes NAME.partial and renames it to NAME when published.
type fileStorage struct {
	file *os.File
	path string
}

// Create opens path for a new record. Neither path nor path.partial may
// exist: a record is never overwritten.
func Create(path string) (Storage, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("create record %s: %w", path, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("create record: %w", err)
	}
	f, err := os.OpenFile(path+partialSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	return &fileStorage{file: f, path: path}, nil
}

func (s *fileStorage) Write(p []byte) (int, error) { return s.file.Write(p) }

func (s *fileStorage) Sync() error { return s.file.Sync() }

func (s *fileStorage) Name() string { return s.path + partialSuffix }

// Close implements [Storage]. The link refuses to replace a file that
// appeared under the name meanwhile.
func (s *fileStorage) Close(publish bool) error {
	if err := s.file.Close(); err != nil || !publish {
		return err
	}
	if err := os.Link(s.path+partialSuffix, s.path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("publish record %s: %w", s.path, err)
		}
		return os.Rename(s.path+partialSuffix, s.path)
	}
	return os.Remove(s.path + partialSuffix)
}
