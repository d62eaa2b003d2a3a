package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// send sends a request with testKey and further fields, two strings each.
func send(h http.Handler, method, path, body string, fields ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// used returns the number of screenings answered to c.
func used(t *testing.T, m httpapi.Meter, c httpapi.Caller) int64 {
	t.Helper()
	n, _, _, err := m.Used(t.Context(), c, true)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// leasedTotal returns the number of screenings that all replicas have leased in this
// month.
func leasedTotal(t *testing.T, s access.Store, id string) int64 {
	t.Helper()
	now := time.Now().UTC()
	_, n, _, err := s.Lease(t.Context(), id, now.Year()*12+int(now.Month())-1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// counted returns the options of a handler that counts in memory.
func counted() *httpapi.Options {
	return &httpapi.Options{Meter: access.New(access.NewMemory(), nil)}
}

// granted is an Authorizer that grants g to every caller.
func granted(g httpapi.Caller) httpapi.Authorizer {
	return authorizer(func(string) (httpapi.Caller, error) { return g, nil })
}

const clean = `{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"}`

// TestCounts checks that only screenings with status 200 count.
func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		quota := access.New(store, nil)
		g := httpapi.Caller{ID: "a", Quota: 1000, Burst: rate.NewLimiter(1000, 1000)}
		var audit error
		opts := &httpapi.Options{Meter: quota, Audit: func(context.Context, ...httpapi.Screening) error {
			if audit == nil {
				return nil
			}
			if errors.Is(audit, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler)
			}
			if audit.Error() == "panic" {
				panic("audit")
			}
			return audit
		}}
		h := httpapi.NewHandler(newScreener(t, "loaded"), granted(g), opts)
		empty := httpapi.NewHandler(newScreener(t, "empty"), granted(g), opts)
		scopeless := g
		scopeless.Scopes = "usage"
		narrow := httpapi.NewHandler(newScreener(t, "loaded"), granted(scopeless), opts)
		for _, step := range []struct {
			name         string
			h            http.Handler
			method, path string
			body         string
			audit        error
			status       int
			counts       int64
		}{
			{"clean", h, "POST", "/api/v1/screen", clean, nil, 200, 1},
			{"listed", h, "POST", "/api/v1/screen", question, nil, 200, 1},
			{"literal", h, "POST", "/api/v1/screen", `{"address":"5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320","chain":"monero"}`, nil, 200, 1},
			{"sources", h, "GET", "/api/v1/sources", "", nil, 200, 0},
			{"usage", h, "GET", "/api/v1/usage", "", nil, 200, 0},
			{"options", h, "OPTIONS", "/api/v1/screen", "", nil, 204, 0},
			{"method", h, "GET", "/api/v1/screen", "", nil, 405, 0},
			{"no path", h, "POST", "/api/v1/nothing", clean, nil, 404, 0},
			{"no JSON", h, "POST", "/api/v1/screen", "{", nil, 400, 0},
			{"no address", h, "POST", "/api/v1/screen", `{"chain":"ethereum"}`, nil, 400, 0},
			{"bad address", h, "POST", "/api/v1/screen", `{"address":"x","chain":"ethereum"}`, nil, 400, 0},
			{"ticker", h, "POST", "/api/v1/screen", `{"address":"x","chain":"ETH"}`, nil, 400, 0},
			{"large", h, "POST", "/api/v1/screen", strings.Repeat(" ", 20_000), nil, 413, 0},
			{"query", h, "POST", "/api/v1/screen?token=x", clean, nil, 400, 0},
			{"scope", narrow, "POST", "/api/v1/screen", clean, nil, 403, 0},
			{"no lists", empty, "POST", "/api/v1/screen", clean, nil, 503, 0},
			{"no record", h, "POST", "/api/v1/screen", clean, errors.New("disk full"), 503, 0},
			{"panic", h, "POST", "/api/v1/screen", clean, errors.New("panic"), 500, 0},
			{"abort", h, "POST", "/api/v1/screen", clean, http.ErrAbortHandler, 200, 0},
			{"clean again", h, "POST", "/api/v1/screen", clean, nil, 200, 1},
		} {
			for _, fields := range [][]string{nil, {"Idempotency-Key", `"` + step.name + `"`}} {
				audit = step.audit
				before := used(t, quota, g)
				w := func() (w *httptest.ResponseRecorder) {
					defer func() {
						if v := recover(); v != nil && v != http.ErrAbortHandler {
							panic(v)
						}
					}()
					return send(step.h, step.method, step.path, step.body, fields...)
				}()
				synctest.Wait()
				if w != nil && w.Code != step.status {
					t.Errorf("%s: status %d, want %d: %s", step.name, w.Code, step.status, w.Body)
				}
				if counted := used(t, quota, g) - before; counted != step.counts {
					t.Errorf("%s counts %d, want %d", step.name, counted, step.counts)
				}
				// A failed call does not reserve its idempotency key.
				if len(fields) > 0 && step.counts == 0 {
					audit = nil
					w := send(h, "POST", "/api/v1/screen", clean, fields...)
					synctest.Wait() // for the block that is leased ahead
					if counted := used(t, quota, g) - before; w.Code != 200 || counted != 1 {
						t.Errorf("%s, repeated: status %d, %d counted: %s", step.name, w.Code, counted, w.Body)
					}
				}
			}
		}
	})
}

