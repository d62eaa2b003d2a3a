// Package access admits callers of package [httpapi] by API keys, and counts and
// limits what they use: scopes, bursts, monthly quotas and Idempotency-Key. It is one
// way to be an [httpapi.Authorizer] and an [httpapi.Meter]; a team with sessions of
// its own can use it for quotas only.
//
//	store, err := sqlite.Open(ctx, "keys.db") // package access/sqlstore/sqlite
//	token, key, err := access.NewKey(access.Key{Name: "billing", Quota: 10000})
//	err = store.PutKey(ctx, key) // show the token to its owner
//
//	keys := access.New(store, nil)
//	h := httpapi.NewHandler(screener, keys, &httpapi.Options{Meter: keys})
//
// Shut down the server of h first, then close keys, then store. Start with [NewKey],
// [New] and [NewMemory].
package access
