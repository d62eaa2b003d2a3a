package sqlstore

import (
	"context"
	"database/sql"
)

// DB returns the database of a Store, for tests that inspect or damage it.
func (s *Store) DB() *sql.DB { return s.db }

// Leased returns the number of leased screenings.
func (s *Store) Leased(ctx context.Context, id string, m int) (int64, error) {
	_, leased, _, err := s.Lease(ctx, id, m, 0, 0)
	return leased, err
}

// BoundClaims makes s keep only n claims of a key, and look at each claim.
func (s *Store) BoundClaims(n int64) { s.keepClaims, s.tidyEach = n, 1 }
