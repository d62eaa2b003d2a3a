package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// key is the API key in the exchanges.
const key = "wsk_TEST0TEST0TEST0TEST0"

// TestRouters checks that under each router, the exchanges of package httpapi have the
// same responses as with the handler alone.
func TestRouters(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	keys, err := access.Fixed(map[string]string{"test": key})
	if err != nil {
		t.Fatal(err)
	}
	requests := readRequests(t)
	for _, router := range []string{"mux", "stripprefix", "endpoints", "chi", "gin", "echo"} {
		t.Run(router, func(t *testing.T) {
			alone, h := httpapi.NewHandler(s, keys, nil), newRouter(router, s, keys, httpapi.Options{})
			statuses := make(map[int]int)
			for _, name := range slices.Sorted(maps.Keys(requests)) { // usage tells how many went before
				text := requests[name]
				want, got := play(t, alone, text, ""), play(t, h, text, "/compliance")
				if got != want {
					t.Errorf("%s:\n got %s\nwant %s", name, got, want)
				}
				status, _ := strconv.Atoi(got[:3])
				statuses[status]++
			}
			for _, status := range []int{200, 204, 304, 400, 401, 405, 413, 415} {
				if statuses[status] == 0 {
					t.Errorf("no answer has status %d", status)
				}
			}
			for _, path := range []string{
				"/api/v1/sources", "/x/api/v1/sources", "/compliance/x/api/v1/sources", "/compliance/compliance/api/v1/sources",
				"/compliance/public/api/v1/sources", "/compliance/x/openapi.yaml", "/x/compliance/api/v1/sources", "/complianceapi/v1/sources",
			} {
				r := httptest.NewRequest("GET", path, nil)
				r.Header.Set("Authorization", "Bearer "+key)
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != 404 {
					t.Errorf("%s: status %d", path, w.Code)
				}
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/hello", nil))
			if w.Code != 200 || w.Body.String() != "Hello.\n" {
				t.Errorf("the application's own route: %d %q", w.Code, w.Body)
			}
		})
	}
}

// endpoint is the beginning of a request to an endpoint, of a method that all routers
// know.
var endpoint = regexp.MustCompile(`^(GET|HEAD|POST|PUT|DELETE|OPTIONS) /api/v1/(sources|screen|screen/batch|validate|changes|usage)[ ?]`)

// readRequests returns the requests of the exchanges by their names: all those
// that are sent to an endpoint.
func readRequests(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../httpapi/testdata/exchanges/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	const withKey = " HTTP/1.1\nHost: x\nAuthorization: Bearer " + key + "\n"
	all := map[string]string{
		"not modified": "GET /api/v1/sources" + withKey + "If-None-Match: *\n\n",
		"large body":   "POST /api/v1/screen" + withKey + "Content-Type: application/json\n\n" + strings.Repeat(" ", 17<<10),
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, request, _ := strings.Cut(string(text), "-- request --\n")
		request, _, ok := strings.Cut(request, "-- response --\n")
		if !ok {
			t.Fatalf("%s: no request", name)
		}
		if endpoint.MatchString(request) {
			all[filepath.Base(name)] = request
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d requests", len(all))
	}
	return all
}

// ofTheMoment matches the parts that differ from one answer to the next.
var ofTheMoment = regexp.MustCompile(`"age_seconds":\d+|"screened_at":"[^"]*"`)

// play returns what h answers to a request whose path is put behind a prefix.
func play(t *testing.T, h http.Handler, text, prefix string) string {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	body = strings.TrimSuffix(body, "\n")
	head = strings.ReplaceAll(strings.Replace(strings.TrimSuffix(head, "\n"), " /", " "+prefix+"/", 1), "\n", "\r\n")
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(fmt.Sprintf("%s\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body))))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	id := w.Header().Get("X-Request-Id")
	var b bytes.Buffer
	fmt.Fprintln(&b, w.Code)
	w.Header().Write(&b)
	b.Write(ofTheMoment.ReplaceAll(w.Body.Bytes(), []byte("OF THE MOMENT")))
	return strings.ReplaceAll(b.String(), id, "REQUEST-ID")
}