// TestQuotaBeforeLists checks that a caller without quota learns nothing about the state
// of the lists.
func TestQuotaBeforeLists(t *testing.T) {
	quota := access.New(access.NewMemory(), nil)
	g := httpapi.Caller{ID: "a", Quota: 1}
	h := httpapi.NewHandler(newScreener(t, "empty"), granted(g), &httpapi.Options{Meter: quota})
	if w := send(h, "POST", "/api/v1/screen", clean); w.Code != 503 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if _, _, err := quota.Charge(httptest.NewRequest("POST", "/", nil), g, 1, nil); err != nil {
		t.Fatal(err)
	}
	if w := send(h, "POST", "/api/v1/screen", clean); w.Code != 429 {
		t.Errorf("status %d with the quota used up: %s", w.Code, w.Body)
	}
}

// TestRateLimitFields checks that exactly the responses to admitted keys have the
// fields.
func TestRateLimitFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, g := range map[string]httpapi.Caller{
			`"monthly"`:          {ID: "a", Quota: 10},
			`"burst"`:            {ID: "a", Burst: rate.NewLimiter(1, 10)},
			`"monthly","burst"`:  {ID: "a", Quota: 10, Burst: rate.NewLimiter(1, 3)},
			"":                   {ID: "a"},
			`"monthly","burst" `: {ID: "a", Quota: 2, Burst: rate.NewLimiter(1, 100), Scopes: "screen"},
		} {
			h := httpapi.NewHandler(newScreener(t, "loaded"), granted(g), counted())
			for _, body := range []string{"", clean, `{"address":"x","chain":"ethereum"}`, clean, clean, clean} {
				for _, path := range []string{"/api/v1/sources", "/api/v1/screen", "/api/v1/usage"} {
					method := "GET"
					if path == "/api/v1/screen" {
						method = "POST"
					}
					w := send(h, method, path, body)
					for _, field := range []string{"RateLimit", "RateLimit-Policy"} {
						var policies []string
						for item := range strings.SplitSeq(w.Header().Get(field), ", ") {
							policy, _, _ := strings.Cut(item, ";")
							policies = append(policies, policy)
						}
						if got := strings.Join(policies, ","); got != strings.TrimSpace(name) {
							t.Errorf("%s, status %d: %s is %q", path, w.Code, field, w.Header().Get(field))
						}
					}
					if w := send(h, method, path, body, "Authorization", ""); w.Code != 401 || w.Header().Get("RateLimit") != "" {
						t.Errorf("without a key: status %d, RateLimit %q", w.Code, w.Header().Get("RateLimit"))
					}
				}
			}
		}
	})
}

