// Package postgres opens an [access.Store] in PostgreSQL, for any number of
// replicas on any number of machines. Begin with [Open].
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
	"github.com/walletscreen/walletscreen/internal/pgdb"
)

// Open opens the database that a URL names, or a connection string of libpq. What it
// lacks is taken from the environment, as libpq does (PGPASSWORD and so on). Without
// an sslmode the connection may lack TLS; verify-full requires TLS and the right
// server. Of several hosts, Open uses the first that accepts writes.
//
// The tables are created in the first schema of the search_path. Afterwards the role
// needs only the rights to select, insert, update and delete in them. Through a pool
// that shares connections between transactions, such as PgBouncer, add
// default_query_exec_mode=exec.
//
// A commit waits for the disk, even if the database is configured otherwise
// (synchronous_commit). It is an error if a newer version of this module
// has migrated the database.
func Open(ctx context.Context, dsn string) (access.Store, error) {
	db, err := pgdb.Open(dsn)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	s, err := newStore(ctx, db, true)
	if err != nil {
		err = errors.Join(err, db.Close())
	}
	return s, err
}

// New returns the Store in a database of the caller, who closes it, through the
// driver of github.com/jackc/pgx/v5/stdlib; stdlib.OpenDBFromPool makes a *sql.DB of
// a pgxpool.Pool. Its transactions must be read committed, and synchronous_commit must
// not be off, so that a commit is on the disk.
func New(ctx context.Context, db *sql.DB) (access.Store, error) {
	var commit, isolation string
	err := db.QueryRowContext(ctx, `select current_setting('synchronous_commit'), current_setting('default_transaction_isolation')`).Scan(&commit, &isolation)
	switch {
	case err != nil:
	case commit == "off":
		err = errors.New("synchronous_commit is off, want on: set it for the role or in the connection string")
	case isolation != "read committed":
		err = fmt.Errorf("default_transaction_isolation is %s, want read committed: set it for the role or in the connection string", isolation)
	}
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return newStore(ctx, db, false)
}

func newStore(ctx context.Context, db *sql.DB, owned bool) (access.Store, error) {
	const lock = `select pg_advisory_xact_lock(6385424072104219471)` // an arbitrary number
	s, err := sqlstore.New(ctx, db, `select count(*) from pg_catalog.pg_class where oid = to_regclass($1)`, lock, owned)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return s, nil
}
