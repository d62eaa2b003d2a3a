package sqlstore

import (
	"context"
	"database/sql"
)

// DB returns the database of a Store, to look into it and to damage it.
func (s *Store) DB() *sql.DB { return s.db }

// Retry repeats what a Store with a dialect would.
func Retry(ctx context.Context, d Dialect, do func(context.Context) error) error {
	return (&Store{dialect: d}).retry(ctx, do)
}
