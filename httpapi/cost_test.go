package httpapi_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// TestCleanRequests answers as many clean requests of an API key with a burst limit and a
// quota as WALLETSCREEN_REQUESTS says, so that the difference between two coverage profiles
// shows the functions of a request: see internal/bench/functions.
func TestCleanRequests(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("WALLETSCREEN_REQUESTS"))
	store := access.NewMemory()
	token, key, err := access.NewKey(access.Key{Quota: 1 << 40, Rate: 1e6, Burst: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.PutKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	ring := access.New(store, nil)
	h := httpapi.NewHandler(newLoadedScreener(t), ring, &httpapi.Options{Meter: ring, Prefix: "/"})
	for range 10 + n {
		if w := send(h, "POST", "/api/v1/screen", clean, "Authorization", "Bearer "+token); w.Code != 200 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	if err := ring.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
