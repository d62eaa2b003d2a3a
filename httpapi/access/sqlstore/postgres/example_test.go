package postgres_test

import (
	"context"
	"log"
	"os"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
)

func ExampleOpen() {
	ctx := context.Background()
	store, err := postgres.Open(ctx, os.Getenv("DATABASE_URL")) // postgres://user@host/database?sslmode=verify-full
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close() // after the Keyring
	keys := access.New(store, nil)
	defer keys.Close(ctx)
}
