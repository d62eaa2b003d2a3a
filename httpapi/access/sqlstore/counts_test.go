package sqlstore_test

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// TestCounts checks the figures of two processes on one database: each is exact at once
// for its own screenings, soon for those of the other, and never counts leases.
func TestCounts(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		at := d.new(t)
		store := d.must(t, at)
		a, b := access.New(d.must(t, at), nil), access.New(d.must(t, at), nil)
		c := httpapi.Caller{ID: "user@corp.example", Quota: 1000}
		charge := func(k *access.Keyring, n int, key string) int {
			t.Helper()
			r := httptest.NewRequest("POST", "/api/v1/screen", nil)
			if key != "" {
				r.Header.Set("Idempotency-Key", key)
			}
			granted, refund, err := k.Charge(r, c, n, []byte("body"))
			if err != nil {
				t.Fatal(err)
			}
			if granted == n && n == 3 {
				refund(3)
				return 0
			}
			return granted
		}
		used := func(k *access.Keyring, ask bool) int64 {
			t.Helper()
			n, _, _, err := k.Used(t.Context(), c, ask)
			for end := time.Now().Add(5 * time.Minute); err != nil && time.Now().Before(end); { // a slow database
				time.Sleep(50 * time.Millisecond)
				n, _, _, err = k.Used(t.Context(), c, ask)
			}
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := used(a, false); n != 0 {
			t.Errorf("before the first answer %d are used", n)
		}
		for i := range int64(5) {
			charge(a, 1, "")
			charge(a, 3, "") // and refunded
			if n, m := used(a, false), used(a, true); n != i+1 || m != i+1 {
				t.Errorf("after %d answers %d and %d are used", i+1, n, m)
			}
		}
		charge(b, 100, "")
		for _, want := range []struct {
			k *access.Keyring
			n int64
		}{{a, 105}, {b, 105}} {
			end := time.Now().Add(5 * time.Minute)
			for used(want.k, true) != want.n && time.Now().Before(end) {
				time.Sleep(10 * time.Millisecond)
			}
			if n := used(want.k, true); n != want.n {
				t.Errorf("%d are used, want %d", n, want.n)
			}
		}
		// A repeated request reserves nothing.
		charge(a, 2, `"x"`)
		leased, err := store.Leased(t.Context(), c.ID, month)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if n := charge(b, 2, `"x"`); n != 2 {
				t.Errorf("a repeated request is granted %d", n)
			}
		}
		if n, err := store.Leased(t.Context(), c.ID, month); n != leased || err != nil {
			t.Errorf("%d are leased after repeated requests, %v; want %d", n, err, leased)
		}

		// The other process has leased the rest: the wait is short, not a month.
		r := httptest.NewRequest("POST", "/api/v1/screen", nil)
		all, _, err := b.Charge(r, c, 1000, nil)
		if err != nil || all >= 893 {
			t.Fatalf("%d are granted, %v; want less than all", all, err)
		}
		_, _, err = b.Charge(r, c, 1, nil)
		var wait interface{ RetryAfter() time.Duration }
		if !errors.Is(err, httpapi.ErrExhausted) || !errors.As(err, &wait) || wait.RetryAfter() > time.Minute || wait.RetryAfter() <= 0 {
			t.Errorf("with the rest in another lease: %v", err)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(1100 * time.Millisecond) // a refusal is cached for a second
		rest, _, err := b.Charge(r, c, 1000, nil)
		if err != nil || all+rest != 893 {
			t.Errorf("%d and %d are granted, %v; want 893", all, rest, err)
		}
		if _, _, err = b.Charge(r, c, 1, nil); !errors.As(err, &wait) || wait.RetryAfter() < time.Hour && time.Until(time.Date(month/12, time.Month(month%12+2), 1, 0, 0, 0, 0, time.UTC)) > time.Hour {
			t.Errorf("with nothing left: %v, retry after %v", err, wait.RetryAfter())
		}
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if leased, answered, _, err := store.Account(t.Context(), c.ID, month); leased != 1000 || answered != 1000 || err != nil {
			t.Errorf("in the end %d are leased and %d answered, %v", leased, answered, err)
		}
		if n := count(t, store, "walletscreen_answered"); n != 1 {
			t.Errorf("%d rows of counts, want 1", n)
		}
		next := access.New(d.must(t, at), nil)
		if n := used(next, false); n != 1000 {
			t.Errorf("the next process shows %d used", n)
		}
		next.Close(t.Context())
	})
}

// TestNewOfDB checks that a Store in a database of the caller works and leaves the
// database open.
func TestNewOfDB(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		opened := d.must(t, d.new(t))
		s, err := d.of(t.Context(), opened.DB())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Lease(t.Context(), "a", month, 1, 1); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n, err := opened.Leased(t.Context(), "a", month); n != 1 || err != nil {
			t.Errorf("%d are leased, %v", n, err)
		}
	})
}
