// Platform shows the screening API in a service as a platform team builds it: a router of chi,
// callers with a JWT of their identity provider, traces of OpenTelemetry and metrics of Prometheus.
// A route of the service itself, POST /withdrawals, screens in-process.
//
//	cd examples/mount && go run ./platform
//
// It makes the key that signs tokens, and prints a token and a curl line to try.
package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

const audience = "screening" // in the tokens of this service

// byJWT knows callers by the token that the identity provider has signed.
type byJWT struct {
	key    ed25519.PublicKey
	issuer string
}

// claims are the claims of a token. The monthly quota is a claim of our own.
type claims struct {
	jwt.RegisteredClaims
	Scope string `json:"scope"`
	Quota int64  `json:"quota"`
}

// Authorize returns the caller of r. A token without a scope has no rights, although a Caller
// without scopes has all.
func (a byJWT) Authorize(r *http.Request) (httpapi.Caller, error) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return httpapi.Caller{}, httpapi.ErrNoCredentials
	}
	var c claims
	_, err := jwt.ParseWithClaims(text, &c, func(*jwt.Token) (any, error) { return a.key, nil },
		jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithIssuer(a.issuer), jwt.WithAudience(audience), jwt.WithExpirationRequired())
	if err != nil || c.Subject == "" || strings.TrimSpace(c.Scope) == "" || c.Quota <= 0 {
		return httpapi.Caller{}, httpapi.ErrUnauthorized // the reason is not for the client
	}
	return httpapi.Caller{ID: c.Subject, Scopes: c.Scope, Quota: c.Quota}, nil
}

// A service has what the handlers use.
type service struct {
	lists *screening.Screener
	auth  httpapi.Authorizer
	meter *access.Keyring // counts for quotas
	meets *metrics.Metrics
}

// observe measures an answer of the API, and adds to its span what it was, without the address.
func (s *service) observe(ctx context.Context, o httpapi.Observation) {
	s.meets.Observe(ctx, o)
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(attribute.String("screening.route", o.Route), attribute.String("screening.caller", o.CallerID), attribute.String("screening.request_id", o.RequestID))
	if len(o.Screenings) == 1 {
		span.SetAttributes(attribute.String("screening.level", string(o.Screenings[0].Result.Level)))
	}
}

// withdraw stands for a route of the service: it refuses any address that is not clear.
func (s *service) withdraw(w http.ResponseWriter, r *http.Request) {
	caller, err := s.auth.Authorize(r)
	if err != nil || !slices.Contains(strings.Fields(caller.Scopes), "withdraw") {
		http.Error(w, "not authorized", http.StatusUnauthorized)
		return
	}
	var to struct{ Chain, Address string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(&to); err != nil {
		http.Error(w, "want a JSON object with chain and address", http.StatusBadRequest)
		return
	}
	result, reading, err := s.lists.ScreenInput(to.Chain, to.Address)
	trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("screening.level", string(result.Level)))
	switch {
	case reading.Err != nil: // a typing error, which the user can correct
		http.Error(w, reading.Err.Error(), http.StatusBadRequest)
	case len(result.Labels)+len(result.Doubts) > 0: // for a person to decide; the client is not told why
		http.Error(w, "the withdrawal is on hold", http.StatusForbidden)
	case err != nil || !result.AllClear(): // a list is missing or too old: nobody knows
		http.Error(w, "screening is not available", http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "accepted")
	}
}

// handler returns the routes of the service.
func (s *service) handler(tracer trace.TracerProvider, registry *prometheus.Registry) http.Handler {
	registry.MustRegister(s.meets)
	api := httpapi.NewHandler(s.lists, s.auth, &httpapi.Options{Prefix: "/compliance", Meter: s.meter, Observe: s.observe})
	r := chi.NewRouter()
	r.Use(middleware.Recoverer, otelhttp.NewMiddleware("platform", otelhttp.WithTracerProvider(tracer), otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }))) // a path may have an address in it
	r.Post("/withdrawals", s.withdraw)
	r.Mount("/compliance", api)
	r.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{})) // on a port of its own where others reach this one
	return r
}

// newService returns the service with the lists of srcs, which it does not load.
func newService(auth httpapi.Authorizer, srcs ...sources.Source) (*service, error) {
	lists, err := screening.New(srcs, &screening.Options{})
	if err != nil {
		return nil, err
	}
	s := &service{lists, auth, access.New(access.NewMemory(), nil), metrics.New(200)}
	s.meets.Watch(lists, s.meter, nil)
	return s, nil
}

// token returns a token for trying out.
func token(key ed25519.PrivateKey, issuer, subject, scope string, now time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{jwt.RegisteredClaims{
		Issuer: issuer, Subject: subject, Audience: []string{audience}, ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour)),
	}, scope, 1000}).SignedString(key)
}

func run(ctx context.Context, addr, issuer string) error {
	public, private, err := ed25519.GenerateKey(nil) // in place of the public key of the identity provider
	if err != nil {
		return err
	}
	text, err := token(private, issuer, "billing", "screen sources withdraw", time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "curl -H 'Authorization: Bearer %s' http://%s/compliance/api/v1/sources\n", text, addr)
	s, err := newService(byJWT{public, issuer}, sources.Seeded(ofac.New(nil), bundle.OFAC()), sources.Seeded(eu.New(nil), bundle.EU()))
	if err != nil {
		return err
	}
	if _, err := s.lists.Open(ctx); err != nil { // from the bundle, at once
		return err
	}
	go s.lists.Run(ctx, time.Hour)                                   // from the publishers
	spans, err := stdouttrace.New(stdouttrace.WithWriter(os.Stderr)) // otlptracehttp.New sends them to a collector
	if err != nil {
		return err
	}
	tracer := sdk.NewTracerProvider(sdk.WithBatcher(spans))
	server := &http.Server{Addr: addr, Handler: s.handler(tracer, prometheus.NewRegistry()), ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.ListenAndServe() }()
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer done()
	return errors.Join(err, server.Shutdown(last), s.meter.Close(last), tracer.Shutdown(last))
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on")
	issuer := flag.String("issuer", "https://id.example", "issuer of the tokens")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *issuer); err != nil {
		log.Fatal(err)
	}
}
