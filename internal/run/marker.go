package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"bench/backends"
	"bench/internal/buildinfo"
)

// marker is its content: whose directory this is.
type marker struct {
	RunID   string    `json:"run_id"`
	Tool    string    `json:"tool"`
	Version string    `json:"version"`
	Host    string    `json:"host"`
	Start   time.Time `json:"start"`
}

// markerTool is what a marker names as the program that wrote it.
const markerTool = "bench"

// markerTimeout bounds the requests that are made outside of the load.
const markerTimeout = 30 * time.Second

// markerTries is how often a run tries to begin: a store that is busy for a
// moment should not end it.
const markerTries = 3

// placeMarker writes the marker before any other object. It shows early that
// the store cannot be written to.
func (r *runner) placeMarker() error {
	m := r.meta()
	text, err := json.Marshal(marker{
		RunID: r.id, Tool: markerTool, Version: buildinfo.Read().Version, Host: m.Host, Start: m.Epoch,
	})
	if err != nil {
		return fmt.Errorf("encode the marker: %w", err)
	}
	for try := 1; ; try++ {
		err := r.putMarker(backends.WithTry(r.sig.Issue, try), text)
		if err == nil || try == markerTries || r.sig.Issue.Err() != nil {
			return err
		}
	}
}

func (r *runner) putMarker(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, markerTimeout)
	defer cancel()
	if _, err := r.store.Put(ctx, r.root+backends.MarkerName, bytesBody{bytes.NewReader(text)}); err != nil {
		return fmt.Errorf("write to %s: %w", r.plan.Target, err)
	}
	return nil
}

// removeMarker deletes the marker once nothing else is left.
func (r *runner) removeMarker() error {
	ctx, cancel := context.WithTimeout(r.sig.Flight, markerTimeout)
	defer cancel()
	err := r.store.Delete(ctx, backends.Object{Key: r.root + backends.MarkerName, Size: -1})
	if err != nil {
		return fmt.Errorf("delete the marker: %w", err)
	}
	if r.env.Can.Pruner == nil {
		return nil
	}
	if err := r.env.Can.Pruner.Prune(ctx, r.root); err != nil {
		return fmt.Errorf("remove empty directories: %w", err)
	}
	return nil
}

// bytesBody is a small body in memory.
type bytesBody struct{ *bytes.Reader }

// Size implements backends.Body.
func (b bytesBody) Size() int64 { return b.Reader.Size() }
