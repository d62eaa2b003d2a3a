package access_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// bearing returns a request with a token.
func bearing(ctx context.Context, token string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/screen", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// admit authorizes a token with a.
func admit(ctx context.Context, a httpapi.Authorizer, token string) (httpapi.Caller, error) {
	return a.Authorize(bearing(ctx, token))
}

// charge charges a caller with n screenings.
func charge(ctx context.Context, q *access.Keyring, c httpapi.Caller, n int) (granted int, refund func(int), err error) {
	r := &http.Request{Method: "POST", URL: &url.URL{Path: "/api/v1/screen"}, Header: http.Header{}}
	return q.Charge(r.WithContext(ctx), c, n, nil)
}

// reserve charges a caller n times, and returns the number of charges before the first
// error.
func reserve(q *access.Keyring, c httpapi.Caller, n int) (granted int, err error) {
	for range n {
		if _, _, err := charge(context.Background(), q, c, 1); err != nil {
			return granted, err
		}
		granted++
	}
	return granted, nil
}

// used returns the number of screenings answered to c.
func used(t *testing.T, q *access.Keyring, c httpapi.Caller) int64 {
	t.Helper()
	n, _, _, err := q.Used(t.Context(), c, true)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// held returns the number of screenings that q has leased and not charged.
func held(q *access.Keyring) int64 {
	_, n, _, _ := q.Stats()
	return n
}

// leasedTotal returns the number of screenings that all replicas have leased.
func leasedTotal(t *testing.T, s access.Store, id string, m int) int64 {
	t.Helper()
	_, n, _, err := s.Lease(t.Context(), id, m, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func thisMonth() int { return monthOf(time.Now()) }

// monthOf returns the number of a month, as in Store.Lease.
func monthOf(t time.Time) int { return t.UTC().Year()*12 + int(t.UTC().Month()) - 1 }

// endOf returns when a month ends.
func endOf(m int) time.Time { return date(m/12, time.Month(m%12+2), 1) }

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// TestRepeatsOfTheLast checks that all of many repeats of one Idempotency-Key are granted
// with one screening left, by one process and by several, and that only one is charged.
func TestRepeatsOfTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, replicas := range []int{1, 3} {
			for round := range 20 {
				store := access.NewMemory()
				var rings []*access.Keyring
				for range replicas {
					ring := access.New(slowStore{store}, nil)
					t.Cleanup(func() { ring.Close(context.Background()) })
					rings = append(rings, ring)
				}
				c := httpapi.Caller{ID: "a", Quota: 1}
				var all sync.WaitGroup
				for n := range 64 {
					all.Go(func() {
						r := &http.Request{Method: "POST", URL: &url.URL{Path: "/api/v1/screen"}, Header: http.Header{"Idempotency-Key": {`"k"`}}}
						if granted, _, err := rings[n%replicas].Charge(r.WithContext(t.Context()), c, 1, []byte("body")); granted != 1 || err != nil {
							t.Errorf("%d replicas, round %d, repeat %d: granted %d, %v", replicas, round, n, granted, err)
						}
					})
				}
				all.Wait()
				if n := used(t, rings[0], c); n != 1 {
					t.Errorf("%d screenings are counted, want 1", n)
				}
				if n, err := reserve(rings[0], c, 1); n != 0 || !errors.Is(err, httpapi.ErrExhausted) {
					t.Errorf("another request is granted %d, %v", n, err)
				}
			}
		}
	})
}

// TestRepeatsAreBounded checks that a request may be repeated a hundred times without a
// charge, and that more repeats are charged, by all processes together.
func TestRepeatsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := access.NewMemory()
		rings := []*access.Keyring{access.New(store, nil), access.New(store, nil)}
		defer rings[0].Close(t.Context())
		defer rings[1].Close(t.Context())
		c := httpapi.Caller{ID: "a", Quota: 10}
		refused := 0
		for n := range 120 {
			r := &http.Request{Method: "POST", URL: &url.URL{Path: "/api/v1/screen"}, Header: http.Header{"Idempotency-Key": {`"k"`}}}
			_, _, err := rings[n%2].Charge(r.WithContext(t.Context()), c, 1, []byte("body"))
			switch {
			case errors.Is(err, httpapi.ErrExhausted) && n > 100:
				refused++
			case err != nil:
				t.Fatalf("repeat %d: %v", n, err)
			}
		}
		if refused != 120-101-9 {
			t.Errorf("%d repeats are refused, want those after a hundred repeats and the rest of the quota", refused)
		}
	})
}

