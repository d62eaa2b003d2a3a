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
)

func TestKeys(t *testing.T) {
	k := testKeys(t)
	for _, tt := range []struct{ token, id string }{
		{testKey, "plain"},
		{hashedKey, "hashed"},
		{"", ""},
		{testKey + "x", ""},
		{testKey[:len(testKey)-1], ""},
		{strings.ToLower(testKey), ""},
		{httpapi.HashKey(hashedKey), ""}, // whoever reads the store cannot come in
		{httpapi.HashKey(testKey), ""},
	} {
		grant, err := k.Authorize(context.Background(), tt.token)
		if grant.KeyID != tt.id || (tt.id == "") != errors.Is(err, httpapi.ErrUnauthorized) {
			t.Errorf("Authorize(%q) = %v, %v; want %q", tt.token, grant, err, tt.id)
		}
	}
	for name, k := range map[string]*httpapi.Keys{"zero": {}, "nil": nil} {
		if grant, err := k.Authorize(context.Background(), testKey); grant.KeyID != "" || !errors.Is(err, httpapi.ErrUnauthorized) {
			t.Errorf("%s Keys let %v in: %v", name, grant, err)
		}
	}
}

func TestNewKeysErrors(t *testing.T) {
	hash := httpapi.HashKey(testKey)
	for _, keys := range []map[string]string{
		{"": testKey}, {"a b": testKey}, {strings.Repeat("a", 65): testKey}, {"é": testKey},
		{"id": ""}, {"id": "wsk_SHORT_SHORT"}, {"id": "a secret with blanks in it"}, {"id": strings.Repeat("=", 20)},
		{"id": hash[:len(hash)-1]}, {"id": hash + "0"}, {"id": hash + "00"}, {"id": "sha256:" + strings.Repeat("g", 64)}, {"id": "sha256:"},
		{"a": testKey, "b": testKey}, {"a": testKey, "b": hash},
	} {
		k, err := httpapi.NewKeys(keys)
		if err == nil || k != nil {
			t.Errorf("NewKeys(%v) = %v, want an error", keys, k)
			continue
		}
		for _, v := range keys {
			if len(v) > 8 && strings.Contains(err.Error(), v) {
				t.Errorf("NewKeys(%v): the error tells the key: %v", keys, err)
			}
		}
	}
	if _, err := httpapi.NewKeys(map[string]string{"id": strings.ToUpper(hash[7:])}); err != nil {
		t.Errorf("a key that looks like a hash: %v", err)
	}
	if _, err := httpapi.NewKeys(map[string]string{"a": "sha256:" + strings.ToUpper(hash[7:])}); err != nil {
		t.Errorf("a hash in capitals: %v", err)
	}
}

func TestNewKey(t *testing.T) {
	a, b := httpapi.NewKey(), httpapi.NewKey()
	if a == b || !regexp.MustCompile(`^wsk_[A-Z2-7]{52}$`).MatchString(a) {
		t.Errorf("NewKey() = %q, then %q", a, b)
	}
	k, err := httpapi.NewKeys(map[string]string{"id": a})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Authorize(context.Background(), a); err != nil {
		t.Error(err)
	}
}

// authorizer is an Authorizer of a test.
type authorizer func(token string) (httpapi.Grant, error)