// TestRateLimitOfHugeQuota checks that the fields cap a quota at 15 digits, the
// longest Integer of RFC 8941.
func TestRateLimitOfHugeQuota(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), granted(httpapi.Caller{ID: "a", Quota: math.MaxInt64 - 1}), counted())
	for range 2 {
		header := send(h, "POST", "/api/v1/screen", clean).Header()
		policy, limit := header.Get("RateLimit-Policy"), header.Get("RateLimit")
		if !strings.HasPrefix(policy, `"monthly";q=999999999999999;w=`) || !strings.HasPrefix(limit, `"monthly";r=999999999999999;t=`) {
			t.Errorf("RateLimit-Policy %q, RateLimit %q", policy, limit)
		}
	}
}

// A lateMeter charges after two seconds.
type lateMeter struct{ httpapi.Meter }

func (m lateMeter) Charge(r *http.Request, c httpapi.Caller, n int, body []byte) (int, func(int), error) {
	time.Sleep(2 * time.Second)
	return m.Meter.Charge(r, c, n, body)
}

// TestScreenedAt checks that an answer has the time at which the address was screened, however
// long it was charged.
func TestScreenedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.NewHandler(
			newScreener(t, "loaded"),
			granted(httpapi.Caller{ID: "a", Quota: 10}),
			&httpapi.Options{Meter: lateMeter{access.New(newStore(), nil)}},
		)
		for path, body := range map[string]string{"/api/v1/screen": clean, "/api/v1/screen/batch": `{"items":[` + clean + `]}`} {
			want := time.Now()
			w := send(h, "POST", path, body)
			if !strings.Contains(w.Body.String(), `"screened_at":"`+want.UTC().Format(time.RFC3339)) || !time.Now().After(want) {
				t.Errorf("%s: answered %s, want %v", path, w.Body, want)
			}
		}
	})
}

// TestRateLimitWaits checks that free calls wait only a moment for the store.
func TestRateLimitWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := httpapi.NewHandler(newScreener(t, "loaded"), granted(httpapi.Caller{ID: "a", Quota: 10}), &httpapi.Options{Meter: access.New(store, nil)})
		defer store.stall()()
		start := time.Now()
		for range 100 {
			if w := send(h, "GET", "/api/v1/sources", ""); w.Code != 200 || w.Header().Get("RateLimit-Policy") == "" || w.Header().Get("RateLimit") != "" {
				t.Fatalf("status %d: %v", w.Code, w.Header())
			}
		}
		if waited := time.Since(start); waited > time.Second/2 {
			t.Errorf("it took %v", waited)
		}
	})
}

func TestIdempotencyKeys(t *testing.T) {
	long := strings.Repeat("a", 255)
	for _, tt := range []struct {
		value string
		want  string // an equal one, or "" if it is none
	}{
		{`"a"`, "a"}, {`a`, "a"}, {` "a"	`, "a"}, {`"a b"`, `"a b"`}, {`"a\"b\\c"`, `"a\"b\\c"`},
		{`8e03978e-40d5-43dd-bc93-6894a57f9324`, `"8e03978e-40d5-43dd-bc93-6894a57f9324"`},
		{`KG5LxwFBepaKHyUD`, `"KG5LxwFBepaKHyUD"`}, {`order:17/2`, `"order:17/2"`},
		{long, `"` + long + `"`}, {`"` + long + `"`, long},
		{``, ""}, {`""`, ""}, {` `, ""}, {`"`, ""}, {`"a`, ""}, {`a"`, ""}, {`"a"b"`, ""}, {`"a\b"`, ""}, {`"a\"`, ""}, {`a b`, ""}, {`a,b`, ""},
		{`"a", "b"`, ""}, {`"a";x=1`, ""}, {`"é"`, ""}, {"\"a\x7f\"", ""}, {"\"a\tb\"", ""}, {long + "a", ""}, {`"` + long + `a"`, ""}, {`(a)`, ""},
	} {
		quota := access.New(access.NewMemory(), nil)
		g := httpapi.Caller{ID: "a", Quota: 10}
		h := httpapi.NewHandler(newLoadedScreener(t), granted(g), &httpapi.Options{Meter: quota})
		w := send(h, "POST", "/api/v1/screen", clean, "Idempotency-Key", tt.value)
		if tt.want == "" {
			if w.Code != 400 || !strings.Contains(w.Body.String(), "invalid_idempotency_key") || used(t, quota, g) != 0 {
				t.Errorf("%q: status %d: %s", tt.value, w.Code, w.Body)
			}
			continue
		}
		if w.Code != 200 {
			t.Errorf("%q: status %d: %s", tt.value, w.Code, w.Body)
		}
		if w := send(h, "POST", "/api/v1/screen", clean, "Idempotency-Key", tt.want); w.Code != 200 || used(t, quota, g) != 1 {
			t.Errorf("%q and %q: status %d, %d counted", tt.value, tt.want, w.Code, used(t, quota, g))
		}
		if w := send(h, "POST", "/api/v1/screen", clean, "Idempotency-Key", "another"); w.Code != 200 || used(t, quota, g) != 2 {
			t.Errorf("%q and another: status %d, %d counted", tt.value, w.Code, used(t, quota, g))
		}
		if w := send(h, "POST", "/api/v1/screen", clean+" ", "Idempotency-Key", tt.want); w.Code != 422 || used(t, quota, g) != 2 {
			t.Errorf("%q with another body: status %d, %d counted", tt.value, w.Code, used(t, quota, g))
		}
	}
}

