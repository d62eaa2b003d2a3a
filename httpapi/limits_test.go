package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestMaxConcurrent checks that one request above the limit gets 503 at once, and that
// refused requests and documents do not count toward it.
func TestMaxConcurrent(t *testing.T) {
	const most = 3
	arrived, leave := make(chan bool), make(chan bool)
	opts := &httpapi.Options{Audit: func(_ context.Context, all ...httpapi.Screening) error {
		switch all[0].CallerID {
		case "wait":
			arrived <- true
			<-leave
		case "panic":
			panic("at once")
		}
		return nil
	}}
	h := httpapi.NewHandler(newLoadedScreener(t), authorizer(func(token string) (httpapi.Caller, error) {
		if token == "unknown" {
			return httpapi.Caller{}, httpapi.ErrUnauthorized
		}
		return httpapi.Caller{ID: token}, nil
	}), opts)
	httpapi.LimitConcurrent(h, most)
	ask := func(path, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path, strings.NewReader(question))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if err := checkAnswer("POST", w); err != nil {
			t.Error(err)
		}
		return w
	}
	for range 2 {
		var waiting sync.WaitGroup
		for range most {
			turnedAway := make(chan bool, 1)
			waiting.Go(func() {
				if w := ask("/api/v1/screen", "wait"); w.Code != 200 {
					t.Errorf("status %d: %s", w.Code, w.Body)
					turnedAway <- true
				}
			})
			select {
			case <-arrived:
			case <-turnedAway:
				return
			}
		}
		for range 2 * most {
			w := ask("/api/v1/screen", "any")
			if w.Code != 503 || !strings.Contains(w.Body.String(), `"code":"overloaded"`) || w.Header().Get("Retry-After") != "1" {
				t.Errorf("status %d, Retry-After %s: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
			}
		}
		// Other requests do not count toward the limit and get their responses.
		if w := ask("/api/v1/screen", "unknown"); w.Code != 401 {
			t.Errorf("status %d for an unknown key, want 401", w.Code)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.yaml", nil)); w.Code != 200 {
			t.Errorf("openapi.yaml: status %d, want 200", w.Code)
		}
		for range most {
			leave <- true
		}
		waiting.Wait()
		for range 2 * most {
			if w := ask("/api/v1/screen", "panic"); w.Code != 500 {
				t.Errorf("status %d, want 500", w.Code)
			}
		}
		if w := ask("/api/v1/screen", "any"); w.Code != 200 {
			t.Errorf("status %d after all have left", w.Code)
		}
	}
}

// TestBuffersAreNotShared checks that concurrent responses, long and short, do not mix.
func TestBuffersAreNotShared(t *testing.T) {
	h := httpapi.LimitBody(httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), 1<<20, time.Minute)
	questions := []struct{ body, want string }{
		{question, `"address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96","chain":"ethereum","score":100,`},
		{
			`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"polygon"}`,
			`"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"polygon","score":0,`,
		},
		{
			`{"address":"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2","chain":"bitcoin"` + strings.Repeat(" ", 200_000) + `}`,
			`"address":"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2","chain":"bitcoin","score":0,`,
		},
		{
			`{"address":"\u0030x2222222222222222222222222222222222222222","chain":"ethereum"}`,
			`"address":"0x2222222222222222222222222222222222222222","chain":"ethereum","score":50,`,
		},
		{`{"address":"0x1","chain":"ethereum"}`, `"reason":"bad_length"`},
	}
	var askers sync.WaitGroup
	for range 4 {
		askers.Go(func() {
			for i := range longtest.N(50, 200) {
				q := questions[i%len(questions)]
				if w := post(h, strings.NewReader(q.body)); !strings.Contains(w.Body.String(), q.want) {
					t.Errorf("%.80s: %d %s, want %s", q.body, w.Code, w.Body, q.want)
				}
			}
		})
	}
	askers.Wait()
}

// A closedBody counts calls of Close.
type closedBody struct {
	io.Reader
	closed int
}

func (b *closedBody) Close() error { b.closed++; return nil }

// TestBodyIsClosed checks that the handler closes a body that it has read to the end.
// It leaves any other body to the server, which then decides whether to reuse the
// connection.
func TestBodyIsClosed(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	large := strings.Repeat(" ", 16<<10+1)
	for _, tt := range []struct {
		name   string
		body   io.Reader
		length int64
		status int
		closed int
	}{
		{"sized", strings.NewReader(question), int64(len(question)), 200, 1},
		{"in chunks", strings.NewReader(question), -1, 200, 1},
		{"wrong", strings.NewReader("{"), 1, 400, 1},
		{"broken off", io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF)), 9, 400, 0},
		{"large", strings.NewReader(large), int64(len(large)), 413, 0},
		{"large, in chunks", strings.NewReader(large), -1, 413, 0},
	} {
		body := &closedBody{Reader: tt.body}
		r := httptest.NewRequest("POST", "/api/v1/screen", body)
		r.ContentLength = tt.length
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status || body.closed != tt.closed {
			t.Errorf("%s: status %d, closed %d times; want %d, %d: %s", tt.name, w.Code, body.closed, tt.status, tt.closed, w.Body)
		}
	}
}

// TestBodyTimeout checks that a body that does not arrive gets 408 on a server without
// a ReadTimeout. Other HTTP/2 streams of the connection continue.
func TestBodyTimeout(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(httpapi.LimitBody(httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), 0, 1))
		server.EnableHTTP2 = h2
		var conns atomic.Int32
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				conns.Add(1)
			}
		}
		server.StartTLS()
		defer server.Close()
		body, more := io.Pipe()
		defer more.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/v1/screen", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 408 || !strings.Contains(string(text), `"code":"request_timeout"`) || (resp.ProtoMajor == 2) != h2 {
			t.Errorf("HTTP/%d: status %d: %s", resp.ProtoMajor, resp.StatusCode, text)
		}
		if resp, err = server.Client().Get(server.URL + "/openapi.yaml"); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := map[bool]int32{false: 2, true: 1}[h2]; conns.Load() != want {
			t.Errorf("HTTP/%d: %d connections for two requests, want %d", resp.ProtoMajor, conns.Load(), want)
		}
	}
}

// TestDefaults checks that the package comment states the default limits.
func TestDefaults(t *testing.T) {
	body, timeout, concurrent, depth := httpapi.Limits(httpapi.NewHandler(nil, nil, nil))
	comment, _, _ := strings.Cut(readFile(t, "doc.go"), "\npackage ")
	for _, stated := range []string{
		fmt.Sprintf("the body                   %d KiB       413 body_too_large", body>>10),
		fmt.Sprintf("the time for the body      %d seconds   408 request_timeout", timeout/time.Second),
		fmt.Sprintf("requests at once           %d         503 overloaded", concurrent),
		fmt.Sprintf("values within one another  %d deep      400 invalid_json", depth),
	} {
		if !strings.Contains(comment, stated) {
			t.Errorf("the package comment does not state: %s", stated)
		}
	}
}
