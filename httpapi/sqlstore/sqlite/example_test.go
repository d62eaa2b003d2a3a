package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// A handler whose keys and quotas outlast the process. With postgres.Open in place
// of sqlite.Open, replicas share them.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(ctx, filepath.Join(dir, "keys.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close() // after what uses it
	keyring := httpapi.NewKeyring(store, nil)
	defer keyring.Close(ctx)
	quota := httpapi.NewQuota(store, nil)
	defer quota.Close(ctx)

	token, key, err := httpapi.IssueKey(httpapi.Key{ID: "acme", Quota: 10_000})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.PutKey(ctx, key); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(token), "characters for acme, shown once")

	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/risk/", httpapi.NewHandler(s, keyring, &httpapi.Options{Quota: quota}))
	// Output:
	// 61 characters for acme, shown once
}
