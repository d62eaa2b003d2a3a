package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestCORS calls the API from pages of two other origins. By default the browser
// refuses both. If Options.Origins names one, its page gets answers, problems and the
// header fields about limits; the other one is still refused.
func TestCORS(t *testing.T) {
	var pages [2]*httptest.Server
	for i := range pages {
		pages[i] = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>An app</title>")
		}))
		t.Cleanup(pages[i].Close)
	}
	s, err := screening.New([]sources.Source{&growing{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	store := access.NewMemory()
	token, key, err := access.NewKey(access.Key{ID: "app", Quota: 100})
	if err == nil {
		err = store.PutKey(t.Context(), key)
	}
	if err != nil {
		t.Fatal(err)
	}
	ring := access.New(store, nil)
	t.Cleanup(func() { ring.Close(context.Background()) })
	closed := httptest.NewServer(httpapi.NewHandler(s, ring, &httpapi.Options{Meter: ring}))
	t.Cleanup(closed.Close)
	naming := httptest.NewServer(httpapi.NewHandler(s, ring, &httpapi.Options{Meter: ring, Origins: []string{pages[0].URL}}))
	t.Cleanup(naming.Close)
	for i, p := range pages {
		b := open(t, p.URL, view{"light", 1280})
		for _, server := range []*httptest.Server{closed, naming} {
			for address, want := range map[string]string{lazarus: "200 CRITICAL", "0x1": "400 invalid_address"} {
				got := eval[string](
					t,
					b,
					`fetch(`+quote(
						server.URL+"/api/v1/screen",
					)+`, {method: "POST", headers: {"Authorization": `+quote(
						"Bearer "+token,
					)+`, "Content-Type": "application/json", "Idempotency-Key": '"`+address+`"'},
					body: JSON.stringify({address: "`+address+`", chain: "ethereum"})})
					.then(async r => { const v = await r.json(); return r.status + " " + (v.level ?? v.code) +
					  (r.headers.get("RateLimit") && r.headers.get("X-Request-Id") ? "" : ", whose header fields cannot be read"); })
					.catch(e => e.name)`,
				)
				if allowed := server == naming && i == 0; !allowed {
					want = "TypeError"
				}
				if got != want {
					t.Errorf("page %d, %s: %s, want %s", i, address, got, want)
				}
			}
		}
	}
}
