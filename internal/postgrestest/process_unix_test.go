//go:build unix

package postgrestest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestPause checks that a server that was paused answers again, and that none of its
// processes is left behind when it is killed.
func TestPause(t *testing.T) {
	s := postgrestest.Start(t)
	s.Pause(t)()
	conn, err := pgx.Connect(context.Background(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close(context.Background())
	s.Kill(t) // returns when all processes have ended
}
