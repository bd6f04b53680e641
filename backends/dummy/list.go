package dummy

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"bench/backends"
)

// List makes up a population of keys below the prefix, all of size 0.
func (b *Backend) List(ctx context.Context, req backends.ListRequest) (backends.Page, error) {
	after := start(req)
	if err := b.script.meet(ctx, opList, req.Prefix+after); err != nil {
		return backends.Page{}, err
	}
	first := sort.Search(b.objects, func(i int) bool { return madeUp(req.Prefix, i) > after })
	n := min(max(req.Max, 1), b.objects-first)
	page := backends.Page{Objects: make([]backends.Object, 0, n)}
	for i := first; i < first+n; i++ {
		page.Objects = append(page.Objects, backends.Object{Key: madeUp(req.Prefix, i)})
	}
	if first+n < b.objects {
		page.Next = page.Objects[n-1].Key
	}
	return page, nil
}

// madeUp returns the i-th key below prefix. Keys ascend with i.
func madeUp(prefix string, i int) string { return fmt.Sprintf("%s%019d", prefix, i) }

// start returns the key a page begins behind.
func start(req backends.ListRequest) string {
	if req.Token != "" {
		return req.Token
	}
	return req.After
}

// list returns a page of what is stored.
func (s *store) list(req backends.ListRequest) backends.Page {
	after := start(req)
	keys := s.keys()
	first := sort.Search(len(keys), func(i int) bool { return keys[i] > after && keys[i] >= req.Prefix })
	var page backends.Page
	for _, key := range keys[first:] {
		if len(key) < len(req.Prefix) || key[:len(req.Prefix)] != req.Prefix {
			break
		}
		if len(page.Objects) == max(req.Max, 1) {
			page.Next = page.Objects[len(page.Objects)-1].Key
			break
		}
		page.Objects = append(page.Objects, backends.Object{Key: key, Size: int64(len(s.objects[key]))})
	}
	return page
}

// keys returns the stored keys in ascending order.
func (s *store) keys() []string {
	if s.sorted == nil {
		s.sorted = make([]string, 0, len(s.objects))
		for key := range s.objects {
			s.sorted = append(s.sorted, key)
		}
		slices.Sort(s.sorted)
	}
	return s.sorted
}

// Synthesizes implements [backends.Synthesizer]: this store keeps nothing.
func (b *Backend) Synthesizes() bool { return true }
