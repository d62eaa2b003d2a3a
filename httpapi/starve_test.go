package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestSlowReaders checks that connections that do not read their responses cannot block
// a valid key, even if the limit of concurrent requests is one.
func TestSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.LimitConcurrent(httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), nil), 1)
		dial := serveInMemory(t, &http.Server{Handler: h, WriteTimeout: time.Hour})
		large := `{"items":[` + strings.Repeat(clean+",", 999) + clean + `]}`
		requests := []string{
			"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
			sourcesLine + "\r\n",
			sourcesLine + withKey + "\r\n",
			"POST /api/v1/screen/batch HTTP/1.1\r\nHost: x\r\n" + withKey + withJSON + sized(large),
		}
		for i := range longtest.N(60, 2000) {
			c := dial()
			request := requests[i%len(requests)]
			go io.WriteString(c, request) // and never read
			synctest.Wait()
		}
		for _, request := range []string{sourcesLine + withKey + last + "\r\n", screenLine + withKey + withJSON + last + sized(question)} {
			c := dial()
			go io.WriteString(c, request)
			if all := replies(t, c); len(all) != 1 || all[0].status != 200 {
				t.Errorf("a valid key is answered with %v", all)
			}
		}
	})
}

// TestSlowBodies checks that requests of a key whose bodies do not arrive take no places,
// and batches half of them at most, and that all are answered in the end.
func TestSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.LimitBody(httpapi.LimitConcurrent(httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), nil), 2), 0, time.Hour)
		dial := serveInMemory(t, &http.Server{Handler: h})
		batch := `{"items":[` + clean + `]}`
		var slow []net.Conn
		begin := func(path, body string) {
			c := dial()
			slow = append(slow, c)
			request := "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + withKey + withJSON + last + sized(body)
			go io.WriteString(c, request[:len(request)-1])
			synctest.Wait()
		}
		n := longtest.N(30, 1000)
		for range n {
			begin("/api/v1/screen", clean)
			begin("/api/v1/validate", clean)
		}
		begin("/api/v1/screen/batch", batch)
		for _, request := range []string{screenLine + withKey + withJSON + last + sized(question), sourcesLine + withKey + last + "\r\n"} {
			c := dial()
			go io.WriteString(c, request)
			if all := replies(t, c); len(all) != 1 || all[0].status != 200 {
				t.Errorf("a valid key is answered with %v", all)
			}
		}
		if w := send(h, "POST", "/api/v1/screen/batch", batch); w.Code != 503 {
			t.Errorf("a second batch has status %d, want 503", w.Code)
		}
		for i, c := range slow {
			go io.WriteString(c, "}")
			if all := replies(t, c); len(all) != 1 || all[0].status != 200 {
				t.Errorf("slow request %d is answered with %v", i, all)
			}
		}
	})
}

// TestTurns checks that batches, validations, and requests that are not admitted, wait for those
// before them, and that a single request of a key does not.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{Past: func(context.Context, time.Time) (*screening.Past, error) {
			return nil, store.ErrNotFound
		}})
		release := httpapi.HoldTurns(h)
		answers := make(chan int, 20)
		later := []struct {
			method, path, body, key string
			status                  int
		}{
			{"GET", "/openapi.yaml", "", testKey, 200},
			{"GET", "/", "", testKey, 404},
			{"GET", "/api/v1/screen", "", testKey, 405},
			{"OPTIONS", "/api/v1/screen", "", testKey, 204},
			{"POST", "/api/v1/screen", clean, "wsk_unknown", 401},
			{"POST", "/api/v1/screen/batch", `{"items":[` + clean + `]}`, testKey, 200},
			{"POST", "/api/v1/validate", `{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"}`, testKey, 200},
			{"POST", "/api/v1/validate", clean, testKey, 200},
			{"POST", "/api/v1/entries", `{"source":"OFAC_SDN"}`, testKey, 200},
			{"GET", "/api/v1/changes", "", testKey, 200},
			{"POST", "/api/v1/screen", strings.TrimSuffix(clean, "}") + `,"at":"2025-01-01"}`, testKey, 400},
		}
		for _, tt := range later {
			go func() {
				w := send(h, tt.method, tt.path, tt.body, "Authorization", "Bearer "+tt.key)
				if w.Code != tt.status {
					t.Errorf("%s %s has status %d, want %d", tt.method, tt.path, w.Code, tt.status)
				}
				answers <- w.Code
			}()
		}
		synctest.Wait()
		if n := len(answers); n > 0 {
			t.Errorf("%d were answered before their turn, the first with status %d", n, <-answers)
		}
		if w := send(h, "POST", "/api/v1/screen", clean); w.Code != 200 {
			t.Errorf("a single request has status %d", w.Code)
		}
		release()
		synctest.Wait()
		if len(answers) != len(later) {
			t.Errorf("%d of %d were answered in their turn", len(answers), len(later))
		}
	})
}

