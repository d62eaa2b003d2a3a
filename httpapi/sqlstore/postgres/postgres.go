// Package postgres opens an [sqlstore.Store] in PostgreSQL, for any number of
// replicas on any number of machines.
package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/walletscreen/walletscreen/httpapi/sqlstore"
)

// ErrURL is that of a URL which cannot be understood. As it may hold a password, no
// error shows it.
var ErrURL = errors.New("not a URL as in postgres://user:password@host/database?sslmode=verify-full, with %40 for @ and so on in a password")

// Open opens the database that a URL names, or what libpq takes instead of one; what
// is not in it is taken from the environment, as libpq does (PGPASSWORD, …). Without
// an sslmode it may speak without TLS; with verify-full never, nor to another server.
// Where it names several hosts, that which can be written to is used.
//
// The tables are made in the schema that is first in the search_path. Once they are
// there, the role needs no right but to select, insert, update and delete in them.
//
// The error wraps [ErrURL], or [sqlstore.ErrNewer] if a newer version of this
// module has used the database. A commit is waited for until it is on the disk,
// even where the database is told not to (synchronous_commit). Through a pool that
// shares connections between transactions, as PgBouncer may, add
// default_query_exec_mode=exec.
func Open(ctx context.Context, dsn string) (*sqlstore.Store, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil || torn(dsn) {
		return nil, fmt.Errorf("postgres: %w", ErrURL) // err may show a part of the password
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "walletscreen"
	}
	config.AfterConnect = prepare
	db := stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(_ context.Context, p stdlib.ShouldPingParams) bool {
		return p.IdleDuration > pingAfter
	}))
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxIdleTime(10 * time.Minute)
	s, err := sqlstore.New(ctx, db, sqlstore.Dialect{
		HasTable:  `select count(*) from pg_catalog.pg_class where oid = to_regclass($1)`,
		Lock:      `select pg_advisory_xact_lock(6385424072104219471)`, // a number of no meaning
		Transient: transient,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("postgres: %w", err), db.Close())
	}
	return s, nil
}

const (
	connectTime = 5 * time.Second // to one host, if the URL does not say
	maxConns    = 8               // of one Store, which leases in batches

	// A connection that was idle for longer is tried before it is used. No server
	// comes back from a crash in less, so nobody meets the dead connections.
	pingAfter = 100 * time.Millisecond
)

// torn reports whether the host of a URL ends within what was meant as a password, as
// in postgres://user:12/34@host/database. Errors tell hosts and databases.
func torn(dsn string) bool {
	u, err := url.Parse(dsn)
	return err == nil && u.Host != "" && u.User == nil && strings.Contains(u.EscapedPath(), "@")
}

// prepare has a commit waited for: with synchronous_commit off, what was leased
// could be leased again after a crash. And statements are to wait for each other
// rather than fail.
func prepare(ctx context.Context, conn *pgconn.PgConn) error {
	_, err := conn.Exec(ctx, `
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
select set_config('default_transaction_isolation', 'read committed', false) where current_setting('default_transaction_isolation') <> 'read committed'`).ReadAll()
	return err
}

// transient implements the field of that name of [sqlstore.Dialect].
func transient(err error) bool {
	// What the server says, be it to a query or to who connects: see
	// https://www.postgresql.org/docs/current/errcodes-appendix.html.
	var said *pgconn.PgError
	if errors.As(err, &said) {
		switch said.Code {
		case "40001", "40P01", // serialization_failure, deadlock_detected
			"53300", "57P03": // too_many_connections, cannot_connect_now
			return true
		}
		return false
	}
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn)
}
