//go:build unix

package outbox

import (
	"context"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestHang checks that a database that hangs is an error soon, and that the outbox goes on when it answers again.
func TestHang(t *testing.T) {
	server := postgrestest.Start(t)
	b, err := Open(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	resume := server.Pause(t)
	b.wait = 100 * time.Millisecond
	post := func(context.Context, Message) error { return nil }
	_, err = b.Deliver(t.Context(), post)
	if leads, failure := b.Lead(t.Context(), "a", time.Minute); leads || failure == nil || err == nil {
		t.Errorf("while the database hangs: leads %v, %v; delivers %v", leads, failure, err)
	}
	resume()
	b.wait = time.Minute
	if leads, err := b.Lead(t.Context(), "a", time.Minute); !leads || err != nil {
		t.Errorf("afterwards: leads %v, %v", leads, err)
	}
}
