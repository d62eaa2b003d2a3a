package sqlstore_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// A database is a kind of database to test Stores on.
type database struct {
	name string
	new  func(t testing.TB) string // returns the place of an empty one
	open func(ctx context.Context, at string) (*sqlstore.Store, error)
}

var databases = []database{
	{"SQLite", func(t testing.TB) string { return filepath.Join(t.TempDir(), "keys? #1%2f.db") }, stores(sqlite.Open)},
	{"PostgreSQL", postgrestest.URL, stores(postgres.Open)},
}

// stores returns open, which returns a *sqlstore.Store.
func stores(open func(context.Context, string) (access.Store, error)) func(context.Context, string) (*sqlstore.Store, error) {
	return func(ctx context.Context, from string) (*sqlstore.Store, error) {
		s, err := open(ctx, from)
		if err != nil {
			return nil, err
		}
		return s.(*sqlstore.Store), nil
	}
}

// onEach runs a test on each kind of database.
func onEach(t *testing.T, test func(*testing.T, database)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, d) })
	}
}

// must opens the Store at a place, until the test ends.
func (d database) must(t testing.TB, at string) *sqlstore.Store {
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

// BenchmarkLease leases from several goroutines, of one account each.
func BenchmarkLease(b *testing.B) {
	for _, d := range databases {
		b.Run(d.name, func(b *testing.B) {
			s := d.must(b, d.new(b))
			var n atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				id := fmt.Sprint("key-", n.Add(1))
				for pb.Next() {
					if _, _, _, err := s.Lease(context.Background(), id, month, 1, math.MaxInt64); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
