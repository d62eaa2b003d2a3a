// Package x402 has a screen for x402 payments, in TypeScript; this is its test.
package x402

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

const key = "wsk_TEST0TEST0TEST0TEST0"

// newAPI returns the API with two listed accounts: a payee, and the account whose private key
// is 2e repeated.
func newAPI(t *testing.T, opts *screening.Options) http.Handler {
	t.Helper()
	var entries []sources.Entry
	for _, text := range []string{"0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x33A2A9c81E46E180b5d4Df043992617A2764d5aA"} {
		entries = append(entries, sources.Entry{Address: address.MustParse("ethereum", text), Kind: score.Sanctioned})
	}
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC", Jurisdiction: sources.US}, entries...)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := access.Fixed(map[string]string{"facilitator": key})
	if err != nil {
		t.Fatal(err)
	}
	return httpapi.NewHandler(s, keys, nil)
}

// TestPayments runs payments.ts, a facilitator of the SDK with signed payments and without a
// chain, against this server.
func TestPayments(t *testing.T) {
	const compiler = "node_modules/typescript/bin/tsc"
	if _, err := os.Stat(compiler); err != nil && os.Getenv("CI") == "" {
		t.Skip("npm ci --prefix examples/x402 installs what this needs")
	}
	if out, err := exec.Command("node", compiler, "--outDir", "node_modules/.cache/out").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fresh, stale := newAPI(t, nil), newAPI(t, &screening.Options{MaxAge: time.Nanosecond})
	var isStale atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/stale", r.URL.Path == "/fresh":
			isStale.Store(r.URL.Path == "/stale")
		case strings.HasPrefix(r.URL.Path, "/slow"):
			io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
			<-r.Context().Done()
		case isStale.Load():
			stale.ServeHTTP(w, r)
		default:
			fresh.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	cmd := exec.Command("node", "node_modules/.cache/out/payments.js")
	cmd.Env = append(os.Environ(), "URL_CLEAN="+server.URL, "KEY="+key)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		said[name] = what
	}
	for _, method := range []string{"eip3009", "permit2"} {
		for name, want := range map[string]string{
			"clean verify": "ok", "clean settle": "ok", "before stale verify": "ok",
			"listed payer verify": "SANCTIONED by OFAC_SDN", "listed payer settle": "SANCTIONED by OFAC_SDN",
			"listed payee verify": "SANCTIONED by OFAC_SDN", "listed payee settle": "SANCTIONED by OFAC_SDN",
			"stale settle": "status 503", "down verify": "not screened", "slow verify": "not screened", "scheme verify": "unknown scheme",
		} {
			got := said[method+" "+name]
			if want == "ok" && got != "ok" || !strings.Contains(got, want) {
				t.Errorf("%s %s: %q, want %q", method, name, got, want)
			}
		}
	}
}
