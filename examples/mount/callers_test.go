package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// An authorizer is an Authorizer of the application.
type authorizer func(*http.Request) (httpapi.Caller, error)

func (f authorizer) Authorize(r *http.Request) (httpapi.Caller, error) { return f(r) }

// quota is the number of addresses each caller of the test may screen in a month.
const quota = 2

// bySession knows users who have signed in by their cookie.
func bySession(r *http.Request) (httpapi.Caller, error) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return httpapi.Caller{}, httpapi.ErrNoCredentials
	}
	if cookie.Value != "4f1c" {
		return httpapi.Caller{}, httpapi.ErrUnauthorized
	}
	return httpapi.Caller{ID: "user@corp.example", Quota: quota}, nil
}

// byCertificate knows clients by the name in a certificate that the server has
// verified.
func byCertificate(r *http.Request) (httpapi.Caller, error) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return httpapi.Caller{}, httpapi.ErrNoCredentials
	}
	return httpapi.Caller{ID: r.TLS.PeerCertificates[0].Subject.CommonName, Quota: quota}, nil
}

// byGateway knows callers by a field that the gateway before the server sets.
func byGateway(r *http.Request) (httpapi.Caller, error) {
	id := r.Header.Get("X-Consumer-Username")
	if id == "" {
		return httpapi.Caller{}, httpapi.ErrNoCredentials
	}
	return httpapi.Caller{ID: id, Quota: quota}, nil
}

// TestCallers mounts the API behind cookie sessions, client certificates, a field of
// a gateway and API keys, under each router, with traces and metrics. Each kind of
// caller has a quota of its own.
func TestCallers(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mux", "chi", "gin", "echo"} {
		t.Run(name, func(t *testing.T) {
			store := access.NewMemory()
			keys := access.New(store, nil)
			defer keys.Close(t.Context())
			token, k, err := access.NewKey(access.Key{ID: "billing", Quota: quota})
			if err != nil {
				t.Fatal(err)
			}
			if err := store.PutKey(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			m := metrics.New(10)
			m.Watch(s, keys, nil)
			registry := prometheus.NewRegistry()
			registry.MustRegister(m)
			auth := access.First(authorizer(bySession), authorizer(byCertificate), authorizer(byGateway), keys)
			api := newRouter(name, s, auth, httpapi.Options{Meter: keys, Observe: m.Observe})
			spans := tracetest.NewInMemoryExporter()
			tracer := trace.NewTracerProvider(trace.WithSyncer(spans))
			server := httptest.NewUnstartedServer(otelhttp.NewHandler(api, "api", otelhttp.WithTracerProvider(tracer)))
			certificate, pool := newCertificate(t, "partner.example")
			server.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool}
			server.StartTLS()
			defer server.Close()

			plain, withCertificate := server.Client(), &http.Client{Transport: server.Client().Transport.(*http.Transport).Clone()}
			withCertificate.Transport.(*http.Transport).TLSClientConfig.Certificates = []tls.Certificate{certificate}
			for _, tt := range []struct {
				id     string
				client *http.Client
				set    func(*http.Request)
			}{
				{"user@corp.example", plain, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "session", Value: "4f1c"}) }},
				{"partner.example", withCertificate, func(*http.Request) {}},
				{"gateway-consumer", plain, func(r *http.Request) { r.Header.Set("X-Consumer-Username", "gateway-consumer") }},
				{"billing", plain, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }},
				{"", plain, func(*http.Request) {}},
				{"", plain, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "session", Value: "stolen"}) }},
			} {
				for _, want := range []int{200, 200, 429} {
					if tt.id == "" {
						want = 401
					}
					r, err := http.NewRequest(
						"POST",
						server.URL+"/compliance/api/v1/screen",
						strings.NewReader(`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"}`),
					)
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("Content-Type", "application/json")
					tt.set(r)
					resp, err := tt.client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
					if resp.StatusCode != want || (resp.Header.Get("RateLimit") != "") != (tt.id != "") {
						t.Errorf("%q: status %d, want %d; RateLimit %q", tt.id, resp.StatusCode, want, resp.Header.Get("RateLimit"))
					}
				}
			}
			w := httptest.NewRecorder()
			promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			for _, id := range []string{"user@corp.example", "partner.example", "gateway-consumer", "billing"} {
				if line := fmt.Sprintf("walletscreen_caller_screenings_total{caller=%q} %d\n", id, quota); !bytes.Contains(w.Body.Bytes(), []byte(line)) {
					t.Errorf("the metrics lack %s", line)
				}
			}
			if n := len(spans.GetSpans()); n != 18 {
				t.Errorf("%d spans, want one for each of 18 requests", n)
			}
		})
	}
}

// newCertificate returns a certificate for a client of the given name, and a pool that
// trusts it.
func newCertificate(t *testing.T, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
