package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestDate: a result has the Date of its second, unless who wraps the handler has
// said what it is, or that there is none.
func TestDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
		for range 5 {
			time.Sleep(600 * time.Millisecond)
			want := time.Now().UTC().Format(http.TimeFormat)
			for range 2 {
				if got := post(h, strings.NewReader(question)).Header()["Date"]; len(got) != 1 || got[0] != want {
					t.Errorf("Date %q, want %s", got, want)
				}
			}
		}
		for _, values := range [][]string{nil, {"Thu, 01 Jan 1970 00:00:00 GMT"}} {
			w := post(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Date"] = values
				h.ServeHTTP(w, r)
			}), strings.NewReader(question))
			if got := w.Header()["Date"]; w.Code != http.StatusOK || strings.Join(got, ",") != strings.Join(values, ",") {
				t.Errorf("status %d, Date %q, want %q", w.Code, got, values)
			}
		}
	})
}

// TestOneDate: over a connection there is one Date, in all answers.
func TestOneDate(t *testing.T) {
	server := httptest.NewServer(httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil))
	defer server.Close()
	for _, key := range []string{testKey, "wrong"} {
		r, err := http.NewRequest("POST", server.URL+"/api/v1/screen", strings.NewReader(question))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		at, err := http.ParseTime(resp.Header.Get("Date"))
		if off := time.Since(at); err != nil || off < 0 || off > time.Minute || len(resp.Header["Date"]) != 1 {
			t.Errorf("status %d: Date %q", resp.StatusCode, resp.Header["Date"])
		}
	}
}
