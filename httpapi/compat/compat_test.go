package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/compat"
	"github.com/walletscreen/walletscreen/internal/pipenet"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	lazarus = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96" // listed by OFAC
	scammer = "0x2222222222222222222222222222222222222222" // on the community list only
	blocked = "0x3333333333333333333333333333333333333333" // on the operator's list
	excused = "0x4444444444444444444444444444444444444444" // listed, and excepted
	clean   = "0x1111111111111111111111111111111111111111"
	yan     = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"         // listed by OFAC
	twin    = "bc1qpa78qajm34ypqk6unwwn9tgxrc9evaez76c64s" // has the key of yan
	key     = "wsk_TEST0TEST0TEST0TEST0"
)

func entry(chain address.Chain, text string, kind score.Kind, ref, name string) sources.Entry {
	return sources.Entry{Address: address.MustParse(chain, text), Listed: text, Kind: kind, Ref: ref, Name: name, ListedAt: time.Date(2021, 4, 15, 0, 0, 0, 0, time.UTC)}
}

// newScreener returns a Screener whose lists are loaded.
func newScreener(t *testing.T, opts *screening.Options) *screening.Screener {
	t.Helper()
	official := sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC", Jurisdiction: sources.US},
		entry("ethereum", lazarus, score.Sanctioned, "27307", "Lazarus\u202e Group"), entry("bitcoin", yan, score.Sanctioned, "25308", "YAN Xiaobing"),
		entry("ethereum", excused, score.Sanctioned, "1", "Licensed"))
	own := sources.Static(sources.Info{ID: "OWN", Name: "own", Jurisdiction: sources.Operator}, entry("ethereum", blocked, score.Blocked, "", ""))
	community := sources.Static(sources.Info{ID: "COMMUNITY", Name: "community", Jurisdiction: sources.Community},
		entry("ethereum", scammer, score.Scam, "7", ""))
	s, err := screening.New([]sources.Source{official, own, community}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetExceptions(t.Context(), []screening.Exception{{Address: address.MustParse("ethereum", excused), Reason: "license", Author: "Ann"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func newKeys(t *testing.T) httpapi.Authorizer {
	t.Helper()
	keys, err := access.Fixed(map[string]string{"payments": key})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// An authorizer admits everybody as one caller.
type authorizer struct{ caller httpapi.Caller }

func (a authorizer) Authorize(*http.Request) (httpapi.Caller, error) { return a.caller, nil }

// ask asks in Chainalysis's shape.
func ask(h http.Handler, text string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path = "/api/v1/address/" + text
	r.Header.Set("X-API-Key", key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// post asks in TRM's shape.
func post(h http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/public/v1/sanctions/screening", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(key, key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// one is the body of TRM's shape for a text.
func one(text string) string {
	body, _ := json.Marshal([]map[string]string{{"address": text}})
	return string(body)
}

// verdict is what both shapes say about a text: clean, listed, or the status and the code of
// the problem. It fails the test if they disagree.
func verdict(t *testing.T, h http.Handler, text string) string {
	t.Helper()
	a, b := ask(h, text), post(h, one(text))
	said := func(w *httptest.ResponseRecorder, clean, listed *regexp.Regexp) string {
		body := strings.TrimSpace(w.Body.String())
		var p struct {
			Type, Title, Code, Instance string
			Status                      int
			RequestID                   string `json:"request_id"`
		}
		switch ok := w.Code == 200 || w.Code == 201; {
		case ok && clean.MatchString(body):
			return "clean"
		case ok && listed.MatchString(body):
			return "listed"
		case ok || json.Unmarshal(w.Body.Bytes(), &p) != nil || p.Status != w.Code || p.Title == "" || !strings.HasSuffix(p.Type, ".md#"+p.Code) ||
			p.RequestID == "" || p.RequestID != w.Header().Get("X-Request-Id") || w.Header().Get("Content-Type") != "application/problem+json" || p.Instance != "":
			t.Errorf("%q: status %d, header %v: %s", text, w.Code, w.Header(), body)
		case w.Code == 503 && w.Header().Get("Retry-After") == "":
			t.Errorf("%q: a 503 without Retry-After", text)
		}
		return fmt.Sprint(w.Code, " ", p.Code)
	}
	first := said(a, regexp.MustCompile(`^{"identifications":\[\]}$`), regexp.MustCompile(`^{"identifications":\[{"category":`))
	second := said(b, regexp.MustCompile(`^\[{"address":.*,"isSanctioned":false}\]$`), regexp.MustCompile(`^\[{"address":.*,"isSanctioned":true}\]$`))
	if first != second {
		t.Errorf("%q: %s in one shape, %s in the other", text, first, second)
	}
	return first
}

// TestVerdicts asks about each kind of text in both shapes.
func TestVerdicts(t *testing.T) {
	h := compat.New(newScreener(t, nil), newKeys(t), nil)
	for _, tt := range []struct{ text, want string }{
		{clean, "clean"}, {strings.ToLower(lazarus), "listed"}, {lazarus, "listed"}, {" " + lazarus + " ", "listed"}, {"eip155:137:" + lazarus, "listed"},
		{blocked, "listed"}, {scammer, "409 listed_otherwise"}, {excused, "clean"}, {yan, "listed"}, {twin, "listed"},
		{"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "clean"},
		{"0x098b716B8Aaf21512996dC57EB0615e2383E2f96", "listed"},              // a wrong capital, but listed
		{"0xdAC17F958D2ee523a2206206994597C13D831ec8", "400 invalid_address"}, // a wrong capital
		{"0x12", "400 invalid_address"}, {"not-an-address", "400 invalid_address"}, {"", "400 invalid_address"}, {"vitalik.eth", "400 invalid_address"},
		{clean[:41], "400 invalid_address"}, {clean + "1", "400 invalid_address"}, {"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "400 invalid_address"},
		{clean + "/", "400 invalid_address"}, {clean + "," + clean, "clean"}, // one account
		{clean + "," + strings.ReplaceAll(clean, "1", "7"), "400 invalid_address"}, {clean + "," + lazarus, "listed"},
		{strings.Repeat("4c", 32), "400 invalid_address"}, // several chains fit
		{"bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?lightning=lnbc10n1pj", "400 invalid_address"},
		{"bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?bc=" + yan, "listed"},
		{"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "400 invalid_address"}, {"\"},{\"address\":\"" + clean, "400 invalid_address"},
		{"5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss", "400 invalid_address"}, // a private key
	} {
		if got := verdict(t, h, tt.text); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	few := authorizer{httpapi.Caller{ID: "few", Scopes: "screen"}} // which is not shown why an exception was made
	for text, want := range map[string]string{excused: "clean", blocked: "listed", lazarus: "listed"} {
		if got := verdict(t, compat.New(newScreener(t, nil), few, nil), text); got != want {
			t.Errorf("with the scope screen: %q: %s, want %s", text, got, want)
		}
	}
	if got := verdict(t, compat.New(newScreener(t, nil), authorizer{httpapi.Caller{ID: "none", Scopes: "usage"}}, nil), clean); got != "403 insufficient_scope" {
		t.Errorf("without the scope screen: %s", got)
	}
	all := compat.New(newScreener(t, nil), newKeys(t), nil, score.Latest().Kinds()...)
	if got := verdict(t, all, scammer); got != "listed" || !strings.Contains(ask(all, scammer).Body.String(), `"category":"scam"`) {
		t.Errorf("with all kinds: %s: %s", got, ask(all, scammer).Body)
	}
}

// TestIdentification checks the members of a listing.
func TestIdentification(t *testing.T) {
	h := compat.New(newScreener(t, nil), newKeys(t), nil)
	for _, tt := range []struct{ text, want string }{
		{lazarus, `{"identifications":[{"category":"sanctions","description":"This account is listed. List OFAC_SDN, reference 27307, match exact, ` +
			`list checked TIME.","name":"SANCTIONS: OFAC SDN Lazarus\u202e Group 2021-04-15 ` + lazarus + `","url":null}]}`},
		{twin, `{"identifications":[{"category":"sanctions","description":"This address is not listed itself: it has the same key as a listed address, ` + yan +
			`. List OFAC_SDN, reference 25308, match key, list checked TIME.","name":"SANCTIONS: OFAC SDN YAN Xiaobing 2021-04-15 (same key as a listed address)","url":null}]}`},
		{blocked, `{"identifications":[{"category":"blocked","description":"This account is listed. List OWN, reference , match exact, list checked TIME.",` +
			`"name":"BLOCKED: OWN 2021-04-15 ` + blocked + `","url":null}]}`},
	} {
		got := regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:]*Z`).ReplaceAllString(strings.TrimSpace(ask(h, tt.text).Body.String()), "TIME")
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

// TestLists checks that a missing and a stale list are errors about every address, also about
// addresses that other lists have.
func TestLists(t *testing.T) {
	missing, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "A", Name: "A", Jurisdiction: sources.US})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	stale := newScreener(t, &screening.Options{MaxAge: time.Nanosecond})
	old := newScreener(t, &screening.Options{MaxPublished: map[string]time.Duration{"OFAC_SDN": time.Hour}}) // it has no date
	for name, tt := range map[string]struct {
		s    *screening.Screener
		want string
	}{"missing": {missing, "503 sources_unavailable"}, "stale": {stale, "503 sources_stale"}, "old": {old, "503 sources_stale"}} {
		h := compat.New(tt.s, newKeys(t), nil)
		for _, text := range []string{clean, lazarus, excused} {
			if got := verdict(t, h, text); got != tt.want {
				t.Errorf("%s: %s: %s, want %s", name, text, got, tt.want)
			}
		}
	}
	optional := newScreener(t, &screening.Options{Optional: []string{"COMMUNITY"}})
	if got := verdict(t, compat.New(optional, newKeys(t), nil), clean); got != "clean" {
		t.Errorf("with an optional list: %s", got)
	}
}

// TestItems checks TRM's shape with several addresses.
func TestItems(t *testing.T) {
	h := compat.New(newScreener(t, nil), newKeys(t), nil)
	many := strings.Repeat(`,{"address":"`+clean+`"}`, 101)[1:]
	for _, tt := range []struct {
		body   string
		status int
		want   string // part of the answer
	}{
		{`[{"address":"` + clean + `","chain":"ethereum"},{"address":"` + lazarus + `","chain":"polygon"}]`, 201,
			`[{"address":"` + clean + `","isSanctioned":false},{"address":"` + lazarus + `","isSanctioned":true}]` + "\n"},
		{`[{"address":"` + clean + `"},{"address":"0x12"}]`, 400, `"field":"items[1]"`},
		{`[{"address":"` + lazarus + `"},{"address":"` + scammer + `"}]`, 409, `"field":"items[1]"`},
		{`[{"address":"` + clean + `","chain":"bitcoin"}]`, 400, `"field":"items[0]"`},
		// One address must not be answered in place of another.
		{`[{"address":"` + lazarus + `","Address":"` + clean + `"}]`, 201, `[{"address":"` + lazarus + `","isSanctioned":true}]`},
		{`[{"address":"` + lazarus + `","address":"` + clean + `"}]`, 400, `"code":"invalid_json"`},
		// Members of the batch cannot be added.
		{`[{"address":"` + clean + `"}],"at":"2020-01-01T00:00:00Z"`, 400, `"code":"invalid_json"`},
		{`[{"address":"` + clean + `"}]}`, 400, `"code":"invalid_json"`},
		{`[]`, 400, `"code":"missing_field"`}, {``, 400, `"code":"invalid_json"`}, {`null`, 400, `"code":"invalid_type"`}, {`{}`, 400, `"code":"invalid_type"`},
		{`[7]`, 400, `"field":"items[0]"`}, {`[{}]`, 400, `"code":"missing_field"`}, {`[{"address":null}]`, 400, `"code":"invalid_type"`},
		{`[{"ADDRESS":"` + clean + `"}]`, 400, `"code":"missing_field"`}, {"[{\"address\":\"\xff\"}]", 400, `"code":"invalid_json"`},
		{"[" + many + "]", 413, "At most 100 addresses"}, {"[" + many[:len(many)-1-len(`,{"address":"`+clean+`"}`)] + "}]", 201, `"isSanctioned":false`},
		{"[" + strings.Repeat(" ", 600<<10) + "]", 413, "At most 100 addresses"},
	} {
		w := post(h, tt.body)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%.200q: status %d, want %d: %.500s, want %s", tt.body, w.Code, tt.status, w.Body, tt.want)
		}
	}
}

// TestTooManyItems checks that an array with far too many items is refused before it is decoded.
func TestTooManyItems(t *testing.T) {
	h := compat.New(newScreener(t, nil), newKeys(t), nil)
	body := "[" + strings.Repeat("{},", 170_000) + "{}]"
	n := testing.AllocsPerRun(1, func() {
		if w := post(h, body); w.Code != 413 || !strings.Contains(w.Body.String(), "At most 100 addresses") {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
	if n > 10_000 {
		t.Errorf("%v allocations", n)
	}
}

// TestCredentials checks where the key may be, and that without it the response says nothing.
func TestCredentials(t *testing.T) {
	h := compat.New(newScreener(t, nil), newKeys(t), nil)
	for _, tt := range []struct {
		name   string
		set    func(*http.Request)
		status int
		code   string
	}{
		{"none", func(*http.Request) {}, 401, "missing_credentials"},
		{"X-API-Key", func(r *http.Request) { r.Header.Set("X-API-Key", key) }, 0, ""},
		{"wrong X-API-Key", func(r *http.Request) { r.Header.Set("X-API-Key", key+"x") }, 401, "invalid_token"},
		{"Basic", func(r *http.Request) { r.SetBasicAuth(key, key) }, 0, ""},
		{"Basic, password only", func(r *http.Request) { r.SetBasicAuth("", key) }, 0, ""},
		{"Basic, user only", func(r *http.Request) { r.SetBasicAuth(key, "") }, 401, ""},
		{"Bearer", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }, 0, ""},
		{"in the query", func(r *http.Request) { r.URL.RawQuery = "api_key=" + key; r.Header.Set("X-API-Key", key) }, 400, "credentials_in_query"},
	} {
		for _, r := range []*http.Request{
			httptest.NewRequest("GET", "/api/v1/address/"+lazarus, nil),
			httptest.NewRequest("POST", "/public/v1/sanctions/screening", strings.NewReader(one(lazarus))),
		} {
			r.Header.Set("Content-Type", "application/json")
			tt.set(r)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want := tt.status
			if want == 0 {
				want = map[string]int{"GET": 200, "POST": 201}[r.Method]
			}
			if w.Code != want || !strings.Contains(w.Body.String(), tt.code) || strings.Contains(w.Body.String(), key) {
				t.Errorf("%s: %s: status %d, want %d: %s", tt.name, r.Method, w.Code, want, w.Body)
			}
			if want >= 400 && strings.Contains(w.Body.String(), "Lazarus") {
				t.Errorf("%s: %s", tt.name, w.Body)
			}
		}
	}
}

// TestPaths checks paths, methods and the paid API.
func TestPaths(t *testing.T) {
	s := newScreener(t, nil)
	for _, tt := range []struct {
		prefix, method, path string
		status               int
		want                 string
	}{
		{"", "GET", "/api/v1/address/" + clean, 200, `[]`}, {"", "GET", "//api/v1/address/" + clean, 200, `[]`}, {"", "GET", "/x/api/v1/address/" + clean, 200, `[]`},
		{"/", "GET", "/api/v1/address/" + clean, 200, `[]`}, {"/", "GET", "/x/api/v1/address/" + clean, 404, "not_found"},
		{"/a", "GET", "/a/api/v1/address/" + clean, 200, `[]`}, {"/a/", "GET", "/a//api/v1/address/" + clean, 200, `[]`},
		{"/a", "GET", "/api/v1/address/" + clean, 404, "not_found"}, {"/a", "POST", "/a/public/v1/sanctions/screening", 201, `false`},
		{"", "HEAD", "/api/v1/address/" + clean, 200, ""}, {"", "OPTIONS", "/api/v1/address/" + clean, 204, ""},
		{"", "HEAD", "/public/v1/sanctions/screening", 405, ""},
		{"", "POST", "/api/v1/address/" + clean, 405, "method_not_allowed"}, {"", "GET", "/public/v1/sanctions/screening", 405, "method_not_allowed"},
		{"", "GET", "/api/v1/address", 404, "not_found"}, {"", "GET", "/api/v1/address/%30x" + clean[2:], 200, `[]`},
		{"", "GET", "/api/v1/address/ethereum%3A" + clean, 200, `[]`},
		{"", "GET", "/api/risk/v2/entities/" + clean, 404, "paid API"}, {"", "POST", "/api/risk/v2/entities", 404, "paid API"},
		{"", "GET", "/api/v1/sources", 200, "OFAC_SDN"}, {"/a", "GET", "/a/api/v1/sources", 200, "OFAC_SDN"},
	} {
		h := compat.New(s, newKeys(t), &httpapi.Options{Prefix: tt.prefix})
		r := httptest.NewRequest(tt.method, "http://host"+tt.path, strings.NewReader(one(clean)))
		r.Header.Set("Content-Type", "application/json")
		if r.Header.Set("X-API-Key", key); strings.HasSuffix(tt.path, "/sources") {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%q %s %s: status %d, want %d: %s", tt.prefix, tt.method, tt.path, w.Code, tt.status, w.Body)
		}
	}
}

// TestLimits checks quota, burst limit, audit and log.
func TestLimits(t *testing.T) {
	var log bytes.Buffer
	var recorded []string
	fail := false
	opts := &httpapi.Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)), Meter: &meter{quota: 3},
		Audit: func(_ context.Context, all ...httpapi.Screening) error {
			if fail {
				return errors.New("the disk is full")
			}
			for _, s := range all {
				recorded = append(recorded, s.CallerID+" "+s.Address)
			}
			return nil
		},
	}
	h := compat.New(newScreener(t, nil), newKeys(t), opts)
	if got := verdict(t, h, clean); got != "clean" {
		t.Error(got)
	}
	if w := post(h, `[{"address":"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"}]`); w.Code != 400 { // not counted
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if w := post(h, `[{"address":"`+clean+`"},{"address":"`+lazarus+`"}]`); w.Code != 429 || !strings.Contains(w.Body.String(), `"code":"quota_exceeded"`) {
		t.Errorf("status %d: %s", w.Code, w.Body) // only one is left
	}
	if got := verdict(t, h, clean); got != "429 quota_exceeded" {
		t.Error(got)
	}
	if want := slices.Repeat([]string{"payments " + clean}, 3); !slices.Equal(recorded, want) {
		t.Errorf("recorded %q, want %q", recorded, want)
	}
	fail = true
	opts.Meter = nil
	h = compat.New(newScreener(t, nil), newKeys(t), opts)
	if got := verdict(t, h, clean); got != "503 audit_unavailable" {
		t.Error(got)
	}
	if strings.Contains(log.String(), clean) || strings.Contains(log.String(), key) || !strings.Contains(log.String(), "part=audit") {
		t.Errorf("the log is %s", &log)
	}
}

// A meter grants a number of screenings.
type meter struct{ quota int }

func (m *meter) Charge(_ *http.Request, _ httpapi.Caller, n int, _ []byte) (int, func(int), error) {
	if m.quota == 0 {
		return 0, nil, httpapi.ErrExhausted
	}
	n = min(n, m.quota)
	m.quota -= n
	return n, func(n int) { m.quota += n }, nil
}

func (m *meter) Used(context.Context, httpapi.Caller, bool) (int64, time.Time, time.Time, error) {
	return 0, time.Time{}, time.Time{}, nil
}

// TestNotAdmitted sends a table of addresses without a valid key: the body is not read, and so not held.
func TestNotAdmitted(t *testing.T) {
	read := 0
	body := readerFunc(func(p []byte) (int, error) { read += len(p); return 0, io.EOF })
	r := httptest.NewRequest("POST", "/public/v1/sanctions/screening", body)
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth("", "wsk_another0another0")
	w := httptest.NewRecorder()
	compat.New(newScreener(t, nil), newKeys(t), nil).ServeHTTP(w, r)
	if w.Code != 401 || read > 0 {
		t.Errorf("status %d, read %d bytes", w.Code, read)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestServer checks what only a real server shows: a client that stalls, and a body that is cut.
func TestServer(t *testing.T) {
	server := httptest.NewServer(compat.New(newScreener(t, nil), newKeys(t), nil))
	defer server.Close()
	r, err := http.NewRequest("POST", server.URL+"/public/v1/sanctions/screening", io.MultiReader(strings.NewReader(one(clean))))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(key, key)
	r.Header.Set("Content-Type", "application/json")
	for range 2 { // on one connection
		r.Body = io.NopCloser(strings.NewReader(one(lazarus)))
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 201 || string(body) != `[{"address":"`+lazarus+`","isSanctioned":true}]`+"\n" {
			t.Errorf("status %d: %s, %v", resp.StatusCode, body, err)
		}
	}
}

// TestProblems checks that each code is described where its type leads.
func TestProblems(t *testing.T) {
	h := compat.New(newScreener(t, nil), newKeys(t), nil)
	for _, text := range []string{scammer, "not-an-address", strings.Repeat("4c", 32)} {
		var p struct{ Type, Code, Reason string }
		if err := json.Unmarshal(ask(h, text).Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		paper, code, _ := strings.Cut(strings.TrimPrefix(p.Type, "https://github.com/walletscreen/walletscreen/blob/main/httpapi/"), "#")
		described, err := os.ReadFile("../" + paper)
		if err != nil || code != p.Code || !regexp.MustCompile("(?m)^##+ "+code+"$").Match(described) {
			t.Errorf("%s: %s does not describe it: %v", p.Type, paper, err)
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []address.Doubt{address.DoubtCapitals, address.DoubtShort, address.DoubtAmbiguous, address.DoubtUnscreenable} {
		if !strings.Contains(string(readme), "| `"+string(d)+"` |") {
			t.Errorf("README.md does not describe the reason %s", d)
		}
	}
}

// TestPreflight asks as a browser does before it sends a key in X-API-Key.
func TestPreflight(t *testing.T) {
	h := compat.New(newScreener(t, nil), nil, &httpapi.Options{Origins: []string{"https://app.example"}})
	r := httptest.NewRequest("OPTIONS", "/api/v1/address/"+clean, nil)
	r.Header.Set("Origin", "https://app.example")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 204 || w.Header().Get("Content-Type") != "" || w.Header().Get("Access-Control-Allow-Origin") == "" || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-API-Key") {
		t.Errorf("status %d: %v", w.Code, w.Header())
	}
}

// TestSlowBodies sends bodies slowly, which nobody wants, to a server without time limits.
func TestSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipenet.Serve(t, &http.Server{Handler: compat.New(newScreener(t, nil), nil, nil)})
		for _, path := range []string{"/api/v1/address/" + clean, "/api/risk/v2/entities", "/public/v1/sanctions/screening", "/api/v1/sources"} {
			c, err := l.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var sender sync.WaitGroup
			sender.Go(func() {
				for _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n"); err == nil; _, err = io.WriteString(c, "x") {
					time.Sleep(time.Second)
				}
			})
			start := time.Now()
			c.SetReadDeadline(start.Add(time.Hour))
			if _, err := io.ReadAll(c); err != nil || time.Since(start) > time.Minute {
				t.Errorf("%s: the server is done after %v, %v", path, time.Since(start), err)
			}
			c.Close()
			sender.Wait()
		}
	})
}
