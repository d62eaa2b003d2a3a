// Package sqlite opens an [access.Store] in a file of SQLite. It needs no other
// program and no C compiler. Several processes on one machine may use one file, on a
// local disk; SQLite runs their changes one after another. Begin with [Open].
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
)

// Open opens the file with the given name, and creates it if it does not exist:
// readable by its owner only, like the files that SQLite puts beside it, whose names
// end in -wal and -shm. The directory must exist, on a disk of this machine.
//
// It is an error if a newer version of this module has migrated the file, or if its pages, which Open
// reads, are damaged.
func Open(ctx context.Context, name string) (_ access.Store, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("sqlite: %s: %w", name, err)
		}
	}()
	if name == "" || strings.HasPrefix(name, ":") {
		return nil, errors.New("want the name of a file")
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	// SQLite would create it with the permissions that the umask leaves.
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
	// Several connections would wait for each other by polling; callers that wait for
	// one connection are woken.
	db.SetMaxOpenConns(1)
	var s *sqlstore.Store
	for range 20 {
		s, err = sqlstore.New(ctx, db, `select count(*) from sqlite_master where type = 'table' and name = $1`, "", true)
		if code(err) != sqlite3.SQLITE_BUSY {
			break
		}
		time.Sleep(50 * time.Millisecond) // SQLite does not wait for another process that makes the file
	}
	if err == nil {
		err = check(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(asDamage(err), db.Close())
	}
	return s, nil
}

// dsn returns the data source name of the file with an absolute path.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			"busy_timeout(3000)", // in ms, and not shortened by a context
			"journal_mode(wal)",
			"synchronous(full)", // a commit is on the disk, not only in the log
			"fullfsync(on)",     // also on macOS, where fsync alone does not reach the disk
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

// asDamage wraps err in sqlstore.ErrDamaged if it reports damage.
func asDamage(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", sqlstore.ErrDamaged, err)
	}
	return err
}
