package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/docs"
)

// TestPrefix checks which paths lead to an endpoint, with and without Options.Prefix.
func TestPrefix(t *testing.T) {
	for prefix, paths := range map[string]map[string]int{
		"": {"/api/v1/sources": 200, "/x/api/v1/sources": 200, "/risk/public/api/v1/sources": 200, "/x/docs": 200, "/x/docs/docs.js": 200, "/x/docs/none": 404,
			"/docs/api/v1/sources": 200, "/x%2Fapi/v1/sources": 404, "//api/v1/sources": 404, "/x//api/v1/sources": 404,
			"/x/../api/v1/sources": 404, "/x%20y/api/v1/sources": 200},
		"/": {
			"/api/v1/sources": 200, "//api/v1/sources": 404, "///api/v1/sources": 404, "/docs": 200, "/docs/docs.css": 200, "//docs": 404, "/docs//docs.css": 404, "/docs/x/docs/docs.css": 404, "/docs/../docs/docs.css": 404, "/api/v1//sources": 404, "/api/v1/./sources": 404, "/API/v1/sources": 404, "/x/docs/docs.css": 404, "/docs/": 404,
			"/docs%2Fdocs.css": 404, "/x/api/v1/sources": 404, "/risk/public/api/v1/sources": 404,
			"/x/docs": 404, "/x/../api/v1/sources": 404, "/api/v1/sources/": 404, "/api%2Fv1/sources": 404, "/%61pi/v1/sources": 404, "/": 404,
		},
		"/a/b": {
			"/a/b/api/v1/sources": 200, "/a/b//api/v1/sources": 404, "/a/b/openapi.yaml": 200, "/a/b/docs/swagger-ui.css": 200, "/docs": 404, "/api/v1/sources": 404,
			"/a/api/v1/sources":     404,
			"/a/b/c/api/v1/sources": 404, "/a/bapi/v1/sources": 404, "/x/a/b/api/v1/sources": 404, "/a%2Fb/api/v1/sources": 404, "//a/b/api/v1/sources": 404,
		},
		"/a/b/": {"/a/b/api/v1/sources": 200, "/a/b//api/v1/sources": 404, "/api/v1/sources": 404},
	} {
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Prefix: prefix, Docs: docs.New()})
		for path, want := range paths {
			r := httptest.NewRequest("GET", "http://example.org"+path, nil)
			r.Header.Set("Authorization", "Bearer "+testKey)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("prefix %q, path %q: status %d, want %d", prefix, path, w.Code, want)
			}
		}
	}
}

// A key that somebody put into a path is not repeated, whatever it looks like.
func TestInstanceHasNoKey(t *testing.T) {
	for _, path := range []string{"/hunter2", "/api/v1/hunter2", "/docs/hunter2", "/docs/hunter2/x", "/api/v1/screen/hunter2", "//hunter2/docs"} {
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Prefix: "/", Docs: docs.New()})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://example.org"+path, nil))
		if w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" || strings.Contains(w.Body.String(), "hunter2") {
			t.Errorf("%s: status %d, %s, %s", path, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

// A page whose ETag is not in If-Match is a 412 in the form of a problem.
func TestDocsChanged(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Prefix: "/", Docs: docs.New()})
	for _, path := range []string{"/docs", "/docs/docs.js", "/openapi.yaml"} {
		r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
		r.Header.Set("If-Match", `"another"`)
		r.Header.Set("Accept-Encoding", "gzip")
		h.ServeHTTP(w, r)
		if err := checkAnswer("GET", w); err != nil || w.Code != 412 || !strings.Contains(w.Body.String(), `"code":"precondition_failed"`) ||
			w.Header().Get("Content-Encoding") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: status %d, %v, %v, %s", path, w.Code, err, w.Header(), w.Body)
		}
	}
}
