//go:build !linux

package index

// adviseHuge does nothing: there are no huge pages, or they come unasked.
func adviseHuge([]byte) {}
