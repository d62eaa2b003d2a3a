//go:build unix && !linux

package store_test

import "testing"

// unprivileged reports false: only Linux can change the user of a thread.
func unprivileged(*testing.T, string) bool { return false }
