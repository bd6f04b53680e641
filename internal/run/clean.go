package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"bench/backends"
	"bench/internal/population"
)

// pageSize is how many entries clean asks for at a time.
const pageSize = 1000

// Leftover is a run that left objects in the store.
type Leftover struct {
	RunID string    `json:"run_id"`
	Host  string    `json:"host"`
	Start time.Time `json:"start"`
	// Marked is false when the marker is missing or is not ours; clean then
	// refuses to touch it.
	Marked bool `json:"marked"`
}

// ErrNoMarker means that a directory is not known to be a run's.
var ErrNoMarker = errors.New("no marker of that run")

// Cleaner finds and removes what runs left behind. It belongs to one
// goroutine.
type Cleaner struct {
	store  backends.Backend
	can    backends.Abilities
	parent string
}

// NewCleaner works below parent, a key prefix that is empty or ends in a
// slash. A store that cannot list is refused.
func NewCleaner(store backends.Backend, parent string) (*Cleaner, error) {
	c := &Cleaner{store: store, can: backends.Discover(store), parent: parent}
	if c.can.Lister == nil {
		return nil, &backends.UsageError{Err: errors.New("the store cannot list, so leftovers cannot be found")}
	}
	return c, nil
}

// Runs lists the runs that left objects. It asks for one entry of each run
// and skips the rest.
func (c *Cleaner) Runs(ctx context.Context) ([]Leftover, error) {
	var out []Leftover
	prefix := c.parent + dirPrefix
	for after := ""; ; {
		page, err := c.can.Lister.List(ctx, backends.ListRequest{Prefix: prefix, After: after, Max: 1})
		if err != nil {
			return out, fmt.Errorf("list %s: %w", prefix, err)
		}
		if len(page.Objects) == 0 {
			return out, nil
		}
		key := page.Objects[0].Key
		dir, _, below := strings.Cut(key[len(c.parent):], "/")
		id := strings.TrimPrefix(dir, dirPrefix)
		if !below || !ValidRunID(id) {
			after = key
			continue
		}
		out = append(out, c.leftover(ctx, id))
		after = c.parent + dirOf(id) + "\U0010FFFF"
	}
}

func (c *Cleaner) leftover(ctx context.Context, id string) Leftover {
	l := Leftover{RunID: id}
	if m, err := c.marker(ctx, id); err == nil {
		l.Marked, l.Host, l.Start = true, m.Host, m.Start
	}
	return l
}

// marker reads a run's marker and checks that it names the run.
func (c *Cleaner) marker(ctx context.Context, id string) (marker, error) {
	var m marker
	key := c.parent + dirOf(id) + backends.MarkerName
	body, err := c.store.Get(ctx, backends.Object{Key: key, Size: -1}, backends.Range{})
	if err != nil {
		return m, fmt.Errorf("%w: read %s: %w", ErrNoMarker, key, err)
	}
	text, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err = errors.Join(err, body.Close()); err != nil {
		return m, fmt.Errorf("%w: read %s: %w", ErrNoMarker, key, err)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.RunID != id || m.Tool != markerTool || m.Start.IsZero() {
		return m, fmt.Errorf("%w: %s does not name run %s", ErrNoMarker, key, id)
	}
	return m, nil
}

// Cleaned tells what Clean did.
type Cleaned struct {
	Deleted int `json:"deleted"`
	// Foreign are keys below the run's directory that no run of this tool
	// writes; they are left alone.
	Foreign []string `json:"foreign"`
	// Failed are keys that could not be deleted.
	Failed []string `json:"failed"`
}

// Clean deletes what run id left. It refuses without a matching marker, lists
// only below the run's own directory, and deletes only keys of our shape. The
// marker goes last, and only when nothing else is left.
func (c *Cleaner) Clean(ctx context.Context, id string) (Cleaned, error) {
	done := Cleaned{Foreign: []string{}, Failed: []string{}}
	if _, err := c.marker(ctx, id); err != nil {
		return done, err
	}
	root := c.parent + dirOf(id)
	for token := ""; ; {
		page, err := c.can.Lister.List(ctx, backends.ListRequest{Prefix: root, Token: token, Max: pageSize})
		if err != nil {
			return done, fmt.Errorf("list %s: %w", root, err)
		}
		if err := c.deletePage(ctx, root, page.Objects, &done); err != nil {
			return done, err
		}
		if token = page.Next; token == "" {
			break
		}
	}
	return done, c.finish(ctx, root, &done)
}

func (c *Cleaner) deletePage(ctx context.Context, root string, objs []backends.Object, done *Cleaned) error {
	for _, obj := range objs {
		rest := obj.Key[len(root):]
		switch {
		case rest == backends.MarkerName:
		case !population.OwnName(rest):
			done.Foreign = append(done.Foreign, obj.Key)
		default:
			if err := ctx.Err(); err != nil {
				return err
			}
			c.deleteOne(ctx, obj, done)
		}
	}
	return nil
}

func (c *Cleaner) deleteOne(ctx context.Context, obj backends.Object, done *Cleaned) {
	err := c.store.Delete(ctx, obj)
	if err != nil && backends.Classify(err) != backends.ClassNotFound {
		done.Failed = append(done.Failed, obj.Key)
		return
	}
	done.Deleted++
}

// finish removes empty directories, and the marker once nothing else is left:
// without it nobody could clean up the rest.
func (c *Cleaner) finish(ctx context.Context, root string, done *Cleaned) error {
	if err := c.prune(ctx, root); err != nil {
		return err
	}
	if len(done.Failed)+len(done.Foreign) > 0 {
		return nil
	}
	if err := c.store.Delete(ctx, backends.Object{Key: root + backends.MarkerName, Size: -1}); err != nil {
		return fmt.Errorf("delete the marker: %w", err)
	}
	done.Deleted++
	return c.prune(ctx, root)
}

func (c *Cleaner) prune(ctx context.Context, root string) error {
	if c.can.Pruner == nil {
		return nil
	}
	return c.can.Pruner.Prune(ctx, root)
}
