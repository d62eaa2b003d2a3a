package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/walletscreen/walletscreen/httpapi"
)

// A keyring is the API keys that the server lets in, and where they are kept.
type keyring struct {
	given *httpapi.Keys    // by -api-key; nil if there are none
	ring  *httpapi.Keyring // of the store
	store *keyStore
	note  string // what to tell about the key
	show  string // what to write for the key in the example
}

// firstKey is the id of the key that the server makes if there is none. Of replicas
// that start together, one makes it.
const firstKey = "first"

// openKeys opens the keys that c says.
func openKeys(ctx context.Context, c config, logger *slog.Logger) (*keyring, error) {
	k := &keyring{}
	if len(c.keys) > 0 {
		hashes := make(map[string]string)
		for i, key := range c.keys {
			hashes[fmt.Sprintf("given-%d", i+1)] = httpapi.HashKey(key)
		}
		var err error
		if k.given, err = httpapi.NewKeys(hashes); err != nil {
			return nil, err
		}
		k.note, k.show = "API key: the one that was given.", "<API_KEY>" // standard error goes to logs
	}
	var err error
	if k.store, err = openStore(ctx, c.db, c.data); err != nil {
		return nil, err
	}
	k.ring = httpapi.NewKeyring(k.store, &httpapi.KeyringOptions{Logger: logger})
	return k, nil
}

// first makes the first key, if none was given and none is kept.
func (k *keyring) first(ctx context.Context) error {
	if k.show != "" {
		return nil
	}
	kept, err := k.store.Keys(ctx)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		token, first, err := httpapi.IssueKey(httpapi.Key{ID: firstKey, Name: "made by the first start"})
		if err == nil {
			err = k.store.PutKey(ctx, first)
		}
		if err == nil {
			k.note, k.show = "API key: "+token+"\n  It is shown only now; "+k.store.keeps, token
			return nil
		}
		if !errors.Is(err, httpapi.ErrConflict) {
			return err
		}
	}
	k.show = "<API_KEY>"
	k.note = "API key: one of those that were shown when they were made; " + k.store.keeps
	return nil
}

// Authorize lets in the keys that were given, and those of the store.
func (k *keyring) Authorize(ctx context.Context, token string) (httpapi.Grant, error) {
	if g, err := k.given.Authorize(ctx, token); err == nil {
		return g, nil
	}
	return k.ring.Authorize(ctx, token)
}
