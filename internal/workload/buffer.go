package workload

import "unsafe"

// pageSize aligns buffers, so that direct I/O can read straight into them.
const pageSize = 4096

// bufferSize returns the reading buffer of one worker.
func bufferSize(workers int, largest int64) int {
	n := min(readBuffer, max(minReadBuffer, allBuffers/max(workers, 1)))
	if int64(n) > largest {
		n = int(max(largest, 1))
	}
	return (n + pageSize - 1) / pageSize * pageSize
}

// alignedBuffer returns size bytes that begin at a page border.
func alignedBuffer(size int) []byte {
	b := make([]byte, size+pageSize)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (pageSize - 1))
	return b[skip : skip+size : skip+size]
}
