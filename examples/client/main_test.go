package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// A script is a server that serves its responses in order. It records the time of
// each request since the first, and the Idempotency-Key.
type script struct {
	responses []http.HandlerFunc
	start     time.Time
	requests  []time.Duration
	keys      []string
}

// RoundTrip implements [http.RoundTripper] without a network.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.requests = append(s.requests, time.Since(s.start))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	if len(s.responses) == 0 {
		return nil, errors.New("no response left")
	}
	respond := s.responses[0]
	s.responses = s.responses[1:]
	if respond == nil {
		return nil, errors.New("connection reset")
	}
	w := httptest.NewRecorder()
	respond(w, r)
	resp := w.Result()
	if resp.ContentLength > int64(w.Body.Len()) {
		resp.Body = io.NopCloser(io.MultiReader(w.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return resp, nil
}

// respond returns a response with a status, a body, and header fields in pairs of name
// and value.
func respond(status int, body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func TestScreen(t *testing.T) {
	const day = 24 * time.Hour
	ok := respond(200, "fine")
	for _, tt := range []struct {
		name      string
		responses []http.HandlerFunc
		patience  time.Duration
		want      string          // the body, or "" for an error
		least     []time.Duration // the earliest times of the requests
	}{
		{"at once", []http.HandlerFunc{ok}, time.Minute, "fine", []time.Duration{0}},
		{"too fast", []http.HandlerFunc{respond(429, "", "Retry-After", "7"), ok}, time.Minute, "fine", []time.Duration{0, 7 * time.Second}},
		{"overloaded", []http.HandlerFunc{respond(503, "", "Retry-After", "1"), respond(503, "", "Retry-After", "2"), ok}, time.Minute, "fine",
			[]time.Duration{0, time.Second, 3 * time.Second}},
		{"until a time", []http.HandlerFunc{respond(503, "", "Retry-After", "Sat, 01 Jan 2000 00:00:20 GMT"), ok}, time.Minute, "fine", []time.Duration{0, 20 * time.Second}},
		{"no time that it knows", []http.HandlerFunc{respond(503, "", "Retry-After", "soon"), respond(503, "", "Retry-After", "0"), ok}, time.Minute, "fine",
			[]time.Duration{0, time.Second / 2, 3 * time.Second / 2}},
		{"no quota left", []http.HandlerFunc{respond(429, "", "Retry-After", "1421999"), ok}, time.Minute, "", []time.Duration{0}},
		{"no quota left, long patience", []http.HandlerFunc{respond(429, "", "Retry-After", "1421999"), ok}, 30 * day, "fine",
			[]time.Duration{0, 1421999 * time.Second}},
		{"no response", []http.HandlerFunc{nil, nil, ok}, time.Minute, "fine", []time.Duration{0, time.Second / 2, 3 * time.Second / 2}},
		{"a truncated body", []http.HandlerFunc{respond(200, "fi", "Content-Length", "4"), ok}, time.Minute, "fine", []time.Duration{0, time.Second / 2}},
		{"gateway errors", []http.HandlerFunc{respond(502, ""), respond(504, ""), respond(500, ""), ok}, time.Minute, "fine",
			[]time.Duration{0, time.Second / 2, 3 * time.Second / 2, 7 * time.Second / 2}},
		{"never", slices.Repeat([]http.HandlerFunc{respond(503, "")}, 20), 10 * time.Second, "", []time.Duration{0, time.Second / 2, 3 * time.Second / 2}},
		{"wrong input", []http.HandlerFunc{respond(400, "", "Retry-After", "1"), ok}, time.Minute, "", []time.Duration{0}},
		{"wrong key", []http.HandlerFunc{respond(401, ""), ok}, time.Minute, "", []time.Duration{0}},
		{"timeout of the body", []http.HandlerFunc{respond(408, ""), ok}, time.Minute, "", []time.Duration{0}},
		{"not this server", []http.HandlerFunc{respond(501, ""), ok}, time.Minute, "", []time.Duration{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: tt.responses}
				c := &client{http: &http.Client{Transport: s}, url: "http://screen.example/api/v1/screen", key: "key"}
				ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				answer, err := c.screen(ctx, []byte("{}"))
				if string(answer) != tt.want || (err == nil) != (tt.want != "") {
					t.Errorf("got %q, %v; want %q", answer, err, tt.want)
				}
				if len(s.requests) < len(tt.least) || tt.want != "" && len(s.requests) > len(tt.least) {
					t.Fatalf("requests at %v, want not before %v", s.requests, tt.least)
				}
				for i, least := range tt.least {
					if s.requests[i] < least {
						t.Errorf("requests at %v, want not before %v", s.requests, tt.least)
					}
				}
				if calls := slices.Compact(s.keys); len(calls) != 1 || len(calls[0]) < 20 {
					t.Errorf("Idempotency-Keys %q, want one", calls)
				}
				if last := s.requests[len(s.requests)-1]; last > tt.patience {
					t.Errorf("requests at %v, after %v", last, tt.patience)
				}
			})
		})
	}
}

