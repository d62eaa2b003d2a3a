package access_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestRepeatsModel charges three replicas at random, half of the time with one of some
// Idempotency-Keys, and refunds some of the charges. The screenings answered, each key
// once, are never more than the screenings counted, and these never more than the limit.
func TestRepeatsModel(t *testing.T) {
	for seed := range uint64(longtest.N(10, 300)) {
		synctest.Test(t, func(t *testing.T) {
			limit := int64(rand.New(rand.NewPCG(seed, 9)).IntN(3000))
			store := access.NewMemory()
			rings := []*access.Keyring{access.New(slowStore{store}, nil), access.New(slowStore{store}, nil), access.New(store, nil)}
			c := httpapi.Caller{ID: "a", Quota: limit}
			var mu sync.Mutex
			answered, total := map[string]bool{}, int64(0)
			var wg sync.WaitGroup
			for g := range 40 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(g)))
					for range 60 {
						time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond)
						n, key := 1+r.IntN(8), ""
						req := &http.Request{Method: "POST", URL: &url.URL{Path: "/x"}, Header: http.Header{}}
						if r.IntN(2) == 0 {
							k := r.IntN(30)
							n, key = k%5+1, fmt.Sprintf(`"k%d"`, k)
							req.Header["Idempotency-Key"] = []string{key}
						}
						got, refund, err := rings[g%3].Charge(req.WithContext(t.Context()), c, n, []byte(key))
						if err != nil {
							if !errors.Is(err, httpapi.ErrExhausted) {
								t.Error(err)
							}
							continue
						}
						time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
						if r.IntN(3) == 0 {
							refund(got)
							continue
						}
						mu.Lock()
						if key == "" || !answered[key] {
							answered[key] = true
							total += int64(got)
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			for _, k := range rings {
				if err := k.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if n := leasedTotal(t, store, "a", thisMonth()); total > n || limit > 0 && n > limit {
				t.Errorf("seed %d: %d were answered and %d counted, with the limit %d", seed, total, n, limit)
			}
		})
	}
}
