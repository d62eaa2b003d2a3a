package stablecoin_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/walletscreen/walletscreen/sources"
)

// TestBodies checks that responses of a node and of TronGrid are read like files: the only
// content coding is gzip. No request has
// conditions, so a 304 is an error, with or without validators.
func TestBodies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(resp *http.Response, body []byte) []byte
		ok     bool
	}{
		{"gzip", func(resp *http.Response, body []byte) []byte {
			resp.Header.Set("Content-Encoding", "gzip")
			return gzipped(t, body)
		}, true},
		{"gzip that is cut", func(resp *http.Response, body []byte) []byte {
			resp.Header.Set("Content-Encoding", "gzip")
			z := gzipped(t, body)
			return z[:len(z)-4]
		}, false},
		{"gzip that is none", func(resp *http.Response, body []byte) []byte {
			resp.Header.Set("Content-Encoding", "gzip")
			return body
		}, false},
		{"an encoding that nobody asked for", func(resp *http.Response, body []byte) []byte {
			resp.Header.Set("Content-Encoding", "br")
			return body
		}, false},
		{"304", func(resp *http.Response, body []byte) []byte {
			resp.StatusCode = http.StatusNotModified
			return nil
		}, false},
		{"304 with a validator", func(resp *http.Response, body []byte) []byte {
			resp.StatusCode = http.StatusNotModified
			resp.Header.Set("ETag", `"1"`)
			return nil
		}, false},
	} {
		changed := func(h http.Handler) *http.Client {
			return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "" {
					t.Errorf("%s: a conditional request", tt.name)
				}
				resp, err := transport{h}.RoundTrip(r)
				if err != nil {
					return nil, err
				}
				body, err := io.ReadAll(resp.Body)
				if err != nil {
					return nil, err
				}
				resp.Body = io.NopCloser(bytes.NewReader(tt.change(resp, body)))
				resp.ContentLength = -1
				return resp, nil
			})}
		}
		synctest.Test(t, func(t *testing.T) {
			node := options(eventful())
			node.Client = changed(eventful())
			grid := tronOptions(eventfulGrid())
			grid.Client = changed(eventfulGrid())
			plainNode, plainGrid := options(eventful()), tronOptions(eventfulGrid())
			for name, pair := range map[string][2]sources.Source{
				"node":     {frozenAt(endpoint, node), frozenAt(endpoint, plainNode)},
				"TronGrid": {onTron("https://api.trongrid.io", grid), onTron("https://api.trongrid.io", plainGrid)},
			} {
				got, rev, err := load(pair[0], sources.Revision{})
				want, _, wantErr := load(pair[1], sources.Revision{})
				if wantErr != nil {
					t.Fatal(wantErr)
				}
				if (err == nil) != tt.ok || tt.ok && !slices.Equal(got, want) || !tt.ok && (got != nil || !rev.IsZero()) {
					t.Errorf("%s, %s: %d entries, %v; want a list: %v", name, tt.name, len(got), err, tt.ok)
				}
				if err != nil && strings.Contains(err.Error(), endpoint) {
					t.Errorf("%s, %s: error %v names the endpoint", name, tt.name, err)
				}
			}
		})
	}
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
