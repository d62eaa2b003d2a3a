//go:build unix

package sqlstore_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestHangingDatabase stops the processes of the database while two replicas charge one
// quota, until both are refused, and for 8 seconds in the long test. Meanwhile the replicas
// admit the key and grant what they have leased. Afterwards the quota is used up, and the
// hang has cost at most one lease for each replica.
func TestHangingDatabase(t *testing.T) {
	const (
		replicas = 2
		quota    = 2000
		maxLease = quota / 20
	)
	server := postgrestest.Start(t)
	token, key, err := access.NewKey(access.Key{Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/screen", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	var rings [replicas]*access.Keyring
	for i := range rings {
		s, err := postgres.Open(t.Context(), server.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if i == 0 {
			if err := s.PutKey(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		rings[i] = access.New(s, nil)
		defer rings[i].Close(context.Background())
	}
	granted := 0
	charge := func(ring *access.Keyring) error {
		caller, err := ring.Authorize(r)
		if err != nil {
			t.Fatalf("the key is not admitted: %v", err)
		}
		n, _, err := ring.Charge(r, caller, 1, nil)
		granted += n
		return err
	}
	failures := func() (all int64) {
		for _, ring := range rings {
			_, _, _, n := ring.Stats()
			all += n
		}
		return all
	}
	for range 3 * maxLease / 2 {
		for _, ring := range rings {
			if err := charge(ring); errors.Is(err, httpapi.ErrUnavailable) { // on a busy machine
				time.Sleep(10 * time.Millisecond)
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}

	filled := time.Now()
	resume := server.Pause(t)
	defer resume()
	begin, before, others := time.Now(), granted, failures()
	for _, ring := range rings {
		for err = nil; err == nil; err = charge(ring) {
		}
		if !errors.Is(err, httpapi.ErrUnavailable) {
			t.Errorf("without its database, a replica answers %v", err)
		}
	}
	during := granted - before
	if during == 0 && begin.Sub(filled) < time.Second || during > replicas*maxLease { // leases are returned after some seconds
		t.Errorf("%d were granted from leases of at most %d", during, maxLease)
	}
	for longtest.Enabled() && time.Since(begin) < 8*time.Second {
		for _, ring := range rings {
			if err := charge(ring); !errors.Is(err, httpapi.ErrUnavailable) {
				t.Errorf("without its database, a replica answers %v", err)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	others -= failures()
	resume()

	for refused := 0; refused < replicas; {
		refused = 0
		for _, ring := range rings {
			switch err := charge(ring); {
			case errors.Is(err, httpapi.ErrExhausted):
				refused++
			case errors.Is(err, httpapi.ErrUnavailable): // it waits before it asks again
				time.Sleep(10 * time.Millisecond)
			case err != nil:
				t.Fatal(err)
			}
		}
	}
	others += failures() // before and after the hang
	if lost := quota - granted; lost < 0 || lost > (replicas+int(others))*maxLease {
		t.Errorf("the hang cost %d screenings, want at most %d for each replica and each of %d other failures", lost, maxLease, others)
	} else {
		t.Logf("hang of %v: %d granted meanwhile, %d lost", time.Since(begin).Round(time.Second/10), during, lost)
	}
}
