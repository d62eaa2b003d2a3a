package access_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// The tokens of the tests.
const (
	testKey  = "wsk_TEST0TEST0TEST0TEST0"
	otherKey = "wsk_OTHER0OTHER0OTHER0TH"
)

func TestFixed(t *testing.T) {
	k, err := access.Fixed(map[string]string{"plain": testKey, "other": otherKey})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ token, id string }{
		{testKey, "plain"},
		{otherKey, "other"},
		{"", ""},
		{testKey + "x", ""},
		{testKey[:len(testKey)-1], ""},
		{strings.ToLower(testKey), ""},
		{fmt.Sprintf("%x", sha256.Sum256([]byte(testKey))), ""}, // the stored hash is not a key
	} {
		caller, err := admit(t.Context(), k, tt.token)
		if caller.ID != tt.id || (tt.id == "") != (errors.Is(err, httpapi.ErrUnauthorized) || errors.Is(err, httpapi.ErrNoCredentials)) {
			t.Errorf("Authorize(%q) = %v, %v; want %q", tt.token, caller, err, tt.id)
		}
	}
}

func TestFixedErrors(t *testing.T) {
	for _, keys := range []map[string]string{
		{"": testKey}, {" ab": testKey}, {"a\nb": testKey}, {strings.Repeat("a", 201): testKey}, {"\xff": testKey},
		{"id": ""}, {"id": "wsk_SHORT_SHORT"}, {"id": "a secret with blanks in it"}, {"id": strings.Repeat("=", 20)}, {"id": strings.Repeat("a", 20)},
		{"id": "umlaut-äöü-äöü-äöü"}, {"id": "line\nbreak-line-break"}, {"id": strings.Repeat("abcdefgh", 600)},
		{"id": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(testKey)))},
		{"a": testKey, "b": testKey},
	} {
		k, err := access.Fixed(keys)
		if err == nil || k != nil {
			t.Errorf("Fixed(%v) = %v, want an error", keys, k)
			continue
		}
		for _, v := range keys {
			if len(v) > 8 && strings.Contains(err.Error(), v) {
				t.Errorf("Fixed(%v): the error tells the key: %v", keys, err)
			}
		}
	}
	if err := access.CheckToken(strings.Repeat("abcdefgh", 600)); err == nil || !strings.Contains(err.Error(), "4800 characters, want 16 to 4096") {
		t.Errorf("a long key: %v", err)
	}
}

// TestFirst checks that the Authorizers are called in turn, and that an outage of one
// does not count as a refusal.
func TestFirst(t *testing.T) {
	one, err := access.Fixed(map[string]string{"one": testKey})
	if err != nil {
		t.Fatal(err)
	}
	two, err := access.Fixed(map[string]string{"two": otherKey})
	if err != nil {
		t.Fatal(err)
	}
	down := authorizerFunc(func(*http.Request) (httpapi.Caller, error) { return httpapi.Caller{}, httpapi.ErrUnavailable })
	for _, tt := range []struct {
		a     httpapi.Authorizer
		token string
		id    string
		err   error
	}{
		{access.First(one, two), testKey, "one", nil},
		{access.First(one, two), otherKey, "two", nil},
		{access.First(one, two), "wsk_another0another0", "", httpapi.ErrUnauthorized},
		{access.First(one, two), "", "", httpapi.ErrNoCredentials},
		{access.First(), testKey, "", httpapi.ErrNoCredentials},
		{access.First(one, down, two), otherKey, "", httpapi.ErrUnavailable},
		{access.First(one, down), testKey, "one", nil},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if tt.token != "" {
			r = bearing(context.Background(), tt.token)
		}
		if c, err := tt.a.Authorize(r); c.ID != tt.id || !errors.Is(err, tt.err) {
			t.Errorf("%q: %+v, %v; want %q, %v", tt.token, c, err, tt.id, tt.err)
		}
	}
}

type authorizerFunc func(*http.Request) (httpapi.Caller, error)

func (f authorizerFunc) Authorize(r *http.Request) (httpapi.Caller, error) { return f(r) }

// TestBearer checks which values of Authorization contain a token.
func TestBearer(t *testing.T) {
	for _, tt := range []struct {
		values []string
		token  string // "" if the request is refused
	}{
		{[]string{"Bearer aBcDeFgHiJkLmNoP"}, "aBcDeFgHiJkLmNoP"},
		{[]string{"BEARER  az.AZ-09_~+/abcd=="}, "az.AZ-09_~+/abcd=="},
		{[]string{"bearer " + strings.Repeat("abcdefgh", 512)}, strings.Repeat("abcdefgh", 512)},
		{[]string{"Bearer " + strings.Repeat("abcdefgh", 512) + "a"}, ""},
		{[]string{"Bearer a b"}, ""},
		{[]string{"Bearer a,b"}, ""},
		{[]string{"Bearer a=b"}, ""},
		{[]string{"Bearer =="}, ""},
		{[]string{"Bearer é"}, ""},
		{[]string{`Bearer "a"`}, ""},
		{[]string{"Bearera"}, ""},
		{[]string{"a"}, ""},
		{[]string{"Bearer aBcDeFgHiJkLmNoP", "Bearer aBcDeFgHiJkLmNoP"}, ""},
		{nil, ""},
	} {
		token := tt.token
		if token == "" {
			token = "aBcDeFgHiJkLmNoP"
		}
		a, err := access.Fixed(map[string]string{"id": token})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Authorization"] = tt.values
		if c, err := a.Authorize(r); (err == nil) != (tt.token != "") || err == nil && c.ID != "id" {
			t.Errorf("%.60q: %+v, %v", tt.values, c, err)
		}
	}
}

// TestTokenID checks that a key id of any characters has exactly one token that can be
// sent.
func TestTokenID(t *testing.T) {
	store := access.NewMemory()
	keys := access.New(store, nil)
	defer keys.Close(t.Context())
	for _, id := range []string{"user@corp.example", "é", "a b", "a/b_c", "~", "~40", strings.Repeat("☂", 66)} {
		token := issue(t, store, access.Key{ID: id})
		if err := access.CheckToken(token); err != nil {
			t.Errorf("%q: the token %s: %v", id, token, err)
		}
		if c, err := admit(t.Context(), keys, token); err != nil || c.ID != id {
			t.Errorf("%q: %+v, %v", id, c, err)
		}
		if upper := strings.Replace(token, "~4", "~4", 1); upper != token {
			t.Error("unreachable")
		}
	}
	token := issue(t, store, access.Key{ID: "plain"})
	if c, err := admit(t.Context(), keys, strings.Replace(token, "plain", "~70lain", 1)); err == nil {
		t.Errorf("another token of the same id is admitted: %+v", c)
	}
}
