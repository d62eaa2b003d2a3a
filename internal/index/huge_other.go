//go:build !linux

package index

// adviseHuge does nothing: the system has no huge pages, or uses them by itself.
func adviseHuge([]byte) {}
