// Package sqlite opens an [sqlstore.Store] in a file of SQLite. It needs no other
// program and no C compiler. Several processes may use one file, on a local disk:
// what they do is then done one after another.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/walletscreen/walletscreen/httpapi/sqlstore"
)

// Open opens the file with the given name, which it makes if it is not there: for
// its owner alone, as are those that SQLite puts beside it, with -wal and -shm at
// the end of their names. The directory must be there, on a disk of this machine.
//
// The error wraps [sqlstore.ErrNewer] if a newer version of this module has used
// the file, and [sqlstore.ErrDamaged] if its pages are not what SQLite wrote, all
// of which are read.
func Open(ctx context.Context, name string) (*sqlstore.Store, error) {
	s, err := open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %s: %w", name, err)
	}
	return s, nil
}

func open(ctx context.Context, name string) (*sqlstore.Store, error) {
	if name == "" || strings.HasPrefix(name, ":") {
		return nil, errors.New("want the name of a file")
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	// SQLite would make it with the permissions that the umask leaves.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, err
	}
	// Connections that write wait for each other by polling; callers that wait for
	// one connection are woken.
	db.SetMaxOpenConns(1)
	s, err := sqlstore.New(ctx, db, sqlstore.Dialect{
		HasTable:  `select count(*) from sqlite_master where type = 'table' and name = $1`,
		Transient: transient,
	})
	if err == nil {
		err = check(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(asDamage(err), db.Close())
	}
	return s, nil
}

// dsn returns what the driver is told of the file with an absolute path.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			"busy_timeout(1000)", // in ms, which no context shortens; beyond it, a Store repeats
			"journal_mode(wal)",
			"synchronous(full)", // what is committed is on the disk, not only in the log
			"fullfsync(on)",     // also of macOS, where fsync alone does not reach it
		},
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}
	return u.String()
}

// check reads all pages.
func check(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, `pragma quick_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", sqlstore.ErrDamaged, found)
	}
	return nil
}

// code returns the primary result code of err: see https://sqlite.org/rescode.html.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return sqlite3.SQLITE_OK
	}
	return e.Code() & 0xff
}

// transient implements the field of that name of [sqlstore.Dialect].
func transient(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return true
	}
	return errors.Is(err, driver.ErrBadConn)
}

// asDamage wraps err in [sqlstore.ErrDamaged] if that is what it tells of.
func asDamage(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", sqlstore.ErrDamaged, err)
	}
	return err
}
