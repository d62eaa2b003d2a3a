package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

const question = `{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}`

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestServer uses a real server to check what a ResponseRecorder cannot show.
func TestServer(t *testing.T) {
	server := httptest.NewServer(httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil))
	defer server.Close()
	for _, tt := range []struct {
		name, method, path string
		body               io.Reader
		status             int
	}{
		{"sources", "GET", "/api/v1/sources", nil, 200},
		{"head", "HEAD", "/api/v1/sources", nil, 200},
		{"options", "OPTIONS", "/api/v1/screen", nil, 204},
		{"screen", "POST", "/api/v1/screen", strings.NewReader(question), 200},
		{"chunked", "POST", "/api/v1/screen", io.MultiReader(strings.NewReader(question)), 200},
		{"at the limit", "POST", "/api/v1/screen", strings.NewReader(question + strings.Repeat(" ", 16<<10-len(question))), 200},
		{"beyond", "POST", "/api/v1/screen", strings.NewReader(question + strings.Repeat(" ", 16<<10-len(question)+1)), 413},
		{"beyond, chunked", "POST", "/api/v1/screen", io.MultiReader(strings.NewReader(strings.Repeat(" ", 17<<10))), 413},
		{"no body", "POST", "/api/v1/screen", nil, 400},
		{"unclean path", "GET", "//x/../api/v1/sources", nil, 404},
		{"encoded path", "GET", "/%61pi/v1/%73ources", nil, 404},
		{"encoded prefix", "GET", "/a%2Fb/api/v1/sources", nil, 200},
		{"encoded slash", "GET", "/api/v1%2Fsources", nil, 404},
		{"encoded slash in front", "GET", "/x%2fapi/v1/sources", nil, 404},
		{"encoded slashes only", "GET", "/api%2fv1%2fsources", nil, 404},
	} {
		r, err := http.NewRequest(tt.method, server.URL+tt.path, tt.body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status {
			t.Errorf("%s: status %d, want %d: %s %v", tt.name, resp.StatusCode, tt.status, body, err)
		}
		if (len(body) > 0) != (tt.method != "HEAD" && tt.status != 204) || tt.method == "HEAD" && resp.ContentLength <= 0 {
			t.Errorf("%s: a body of %d bytes, Content-Length %d", tt.name, len(body), resp.ContentLength)
		}
	}
}