// TestBatchesLeavePlaces checks that waiting batches take half of the places at most, so
// that single requests are not refused because of them.
func TestBatchesLeavePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.LimitConcurrent(httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), nil), 4)
		batch := `{"items":[` + clean + `]}`
		for range 2 {
			release := httpapi.HoldTurns(h)
			answers := make(chan int, 10)
			for range cap(answers) {
				go func() { answers <- send(h, "POST", "/api/v1/screen/batch", batch).Code }()
			}
			synctest.Wait()
			if len(answers) != 8 {
				t.Errorf("%d of 10 batches were refused, want 8", len(answers))
			}
			for range len(answers) {
				if got := <-answers; got != 503 {
					t.Errorf("a batch too many has status %d, want 503", got)
				}
			}
			for range 9 {
				if w := send(h, "POST", "/api/v1/screen", clean); w.Code != 200 {
					t.Errorf("while batches wait, a single request has status %d", w.Code)
				}
			}
			release()
			for range 2 {
				if got := <-answers; got != 200 {
					t.Errorf("a batch that waited has status %d", got)
				}
			}
		}
	})
}

// A slowMeter charges a caller only when it is released, and knows no counts before.
type slowMeter struct{ release chan struct{} }

func (m slowMeter) Charge(r *http.Request, _ httpapi.Caller, n int, _ []byte) (int, func(int), error) {
	if r.Header.Get("Idempotency-Key") != "" {
		<-m.release
	}
	return n, func(int) {}, nil
}

func (m slowMeter) Used(_ context.Context, _ httpapi.Caller, ask bool) (used int64, from, until time.Time, err error) {
	if ask {
		<-m.release
	}
	return 0, time.Now(), time.Now(), nil
}

// TestMeterHangs checks that requests that wait for the Meter keep no others waiting,
// and are answered when it answers.
func TestMeterHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := slowMeter{make(chan struct{})}
		h := httpapi.LimitConcurrent(httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{Meter: m}), 100)
		batch := `{"items":[` + clean + `]}`
		answers := make(chan int, 400)
		for i := range cap(answers) {
			go func() {
				switch {
				case i%2 == 0:
					answers <- send(h, "POST", "/api/v1/screen", clean, "Idempotency-Key", "x").Code
				case i < 40: // more than are screened at once
					answers <- send(h, "POST", "/api/v1/screen/batch", batch, "Idempotency-Key", "x").Code
				default:
					answers <- send(h, "GET", "/api/v1/usage", "").Code
				}
			}()
		}
		synctest.Wait()
		for path, body := range map[string]string{"/api/v1/screen": clean, "/api/v1/screen/batch": batch, "/api/v1/validate": clean} {
			if w := send(h, "POST", path, body); w.Code != 200 {
				t.Errorf("%s: status %d", path, w.Code)
			}
		}
		if len(answers) > 0 {
			t.Errorf("%d were answered without the Meter, the first with status %d", len(answers), <-answers)
		}
		for range cap(answers) { // one after the other: at once they would be too many
			m.release <- struct{}{}
			if got := <-answers; got != 200 {
				t.Errorf("a request that waited has status %d", got)
			}
		}
	})
}

// TestBatchesInMemory sends many batches whose charges wait: only some are screened meanwhile, because their answers
// take much memory, and all are answered in the end.
func TestBatchesInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &countedMeter{slowMeter: slowMeter{make(chan struct{})}}
		h := httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{Meter: m})
		answers := make(chan int, 200)
		for range cap(answers) {
			go func() {
				answers <- send(h, "POST", "/api/v1/screen/batch", `{"items":[`+clean+`]}`, "Idempotency-Key", "x").Code
			}()
		}
		synctest.Wait()
		if n, most := m.charges.Load(), int64(32+max(1, runtime.GOMAXPROCS(0)/2)); n > most {
			t.Errorf("%d of %d batches were screened at once, want at most %d", n, cap(answers), most)
		}
		close(m.release)
		for range cap(answers) {
			if got := <-answers; got != 200 {
				t.Errorf("a batch that waited has status %d", got)
			}
		}
	})
}