// TestDoubts prints the doubts and the caveats of an answer, whose level does not show them.
func TestDoubts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"address":"0xdac1","chain":"ethereum","score":0,"level":"CLEAN_NO_MATCH","doubts":["capitals"],
			"caveats":[{"source":"UK_CONSOLIDATED","caveat":"partial"}],"all_clear":false}`)
	}))
	defer server.Close()
	c := &client{http: server.Client(), url: server.URL}
	var out strings.Builder
	if ok := c.run(strings.NewReader("ethereum 0xdAC1\n"), &out, io.Discard, time.Minute); !ok ||
		out.String() != "CLEAN_NO_MATCH 0 ethereum 0xdac1 doubts: capitals caveat: UK_CONSOLIDATED partial\n" {
		t.Errorf("%v, %q", ok, out.String())
	}
}

// TestPace checks that the client waits while a limit is used up, and that each call
// has an Idempotency-Key of its own.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{responses: []http.HandlerFunc{
			respond(200, "1", "RateLimit", `"burst";r=1;t=5, "monthly";r=10;t=1421999`),
			respond(200, "2", "RateLimit", `"burst";r=0;t=5, "monthly";r=9;t=1421999`),
			respond(200, "3", "RateLimit", `"burst";r=4;t=1, "monthly";r=0;t=1421994`),
		}}
		c := &client{http: &http.Client{Transport: s}, url: "http://screen.example/api/v1/screen", key: "key"}
		for i, want := range []string{"1", "2", "3", ""} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			answer, err := c.screen(ctx, []byte("{}"))
			cancel()
			if string(answer) != want || (err == nil) != (want != "") {
				t.Errorf("call %d: %q, %v; want %q", i, answer, err, want)
			}
		}
		if want := []time.Duration{0, 0, 5 * time.Second}; !slices.Equal(s.requests, want) {
			t.Errorf("requests at %v, want %v", s.requests, want)
		}
		if calls := slices.Compact(slices.Sorted(slices.Values(s.keys))); len(calls) != 3 {
			t.Errorf("Idempotency-Keys %q, want three", calls)
		}
	})
}

// TestRun uses a real server.
func TestRun(t *testing.T) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	const key = "wsk_only-for-this-test"
	keys, err := access.Fixed(map[string]string{"test": key})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpapi.NewHandler(s, keys, nil))
	defer server.Close()
	c := &client{http: server.Client(), url: server.URL + "/api/v1/screen", key: key}
	var out, complaints strings.Builder
	in := "polygon 0x098B716B8Aaf21512996dC57EB0615e2383E2f96\nethereum 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf\nethereum 0x1\n"
	if c.run(strings.NewReader(in), &out, &complaints, time.Minute) {
		t.Error("all were answered")
	}
	hit, clean, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(hit, "CRITICAL 100 polygon 0x098b716b8aaf21512996dc57eb0615e2383e2f96") ||
		!strings.HasPrefix(clean, "CLEAN_NO_MATCH 0 ethereum 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf") || !strings.Contains(clean, " caveat: UK_CONSOLIDATED partial") {
		t.Errorf("got %s", &out)
	}
	if got := complaints.String(); !strings.HasPrefix(got, "line 3: 400 Bad Request: ") || strings.Count(got, "\n") < 1 || strings.Contains(got, "line 1") {
		t.Errorf("complaints: %s", got)
	}
}
