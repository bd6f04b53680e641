package population

import "sync/atomic"

const (
	pageBits = 12
	pageSize = 1 << pageBits
	topSize  = 1 << 12
)

type page[T any] [pageSize]atomic.Pointer[T]

// A directory is an array of 2^24 pointers of which only the used parts exist.
// Pages are added and never removed, so that finding an entry takes two loads
// and no lock. The zero directory is ready for use.
type directory[T any] struct {
	pages [topSize]atomic.Pointer[page[T]]
}

// find returns the place of entry i, nil where its page does not exist.
func (d *directory[T]) find(i uint64) *atomic.Pointer[T] {
	if i >= topSize*pageSize {
		return nil
	}
	if pg := d.pages[i>>pageBits].Load(); pg != nil {
		return &pg[i%pageSize]
	}
	return nil
}

// make returns the place of entry i and creates its page if needed. It panics
// where i is beyond the directory.
func (d *directory[T]) make(i uint64) *atomic.Pointer[T] {
	if place := d.find(i); place != nil {
		return place
	}
	if i >= topSize*pageSize {
		panic("population: id beyond the largest population")
	}
	d.pages[i>>pageBits].CompareAndSwap(nil, new(page[T]))
	return d.find(i)
}