// TestBatchesOfOneCaller answers a batch while another caller's batches, as many as are screened at once, wait for the Meter.
func TestBatchesOfOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := slowMeter{make(chan struct{})}
		h := httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{Meter: m})
		for range 200 {
			go send(h, "POST", "/api/v1/screen/batch", `{"items":[`+clean+`]}`, "Idempotency-Key", "x")
		}
		synctest.Wait()
		start := time.Now()
		if w := send(h, "POST", "/api/v1/screen/batch", `{"items":[`+clean+`]}`, "Authorization", "Bearer "+otherKey); w.Code != 200 || time.Since(start) > 0 {
			t.Errorf("status %d after %v: %s", w.Code, time.Since(start), w.Body)
		}
		close(m.release)
		synctest.Wait()
	})
}

// A countedMeter is a slowMeter that counts its charges.
type countedMeter struct {
	slowMeter
	charges atomic.Int64
}

func (m *countedMeter) Charge(r *http.Request, c httpapi.Caller, n int, body []byte) (int, func(int), error) {
	m.charges.Add(1)
	return m.slowMeter.Charge(r, c, n, body)
}

// TestYield checks that requests that a connection sends one after another, other than
// single screenings, let other goroutines run in between: on one processor, a goroutine
// runs before a hundred of them are answered.
func TestYield(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	for _, tt := range []struct{ method, path, key string }{
		{"GET", "/openapi.yaml", ""}, {"GET", "/none", ""}, {"GET", "/api/v1/sources", "wsk_unknown"}, {"GET", "/api/v1/sources", testKey},
	} {
		var ran atomic.Bool
		go ran.Store(true)
		for range 100 {
			send(h, tt.method, tt.path, "", "Authorization", "Bearer "+tt.key)
		}
		if !ran.Load() {
			t.Errorf("%s %s: another goroutine had to wait for a hundred requests", tt.method, tt.path)
		}
	}
}

// TestClientLimit checks the limit by client address of requests that are not admitted,
// and that it does not apply to admitted requests.
func TestClientLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{ClientRate: 1})
		ask := func(client, method, path, key string) int {
			r := httptest.NewRequest(method, path, nil)
			r.RemoteAddr = client
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code == 429 && (w.Header().Get("Retry-After") != "1" || w.Header().Get("WWW-Authenticate") != "") {
				t.Errorf("%s %s: %v", method, path, w.Header())
			}
			return w.Code
		}
		for _, tt := range []struct{ first, second string }{
			{"192.0.2.1:1", "192.0.2.1:2"},
			{"[2001:db8::1]:1", "[2001:db8::ffff]:2"},
			{"[::ffff:192.0.2.7]:1", "192.0.2.7:2"},
			{"[2001:db8:1::1%eth0]:1", "2001:db8:1::2"}, // the second has no port, as behind some middleware
			{"@", "@"},
		} {
			for range 7 {
				ask(tt.first, "GET", "/openapi.yaml", "")
			}
			for i, want := range []int{200, 401, 404, 429, 429} {
				path := []string{"/openapi.yaml", "/api/v1/sources", "/", "/openapi.yaml", "/api/v1/sources"}[i]
				if got := ask(tt.first, "GET", path, ""); got != want {
					t.Errorf("%s: request %d has status %d, want %d", tt.first, i, got, want)
				}
			}
			if got := ask(tt.second, "GET", "/openapi.yaml", ""); got != 429 {
				t.Errorf("%s: status %d, want that of %s", tt.second, got, tt.first)
			}
			if got := ask(tt.first, "GET", "/api/v1/sources", testKey); got != 200 {
				t.Errorf("%s with a key: status %d", tt.first, got)
			}
			if got := ask("198.51.100.1:1", "GET", "/api/v1/sources", testKey); got != 200 {
				t.Errorf("another address: status %d", got)
			}
		}
		time.Sleep(time.Second)
		if got := ask("192.0.2.1:3", "GET", "/openapi.yaml", ""); got != 200 {
			t.Errorf("after a second: status %d", got)
		}
		r := httptest.NewRequest("OPTIONS", "/openapi.yaml", nil)
		for i := range longtest.N(100, 70_000) { // more addresses than are remembered
			r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != 204 {
				t.Fatalf("address %d: status %d", i, w.Code)
			}
		}
	})
}

