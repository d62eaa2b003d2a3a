package contract_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// TestStatuses gets every status that each operation can have, and checks that the
// document has these and no others. 404 and 405 are the answers to other paths and methods.
func TestStatuses(t *testing.T) {
	doc := load(t)
	screener := loaded(t)
	serving := func(caller httpapi.Caller, err error, opts httpapi.Options) http.Handler {
		opts.Meter = meter{}
		return httpapi.NewHandler(screener, authorizer(func() (httpapi.Caller, error) { return caller, err }), &opts)
	}
	caller := httpapi.Caller{ID: "a"}
	good := serving(caller, nil, httpapi.Options{})
	limited := serving(caller, httpapi.ErrUnauthorized, httpapi.Options{ClientRate: 1e-9})
	limited.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	bodies := map[string]string{
		"/api/v1/screen":       `{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h","chain":"bitcoin"}`,
		"/api/v1/screen/batch": `{"items":[{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h","chain":"bitcoin"}]}`,
		"/api/v1/entries":      `{"source":"LIST"}`,
		"/api/v1/validate":     `{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"}`,
	}
	ways := []struct {
		name    string
		handler http.Handler
		query   string
		field   string // of the request, "Name: value"
		body    io.Reader
	}{
		{name: "good", handler: good},
		{name: "a tag that matches", handler: good, field: "If-None-Match: *"},
		{name: "a tag that does not match", handler: good, field: `If-Match: "x"`},
		{name: "a key in the query", handler: good, query: "?api_key=x"},
		{name: "no key", handler: serving(caller, httpapi.ErrNoCredentials, httpapi.Options{})},
		{name: "another scope", handler: serving(httpapi.Caller{ID: "a", Scopes: "other"}, nil, httpapi.Options{})},
		{name: "a late body", handler: good, body: late{}},
		{name: "a long body", handler: good, body: strings.NewReader(strings.Repeat(" ", 1<<20))},
		{name: "a text", handler: good, field: "Content-Type: text/plain"},
		{name: "a key for idempotency that was used", handler: good, field: "Idempotency-Key: x"},
		{name: "too many", handler: limited},
		{name: "a fault", handler: serving(caller, errors.New("broken"), httpapi.Options{})},
		{name: "keys unavailable", handler: serving(caller, httpapi.ErrUnavailable, httpapi.Options{})},
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			had := map[string]string{"404": "", "405": ""}
			for _, way := range ways {
				body := way.body
				if body == nil {
					body = strings.NewReader(bodies[path])
				}
				r := httptest.NewRequest(method, path+way.query, body)
				r.Header.Set("Content-Type", "application/json")
				if name, value, ok := strings.Cut(way.field, ": "); ok {
					r.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				way.handler.ServeHTTP(w, r)
				had[strconv.Itoa(w.Code)] = way.name
				w.Header().Del("Connection") // it is the server's, and not known to HTTP/2
				if method == http.MethodHead {
					w.Body.Reset() // as the server does
				}
				if err := checkAnswer(t.Context(), route(doc, r), r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
					t.Errorf("%s %s, %s: %v", method, path, way.name, err)
				}
			}
			for _, status := range slices.Sorted(maps.Keys(op.Responses.Map())) {
				if _, ok := had[status]; !ok {
					t.Errorf("%s %s: the document has status %s, which no request gets", method, path, status)
				}
			}
		}
	}
}

// A meter counts nothing, and has seen every Idempotency-Key before.
type meter struct{}

func (meter) Used(context.Context, httpapi.Caller, bool) (used int64, from, until time.Time, err error) {
	from = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	return 0, from, from.AddDate(0, 1, 0), nil
}

func (meter) Charge(r *http.Request, _ httpapi.Caller, n int, _ []byte) (int, func(int), error) {
	if r.Header.Get("Idempotency-Key") != "" {
		return 0, nil, httpapi.ErrKeyReused
	}
	return n, func(int) {}, nil
}
