package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestPrefix checks which paths lead to an endpoint, with and without Options.Prefix.
func TestPrefix(t *testing.T) {
	for prefix, paths := range map[string]map[string]int{
		"": {"/api/v1/sources": 200, "/x/api/v1/sources": 200, "/risk/public/api/v1/sources": 200,
			"/docs/api/v1/sources": 200, "/x%2Fapi/v1/sources": 404, "//api/v1/sources": 404, "/x//api/v1/sources": 404,
			"/x/../api/v1/sources": 404, "/x%20y/api/v1/sources": 200},
		"/": {
			"/api/v1/sources": 200, "//api/v1/sources": 404, "///api/v1/sources": 404, "/api/v1//sources": 404, "/api/v1/./sources": 404, "/API/v1/sources": 404,
			"/x/api/v1/sources": 404, "/risk/public/api/v1/sources": 404,
			"/x/../api/v1/sources": 404, "/api/v1/sources/": 404, "/api%2Fv1/sources": 404, "/%61pi/v1/sources": 404, "/": 404,
		},
		"/a/b": {
			"/a/b/api/v1/sources": 200, "/a/b//api/v1/sources": 404, "/a/b/openapi.yaml": 200, "/api/v1/sources": 404,
			"/a/api/v1/sources":     404,
			"/a/b/c/api/v1/sources": 404, "/a/bapi/v1/sources": 404, "/x/a/b/api/v1/sources": 404, "/a%2Fb/api/v1/sources": 404, "//a/b/api/v1/sources": 404,
		},
		"/a/b/": {"/a/b/api/v1/sources": 200, "/a/b//api/v1/sources": 404, "/api/v1/sources": 404},
	} {
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Prefix: prefix})
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
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Prefix: "/"})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://example.org"+path, nil))
		if w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" || strings.Contains(w.Body.String(), "hunter2") {
			t.Errorf("%s: status %d, %s, %s", path, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}
