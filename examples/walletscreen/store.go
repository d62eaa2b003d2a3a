package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

// dbFile is the database of keys and quotas in the directory of -data.
const dbFile = "keys.db"

// A keyStore keeps keys and quotas.
type keyStore struct {
	access.Store
	where string // without a password
	close func() error
}

// errDB does not quote the value, which may hold a password.
var errDB = errors.New("-db: want sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME")

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

// isShared reports whether replicas share the database of -db.
func isShared(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// openStore opens what keeps lists: the database of -db if replicas share it, or else
// a directory in -data. It returns nil if there is neither. The function closes it.
func (o *listOptions) openStore(ctx context.Context) (st store.Store, closeStore func(), err error) {
	switch {
	case o.db != "" && !isShared(o.db) && !strings.HasPrefix(o.db, "sqlite:"):
		return nil, nil, errDB
	case isShared(o.db):
		pg, err := pgstore.Open(ctx, o.db)
		if err != nil {
			return nil, nil, databaseError(err)
		}
		return pg, pg.Close, nil
	case o.data != "":
		dir, err := store.Open(filepath.Join(o.data, "lists"))
		if err != nil {
			return nil, nil, fmt.Errorf("-data: %w", err)
		}
		return dir, func() {}, nil
	}
	return nil, func() {}, nil
}

// openKeyStore opens the database of API keys, that of -db or one in -data.
func openKeyStore(ctx context.Context, db, data string) (*keyStore, error) {
	if db == "" && data == "" {
		return &keyStore{access.NewMemory(), "memory", func() error { return nil }}, nil
	}
	if db == "" {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, err
		}
		db = "sqlite:" + filepath.Join(data, dbFile)
	}
	var s *sqlstore.Store
	var err error
	where := "PostgreSQL"
	if file, ok := strings.CutPrefix(db, "sqlite:"); ok {
		where = file
		s, err = sqlite.Open(ctx, file)
	} else if isShared(db) {
		s, err = postgres.Open(ctx, db)
	} else {
		return nil, errDB
	}
	if err != nil {
		return nil, databaseError(err)
	}
	return &keyStore{s, where, s.Close}, nil
}
