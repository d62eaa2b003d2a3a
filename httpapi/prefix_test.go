package httpapi_test

import (
	"net/http/httptest"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/docs"
)

// TestPrefix checks which paths lead to an endpoint, with and without Options.Prefix.
func TestPrefix(t *testing.T) {
	for prefix, paths := range map[string]map[string]int{
		"": {"/api/v1/sources": 200, "/x/api/v1/sources": 200, "/risk/public/api/v1/sources": 200, "/x/docs": 200, "/x/docs/docs.js": 200, "/x/docs/none": 404,
			"/docs/api/v1/sources": 200, "/x%2Fapi/v1/sources": 404},
		"/": {
			"/api/v1/sources": 200, "//api/v1/sources": 200, "/docs": 200, "/docs/docs.css": 200, "//docs": 200, "/x/docs/docs.css": 404, "/docs/": 404,
			"/docs%2Fdocs.css": 404, "/x/api/v1/sources": 404, "/risk/public/api/v1/sources": 404,
			"/x/docs": 404, "/x/../api/v1/sources": 404, "/api/v1/sources/": 404, "/api%2Fv1/sources": 404, "/%61pi/v1/sources": 200, "/": 404,
		},
		"/a/b": {
			"/a/b/api/v1/sources": 200, "/a/b//api/v1/sources": 200, "/a/b/openapi.yaml": 200, "/a/b/docs/swagger-ui.css": 200, "/docs": 404, "/api/v1/sources": 404,
			"/a/api/v1/sources":     404,
			"/a/b/c/api/v1/sources": 404, "/a/bapi/v1/sources": 404, "/x/a/b/api/v1/sources": 404, "/a%2Fb/api/v1/sources": 404, "//a/b/api/v1/sources": 404,
		},
		"/a/b/": {"/a/b/api/v1/sources": 200, "/a/b//api/v1/sources": 200, "/api/v1/sources": 404},
	} {
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Prefix: prefix, Docs: docs.New()})
		for path, want := range paths {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Authorization", "Bearer "+testKey)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("prefix %q, path %q: status %d, want %d", prefix, path, w.Code, want)
			}
		}
	}
}
