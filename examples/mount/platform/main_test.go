package main

import (
	"crypto/ed25519"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	issuer   = "https://id.example"
	listed   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	unlisted = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
)

// TestPlatform asks with tokens of all kinds, before and after the lists are loaded, and looks at
// the metrics and the traces.
func TestPlatform(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newService(byJWT{public, issuer}, sources.Static(sources.Info{ID: "OFAC_SDN", Name: "SDN List", Jurisdiction: sources.US},
		sources.Entry{Address: address.MustParse("ethereum", listed), Kind: score.Sanctioned, Ref: "27307"}))
	if err != nil {
		t.Fatal(err)
	}
	spans := tracetest.NewInMemoryExporter()
	server := httptest.NewServer(s.handler(sdk.NewTracerProvider(sdk.WithSyncer(spans)), prometheus.NewRegistry()))
	defer server.Close()
	now := time.Now()
	sign := func(key ed25519.PrivateKey, issuer, scope string, at time.Time) string {
		text, err := token(key, issuer, "billing", scope, at)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const all = "screen withdraw"
	good := sign(private, issuer, all, now)
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims{jwt.RegisteredClaims{
		Issuer: issuer, Subject: "billing", Audience: []string{audience}, ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour)),
	}, all, 1}).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path, bearer, address string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, server.URL+path, strings.NewReader(fmt.Sprintf(`{"chain":"ethereum","address":%q}`, address)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	const screen, withdraw = "/compliance/api/v1/screen", "/withdrawals"
	for _, path := range []string{screen, withdraw} {
		if status, body := ask(path, good, unlisted); status != http.StatusServiceUnavailable {
			t.Errorf("%s is answered before the lists are loaded: %d %s", path, status, body)
		}
	}
	if _, err := s.lists.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path, bearer, address string
		status                      int
		want                        string
	}{
		{"clean", screen, good, unlisted, 200, `"level":"CLEAN_NO_MATCH"`},
		{"listed", screen, good, listed, 200, `"level":"CRITICAL"`},
		{"clean", withdraw, good, unlisted, 200, "accepted"},
		{"listed", withdraw, good, listed, 403, "on hold"},
		{"doubtful", withdraw, good, strings.Replace(unlisted, "bdf", "bDf", 1), 403, "on hold"},
		{"mistyped", withdraw, good, unlisted[:40], 400, "address"},
		{"no token", screen, "", listed, 401, "missing_credentials"},
		{"expired", screen, sign(private, issuer, all, now.Add(-2*time.Hour)), listed, 401, "invalid_token"},
		{"of another issuer", screen, sign(private, "https://evil.example", all, now), listed, 401, "invalid_token"},
		{"of another key", screen, sign(other, issuer, all, now), listed, 401, "invalid_token"},
		{"not signed", screen, none, listed, 401, "invalid_token"},
		{"without a scope", screen, sign(private, issuer, " ", now), listed, 401, "invalid_token"},
		{"of another scope", screen, sign(private, issuer, "withdraw", now), listed, 403, "insufficient_scope"},
		{"of another scope", withdraw, sign(private, issuer, "screen", now), listed, 401, "not authorized"},
	} {
		if status, body := ask(tt.path, tt.bearer, tt.address); status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s, %s: %d %s, want %d and %q", tt.path, tt.name, status, body, tt.status, tt.want)
		}
	}
	resp, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if want := "walletscreen_caller_screenings_total{caller=\"billing\"} 2\n"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("the metrics lack %q: %v\n%s", want, err, text)
	}
	server.Close() // which waits until the last span has ended
	found := map[string]int{}
	for _, span := range spans.GetSpans() {
		if span.Parent.TraceID().String() == "4bf92f3577b34da6a3ce929d0e0e4736" {
			for _, a := range span.Attributes {
				found[string(a.Key)+"="+a.Value.String()]++
			}
		}
		if text := strings.ToLower(fmt.Sprint(span.Name, span.Attributes, span.Events)); strings.Contains(text, strings.ToLower(listed)) || strings.Contains(text, good) {
			t.Errorf("an address or a token is in a span: %s", text)
		}
	}
	if found["screening.level=CRITICAL"] != 2 || found["screening.caller=billing"] == 0 || found["screening.route=/api/v1/screen"] == 0 {
		t.Errorf("attributes of spans: %v", found)
	}
}

// TestRun starts the program, and stops it.
func TestRun(t *testing.T) {
	if err := run(t.Context(), "127.0.0.1:-1", issuer); err == nil {
		t.Error("it listens on a port that does not exist")
	}
}