// TestClaimsAreBounded checks that a Store in memory drops the oldest claims of a key that has
// too many, and keeps the claims of other keys.
func TestClaimsAreBounded(t *testing.T) {
	const most = 100_000
	store, expires := access.NewMemory(), time.Now().Add(time.Hour)
	eighth := most / 8 // of them are deleted at once
	claim := func(id string, n int) bool {
		c := access.Claim{KeyID: id, Token: [32]byte{byte(n), byte(n >> 8), byte(n >> 16)}, Expires: expires.Add(time.Duration(n) * time.Microsecond)}
		held, err := store.Claim(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return held.Repeats == 0
	}
	claim("b", 0)
	for n := range most + eighth + 5 {
		claim("a", n)
	}
	if claim("b", 0) || claim("a", eighth) || claim("a", most+eighth+4) || !claim("a", eighth-1) {
		t.Error("the claims that are held are not the newest")
	}
}

// TestClaimsOfEndpoints checks that one Idempotency-Key with one body is two claims at two
// endpoints, and that another body at the same endpoint is refused.
func TestClaimsOfEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, c := access.New(access.NewMemory(), nil), httpapi.Caller{ID: "a", Quota: 10}
		defer ring.Close(t.Context())
		charge := func(path, body string) error {
			r := &http.Request{Method: "POST", URL: &url.URL{Path: path}, Header: http.Header{"Idempotency-Key": {`"k"`}}}
			_, _, err := ring.Charge(r.WithContext(t.Context()), c, 1, []byte(body))
			return err
		}
		for _, path := range []string{"/api/v1/screen", "/api/v1/screen/batch", "/api/v1/screen"} {
			if err := charge(path, "body"); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if err := charge("/api/v1/screen/batch", "another"); !errors.Is(err, httpapi.ErrKeyReused) {
			t.Errorf("another body: %v", err)
		}
		if n := used(t, ring, c); n != 2 {
			t.Errorf("%d screenings are counted, want 2", n)
		}
	})
}

// TestRepeatsTogether checks that each of several requests with one Idempotency-Key that come together
// is granted all that one alone is, whichever claim is made first, and that one is charged.
func TestRepeatsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for round := range 40 {
			quota := int64(10 + round%2*5)
			ring, c := access.New(unevenStore{access.NewMemory()}, nil), httpapi.Caller{ID: "a", Quota: quota}
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					r := &http.Request{Method: "POST", URL: &url.URL{Path: "/api/v1/screen/batch"}, Header: http.Header{"Idempotency-Key": {`"k"`}}}
					if granted, _, err := ring.Charge(r.WithContext(t.Context()), c, 10, []byte("body")); granted != 10 || err != nil {
						t.Errorf("a quota of %d: granted %d, %v", quota, granted, err)
					}
				})
			}
			all.Wait()
			if n := used(t, ring, c); n != 10 {
				t.Errorf("%d screenings are counted, want 10", n)
			}
			if err := ring.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// An unevenStore takes up to a second to claim, and finds a claim at once.
type unevenStore struct{ access.Store }

func (s unevenStore) Claim(ctx context.Context, c access.Claim) (access.Claim, error) {
	if !c.Expires.IsZero() {
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	}
	return s.Store.Claim(ctx, c)
}

// A slowStore answers as a database does.
type slowStore struct{ access.Store }

func (s slowStore) Claim(ctx context.Context, c access.Claim) (access.Claim, error) {
	time.Sleep(time.Millisecond)
	return s.Store.Claim(ctx, c)
}

// TestRepeatedRefund checks that a charge stays if its request was repeated before it was refunded:
// the repeat is answered without a charge of its own.
func TestRepeatedRefund(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := access.New(access.NewMemory(), nil)
		defer q.Close(t.Context())
		c := httpapi.Caller{ID: "a", Quota: 3}
		ask := func(key string) func(int) {
			r := bearing(t.Context(), "x")
			r.Header.Set("Idempotency-Key", key)
			granted, refund, err := q.Charge(r, c, 1, []byte("body"))
			if err != nil || granted != 1 {
				t.Fatalf("%s: %d granted, %v", key, granted, err)
			}
			return refund
		}
		refund := ask(`"a"`)
		ask(`"a"`) // answered
		refund(1)
		if n := used(t, q, c); n != 1 {
			t.Errorf("%d are used after one answer, want 1", n)
		}
		ask(`"a"`)
		ask(`"b"`)(1)
		if n := used(t, q, c); n != 1 {
			t.Errorf("%d are used after a refund without a repeat, want 1", n)
		}
	})
}

// TestExhaustedRepeats floods a Keyring with requests of a caller whose quota is used up, each with
// another Idempotency-Key. Nobody else waits for them.
func TestExhaustedRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := access.New(access.NewMemory(), nil)
		defer q.Close(t.Context())
		once := func(c httpapi.Caller, key string) error {
			r := &http.Request{Method: "POST", URL: &url.URL{Path: "/api/v1/screen"}, Header: http.Header{"Idempotency-Key": {key}}}
			_, _, err := q.Charge(r.WithContext(t.Context()), c, 1, nil)
			return err
		}
		used := httpapi.Caller{ID: "used", Quota: 1}
		if err := once(used, `"k"`); err != nil {
			t.Fatal(err)
		}
		var flood sync.WaitGroup
		for i := range 2000 {
			flood.Go(func() {
				if err := once(used, fmt.Sprintf(`"k%d"`, i)); !errors.Is(err, httpapi.ErrExhausted) {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Millisecond)
		start := time.Now()
		if err := once(httpapi.Caller{ID: "other", Quota: 10}, `"k"`); err != nil || time.Since(start) > 0 {
			t.Errorf("another caller waits for %v: %v", time.Since(start), err)
		}
		flood.Wait()
	})
}