// TestLogIsThrottled checks that log lines of one kind are limited and counted.
func TestLogIsThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		h := httpapi.NewHandler(newScreener(t, "loaded"), authorizer(func(token string) (httpapi.Caller, error) {
			if token == "down" {
				return httpapi.Caller{}, httpapi.ErrUnavailable
			}
			return httpapi.Caller{}, errors.New("boom")
		}), &httpapi.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		for range 1000 {
			send(h, "GET", "/api/v1/sources", "", "Authorization", "Bearer x")
		}
		send(h, "GET", "/api/v1/sources", "", "Authorization", "Bearer down")
		if n := strings.Count(logged.String(), "code=internal"); n != 10 || strings.Count(logged.String(), "code=keys_unavailable") != 1 {
			t.Errorf("%d lines for 1,000 errors, want 10, and 1 of another kind", n)
		}
		time.Sleep(10 * time.Second)
		send(h, "GET", "/api/v1/sources", "", "Authorization", "Bearer x")
		if !strings.Contains(logged.String(), "left_out=990") {
			t.Errorf("the log does not say what was left out: %s", logged.String())
		}
	})
}

// TestAdmit checks that the middleware refuses requests like the handler, and passes on
// the caller.
func TestAdmit(t *testing.T) {
	var caller httpapi.Caller
	var seen []httpapi.Observation
	h := httpapi.Admit(authorizer(func(token string) (httpapi.Caller, error) {
		switch token {
		case "panic":
			panic("boom")
		case "unknown":
			return httpapi.Caller{}, httpapi.ErrUnauthorized
		case "narrow":
			return httpapi.Caller{ID: "narrow", Scopes: "screen usage"}, nil
		}
		return httpapi.Caller{ID: "user@corp.example", Quota: 7}, nil
	}), "reports", &httpapi.Options{Meter: access.New(access.NewMemory(), nil), Observe: func(_ context.Context, o httpapi.Observation) { seen = append(seen, o) }})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _ = httpapi.CallerOf(r.Context())
		io.WriteString(w, "done")
	}))
	for token, want := range map[string]int{"good": 200, "unknown": 401, "narrow": 403, "panic": 500} {
		caller, seen = httpapi.Caller{}, nil
		w := send(h, "GET", "/reports/7", "", "Authorization", "Bearer "+token)
		if w.Code != want || (caller.ID == "user@corp.example") != (want == 200) {
			t.Errorf("%s: status %d, caller %+v: %s", token, w.Code, caller, w.Body)
		}
		if want != 200 {
			if err := checkAnswer("GET", w); err != nil {
				t.Errorf("%s: %v", token, err)
			}
			if len(seen) != 1 || seen[0].Status != want || seen[0].Code == "" || seen[0].Route != "" {
				t.Errorf("%s: observed %+v", token, seen)
			}
		} else if len(seen) > 0 { // the handler answers
			t.Errorf("%s: observed %+v", token, seen)
		} else if w.Header().Get("X-Request-Id") == "" || !strings.Contains(w.Header().Get("RateLimit"), `"monthly";r=7;t=`) {
			t.Errorf("%s: %v, want the limits of the caller", token, w.Header())
		}
	}
	asked := 0
	posts := httpapi.Admit(authorizer(func(string) (httpapi.Caller, error) {
		asked++
		return httpapi.Caller{ID: "a"}, nil
	}), "reports", nil, "POST")(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for method, want := range map[string]int{"GET": 405, "GETTOKEN": 405, "OPTIONS": 204, "POST": 200} { // cheap checks come before dear ones
		if w := send(posts, method, "/reports/7", ""); w.Code != want || want > 200 && w.Header().Get("Allow") != "POST, OPTIONS" {
			t.Errorf("%s: status %d, want %d: %v", method, w.Code, want, w.Header())
		}
	}
	if asked != 1 {
		t.Errorf("%d requests were authorized, want the POST alone", asked)
	}
	if _, ok := httpapi.CallerOf(context.Background()); ok {
		t.Error("a context without a caller has one")
	}
	defer func() {
		if recover() == nil {
			t.Error("Admit without a scope returns, and would admit everybody")
		}
	}()
	httpapi.Admit(nil, "", nil)
}
