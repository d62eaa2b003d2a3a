// Package sqlstore keeps API keys and quotas in an SQL database, as an
// [access.Store]. Open one with package sqlite, which needs nothing beside it and
// serves replicas on one machine, or with package postgres, for any number of
// replicas on any number of machines, which also takes a *sql.DB of the caller. A
// program links only the driver that it imports.
//
// Both use the same tables, whose names begin with walletscreen_, made by the SQL in
// the directory schema. They are migrated forward only, by whichever replica comes
// first: a program that is older than its database is refused.
//
// A lease is committed and on the disk before it is used, so no crash ever
// grants more than a limit; it loses at most the unused leases.
package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A Store is an [access.Store] in an SQL database.
type Store struct {
	db       *sql.DB
	hasTable string
	lock     string
	owned    bool

	pruned     atomic.Int32 // the last month in which old totals were deleted
	claims     atomic.Int64 // fresh ones
	keepClaims int64        // of a key at most
	tidyEach   int64        // but in tests
}

var _ access.Store = (*Store)(nil)

// New returns the Store in db, and creates or migrates its tables. It is for packages
// that know a database: hasTable is a query for the number of tables named $1, among
// those that an unqualified name finds. lock is a statement that waits for other
// transactions which have executed it, or "" if the database runs transactions one
// after another. If owned is true, Close closes db.
//
// The error wraps [ErrNewer] or [ErrDamaged] if the tables cannot be used.
// Transactions of db must be durable once committed, and each statement must see what
// was committed before it began.
func New(ctx context.Context, db *sql.DB, hasTable, lock string, owned bool) (*Store, error) {
	s := &Store{db: db, hasTable: hasTable, lock: lock, owned: owned, keepClaims: 100_000, tidyEach: tidyEach}
	ctx, cancel := context.WithTimeout(ctx, migrateTime)
	defer cancel()
	if err := s.migrate(ctx); err != nil {
		return nil, fmt.Errorf("sqlstore: %w", err)
	}
	return s, nil
}

// Close closes the database, unless it belongs to the caller. Close a Keyring over s
// first.
func (s *Store) Close() error {
	if !s.owned {
		return nil
	}
	return s.db.Close()
}

// callTime is the time limit of a call.
const callTime = 10 * time.Second

// call runs do, and wraps its error. id may be empty.
func (s *Store) call(ctx context.Context, what, id string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := do(ctx)
	switch {
	case err == nil:
		return nil
	case id == "":
		return fmt.Errorf("sqlstore: %s: %w", what, err)
	}
	return fmt.Errorf("sqlstore: %s %.80q: %w", what, id, err)
}

// queryRow scans the row that a statement returns, and reports whether there is one.
// Unlike QueryRow of package sql it steps beyond the row: only then has SQLite
// committed a change, or reported that it cannot.
func (s *Store) queryRow(ctx context.Context, statement string, args []any, dest ...any) (bool, error) {
	rows, err := s.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	found := false
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
		found = true
	}
	return found, rows.Err()
}

// exec executes a statement, and returns the number of rows that it changed.
func (s *Store) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	r, err := s.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
