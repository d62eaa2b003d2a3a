package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// An authorizer is an Authorizer that decides by the token.
type authorizer func(token string) (httpapi.Caller, error)

func (f authorizer) Authorize(r *http.Request) (httpapi.Caller, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return httpapi.Caller{}, httpapi.ErrNoCredentials
	}
	return f(token)
}

func TestAuthorizer(t *testing.T) {
	s := newLoadedScreener(t)
	for _, tt := range []struct {
		name   string
		keys   httpapi.Authorizer
		status int
	}{
		{"nil", nil, 401},
		{"expired", authorizer(func(string) (httpapi.Caller, error) {
			return httpapi.Caller{}, errors.Join(errors.New("expired"), httpapi.ErrUnauthorized)
		}), 401},
		{"grant and error", authorizer(func(string) (httpapi.Caller, error) {
			return httpapi.Caller{ID: "id"}, httpapi.ErrUnauthorized
		}), 401},
		{"store down", authorizer(func(token string) (httpapi.Caller, error) {
			return httpapi.Caller{ID: "id"}, errors.New("no connection for " + token)
		}), 500},
		{"panic", authorizer(func(string) (httpapi.Caller, error) { panic("at once") }), 500},
		{"no id", authorizer(func(string) (httpapi.Caller, error) { return httpapi.Caller{}, nil }), 500},
		{"in", authorizer(func(string) (httpapi.Caller, error) { return httpapi.Caller{ID: "id"}, nil }), 200},
	} {
		r := httptest.NewRequest("GET", "/api/v1/sources", nil)
		r.Header.Set("Authorization", "Bearer "+testKey)
		w := httptest.NewRecorder()
		httpapi.NewHandler(s, tt.keys, nil).ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%s: status %d, want %d: %s", tt.name, w.Code, tt.status, w.Body)
		}
		if err := checkAnswer("GET", w); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if strings.Contains(w.Body.String(), testKey) || strings.Contains(w.Body.String(), "expired") {
			t.Errorf("%s: the answer tells too much: %s", tt.name, w.Body)
		}
	}
}

// TestKeyAsRequestID checks that a key sent as the request id appears in no response
// and no observation.
func TestKeyAsRequestID(t *testing.T) {
	const key = "a-key-of-ones-own"
	var told string
	h := httpapi.NewHandler(newLoadedScreener(t), authorizer(func(token string) (httpapi.Caller, error) {
		if token != key {
			return httpapi.Caller{}, httpapi.ErrUnauthorized
		}
		return httpapi.Caller{ID: "own"}, nil
	}), &httpapi.Options{Observe: func(_ context.Context, o httpapi.Observation) { told = o.RequestID }})
	for token, want := range map[string]int{key: 200, "another" + key: 401} {
		for _, id := range []string{token, "id=" + token} {
			w := send(h, "POST", "/api/v1/screen", clean, "Authorization", "Bearer "+token, "X-Request-Id", id)
			got := w.Header().Values("X-Request-Id")
			if w.Code != want || len(got) != 1 || got[0] == "" || got[0] != told || strings.Contains(got[0]+w.Body.String(), token) {
				t.Errorf("key %s, id %s: %d %q %s", token, id, w.Code, got, w.Body)
			}
		}
	}
}

// FuzzAuthHeader checks that for any value of Authorization the response is well-formed
// and not a 5xx, and is a 200 only for one of the keys, fixed or in a Store.
func FuzzAuthHeader(f *testing.F) {
	for _, s := range []string{
		"", "Bearer", "Bearer ", "Bearer " + testKey, "bearer   " + otherKey + " ", "Bearer " + testKey + "=", "Bearer\t" + testKey,
		"Basic " + testKey, "Bearer " + testKey + "," + testKey, "Bearer \x00", "Bearer é", "Bearer ===", "Bearer " + strings.Repeat("a", 5000),
		testKey, "Bearer realm=x", " Bearer " + testKey,
		"Bearer wsk_a_", "Bearer wsk_a_" + strings.Repeat("A", 52), "Bearer wsk__" + strings.Repeat("A", 52), "Bearer wsk_a/b_" + strings.Repeat("A", 52),
	} {
		f.Add(s)
	}
	store := access.NewMemory()
	token := issue(f, store, access.Key{ID: "a_b.c"})
	f.Add("Bearer " + token)
	ring := access.New(store, nil)
	f.Cleanup(func() { ring.Close(context.Background()) })
	s := newLoadedScreener(f)
	fixed, kept := httpapi.NewHandler(s, testKeys(f), nil), httpapi.NewHandler(s, ring, nil)
	good := regexp.MustCompile(`^(?i:bearer) +(` + testKey + `|` + otherKey + `) *$`)
	goodToken := regexp.MustCompile(`^(?i:bearer) +` + regexp.QuoteMeta(token) + ` *$`)
	f.Fuzz(func(t *testing.T, value string) {
		fuzzAuth(t, fixed, value, good.MatchString(value))
		fuzzAuth(t, kept, value, goodToken.MatchString(value))
	})
}

func fuzzAuth(t *testing.T, h http.Handler, value string, good bool) {
	r := httptest.NewRequest("GET", "/api/v1/sources", nil)
	r.Header["Authorization"] = []string{value}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := checkAnswer("GET", w); err != nil {
		t.Fatalf("%q: %v", value, err)
	}
	want := http.StatusUnauthorized
	if good {
		want = http.StatusOK
	}
	if w.Code != want {
		t.Fatalf("%q: status %d, want %d", value, w.Code, want)
	}
	if challenge := w.Header().Get("WWW-Authenticate"); w.Code == 401 && challenge != `Bearer realm="walletscreen"` &&
		challenge != `Bearer realm="walletscreen", error="invalid_token"` {
		t.Fatalf("%q: challenge %s", value, challenge)
	}
}
