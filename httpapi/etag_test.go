package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		lines          []string
		weakly, strong bool
	}{
		{nil, false, false},
		{[]string{""}, false, false},
		{[]string{`"t"`}, true, true},
		{[]string{`W/"t"`}, true, false}, // RFC 9110, section 8.8.3.2
		{[]string{`w/"t"`}, false, false},
		{[]string{`*`}, true, true},
		{[]string{` * `}, true, true},
		{[]string{`"*"`}, false, false},
		{[]string{`t`}, false, false},
		{[]string{`"t`}, false, false},
		{[]string{`"T"`}, false, false},
		{[]string{`"a", W/"b" ,"t"`}, true, true},
		{[]string{`W/"t", "t"`}, true, true},
		{[]string{`"t", W/"t"`}, true, true},
		{[]string{`"a,b","t"`}, true, true},
		{[]string{`"a\","t"`}, true, true}, // a backslash is a character of a tag like others
		{[]string{`, ,"t"`}, true, true},   // section 5.6.1: empty elements are ignored
		{[]string{`"a" x "t"`}, false, false},
		{[]string{`"a"`, `"t"`}, true, true},
		{[]string{`W/"`, `W/`, `"`}, false, false},
	} {
		weakly, strong := httpapi.Matches(tt.lines, `"t"`, true), httpapi.Matches(tt.lines, `"t"`, false)
		if weakly != tt.weakly || strong != tt.strong {
			t.Errorf("%q: %v and %v, want %v and %v", tt.lines, weakly, strong, tt.weakly, tt.strong)
		}
	}
}

// TestETag checks that the ETag depends only on the content.
func TestETag(t *testing.T) {
	list := &aged{Source: ofac, checked: date(2026, 1, 1)}
	s, err := screening.New([]sources.Source{list}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), nil)
	ask := func(method, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/api/v1/sources", nil)
		r.Header.Set("Authorization", "Bearer "+testKey)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if err := checkAnswer(method, w); err != nil {
			t.Error(err)
		}
		return w
	}
	seen := make(map[string]bool)
	for day := range 3 {
		first := ask("GET", "")
		tag := first.Header().Get("Etag")
		if first.Code != 200 || len(tag) < 4 || tag[0] != '"' || seen[tag] {
			t.Errorf("day %d: status %d, tag %s", day, first.Code, tag)
		}
		for _, method := range []string{"GET", "HEAD"} {
			if w := ask(method, tag); w.Code != http.StatusNotModified || w.Header().Get("Etag") != tag {
				t.Errorf("day %d: %s: status %d, tag %s, want 304 and %s", day, method, w.Code, w.Header().Get("Etag"), tag)
			}
			for old := range seen {
				if w := ask(method, old); w.Code != 200 || w.Header().Get("Etag") != tag {
					t.Errorf("day %d: %s: status %d, tag %s, want 200 and %s", day, method, w.Code, w.Header().Get("Etag"), tag)
				}
			}
		}
		seen[tag] = true
		list.checked = date(2026, 1, 2+day)
		if _, err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