// TestTruncatedBody checks the problem for a connection that ends before the
// body.
func TestTruncatedBody(t *testing.T) {
	w := post(httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), io.MultiReader(strings.NewReader(question), brokenReader{}))
	if w.Code != 400 || !strings.Contains(w.Body.String(), `"reason":"truncated"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestLargeBodyIsNotRead checks that the handler does not read a body whose
// Content-Length exceeds the limit.
func TestLargeBodyIsNotRead(t *testing.T) {
	r := httptest.NewRequest("POST", "/api/v1/screen", brokenReader{})
	r.ContentLength = 16<<10 + 1
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil).ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func post(h http.Handler, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/api/v1/screen", body)
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// tooMany is what a driver returns when a database has too many connections.
type tooMany struct{ error }

func (tooMany) SQLState() string { return "53300" }

// TestInternal checks that any internal failure gets a response with a fixed
// text and a log line without the key and the address.
func TestInternal(t *testing.T) {
	const boom = "panic over " + testKey + " and " + question
	var logged bytes.Buffer
	opts := &httpapi.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))}
	in := authorizer(func(string) (httpapi.Caller, error) { return httpapi.Caller{ID: "the-id"}, nil })
	for _, tt := range []struct {
		name string
		h    http.Handler
		want string
	}{
		{"no screener", httpapi.NewHandler(nil, in, opts), "key_id=the-id"},
		{"panic", httpapi.NewHandler(nil, authorizer(func(string) (httpapi.Caller, error) { panic(boom) }), opts), "part=panic cause=\"not an error\""},
		{"error", httpapi.NewHandler(nil, authorizer(func(string) (httpapi.Caller, error) { return httpapi.Caller{}, errors.New(boom) }), opts), "part=authorize cause=*errors.errorString"},
		{"the system", httpapi.NewHandler(nil, authorizer(func(string) (httpapi.Caller, error) {
			return httpapi.Caller{}, fmt.Errorf("%s: %w", boom, &fs.PathError{Op: "open", Path: boom, Err: syscall.ENOSPC})
		}), opts), `part=authorize cause="no space left on device"`},
		{"the database", httpapi.NewHandler(nil, authorizer(func(string) (httpapi.Caller, error) {
			return httpapi.Caller{}, fmt.Errorf("%s: %w", boom, tooMany{errors.New(boom)})
		}), opts), `part=authorize cause="httpapi_test.tooMany 53300"`},
	} {
		logged.Reset()
		w := post(tt.h, strings.NewReader(question))
		var p struct {
			Code, Detail string
			RequestID    string `json:"request_id"`
		}
		if err := checkAnswer("POST", w); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 500 || p.Code != "internal" || strings.Contains(w.Body.String(), "panic") {
			t.Errorf("%s: status %d: %s", tt.name, w.Code, w.Body)
		}
		text := logged.String()
		if !strings.Contains(text, tt.want) || !strings.Contains(text, p.RequestID) {
			t.Errorf("%s: the log lacks %s or the request id: %s", tt.name, tt.want, text)
		}
		if strings.Contains(text, testKey) || strings.Contains(text, "0x098B") {
			t.Errorf("%s: the log tells too much: %s", tt.name, text)
		}
	}

	logged.Reset()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/sources", nil)
	r.Header.Set("Authorization", "Bearer "+testKey)
	httpapi.NewHandler(nil, authorizer(func(string) (httpapi.Caller, error) { return httpapi.Caller{}, context.Canceled }), opts).
		ServeHTTP(httptest.NewRecorder(), r)
	if logged.Len() > 0 {
		t.Errorf("a caller that left is logged: %s", &logged)
	}
}

// TestAbort checks that http.ErrAbortHandler passes through.
func TestAbort(t *testing.T) {
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("recovered %v", v)
		}
	}()
	post(httpapi.NewHandler(nil, authorizer(func(string) (httpapi.Caller, error) { panic(http.ErrAbortHandler) }), nil), nil)
	t.Error("not aborted")
}

// TestConcurrent screens while the lists are refreshed. Every response must be
// from one snapshot with all lists.
func TestConcurrent(t *testing.T) {
	s, err := screening.New([]sources.Source{ofac, community}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), nil)
	if w := post(h, strings.NewReader(question)); w.Code != 503 {
		t.Errorf("status %d before the first load", w.Code)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if w := post(h, strings.NewReader(question)); w.Code != 200 || !strings.Contains(w.Body.String(), `"score":100,`) {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
			}
		})
	}
	for range 20 {
		s.Refresh(context.Background())
	}
	wg.Wait()
}

// TestContentType checks that the handler accepts JSON in UTF-8 with any other
// parameters, by the grammar of RFC 9110, section 5.6.6.
func TestContentType(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	for _, tt := range []struct {
		value  string
		status int
	}{
		{`application/json`, 200},
		{`Application/JSON ; x=y; CHARSET="utf-8"`, 200},
		{`application/json;`, 200},
		{`application/json;;charset=utf-8`, 200},
		{"application/json ; \t;; ;charset=utf-8; ; x=y;; ", 200},
		{`application/json;; x=";;" ;; y="\";;"`, 200},
		{`application/json` + strings.Repeat("; ", 1<<16), 200},
		{`application/json;;charset=latin1`, 415},
		{`application/json; charset="utf-8;;"`, 415},
		{`application/json; x=";; charset=utf-8`, 415},
		{`application/json; x`, 415},
		{`application/json; x=1; x=2`, 415},
		{`;application/json`, 415},
		{`application/json,text/plain`, 415},
		{`application/json; x="\`, 415},
		{`application/json-seq`, 415},
		{`;`, 415},
		{``, 415},
	} {
		r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(question))
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", tt.value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%.80q: status %d, want %d: %s", tt.value, w.Code, tt.status, w.Body)
		}
	}
}

// TestSecretIsRepeatedNowhere sends secrets in both fields and checks that
// nothing repeats them.
func TestSecretIsRepeatedNowhere(t *testing.T) {
	var logged bytes.Buffer
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	for _, secret := range []string{
		"5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF",                         // a published test wallet
		"4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d",            // ganache -d, account 0
		"legal winner thank year wave sausage worth useful legal winner thank yellow", // BIP 39, vector 2
		"sEdTM1uX8pu2do5XvTnutH6HsouMaM2",                                             // an XRP Ledger seed, of its documentation
	} {
		for _, body := range []map[string]string{{"address": secret, "chain": "bitcoin"}, {"address": secret, "chain": "xrp"}, {"address": "x", "chain": secret},
			{"address": secret, "chain": secret}, {secret: secret}} {
			text, _ := json.Marshal(body)
			w := post(h, bytes.NewReader(text))
			all := w.Body.String() + logged.String()
			for _, word := range regexp.MustCompile(`\S{6,}`).FindAllString(secret, -1) {
				if w.Code != 400 || strings.Contains(all, word) {
					t.Errorf("%s: status %d: %s", text, w.Code, all)
				}
			}
		}
	}
}

// A sink is a ResponseWriter that does nothing, for benchmarks.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) Write(b []byte) (int, error) { return len(b), nil }
func (s sink) WriteHeader(int)             {}

func BenchmarkScreen(b *testing.B) {
	h := httpapi.NewHandler(newLoadedScreener(b), testKeys(b), nil)
	for _, bench := range []struct{ name, address string }{
		{"clean", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
		{"listed", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			body := strings.NewReader("")
			r := httptest.NewRequest("POST", "/api/v1/screen", body)
			r.Header.Set("Authorization", "Bearer "+testKey)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Request-Id", "id")
			w := sink{http.Header{}}
			for b.Loop() {
				body.Reset(`{"address":"` + bench.address + `","chain":"ethereum"}`)
				h.ServeHTTP(w, r)
			}
		})
	}
}
