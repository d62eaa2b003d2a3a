package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"

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

// A replica loads lists from their publishers only while it leads, and otherwise
// follows the leader.
func ExampleStore() {
	_ = func(ctx context.Context, st *pgstore.Store, refresh, follow func(context.Context)) {
		var from int64
		for ctx.Err() == nil {
			if leads, err := st.Lead(ctx); err == nil && leads {
				refresh(ctx)
			}
			if err := st.Wait(ctx, from); err != nil {
				log.Print(err)
				return
			}
			follow(ctx)
		}
	}
	// Output:
}
