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
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// A script is a server that gives one answer after the other, and notes when it was
// asked, counted from the first time, and under which Idempotency-Key.
type script struct {
	answers []http.HandlerFunc
	start   time.Time
	asked   []time.Duration
	calls   []string
}

// RoundTrip implements [http.RoundTripper], without a network.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.asked = append(s.asked, time.Since(s.start))
	s.calls = append(s.calls, r.Header.Get("Idempotency-Key"))
	if len(s.answers) == 0 {
		return nil, errors.New("asked too often")
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	if answer == nil {
		return nil, errors.New("connection reset")
	}
	w := httptest.NewRecorder()
	answer(w, r)
	resp := w.Result()
	if resp.ContentLength > int64(w.Body.Len()) {
		resp.Body = io.NopCloser(io.MultiReader(w.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return resp, nil
}

// give returns an answer with a status, a body, and fields of the header with their
// values.
func give(status int, body string, fields ...string) http.HandlerFunc {
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
	ok := give(200, "fine")
	for _, tt := range []struct {
		name     string
		answers  []http.HandlerFunc
		patience time.Duration
		want     string          // the answer, or "" for an error
		least    []time.Duration // the earliest times at which the server is asked
	}{
		{"at once", []http.HandlerFunc{ok}, time.Minute, "fine", []time.Duration{0}},
		{"too fast", []http.HandlerFunc{give(429, "", "Retry-After", "7"), ok}, time.Minute, "fine", []time.Duration{0, 7 * time.Second}},
		{"overloaded", []http.HandlerFunc{give(503, "", "Retry-After", "1"), give(503, "", "Retry-After", "2"), ok}, time.Minute, "fine", []time.Duration{0, time.Second, 3 * time.Second}},
		{"no quota left", []http.HandlerFunc{give(429, "", "Retry-After", "1421999"), ok}, time.Minute, "", []time.Duration{0}},
		{"no quota left, patiently", []http.HandlerFunc{give(429, "", "Retry-After", "1421999"), ok}, 30 * day, "fine", []time.Duration{0, 1421999 * time.Second}},
		{"no answer", []http.HandlerFunc{nil, nil, ok}, time.Minute, "fine", []time.Duration{0, time.Second / 2, 3 * time.Second / 2}},
		{"an answer that breaks off", []http.HandlerFunc{give(200, "fi", "Content-Length", "4"), ok}, time.Minute, "fine", []time.Duration{0, time.Second / 2}},
		{"a proxy's answers", []http.HandlerFunc{give(502, ""), give(504, ""), give(500, ""), ok}, time.Minute, "fine", []time.Duration{0, time.Second / 2, 3 * time.Second / 2, 7 * time.Second / 2}},
		{"never", slices.Repeat([]http.HandlerFunc{give(503, "")}, 20), 10 * time.Second, "", []time.Duration{0, time.Second / 2, 3 * time.Second / 2}},
		{"wrong input", []http.HandlerFunc{give(400, "", "Retry-After", "1"), ok}, time.Minute, "", []time.Duration{0}},
		{"wrong key", []http.HandlerFunc{give(401, ""), ok}, time.Minute, "", []time.Duration{0}},
		{"timeout of the body", []http.HandlerFunc{give(408, ""), ok}, time.Minute, "", []time.Duration{0}},
		{"not this server", []http.HandlerFunc{give(501, ""), ok}, time.Minute, "", []time.Duration{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: tt.answers}
				c := &client{http: &http.Client{Transport: s}, url: "http://screen.example/api/v1/screen", key: "key"}
				ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				answer, err := c.screen(ctx, []byte("{}"))
				if string(answer) != tt.want || (err == nil) != (tt.want != "") {
					t.Errorf("got %q, %v; want %q", answer, err, tt.want)
				}
				if len(s.asked) < len(tt.least) || tt.want != "" && len(s.asked) > len(tt.least) {
					t.Fatalf("asked at %v, want not before %v", s.asked, tt.least)
				}
				for i, least := range tt.least {
					if s.asked[i] < least {
						t.Errorf("asked at %v, want not before %v", s.asked, tt.least)
					}
				}
				if calls := slices.Compact(s.calls); len(calls) != 1 || len(calls[0]) < 20 {
					t.Errorf("one call was named %q", calls)
				}
				if last := s.asked[len(s.asked)-1]; last > tt.patience {
					t.Errorf("asked at %v, after %v", last, tt.patience)
				}
			})
		})
	}
}

// TestPace: who was told that nothing remains does not ask before there is more, and
// names each call anew.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []http.HandlerFunc{
			give(200, "1", "RateLimit", `"burst";r=1;t=5, "monthly";r=10;t=1421999`),
			give(200, "2", "RateLimit", `"burst";r=0;t=5, "monthly";r=9;t=1421999`),
			give(200, "3", "RateLimit", `"burst";r=4;t=1, "monthly";r=0;t=1421994`),
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
		if want := []time.Duration{0, 0, 5 * time.Second}; !slices.Equal(s.asked, want) {
			t.Errorf("asked at %v, want %v", s.asked, want)
		}
		if calls := slices.Compact(slices.Sorted(slices.Values(s.calls))); len(calls) != 3 {
			t.Errorf("calls named %q", calls)
		}
	})
}

// TestRun asks a real server.
func TestRun(t *testing.T) {
	s, err := screening.New(bundle.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	key := httpapi.NewKey()
	keys, err := httpapi.NewKeys(map[string]string{"test": key})
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
	want := "CRITICAL 100 polygon 0x098b716b8aaf21512996dc57eb0615e2383e2f96\nCLEAN_NO_MATCH 0 ethereum 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf\n"
	if out.String() != want {
		t.Errorf("got %s, want %s", &out, want)
	}
	if got := complaints.String(); !strings.HasPrefix(got, "line 3: 400 Bad Request: ") || strings.Count(got, "\n") < 1 || strings.Contains(got, "line 1") {
		t.Errorf("complaints: %s", got)
	}
}
