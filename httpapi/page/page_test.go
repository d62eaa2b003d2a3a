package page_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi/page"
)

// get answers a request with the handler.
func get(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// reference finds the files that the page or one of its files loads.
var reference = regexp.MustCompile(`(?:href="|src="|from "\./)([a-z/]+\.(?:js|css|svg))"`)

// TestFiles loads the page and the files that it refers to, like a browser, below
// several mount points.
func TestFiles(t *testing.T) {
	h := page.New()
	stripped := http.NewServeMux()
	stripped.Handle("/x/y/", http.StripPrefix("/x/y", h))
	for _, c := range []struct {
		h    http.Handler
		base string
	}{{h, "/"}, {h, "/some/prefix/"}, {stripped, "/x/y/"}} {
		text := get(c.h, "GET", c.base).Body.String()
		names := map[string]bool{}
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			names[m[1]] = true
		}
		for name := range names {
			w := get(c.h, "GET", c.base+name)
			if w.Code != 200 {
				t.Errorf("%s%s: status %d", c.base, name, w.Code)
			}
			for _, m := range reference.FindAllStringSubmatch(w.Body.String(), -1) {
				if strings.HasSuffix(name, ".js") && !names["page/"+m[1]] {
					t.Errorf("%s imports %s, which the page does not preload", name, m[1])
				}
			}
		}
		if len(names) < 10 {
			t.Errorf("%s: refers to %d files", c.base, len(names))
		}
	}
}

// TestSelfContained checks that the page has no inline scripts or styles, and that no
// file names another host.
func TestSelfContained(t *testing.T) {
	h := page.New()
	text := get(h, "GET", "/").Body.String()
	files := map[string]string{"": text}
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		files[m[1]] = get(h, "GET", "/"+m[1]).Body.String()
	}
	for name, text := range files {
		for _, bad := range []string{`https?://(?:[^w]|w[^w]|ww[^w])`, `style="`, `<style`, `<script>`, ` on[a-z]+="`, `innerHTML`, `outerHTML`,
			`insertAdjacentHTML`, `document\.write`, `\beval\(`, `localStorage`, `document\.cookie`, `indexedDB`} {
			if found := regexp.MustCompile(bad).FindString(text); found != "" {
				t.Errorf("%q contains %q", name, found)
			}
		}
	}
	for _, c := range address.Chains() {
		if !strings.Contains(text, `<option value="`+string(c)+`">`) {
			t.Errorf("the page does not offer %s", c)
		}
	}
}

// TestSize checks the total size of the files that a browser loads for the page.
func TestSize(t *testing.T) {
	h := page.New()
	plain, sent := 0, 0
	text := get(h, "GET", "/").Body.String()
	seen := map[string]bool{}
	for _, m := range append(reference.FindAllStringSubmatch(text, -1), []string{"", ""}) {
		if seen[m[1]] {
			continue
		}
		seen[m[1]] = true
		w := get(h, "GET", "/"+m[1], "Accept-Encoding", "gzip, br")
		sent += w.Body.Len()
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil || string(data) != get(h, "GET", "/"+m[1]).Body.String() {
			t.Errorf("%q: with gzip it is another file: %v", m[1], err)
		}
		plain += len(data)
	}
	t.Logf("%d bytes in %d files, %d as sent", plain, len(seen), sent)
	if sent > 60_000 {
		t.Errorf("the page and its files are %d bytes as sent, want at most 60,000", sent)
	}
}

// TestAnswers checks the status and headers of the handler.
func TestAnswers(t *testing.T) {
	h := page.New()
	tag := get(h, "GET", "/").Header().Get("Etag")
	for _, c := range []struct {
		method, path string
		header       []string
		status       int
		want         string // in a header
	}{
		{"GET", "/", nil, 200, "Content-Type: text/html; charset=utf-8"},
		{"HEAD", "/", nil, 200, "Content-Type: text/html; charset=utf-8"},
		{"GET", "/page/app.js", nil, 200, "Content-Type: text/javascript; charset=utf-8"},
		{"GET", "/page/page.css", nil, 200, "Content-Type: text/css; charset=utf-8"},
		{"GET", "/a/page/icon.svg", nil, 200, "Content-Type: image/svg+xml"},
		{"GET", "/", []string{"If-None-Match", tag}, 304, "Cache-Control: no-cache"},
		{"GET", "/", []string{"Accept-Encoding", "gzip", "If-None-Match", tag}, 200, "Content-Encoding: gzip"},
		{"GET", "/", []string{"Accept-Encoding", "gzip;q=0"}, 200, "Content-Encoding: "},
		{"POST", "/", nil, 405, "Allow: GET, HEAD, OPTIONS"},
		{"OPTIONS", "/", nil, 204, "Allow: GET, HEAD, OPTIONS"},
		{"GET", "/page/", nil, 404, ""},
		{"GET", "/page/page.go", nil, 404, ""},
		{"GET", "/page/../page.go", nil, 404, ""},
		{"GET", "/app.js", nil, 404, ""},
		{"GET", "/index.html", nil, 404, ""},
	} {
		w := get(h, c.method, c.path, c.header...)
		name, value, _ := strings.Cut(c.want, ": ")
		if w.Code != c.status || w.Header().Get(name) != value {
			t.Errorf("%s %s %q: %d, %s: %q; want %d and %q", c.method, c.path, c.header, w.Code, name, w.Header().Get(name), c.status, c.want)
		}
		for name, value := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
				"frame-ancestors 'none'; require-trusted-types-for 'script'; img-src 'self'; trusted-types 'none'",
			"Referrer-Policy":        "no-referrer",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s %s: %s is %q", c.method, c.path, name, got)
			}
		}
	}
}

// TestSlash asks for the mount point without its slash, as behind http.StripPrefix.
func TestSlash(t *testing.T) {
	for path, want := range map[string]string{"/x/y": "./y/", "/x/y?a=b": "./y/", "/x/y%20z": "./y%20z/"} {
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		if w := get(http.StripPrefix(u.Path, page.New()), "GET", path); w.Code != 301 || w.Header().Get("Location") != want {
			t.Errorf("%s: %d to %q, want 301 to %q", path, w.Code, w.Header().Get("Location"), want)
		}
	}
}

func ExampleNew() {
	mux := http.NewServeMux()
	mux.Handle("/screening/{$}", page.New())
	mux.Handle("/screening/page/", page.New())
	// The API goes below the same prefix: mux.Handle("/screening/api/", api).
	w := get(mux, "GET", "/screening/")
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
