package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/internal/pgdb"
)

// A keyring is the API keys that the server accepts, and where they are kept.
type keyring struct {
	httpapi.Authorizer
	ring   *access.Keyring // over the store
	store  access.Store
	where  string // the store is, without a password
	data   string // the directory of -data, or ""
	note   string // what to print about the key
	header string // the header of the example, as a word of a shell command
	// fragment gives the key to the page; only a terminal shows it.
	fragment string
	secret   string // a file to remove when the server ends, or ""
}

// firstKey is the id of the key that a first start makes. Of replicas, one makes it.
const firstKey = "first"

// openKeys opens the keys in the database of -db or -data, and the keys of -api-key.
func openKeys(ctx context.Context, db, data string, given []string, logger *slog.Logger) (*keyring, error) {
	k := &keyring{data: data}
	tokens := make(map[string]string)
	for i, key := range given {
		tokens[fmt.Sprintf("given-%d", i+1)] = key
	}
	fixed, err := access.Fixed(tokens)
	if err != nil {
		return nil, fmt.Errorf("-api-key: %w", err)
	}
	if len(given) > 0 {
		k.note, k.header = "API key: the one of -api-key.", "'Authorization: Bearer <API_KEY>'"
	}
	if data != "" { // with -db, the first key is written there
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, fmt.Errorf("-data: %w", err)
		}
	}
	if k.store, k.where, err = openKeyStore(ctx, db, data); err != nil {
		return nil, err
	}
	k.ring = access.New(k.store, logger)
	k.Authorizer = access.First(fixed, k.ring)
	return k, nil
}

// first makes the first key, if none was given and none is kept. The key is written to a
// file for its owner, and shown only if terminal is set: what a service prints is kept in
// a journal that others can read.
func (k *keyring) first(ctx context.Context, terminal bool) error {
	if k.header != "" {
		return nil
	}
	kept, err := k.store.Keys(ctx)
	if err != nil {
		return err
	}
	file := ""
	if k.data != "" {
		file = filepath.Join(k.data, "first-key")
	}
	k.note = "API key: one of those in " + k.where + "; see walletscreen keys -help"
	k.header = "'Authorization: Bearer <API_KEY>'"
	if len(kept) > 0 {
		if _, err := os.Stat(file); err == nil && len(kept) == 1 {
			k.header = `"Authorization: Bearer $(cat ` + shellQuote(file) + `)"`
		}
		return nil
	}
	token, first, err := access.NewKey(access.Key{ID: firstKey, Name: "made by the first start", Scopes: access.AllScopes()})
	if err != nil {
		return err
	}
	made, err := os.CreateTemp(k.data, "first-key-") // before the key is used, or nobody could use it
	if err != nil {
		return err
	}
	_, err = made.WriteString(token + "\n")
	if err = errors.Join(err, made.Sync(), made.Close()); err == nil {
		err = k.store.PutKey(ctx, first)
	}
	if err != nil {
		os.Remove(made.Name())
		if errors.Is(err, access.ErrConflict) {
			return nil // another replica was faster
		}
		return err
	}
	if file == "" {
		file = made.Name()
	} else if err := os.Rename(made.Name(), file); err != nil {
		return err
	}
	if k.where == "memory" {
		k.secret = file
	}
	k.note = "API key: in " + file + ", which only its owner can read."
	k.header = `"Authorization: Bearer $(cat ` + shellQuote(file) + `)"`
	if terminal {
		k.note = "API key: " + token + ", also in " + file
		k.header = "'Authorization: Bearer " + token + "'"
		k.fragment = "#key=" + token
	}
	return nil
}

func (k *keyring) close() error {
	if k.secret != "" {
		os.Remove(k.secret)
	}
	return k.store.Close()
}

// dbFile is the database of keys and quotas in the directory of -data.
const dbFile = "keys.db"

// errDB does not quote the value, which may hold a password.
var errDB = errors.New("-db: want sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME")

// checkDB returns an error if db is not a value of -db.
func checkDB(db string) error {
	if !strings.HasPrefix(db, "sqlite:") && !isShared(db) {
		return errDB
	}
	if err := pgdb.Check(db); err != nil {
		return fmt.Errorf("-db: %w", err)
	}
	return nil
}

// databaseError returns one line of an error that has a line for each address that the driver has tried.
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
func isShared(db string) bool { return pgdb.IsURL(db) }

// openKeyStore opens the database of API keys: -db, a file in -data, or memory. where names it without a password.
func openKeyStore(ctx context.Context, db, data string) (s access.Store, where string, err error) {
	if db == "" && data == "" {
		return access.NewMemory(), "memory", nil
	}
	db = cmp.Or(db, "sqlite:"+filepath.Join(data, dbFile))
	if err := checkDB(db); err != nil {
		return nil, "", err
	}
	where, isFile := strings.CutPrefix(db, "sqlite:")
	if isFile {
		s, err = sqlite.Open(ctx, where)
	} else {
		where = "PostgreSQL"
		s, err = postgres.Open(ctx, db)
	}
	if err != nil {
		return nil, "", databaseError(err)
	}
	return s, where, nil
}
