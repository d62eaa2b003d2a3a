package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestClientRate checks that -client-rate limits requests without a key, per address that
// the proxy names in -client-field, and not those with one.
func TestClientRate(t *testing.T) {
	s := start(t, append(shortest, "-client-rate", "0.1", "-client-field", "X-Real-IP")...)
	defer s.stop()
	get := func(from, path, key string) int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Real-IP", from)
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		resp, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if (resp.StatusCode == 429) != (resp.Header.Get("Retry-After") != "") {
			t.Errorf("status %d with Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
		}
		return resp.StatusCode
	}
	for _, from := range []string{"192.0.2.1", "192.0.2.2"} {
		if got := get(from, "/openapi.yaml", ""); got != 200 {
			t.Errorf("%s: status %d, want 200", from, got)
		}
		if got := get(from, "/api/v1/sources", "wsk_unknown"); got != 429 {
			t.Errorf("%s again: status %d, want 429", from, got)
		}
		for range 3 {
			if got := get(from, "/api/v1/sources", s.key); got != 200 {
				t.Errorf("%s with a key: status %d, want 200", from, got)
			}
		}
	}
}

// TestFromProxy checks which address a request counts for.
func TestFromProxy(t *testing.T) {
	for _, tt := range []struct{ values, peer, want string }{
		{"192.0.2.1", "10.0.0.1:1", "192.0.2.1:0"},
		{"203.0.113.9, 192.0.2.1", "10.0.0.1:1", "192.0.2.1:0"},
		{"203.0.113.9|192.0.2.1", "10.0.0.1:1", "192.0.2.1:0"}, // two fields
		{"192.0.2.1:4711", "10.0.0.1:1", "192.0.2.1:4711"},
		{"2001:db8::7", "10.0.0.1:1", "[2001:db8::7]:0"},
		{"[2001:db8::8]:1", "10.0.0.1:1", "[2001:db8::8]:1"},
		{"192.0.2.1, unknown", "10.0.0.1:1", "10.0.0.1:1"},
		{"", "[fe80::1%eth0]:1", "[fe80::1%eth0]:1"},
		{"", "@", "@"}, // a Unix socket
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.peer
		for value := range strings.SplitSeq(tt.values, "|") {
			r.Header.Add("X-Forwarded-For", value)
		}
		if got := fromProxy(r, "x-forwarded-for").RemoteAddr; got != tt.want {
			t.Errorf("%q from %s counts for %s, want %s", tt.values, tt.peer, got, tt.want)
		}
	}
}

// TestLimitClients checks that there is no limit unless it is asked for, and that wrong
// flags are refused before anything listens.
func TestLimitClients(t *testing.T) {
	for args, want := range map[string]string{
		"-client-rate 0":                   `-client-rate "0": want a number from 0.1, or none`,
		"-client-rate NaN":                 `-client-rate "NaN": want a number`,
		"-client-rate 1 -client-field a:b": `-client-field "a:b": want the name of a header field`,
		"-client-field X-Real-IP":          "-client-field needs -client-rate",
	} {
		if err := run(t.Context(), strings.Fields("serve -offline -addr 127.0.0.1:0 "+args), io.Discard); err == nil || !strings.HasPrefix(err.Error(), "serve: "+want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	for _, rate := range []string{"", "none"} {
		opts := &httpapi.Options{}
		if err := (&serveOptions{clientRate: rate}).limitClients(opts); err != nil || opts.ClientRate != 0 {
			t.Errorf("%q: %v, %v", rate, opts.ClientRate, err)
		}
	}
}
