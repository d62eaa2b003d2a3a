package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A keyring holds the API keys that the server admits.
type keyring struct {
	httpapi.Authorizer
	given bool            // whether keys were given by -api-key
	ring  *access.Keyring // over the store
	store *keyStore
	note  string // what the greeting says about the key
	show  string // what the greeting's example has in the place of the key
}

// firstKey is the id of the key that the server creates if there is none. Of replicas
// that start together, one creates it.
const firstKey = "first"

// openKeys opens the keys of c.
func openKeys(ctx context.Context, c config, logger *slog.Logger) (*keyring, error) {
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
		k.given = true
		k.note, k.show = "API key: the one that was given.", "<API_KEY>" // standard error goes to logs
	}
	if k.store, err = openStore(ctx, c.db, c.data); err != nil {
		return nil, err
	}
	k.ring = access.New(k.store, &access.Options{Logger: logger})
	k.Authorizer = access.First(fixed, k.ring)
	return k, nil
}

// first creates the first key, if none was given and none is stored.
func (k *keyring) first(ctx context.Context) error {
	if k.show != "" {
		return nil
	}
	kept, err := k.store.Keys(ctx)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		token, first, err := access.NewKey(access.Key{ID: firstKey, Name: "made by the first start"})
		if err == nil {
			err = k.store.PutKey(ctx, first)
		}
		if err == nil {
			k.note, k.show = "API key: "+token+"\n  It is shown only now; "+k.store.keeps, token
			return nil
		}
		if !errors.Is(err, access.ErrConflict) {
			return err
		}
	}
	k.show = "<API_KEY>"
	k.note = "API key: one of those that were shown when they were made; " + k.store.keeps
	return nil
}
