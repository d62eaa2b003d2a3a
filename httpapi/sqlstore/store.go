// Package sqlstore keeps API keys, quotas and claims in an SQL database, as an
// [httpapi.Store]. To open one, use package sqlite, which needs nothing beside it
// and is for replicas on one machine, or package postgres, for any number of
// replicas. A program links the driver of the one it imports.
//
// Both hold the same tables, whose names begin with walletscreen_, made by the
// same SQL: the directory schema. [New] brings them to the state that it knows,
// whichever of several replicas comes first, and never back: a program that is
// older than its database is refused.
//
// What was granted is committed, and written to the disk, before it is returned.
// So neither a crash of a program nor one of the database ever grants more than a
// limit; it loses at most what was leased and not used.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// A Store is an [httpapi.Store] in an SQL database.
type Store struct {
	db      *sql.DB
	dialect Dialect

	pruned  atomic.Int32 // the month in which old ones were deleted
	pruning sync.Mutex   // held by who deletes claims
	prune   atomic.Int64 // the time from which there may be claims to delete
}

var _ httpapi.Store = (*Store)(nil)

// A Dialect is what a Store must know of a database beyond the SQL that all of
// them understand.
type Dialect struct {
	// HasTable is a query for the number of tables with the name $1, among those
	// that a bare name finds.
	HasTable string

	// Lock is a statement that waits until no other transaction which has executed
	// it is left, for a database that does not begin them one after another.
	Lock string

	// Transient reports whether nothing was done because of err, which may pass.
	Transient func(err error) bool
}

// New returns the Store in db, whose tables it makes or brings up to date. The
// error wraps [ErrNewer] or [ErrDamaged] if that cannot be. Transactions of db
// must be durable when they are committed, and each statement must see what was
// committed before it began. The Store owns db.
func New(ctx context.Context, db *sql.DB, d Dialect) (*Store, error) {
	s := &Store{db: db, dialect: d}
	ctx, cancel := context.WithTimeout(ctx, migrateTime)
	defer cancel()
	if err := s.retry(ctx, s.migrate); err != nil {
		return nil, fmt.Errorf("sqlstore: %w", err)
	}
	return s, nil
}

// Close closes the database. A Quota and a Keyring over s are closed before.
func (s *Store) Close() error { return s.db.Close() }

// callTime bounds a call, with all its repetitions, for whose context has no
// earlier end.
const callTime = 10 * time.Second

// call does what a method is to do, and tells of what an error is; id may be empty.
func (s *Store) call(ctx context.Context, what, id string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := s.retry(ctx, do)
	switch {
	case err == nil:
		return nil
	case id == "":
		return fmt.Errorf("sqlstore: %s: %w", what, err)
	}
	return fmt.Errorf("sqlstore: %s %.80q: %w", what, id, err)
}

// Repeated is what did nothing, after waits that double, each shortened by chance
// so that replicas do not meet again: within 1.3 s in all.
const (
	firstWait = 5 * time.Millisecond
	lastWait  = 640 * time.Millisecond
)

func (s *Store) retry(ctx context.Context, do func(context.Context) error) error {
	for wait := firstWait; ; wait *= 2 {
		err := do(ctx)
		if err == nil || wait > lastWait || !s.dialect.Transient(err) {
			return err
		}
		select {
		case <-time.After(wait/2 + rand.N(wait/2)):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// queryRow scans the row that a statement returns, and reports whether there was
// one. Unlike that of package sql, it steps beyond the row: not before that is
// what SQLite changes committed, and an error of that seen.
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

// exec executes a statement, and returns how many rows it has changed.
func (s *Store) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	r, err := s.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
