package access_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
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
	n, _, _, err := s.Account(t.Context(), id, m)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func thisMonth() int { return access.MonthOf(time.Now()) }

// endOf returns when a month ends.
func endOf(m int) time.Time { return date(m/12, time.Month(m%12+2), 1) }

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
