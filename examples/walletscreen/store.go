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
	return fmt.Errorf("the database of API keys cannot be opened: %s", strings.Join(lines, " "))
}

// openStore opens the database of -db and -data.
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
	} else if strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://") {
		s, err = postgres.Open(ctx, db)
	} else {
		return nil, errors.New("-db: want sqlite:FILE or postgres://…") // it may hold a password
	}
	if err != nil {
		return nil, databaseError(err)
	}
	return &keyStore{s, where, s.Close}, nil
}
