package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// BenchmarkAdmit measures the work for a key, without reading the request and writing
// the response: authorization, burst limit, quota, and the RateLimit fields.
func BenchmarkAdmit(b *testing.B) {
	store := access.NewMemory()
	limited := issue(b, store, access.Key{ID: "limited", Quota: 1 << 40, Rate: 1e6, Burst: 1e9})
	free := issue(b, store, access.Key{ID: "free"})
	ring := access.New(store, nil)
	defer ring.Close(b.Context())
	for _, bench := range []struct {
		name  string
		keys  httpapi.Authorizer
		token string
	}{{"limited", ring, limited}, {"free", ring, free}, {"fixed", testKeys(b), testKey}} {
		admit := httpapi.Charge(bench.keys, ring)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest("POST", "/api/v1/screen", nil)
			r.Header.Set("Authorization", "Bearer "+bench.token)
			for b.Loop() {
				admit(r)
			}
		})
		b.Run(bench.name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				r := httptest.NewRequest("POST", "/api/v1/screen", nil)
				r.Header.Set("Authorization", "Bearer "+bench.token)
				for pb.Next() {
					admit(r)
				}
			})
		})
	}
}

// BenchmarkScreenLimited measures a screening with a key that has limits, from the
// parsed header of the request to the header of the response. fields is a handler that
// only sets the same number of fields.
func BenchmarkScreenLimited(b *testing.B) {
	store := access.NewMemory()
	token := issue(b, store, access.Key{ID: "limited", Quota: 1 << 40, Rate: 1e6, Burst: 1e9})
	ring := access.New(store, nil)
	defer ring.Close(b.Context())
	values := []string{"constant"}
	for _, bench := range []struct {
		name string
		h    http.Handler
	}{
		{"fields", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, name := range []string{"X-Request-Id", "X-Content-Type-Options", "Cache-Control", "Ratelimit-Policy", "Ratelimit", "Content-Type"} {
				w.Header()[name] = values
			}
			w.WriteHeader(http.StatusOK)
		})},
		{"all", httpapi.NewHandler(newLoadedScreener(b), ring, &httpapi.Options{Meter: ring})},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			body := strings.NewReader("")
			r := httptest.NewRequest("POST", "/api/v1/screen", body)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Content-Length", strconv.Itoa(len(clean)))
			for b.Loop() {
				body.Reset(clean)
				bench.h.ServeHTTP(sink{http.Header{}}, r)
			}
		})
	}
}

// BenchmarkBatch measures screenings over a connection on the loopback interface, with a
// key that has limits: one by one, and in batches. Compare the time per address.
func BenchmarkBatch(b *testing.B) {
	store := access.NewMemory()
	token := issue(b, store, access.Key{ID: "limited", Quota: 1 << 40, Rate: 1e6, Burst: 1e9})
	ring := access.New(store, nil)
	defer ring.Close(b.Context())
	server := httptest.NewServer(httpapi.NewHandler(newLoadedScreener(b), ring, &httpapi.Options{Meter: ring}))
	defer server.Close()
	for _, n := range []int{1, 10, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			path, body := "/api/v1/screen", clean
			if n > 1 {
				path, body = path+"/batch", `{"items":[`+strings.Repeat(clean+",", n-1)+clean+`]}`
			}
			for b.Loop() {
				r, err := http.NewRequest("POST", server.URL+path, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				answer, err := server.Client().Do(r)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if answer.StatusCode != 200 {
					b.Fatalf("status %d", answer.StatusCode)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/address")
		})
	}
}
