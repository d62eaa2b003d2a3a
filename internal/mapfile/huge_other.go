//go:build !linux

package mapfile

// adviseHuge does nothing: the system has no huge pages, or uses them by itself.
func adviseHuge([]byte) {}