// TestIdempotency checks idempotency keys across replicas, in concurrent calls, and
// over time.
func TestIdempotency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		g, other := httpapi.Caller{ID: "a", Quota: 3}, httpapi.Caller{ID: "b"}
		quotas := []*access.Keyring{access.New(store, nil), access.New(store, nil)}
		var replicas []http.Handler
		s := newScreener(t, "loaded")
		for _, q := range quotas {
			replicas = append(replicas, httpapi.NewHandler(s, granted(g), &httpapi.Options{Meter: q}))
		}
		usedByAll := func() int64 {
			time.Sleep(11 * time.Second) // nothing is held any more
			return leasedTotal(t, store, "a")
		}
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				for {
					w := send(replicas[i%2], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"x"`)
					if w.Code == 200 {
						return
					}
					if w.Code != 429 { // while others hold what they will not need
						t.Errorf("status %d: %s", w.Code, w.Body)
						return
					}
					time.Sleep(time.Second)
				}
			})
		}
		wg.Wait()
		if n := usedByAll(); n != 1 {
			t.Errorf("32 calls of one name count %d, want 1", n)
		}

		// Another API key may use the same idempotency key.
		theirs := httpapi.NewHandler(s, granted(other), &httpapi.Options{Meter: quotas[0]})
		w := send(theirs, "POST", "/api/v1/screen", question, "Idempotency-Key", `"x"`)
		synctest.Wait() // for the block that is leased ahead
		if n := used(t, quotas[0], other); w.Code != 200 || n != 1 {
			t.Errorf("another key: status %d, %d counted: %s", w.Code, n, w.Body)
		}

		// The store fails before the claim is made, and after.
		store.failWhen(func(call string, _ bool) bool { return call == "Look" || call == "Claim" })
		if w := send(replicas[0], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"y"`); w.Code != 503 ||
			!strings.Contains(w.Body.String(), "quota_unavailable") {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		store.failWhen(func(call string, done bool) bool { return call == "Claim" && done })
		if w := send(replicas[0], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"y"`); w.Code != 503 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		store.hook.Store(nil)
		if n := usedByAll(); n != 1 {
			t.Errorf("calls that have failed count %d", n-1)
		}
		// Deleting the claim fails: the call stays counted, and repeating it is free.
		store.failWhen(func(call string, done bool) bool { return call == "Claim" && done || call == "Unclaim" })
		if w := send(replicas[0], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"z"`); w.Code != 503 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		store.hook.Store(nil)
		for range 3 {
			if w := send(replicas[1], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"z"`); w.Code != 200 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		}
		if n := usedByAll(); n != 2 {
			t.Errorf("%d are counted, want 2", n)
		}

		// The claim expires after a day.
		time.Sleep(24*time.Hour - 2*time.Minute)
		if w := send(replicas[0], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"x"`); w.Code != 200 || usedByAll() != 2 {
			t.Errorf("after a day, or nearly: status %d: %s", w.Code, w.Body)
		}
		time.Sleep(2 * time.Minute)
		if w := send(replicas[0], "POST", "/api/v1/screen", question, "Idempotency-Key", `"x"`); w.Code != 200 || usedByAll() != 3 {
			t.Errorf("after a day: status %d: %s", w.Code, w.Body)
		}
		// The quota is used up: repeated calls succeed, new ones do not.
		for name, want := range map[string]int{`"x"`: 200, `"new"`: 429} {
			if w := send(replicas[1], "POST", "/api/v1/screen", question, "Idempotency-Key", name); w.Code != want {
				t.Errorf("%s with the quota used up: status %d: %s", name, w.Code, w.Body)
			}
		}
		if w := send(replicas[1], "POST", "/api/v1/screen", clean, "Idempotency-Key", `"x"`); w.Code != 422 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		g.Quota = 4
		raised := httpapi.NewHandler(s, granted(g), &httpapi.Options{Meter: quotas[0]})
		if w := send(raised, "POST", "/api/v1/screen", question, "Idempotency-Key", `"new"`); w.Code != 200 || usedByAll() != 4 {
			t.Errorf("what was refused, and is granted now: status %d, %d counted: %s", w.Code, usedByAll(), w.Body)
		}
	})
}

