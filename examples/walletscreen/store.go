package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
)

// dbFile is the database of keys and quotas in the directory of -data.
const dbFile = "keys.db"

// A keyStore keeps keys and quotas.
type keyStore struct {
	access.Store
	where string // without a password
}

// errDB does not quote the value, which may hold a password.
var errDB = errors.New("-db: want sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME")

// checkDB returns an error if db is not a value of -db. Of a URL with a second @, or with one
// behind a slash, the driver would take the end of the password for the host or the database,
// and show it.
func checkDB(db string) error {
	_, authority, _ := strings.Cut(db, "://")
	authority, _, _ = strings.Cut(authority, "?")
	switch {
	case strings.HasPrefix(db, "sqlite:"):
		return nil
	case !isShared(db):
		return errDB
	case strings.Count(authority, "@") > 1:
		return errors.New("-db: the URL has more than one @; write %40 for one in the password")
	case strings.Contains(authority, "/") && strings.Index(authority, "@") > strings.Index(authority, "/"):
		return errors.New("-db: the URL has an @ behind a slash; write %2F for a slash in the password")
	}
	return nil
}

// databaseError returns the error of opening a database as one line. The driver writes a
// line for each address that it has tried.
func databaseError(err error) error {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return fmt.Errorf("the database cannot be opened: %s", strings.Join(lines, " "))
}

// storeDir is the directory in -data that keeps the lists. Earlier versions had theirs in formerDir, which is neither
// read nor changed.
const (
	storeDir  = "store"
	formerDir = "lists"
)

// formerText says what it means that there are lists of an earlier version.
const formerText = "of an earlier version, and neither read nor changed: -at, receipts, formerly and first-seen dates of before need that version; " +
	"keys, quotas and outbox stay in use"

// hasFormer reports whether the directory of -data has lists of an earlier version only.
func hasFormer(data string) bool {
	_, former := os.Stat(filepath.Join(data, formerDir))
	_, now := os.Stat(filepath.Join(data, storeDir))
	return former == nil && errors.Is(now, fs.ErrNotExist)
}

// isShared reports whether replicas share the database of -db.
func isShared(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// openKeyStore opens the database of API keys: -db, a file in -data, or memory.
func openKeyStore(ctx context.Context, db, data string) (*keyStore, error) {
	if db == "" && data == "" {
		return &keyStore{access.NewMemory(), "memory"}, nil
	}
	if db == "" {
		db = "sqlite:" + filepath.Join(data, dbFile)
	}
	err := checkDB(db)
	if err != nil {
		return nil, err
	}
	s := &keyStore{where: "PostgreSQL"}
	if file, ok := strings.CutPrefix(db, "sqlite:"); ok {
		s.where = file
		s.Store, err = sqlite.Open(ctx, file)
	} else {
		s.Store, err = postgres.Open(ctx, db)
	}
	if err != nil {
		return nil, databaseError(err)
	}
	return s, nil
}
