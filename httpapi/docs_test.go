package httpapi_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestDocuments checks that the document is the same for all callers and under any
// prefix, and that it can be cached.
func TestDocuments(t *testing.T) {
	h := httpapi.NewHandler(nil, nil, nil)
	endpoints := httpapi.NewEndpoints(nil, nil, nil)
	for _, tt := range []struct {
		path, file, media string
		endpoint          http.Handler
	}{
		{"/openapi.yaml", "openapi.yaml", "application/yaml", endpoints["/openapi.yaml"]},
	} {
		want := readFile(t, tt.file)
		w := get(h, "GET", "/any/prefix"+tt.path)
		if w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != tt.media ||
			w.Header().Get("Content-Length") != strconv.Itoa(len(want)) {
			t.Fatalf("%s: status %d, %d bytes, %v", tt.path, w.Code, w.Body.Len(), w.Header())
		}
		for name, want := range map[string]string{
			"Cache-Control": "public, max-age=300", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Opener-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", tt.path, name, got, want)
			}
		}
		etag := w.Header().Get("ETag")
		if w := get(tt.endpoint, "GET", "/elsewhere"); w.Body.String() != want || w.Header().Get("ETag") != etag {
			t.Errorf("%s: the endpoint answers %d", tt.path, w.Code)
		}
		if w := get(h, "HEAD", tt.path); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("Content-Length") != strconv.Itoa(len(want)) ||
			w.Header().Get("ETag") != etag {
			t.Errorf("%s: HEAD: status %d, %d bytes, %v", tt.path, w.Code, w.Body.Len(), w.Header())
		}
		for _, method := range []string{"GET", "HEAD"} {
			for _, same := range [][]string{{etag}, {"W/" + etag}, {`"x", ` + etag}, {`"x"`, "\t" + etag}, {"*"}} {
				w := get(h, method, tt.path, same...)
				if w.Code != 304 || w.Body.Len() > 0 || w.Header().Get("ETag") != etag || w.Header().Get("Content-Type") != "" ||
					w.Header().Get("Content-Length") != "" {
					t.Errorf("%s: %s with If-None-Match %q: status %d, %d bytes, %v", tt.path, method, same, w.Code, w.Body.Len(), w.Header())
				}
			}
			for _, other := range [][]string{{`"x"`}, {strings.Trim(etag, `"`)}, {""}} {
				if w := get(h, method, tt.path, other...); w.Code != 200 {
					t.Errorf("%s: %s with If-None-Match %q: status %d", tt.path, method, other, w.Code)
				}
			}
		}
		for match, want := range map[string]int{etag: 200, "*": 200, "W/" + etag: 412, `"x"`: 412, "": 412} {
			r, w := httptest.NewRequest("GET", tt.path, nil), httptest.NewRecorder()
			r.Header["If-Match"], r.Header["If-None-Match"] = []string{match}, []string{`"y"`}
			h.ServeHTTP(w, r)
			if w.Code != want || (w.Header().Get("ETag") == "") != (want == 412) || want == 412 && w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s with If-Match %q: status %d, %v", tt.path, match, w.Code, w.Header())
			}
		}
		for method, want := range map[string]int{"OPTIONS": 204, "POST": 405, "DELETE": 405} {
			if w := get(h, method, tt.path); w.Code != want || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" ||
				w.Header().Get("Cache-Control") != "no-store" ||
				w.Header().Get("ETag") != "" {
				t.Errorf("%s: %s: status %d, want %d: %v", tt.path, method, w.Code, want, w.Header())
			}
		}
		if w := get(h, "GET", tt.path+"/"); w.Code != 404 {
			t.Errorf("%s/: status %d", tt.path, w.Code)
		}
	}
}

func get(h http.Handler, method, path string, ifNoneMatch ...string) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
	r.Header["If-None-Match"] = ifNoneMatch
	h.ServeHTTP(w, r)
	return w
}

// TestDocumentsPacked asks for the document with gzip, which has an ETag of its own.
func TestDocumentsPacked(t *testing.T) {
	h := httpapi.NewHandler(nil, nil, nil)
	ask := func(header ...string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", "/openapi.yaml", nil), httptest.NewRecorder()
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		h.ServeHTTP(w, r)
		return w
	}
	plain, refused, packed := ask(), ask("Accept-Encoding", "br, gzip;q=0"), ask("Accept-Encoding", "gzip, br")
	for _, w := range []*httptest.ResponseRecorder{plain, refused, packed} {
		if w.Code != 200 || w.Header().Get("Vary") != "Accept-Encoding" || (w.Header().Get("Content-Encoding") == "gzip") != (w == packed) {
			t.Errorf("status %d, %v", w.Code, w.Header())
		}
	}
	if n := packed.Body.Len(); n > 40_000 {
		t.Errorf("%d bytes with gzip, want at most 40,000", n)
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain.Body.String() || refused.Body.String() != plain.Body.String() {
		t.Errorf("with gzip it is another document: %v", err)
	}
	tag := packed.Header().Get("ETag")
	if w := ask("Accept-Encoding", "gzip", "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 || w.Header().Get("Content-Encoding") != "" ||
		tag == plain.Header().Get("ETag") {
		t.Errorf("ETag %s: status %d, %v", tag, w.Code, w.Header())
	}
}
