package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

func ExampleOpen() {
	_, err := pgstore.Open(context.Background(), "postgres://user:pass@word@host:port/database")
	fmt.Println(errors.Is(err, pgstore.ErrURL))
	// Output: true
}

// A Store uses a pool that the program already has.
func ExampleNew() {
	_ = func(ctx context.Context, pool *pgxpool.Pool) (store.Store, error) {
		return pgstore.New(ctx, pool)
	}
	// Output:
}

// Replicas answer from the same lists: one of them loads a list, and the others learn of
// it.
func ExampleStore() {
	_ = func(ctx context.Context, st *pgstore.Store, srcs []sources.Source) error {
		s, err := screening.New(srcs, &screening.Options{Store: st})
		if err != nil {
			return err
		}
		return s.Run(ctx, time.Hour)
	}
	// Output:
}
