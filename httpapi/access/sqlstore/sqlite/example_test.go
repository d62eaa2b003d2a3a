package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// Keys and quotas that survive the process. With postgres.Open in place of
// sqlite.Open, replicas on several machines share them.
func ExampleOpen() {
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
	defer store.Close() // after the Keyring
	keys := access.New(store, nil)
	defer keys.Close(ctx)

	token, key, err := access.NewKey(access.Key{ID: "acme", Quota: 10_000})
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
	mux.Handle("/risk/", httpapi.NewHandler(s, keys, &httpapi.Options{Meter: keys}))
	// Output:
	// 61 characters for acme, shown once
}
