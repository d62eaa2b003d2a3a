package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
)

// ask sends a request with a key and a body.
func ask(h http.Handler, method, path, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Request-Id", "id-7")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestObserve(t *testing.T) {
	var seen []httpapi.Observation
	s := newLoadedScreener(t)
	opts := &httpapi.Options{Observe: func(ctx context.Context, o httpapi.Observation) {
		if ctx == nil || o.Duration <= 0 || o.RequestID != "id-7" {
			t.Errorf("%v %+v: want a context, a duration, and the request id", ctx, o)
		}
		o.Screenings = slices.Clone(o.Screenings)
		seen = append(seen, o)
	}}
	h := httpapi.NewHandler(s, testKeys(t), opts)
	panics := httpapi.NewHandler(s, authorizer(func(string) (httpapi.Caller, error) { panic("boom") }), opts)
	digest := s.Sources()[0].Digest
	if digest == "" {
		t.Fatal("no digest")
	}
	for _, tt := range []struct {
		name                    string
		h                       http.Handler
		method, path, key, body string

		route  string
		status int
		code   string
		keyID  string
		level  string
	}{
		{"clean", h, "POST", "/x/api/v1/screen", testKey, `{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"}`, "/api/v1/screen", 200,
			"", "plain", "CLEAN_NO_MATCH"},
		{"listed", h, "POST", "/api/v1/screen", otherKey, question, "/api/v1/screen", 200, "", "other", "CRITICAL"},
		{"input", h, "POST", "/api/v1/screen", testKey, `{}`, "/api/v1/screen", 400, "missing_field", "plain", ""},
		{"key", h, "POST", "/api/v1/screen", "wsk_another0another0", question, "/api/v1/screen", 401, "invalid_token", "", ""},
		{"method", h, "PATCH", "/api/v1/screen", testKey, question, "/api/v1/screen", 405, "method_not_allowed", "", ""},
		{"word", h, "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "/api/v1/screen", testKey, question, "/api/v1/screen", 405, "method_not_allowed", "", ""},
		{"options", h, "OPTIONS", "/api/v1/screen", testKey, "", "/api/v1/screen", 204, "", "", ""},
		{"sources", h, "GET", "/api/v1/sources", testKey, "", "/api/v1/sources", 200, "", "plain", ""},
		{"head", h, "HEAD", "/api/v1/sources", testKey, "", "/api/v1/sources", 200, "", "plain", ""},
		{"path", h, "GET", "/api/v1/sauces", testKey, "", "", 404, "not_found", "", ""},
		{"panic", panics, "POST", "/api/v1/screen", testKey, question, "/api/v1/screen", 500, "internal", "", ""},
	} {
		seen = nil
		w := ask(tt.h, tt.method, tt.path, tt.key, tt.body)
		if len(seen) != 1 {
			t.Fatalf("%s: told of %d answers", tt.name, len(seen))
		}
		o := seen[0]
		if tt.name == "word" {
			tt.method = "_OTHER"
		}
		var got screening.Result
		if len(o.Screenings) > 0 {
			got = o.Screenings[0].Result
		}
		if w.Code != tt.status || o.Route != tt.route || o.Method != tt.method || o.Status != tt.status || o.Code != tt.code || o.CallerID != tt.keyID ||
			string(got.Level) != tt.level {
			t.Errorf("%s: status %d, observed %+v", tt.name, w.Code, o)
		}
		if (got.Digest() != "") != (tt.level != "") || (got.ScoringVersion != "") != (tt.level != "") {
			t.Errorf("%s: the result is %+v", tt.name, got)
		}
	}
}

// TestObserveAllocatesNothing checks that calling the hook does not allocate.
func TestObserveAllocatesNothing(t *testing.T) {
	s, keys := newLoadedScreener(t), testKeys(t)
	allocs := func(opts *httpapi.Options) float64 {
		h, w := httpapi.NewHandler(s, keys, opts), sink{http.Header{}}
		body := strings.NewReader("")
		r := httptest.NewRequest("POST", "/api/v1/screen", body)
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Request-Id", "id")
		return testing.AllocsPerRun(100, func() {
			body.Reset(`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"}`)
			h.ServeHTTP(w, r)
		})
	}
	var told int
	without := allocs(nil)
	with := allocs(&httpapi.Options{Observe: func(context.Context, httpapi.Observation) { told++ }})
	if with != without && !longtest.Race || told == 0 {
		t.Errorf("%v allocations with the hook, %v without; told %d times", with, without, told)
	}
}

// TestAudit checks that each screening with status 200 is recorded before the
// response is written.
func TestAudit(t *testing.T) {
	var records []httpapi.Screening
	w := &recordedWriter{header: http.Header{}}
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Audit: func(_ context.Context, all ...httpapi.Screening) error {
		s := all[0]
		if w.written {
			t.Error("asked after the answer")
		}
		if time.Since(s.Time) > time.Minute || s.Time.IsZero() {
			t.Errorf("the time is %v", s.Time)
		}
		s.Time = time.Time{}
		records = append(records, s)
		return nil
	}})
	type record struct {
		RequestID, KeyID, Chain, Address, Level string
		Labels                                  int
	}
	for _, tt := range []struct {
		name, method, path, body string
		want                     []record
	}{
		{"clean", "POST", "/api/v1/screen", `{"address":" 0X7E5F4552091A69125D5DFCB7B8C2659029395BDF ","chain":"Ethereum"}`,
			[]record{{"id-7", "plain", "ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "CLEAN_NO_MATCH", 0}}},
		{"listed", "POST", "/api/v1/screen", question, []record{{"id-7", "plain", "ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "CRITICAL", 2}}},
		{"literal", "POST", "/api/v1/screen", `{"address":" 5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320","chain":"monero"}`,
			[]record{{"id-7", "plain", "monero", "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", "CRITICAL", 1}}},
		{"bad input", "POST", "/api/v1/screen", `{"address":"0x1","chain":"ethereum"}`, nil},
		{"sources", "GET", "/api/v1/sources", "", nil},
	} {
		records, w.written = nil, false
		r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Request-Id", "id-7")
		h.ServeHTTP(w, r)
		var got []record
		for _, s := range records {
			got = append(got, record{s.RequestID, s.CallerID, string(s.Chain), s.Address, string(s.Result.Level), len(s.Result.Labels)})
			if s.Result.Digest() == "" {
				t.Errorf("%s: no digest", tt.name)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// A recordedWriter records whether anything was written.
type recordedWriter struct {
	header  http.Header
	written bool
}

func (w *recordedWriter) Header() http.Header         { return w.header }
func (w *recordedWriter) Write(b []byte) (int, error) { w.written = true; return len(b), nil }
func (w *recordedWriter) WriteHeader(int)             { w.written = true }

// TestAuditFails checks that a screening that cannot be recorded gets no result
// and is not observed as a screening, and that the log has the part that
// failed, without the text of its error.
func TestAuditFails(t *testing.T) {
	var logged bytes.Buffer
	var seen httpapi.Observation
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{
		Logger:  slog.New(slog.NewTextHandler(&logged, nil)),
		Observe: func(_ context.Context, o httpapi.Observation) { seen = o },
		Audit: func(_ context.Context, all ...httpapi.Screening) error {
			return errors.New("disk full, at 0x098B716B8Aaf21512996dC57EB0615e2383E2f96, which is " + all[0].Address)
		},
	})
	w := ask(h, "POST", "/api/v1/screen", testKey, question)
	if err := checkAnswer("POST", w); err != nil || w.Code != 503 || !strings.Contains(w.Body.String(), `"code":"audit_unavailable"`) ||
		strings.Contains(w.Body.String(), "CRITICAL") {
		t.Errorf("%v, status %d: %s", err, w.Code, w.Body)
	}
	if seen.Code != "audit_unavailable" || seen.Status != 503 || len(seen.Screenings) > 0 {
		t.Errorf("observed %+v", seen)
	}
	if text := logged.String(); !strings.Contains(text, "part=audit") || !strings.Contains(text, "id-7") || strings.Contains(strings.ToLower(text), "0x098b") {
		t.Errorf("logged: %s", text)
	}
}

// TestEndpoints checks that each endpoint works on any path, and only for its
// own methods.
func TestEndpoints(t *testing.T) {
	var routes []string
	e := httpapi.NewEndpoints(
		newLoadedScreener(t),
		testKeys(t),
		&httpapi.Options{Observe: func(_ context.Context, o httpapi.Observation) { routes = append(routes, o.Route) }},
	)
	mux := http.NewServeMux()
	mux.Handle("/lists", e["/api/v1/sources"])
	mux.Handle("/ask/{what}", e["/api/v1/screen"])
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/lists", "", 200, `"OFAC_SDN"`},
		{"POST", "/lists", "", 405, `"instance":"/api/v1/sources"`},
		{"POST", "/ask/screen", question, 200, `"score":100,`},
		{"GET", "/ask/api/v1/sources", "", 404, ""}, // the mux's own answer
		{"GET", "/ask/sources", "", 405, `"method_not_allowed"`},
	} {
		w := ask(mux, tt.method, tt.path, testKey, tt.body)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s %s: status %d: %s", tt.method, tt.path, w.Code, w.Body)
		}
	}
	want := []string{"/api/v1/sources", "/api/v1/sources", "/api/v1/screen", "/api/v1/screen"}
	if d := cmp.Diff(want, routes); d != "" {
		t.Error(d)
	}
}
