// Package sqlite opens an [access.Store] in a file of SQLite. It needs no other
// program and no C compiler. Several processes on one machine may use one file, on a
// local disk; SQLite runs their changes one after another. Begin with [Open].
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
	"github.com/walletscreen/walletscreen/internal/sqlitedb"
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
	db, err := sqlitedb.Open(name)
	if err != nil {
		return nil, err
	}
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
	if c := code(err); c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB {
		err = fmt.Errorf("%w: %w", sqlstore.ErrDamaged, err)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
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
