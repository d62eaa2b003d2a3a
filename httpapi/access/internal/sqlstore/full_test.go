package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
)

// TestFull checks that nothing is granted if it cannot be written.
func TestFull(t *testing.T) {
	s, err := stores(sqlite.Open)(t.Context(), t.TempDir()+"/db")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.DB().Exec(`pragma max_page_count = 12`); err != nil {
		t.Fatal(err)
	}
	var granted int64
	for i := 0; err == nil && i < 10_000; i++ {
		var n int64
		if n, _, _, err = s.Lease(t.Context(), fmt.Sprint("key-", i), month, 1, 1); n > 0 && err != nil {
			t.Errorf("%d is granted beside the error %v", n, err)
		}
		granted += n
	}
	if err == nil {
		t.Fatal("the database is never full")
	}
	if n := count(t, s, "walletscreen_lease"); granted == 0 || int64(n) != granted {
		t.Errorf("%d are granted, and %d written", granted, n)
	}
	if _, err := s.Key(t.Context(), "a"); !errors.Is(err, access.ErrNoKey) {
		t.Errorf("after that, reading gives %v", err)
	}
}

// TestUnquoted checks that the error of a failed look-up, which is logged, does not have the id,
// which may be any text of a client's.
func TestUnquoted(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		const id = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
		s := d.must(t, d.new(t))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Key(ctx, id); err == nil || strings.Contains(err.Error(), id) {
			t.Errorf("a failed look-up: %v", err)
		}
		if _, err := s.Key(t.Context(), id); !errors.Is(err, access.ErrNoKey) || !strings.Contains(err.Error(), id) {
			t.Errorf("a key that does not exist: %v", err)
		}
	})
}
