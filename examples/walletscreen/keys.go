package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A keyring is the API keys that the server accepts, and where they are kept.
type keyring struct {
	httpapi.Authorizer
	ring   *access.Keyring // over the store
	store  *keyStore
	note   string // what to print about the key
	header string // the header of the example, as a word of a shell command
	// fragment gives the key to the page; only a terminal shows it.
	fragment string
	secret   string // a file to remove when the server ends, or ""
}

// firstKey is the id of the key that the server makes if there is none. Of replicas
// that start together, one makes it.
const firstKey = "first"

// openKeys opens the keys that c says.
func openKeys(ctx context.Context, c *serveOptions, logger *slog.Logger) (*keyring, error) {
	k := &keyring{}
	given := make(map[string]string)
	for i, key := range c.keys {
		given[fmt.Sprintf("given-%d", i+1)] = key
	}
	fixed, err := access.Fixed(given)
	if err != nil {
		return nil, fmt.Errorf("-api-key: %w", err)
	}
	if len(given) > 0 {
		k.note, k.header = "API key: the one of -api-key.", "'Authorization: Bearer <API_KEY>'"
	}
	if c.lists.data != "" { // with -db, the first key is written there
		if err := os.MkdirAll(c.lists.data, 0o700); err != nil {
			return nil, fmt.Errorf("-data: %w", err)
		}
	}
	if k.store, err = openKeyStore(ctx, c.lists.db, c.lists.data); err != nil {
		return nil, err
	}
	k.ring = access.New(k.store, logger)
	k.Authorizer = access.First(fixed, k.ring)
	return k, nil
}

// first makes the first key, if none was given and none is kept. The key is written to a
// file for its owner, and shown only if terminal is set: what a service prints is kept in
// a journal that others can read.
func (k *keyring) first(ctx context.Context, c *serveOptions, terminal bool) error {
	if k.header != "" {
		return nil
	}
	kept, err := k.store.Keys(ctx)
	if err != nil {
		return err
	}
	file := ""
	if c.lists.data != "" {
		file = filepath.Join(c.lists.data, "first-key")
	}
	k.note = "API key: one of those in " + k.store.where + "; see walletscreen keys -help"
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
	if file, err = writeSecret(file, token); err != nil { // write the file before the key is used, or nobody could use it
		return err
	}
	if err = k.store.PutKey(ctx, first); errors.Is(err, access.ErrConflict) {
		return os.Remove(file) // another replica was faster
	}
	if err != nil {
		return err
	}
	if k.store.where == "memory" {
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

// writeSecret writes a secret to a file that only its owner can read: a new one with
// another name if name is empty. It returns the name.
func writeSecret(name, secret string) (string, error) {
	var f *os.File
	var err error
	if name == "" {
		f, err = os.CreateTemp("", "walletscreen-key-")
	} else {
		f, err = os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return "", err
	}
	err = f.Chmod(0o600) // of a file that was there before, too
	if err == nil {
		_, err = f.WriteString(secret + "\n")
	}
	return f.Name(), errors.Join(err, f.Close())
}

// close closes what holds the keys.
func (k *keyring) close() error {
	if k.secret != "" {
		os.Remove(k.secret)
	}
	return k.store.Close()
}
