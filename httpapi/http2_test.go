package httpapi_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestHTTP2 checks that responses over HTTP/2 are the same as over HTTP/1.1.
func TestHTTP2(t *testing.T) {
	names, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	var servers []*httptest.Server
	for _, h2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(h)
		server.EnableHTTP2 = h2
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		server.StartTLS()
		defer server.Close()
		servers = append(servers, server)
	}
	played := 0
	for _, name := range names {
		x := readExchange(t, name)
		if x.settings["lists"] != "loaded" || x.settings["grant"] != "" {
			continue // of another handler than h
		}
		var answers []string
		for i, server := range servers {
			r := newRequest(t, x.request)
			at, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			r.RequestURI, r.URL.Scheme, r.URL.Host = "", at.Scheme, at.Host
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if resp.ProtoMajor != 1+i {
				t.Fatalf("%s: answered over HTTP/%d", name, resp.ProtoMajor)
			}
			answers = append(answers, describe(t, resp))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s: over HTTP/1.1:\n%s\nover HTTP/2:\n%s", name, answers[0], answers[1])
		}
		played++
	}
	if played < 50 {
		t.Errorf("only %d exchanges", played)
	}
}

var ofTheMoment = regexp.MustCompile(`"(age_seconds|screened_at)":(\d+|"[^"]*")`)

// describe returns a response as text, without the parts that vary.
func describe(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	id := resp.Header.Get("X-Request-Id")
	resp.Header.Del("Date")
	var b strings.Builder
	fmt.Fprintln(&b, resp.StatusCode, resp.ContentLength)
	resp.Header.Write(&b)
	b.Write(ofTheMoment.ReplaceAll(body, []byte(`"$1":0`)))
	return strings.ReplaceAll(b.String(), id, "REQUEST-ID")
}
