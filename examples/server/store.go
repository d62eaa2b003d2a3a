package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
)

// dbFile is the database of keys and quotas in the directory of -data.
const dbFile = "keys.db"

// dbUsage is what -help says of -db.
const dbUsage = "`database` of API keys and quotas: sqlite:FILE, or postgres://USER:PASSWORD@HOST/NAME for several replicas (default: " + dbFile + " in the directory of -data"

// A keyStore is where keys and quotas are kept.
type keyStore struct {
	access.Store
	where string // it is, without a password
	keeps string // where, and what to do about it
	close func() error
}

// openStore opens what -db and -data say.
func openStore(ctx context.Context, db, data string) (*keyStore, error) {
	if db == "" && data == "" {
		return &keyStore{access.NewMemory(), "memory", "it is good until the server stops. With -data DIR it lasts.", func() error { return nil }}, nil
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
	} else if strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://") {
		s, err = postgres.Open(ctx, db)
	} else {
		err = errors.New("-db: want sqlite:FILE or postgres://…") // it may hold a password
	}
	if err != nil {
		return nil, err
	}
	return &keyStore{s, where, "hashes are kept in " + where + ".\n  To make, see, rotate or revoke keys: server keys", s.Close}, nil
}
