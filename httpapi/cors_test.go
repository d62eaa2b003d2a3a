package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestCORS checks that only the origins of Options.Origins may read responses.
func TestCORS(t *testing.T) {
	s := newLoadedScreener(t)
	for _, tt := range []struct {
		origins []string
		origin  string
		allowed bool
	}{
		{nil, "https://app.example", false},
		{[]string{"https://app.example"}, "https://app.example", true},
		{[]string{"https://app.example"}, "https://app.example.evil", false},
		{[]string{"https://app.example"}, "http://app.example", false},
		{[]string{"https://app.example"}, "null", false},
		{[]string{"https://app.example"}, "", false},
		{[]string{"https://a.example", "https://b.example"}, "https://b.example", true},
		{[]string{"*"}, "https://any.example", true},
	} {
		opts := &httpapi.Options{Origins: tt.origins}
		all := []http.Handler{httpapi.NewHandler(s, testKeys(t), opts), httpapi.Admit(testKeys(t), "reports", opts, "POST")(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))}
		for i, method := range []string{"OPTIONS", "OPTIONS", "POST", "POST"} {
			h := all[i%2]
			r := httptest.NewRequest(method, "/api/v1/screen", strings.NewReader(question))
			r.Header.Set("Authorization", "Bearer "+testKey)
			r.Header.Set("Content-Type", "application/json")
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			header := w.Header()
			want := ""
			if tt.allowed {
				want = tt.origin
			}
			if got := header.Get("Access-Control-Allow-Origin"); got != want || header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s from %q with %q: allowed is %q, want %q", method, tt.origin, tt.origins, got, want)
			}
			if (header.Get("Vary") == "Origin") != (tt.origins != nil) {
				t.Errorf("%s from %q with %q: Vary is %q", method, tt.origin, tt.origins, header.Get("Vary"))
			}
			preflight := method == http.MethodOptions && tt.allowed
			if got := header.Get("Access-Control-Allow-Headers"); strings.Contains(got, "Authorization") != preflight {
				t.Errorf("%s from %q with %q: allowed headers are %q", method, tt.origin, tt.origins, got)
			}
			if got := header.Get("Access-Control-Allow-Methods"); (got == "POST, OPTIONS") != preflight {
				t.Errorf("%s from %q with %q: allowed methods are %q", method, tt.origin, tt.origins, got)
			}
		}
	}
}
