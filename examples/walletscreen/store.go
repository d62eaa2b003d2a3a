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

// openListStore opens what keeps lists: the database of -db if replicas share it, or else
// a directory in -data. It returns nil if there is neither. The function closes it.
func openListStore(ctx context.Context, db, data string) (st store.Store, closeStore func(), err error) {
	switch {
	case isShared(db):
		pg, err := pgstore.Open(ctx, db)
		if err != nil {
			return nil, nil, databaseError(err)
		}
		return pg, pg.Close, nil
	case data != "":
		dir, err := store.Open(filepath.Join(data, "lists"))
		if err != nil {
			return nil, nil, fmt.Errorf("-data: %w", err)
		}
		return dir, func() {}, nil
	}
	return nil, func() {}, nil
}

// openStore opens the database of API keys, that of -db or one in -data.
func openStore(ctx context.Context, db, data string) (*keyStore, error) {
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
		return nil, errors.New("-db: want sqlite:FILE or postgres://…") // it may hold a password
	}
	if err != nil {
		return nil, databaseError(err)
	}
	return &keyStore{s, where, s.Close}, nil
}
