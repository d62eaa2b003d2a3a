package storetest_test

import (
	"path/filepath"
	"testing"

	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A test of an implementation calls Run.
func ExampleRun() {
	_ = func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) func() (store.Store, error) {
			name := filepath.Join(t.TempDir(), "lists")
			return func() (store.Store, error) { return store.Open(name) }
		})
	}
	// Output:
}
