// Package sqlitedb opens files of SQLite whose commits are on the disk. Begin with [Open].
package sqlitedb

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver sqlite

	"github.com/walletscreen/walletscreen/internal/atomicfile"
)

// Open opens the file with the given name, and creates it if it does not exist: readable by its owner only,
// like the files that SQLite puts beside it. A file that root creates belongs to the owner of the directory, so a command
// of root locks out no server that runs as another user. Transactions of several processes run one after another.
func Open(name string) (*sql.DB, error) {
	if name == "" || strings.HasPrefix(name, ":") {
		return nil, errors.New("want the name of a file")
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(path)
	// SQLite would create it with the permissions that the umask leaves.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if missing != nil {
		atomicfile.Own(path) // SQLite gives its other files to the same user
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, err
	}
	// Several connections would wait for each other by polling; callers that wait for
	// one connection are woken.
	db.SetMaxOpenConns(1)
	return db, nil
}

// dsn returns the data source name of the file with an absolute path.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			"busy_timeout(3000)", // in ms, and not shortened by a context
			"journal_mode(wal)",
			"synchronous(full)", // a commit is on the disk, not only in the log
			"fullfsync(on)",     // also on macOS, where fsync alone does not reach the disk
		},
	}.Encode()}
	return u.String()
}
