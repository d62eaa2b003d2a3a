// Package pgdb opens PostgreSQL databases, with the settings that all stores of this module need. [Open] is for
// package database/sql, and [Parse] for a pool of pgx.
package pgdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// ErrURL reports a URL that cannot be parsed. No error quotes the URL, which may hold a password.
var ErrURL = errors.New("want a URL like postgres://user:password@host/database?sslmode=verify-full, with %40 for @ and so on in the password")

const (
	connectTime = 5 * time.Second // for one host, if the URL does not say
	maxConns    = 8               // of one sql.DB

	// A connection that was idle for longer is tested before it is used. No server
	// restarts in less time, so no request gets a dead connection.
	pingAfter = 100 * time.Millisecond
)

// IsURL reports whether a text is the URL of a PostgreSQL.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Check returns an error if the password of a URL has an @ or a slash that is not escaped. The driver would take the
// end of the password for the host or the database, and show it: to the driver, user and password end at the first @,
// also if it is behind a question mark.
func Check(dsn string) error {
	if !IsURL(dsn) {
		return nil
	}
	_, rest, _ := strings.Cut(dsn, "://")
	if at := strings.IndexAny(rest, "@/"); at >= 0 && rest[at] == '@' {
		rest = rest[at+1:]
	}
	if rest, _, _ = strings.Cut(rest, "?"); strings.Contains(rest, "@") {
		return errors.New("the URL has an @ or a slash before the host; write %40 or %2F for it in the password")
	}
	return nil
}

// Parse returns the settings for a URL, or a connection string of libpq. What it lacks is taken from the environment,
// as libpq does. Of several hosts, the first that accepts writes is used.
func Parse(dsn string) (*pgxpool.Config, error) {
	if err := Check(dsn); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, ErrURL // err may quote a part of the password
	}
	c := config.ConnConfig
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTime
	}
	if c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "walletscreen"
	}
	c.AfterConnect = prepare
	return config, nil
}

// Open opens the database of a URL, as Parse reads it. It connects when the database is used.
func Open(dsn string) (*sql.DB, error) {
	config, err := Parse(dsn)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config.ConnConfig, stdlib.OptionShouldPing(func(_ context.Context, p stdlib.ShouldPingParams) bool {
		return p.IdleDuration > pingAfter
	}))
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxIdleTime(10 * time.Minute)
	return db, nil
}

// prepare makes commits wait for the disk: with synchronous_commit off, a crash could undo
// them. It also makes statements wait for each other rather than fail.
func prepare(ctx context.Context, conn *pgconn.PgConn) error {
	_, err := conn.Exec(ctx, `
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
select set_config('default_transaction_isolation', 'read committed', false) where current_setting('default_transaction_isolation') <> 'read committed'`).ReadAll()
	return err
}
