package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/sqlstore"
	"github.com/walletscreen/walletscreen/httpapi/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/httpapi/storetest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// A database is one of those that Stores are tested on.
type database struct {
	name string
	new  func(t *testing.T) string // where an empty one is
	open func(ctx context.Context, at string) (*sqlstore.Store, error)
}

var databases = []database{
	{"SQLite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "keys? #1%2f.db") }, sqlite.Open},
	{"PostgreSQL", func(t *testing.T) string { return postgrestest.URL(t) }, postgres.Open},
}

// onEach runs a test on each of the databases.
func onEach(t *testing.T, test func(*testing.T, database)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, d) })
	}
}

// must opens the Store at a place, until the test ends.
func (d database) must(t *testing.T, at string) *sqlstore.Store {
	t.Helper()
	s, err := d.open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		storetest.Run(t, func(t *testing.T) httpapi.Store { return d.must(t, d.new(t)) })
	})
}
