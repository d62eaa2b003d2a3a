package store_test

import (
	"path/filepath"
	"testing"

	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/storetest"
)

func TestConforms(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() (store.Store, error) {
		dir := filepath.Join(t.TempDir(), "new")
		return func() (store.Store, error) { return store.Open(dir) }
	})
}