// TestUsage compares the figures in the response with a count.
func TestUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := httpapi.NewHandler(
			newScreener(t, "loaded"),
			granted(httpapi.Caller{ID: "a", Quota: 300, Burst: rate.NewLimiter(2, 1000)}),
			&httpapi.Options{Meter: access.New(store, nil)},
		)
		for i := range 310 {
			var u struct {
				KeyID                  string `json:"key_id"`
				Month                  string
				Limit, Used, Remaining int
				ResetsAt               time.Time `json:"resets_at"`
				Burst                  struct {
					Limit, Remaining int
					Rate             float64
				}
			}
			time.Sleep(time.Nanosecond)
			w := send(h, "GET", "/api/v1/usage", "")
			if err := json.Unmarshal(w.Body.Bytes(), &u); err != nil {
				t.Fatal(err)
			}
			n := min(i, 300)
			if u.KeyID != "a" || u.Month != "2026-01" || u.Limit != 300 || u.Used != n || u.Remaining != 300-n || !u.ResetsAt.Equal(date(2026, 2, 1)) ||
				u.Burst.Limit != 1000 || u.Burst.Remaining != 1000-2*i-1 || u.Burst.Rate != 2 {
				t.Fatalf("after %d: %s", n, w.Body)
			}
			send(h, "POST", "/api/v1/screen", clean)
			synctest.Wait()
		}
		store.fail()
		time.Sleep(time.Nanosecond)
		if w := send(h, "GET", "/api/v1/usage", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "quota_unavailable") {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		odd := httpapi.NewHandler(newScreener(t, "loaded"), granted(httpapi.Caller{ID: "tenant\n1"}), counted())
		if w := send(odd, "GET", "/api/v1/usage", ""); w.Code != 500 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
}

// FuzzIdempotencyKey checks that any value of the field is refused, or names one call
// that is counted once.
func FuzzIdempotencyKey(f *testing.F) {
	for _, s := range []string{`"a"`, `a`, `""`, `"\""`, `"\`, "\x00", `é`, strings.Repeat("a", 256), ` `, `"a" `, `a,b`} {
		f.Add(s)
	}
	s := newLoadedScreener(f)
	f.Fuzz(func(t *testing.T, value string) {
		quota := access.New(access.NewMemory(), nil)
		g := httpapi.Caller{ID: "a", Quota: 10}
		h := httpapi.NewHandler(s, granted(g), &httpapi.Options{Meter: quota})
		post := func(body string) int {
			r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(body))
			r.Header = http.Header{"Authorization": {"Bearer x"}, "Content-Type": {"application/json"}, "Idempotency-Key": {value}}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if err := checkAnswer("POST", w); err != nil {
				t.Fatal(err)
			}
			return w.Code
		}
		first, second, third := post(clean), post(clean), post(question)
		n := used(t, quota, g)
		if !(first == 400 && second == 400 && third == 400 && n == 0) && !(first == 200 && second == 200 && third == 422 && n == 1) {
			t.Errorf("%q: status %d, %d, %d; %d counted", value, first, second, third, n)
		}
		if err := quota.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
