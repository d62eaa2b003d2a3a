package postgrestest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestKill checks that committed data survives a crash, and nothing else does.
func TestKill(t *testing.T) {
	s := postgrestest.Start(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"create table kept (n int)", "insert into kept values (1)", "begin", "insert into kept values (2)"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	s.Kill(t)
	if _, err := conn.Exec(ctx, "commit"); err == nil {
		t.Error("the server has committed after it was killed")
	}
	if err := s.Launch(); err != nil {
		t.Fatal(err)
	}
	if conn, err = pgx.Connect(ctx, s.URL()); err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var sum int
	if err := conn.QueryRow(ctx, "select sum(n) from kept").Scan(&sum); err != nil || sum != 1 {
		t.Errorf("kept is %d, %v, want 1", sum, err)
	}
}

func TestURL(t *testing.T) {
	ctx := context.Background()
	for range 2 { // in the same database, independent of each other
		conn, err := pgx.Connect(ctx, postgrestest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "create table mine (n int)"); err != nil {
			t.Error(err)
		}
	}
}