func (f authorizer) Authorize(ctx context.Context, token string) (httpapi.Grant, error) {
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
		{"nil Keys", (*httpapi.Keys)(nil), 401},
		{"expired", authorizer(func(string) (httpapi.Grant, error) {
			return httpapi.Grant{}, errors.Join(errors.New("expired"), httpapi.ErrUnauthorized)
		}), 401},
		{"grant and error", authorizer(func(string) (httpapi.Grant, error) {
			return httpapi.Grant{KeyID: "id"}, httpapi.ErrUnauthorized
		}), 401},
		{"store down", authorizer(func(token string) (httpapi.Grant, error) {
			return httpapi.Grant{KeyID: "id"}, errors.New("no connection for " + token)
		}), 500},
		{"panic", authorizer(func(string) (httpapi.Grant, error) { panic("at once") }), 500},
		{"no id", authorizer(func(string) (httpapi.Grant, error) { return httpapi.Grant{}, nil }), 500},
		{"in", authorizer(func(string) (httpapi.Grant, error) { return httpapi.Grant{KeyID: "id"}, nil }), 200},
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

// TestBearer: what can be no token reaches no Authorizer.
func TestBearer(t *testing.T) {
	var got string
	h := httpapi.NewHandler(newLoadedScreener(t), authorizer(func(token string) (httpapi.Grant, error) {
		got = token
		return httpapi.Grant{KeyID: "id"}, nil
	}), nil)
	for _, tt := range []struct{ value, token string }{
		{"Bearer a", "a"},
		{"BEARER  az.AZ-09_~+/==", "az.AZ-09_~+/=="},
		{"Bearer " + strings.Repeat("a", 4096), strings.Repeat("a", 4096)},
		{"Bearer " + strings.Repeat("a", 4097), ""},
		{"Bearer a b", ""},
		{"Bearer a,b", ""},
		{"Bearer a=b", ""},
		{"Bearer ==", ""},
		{"Bearer é", ""},
		{"Bearer \"a\"", ""},
		{"Bearera", ""},
		{"a", ""},
	} {
		got = ""
		r := httptest.NewRequest("GET", "/api/v1/sources", nil)
		r.Header.Set("Authorization", tt.value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got != tt.token || (w.Code == 200) != (tt.token != "") {
			t.Errorf("%.40q: status %d, token %.40q, want %.40q", tt.value, w.Code, got, tt.token)
		}
	}
}

// TestKeyAsRequestID: a key that was sent as the id of the request is in no answer,
// whoever has made it, and in nothing that is told of it.
func TestKeyAsRequestID(t *testing.T) {
	const key = "a-key-of-ones-own"
	var told string
	h := httpapi.NewHandler(newLoadedScreener(t), authorizer(func(token string) (httpapi.Grant, error) {
		if token != key {
			return httpapi.Grant{}, httpapi.ErrUnauthorized
		}
		return httpapi.Grant{KeyID: "own"}, nil
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

func TestRealm(t *testing.T) {
	for realm, want := range map[string]string{
		"":                    `Bearer realm="walletscreen"`,
		`a "b" \c`:            `Bearer realm="a \"b\" \\c"`,
		"a\r\nX-Evil: 1\x00é": `Bearer realm="aX-Evil: 1"`,
	} {
		w := httptest.NewRecorder()
		httpapi.NewHandler(nil, nil, &httpapi.Options{Realm: realm}).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/sources", nil))
		if got := w.Header().Get("WWW-Authenticate"); got != want {
			t.Errorf("realm %q: %s, want %s", realm, got, want)
		}
	}
}

// FuzzAuthHeader: whatever Authorization says, the answer is well-formed and no
// 5xx, and a 200 only for one of the keys, be they fixed or in a Store.
func FuzzAuthHeader(f *testing.F) {
	for _, s := range []string{
		"", "Bearer", "Bearer ", "Bearer " + testKey, "bearer   " + hashedKey + " ", "Bearer " + testKey + "=", "Bearer\t" + testKey,
		"Basic " + testKey, "Bearer " + testKey + "," + testKey, "Bearer \x00", "Bearer é", "Bearer ===", "Bearer " + strings.Repeat("a", 5000),
		testKey, "Bearer realm=x", " Bearer " + testKey,
		"Bearer wsk_a_", "Bearer wsk_a_" + strings.Repeat("A", 52), "Bearer wsk__" + strings.Repeat("A", 52), "Bearer wsk_a/b_" + strings.Repeat("A", 52),
	} {
		f.Add(s)
	}
	store := httpapi.NewMemory()
	token := issue(f, store, httpapi.Key{ID: "a_b.c"})
	f.Add("Bearer " + token)
	ring := httpapi.NewKeyring(store, nil)
	f.Cleanup(func() { ring.Close(context.Background()) })
	s := newLoadedScreener(f)
	fixed, kept := httpapi.NewHandler(s, testKeys(f), nil), httpapi.NewHandler(s, ring, nil)
	good := regexp.MustCompile(`^(?i:bearer) +(` + testKey + `|` + hashedKey + `) *$`)
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
	if challenge := w.Header().Get("WWW-Authenticate"); w.Code == 401 && challenge != `Bearer realm="walletscreen"` && challenge != `Bearer realm="walletscreen", error="invalid_token"` {
		t.Fatalf("%q: challenge %s", value, challenge)
	}
}
