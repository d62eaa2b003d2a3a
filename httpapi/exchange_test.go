package httpapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/time/rate"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

var update = flag.Bool("update", false, "rewrite the responses in testdata/exchanges")

// An exchange is a file of testdata/exchanges: a title, settings, a request and its
// response.
//
//	# What the exchange shows.
//	lists: stale
//	-- request --
//	GET /api/v1/sources HTTP/1.1
//	…
//	-- response --
//	HTTP/1.1 200 OK
//	…
//
// The settings are lists (see newScreener; by default "loaded"), strip (the argument of
// http.StripPrefix), receipts ("signed"; by default none are written), max-body, grant (the limits of the keys of testKeys; see
// parseGrant; with "store-down" at the end, the stores of quotas and lists fail), and before (the
// number of equal requests sent before, or the body of one). Content-Length is added to
// the request. REQUEST-ID stands for a request id made by the handler.
type exchange struct {
	head, request, response string
	settings                map[string]string
}

func readExchange(t *testing.T, name string) exchange {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), "-- request --\n")
	request, response, ok2 := strings.Cut(rest, "-- response --\n")
	if !ok || !ok2 {
		t.Fatalf("%s: want a request and a response", name)
	}
	x := exchange{head, request, response, map[string]string{"lists": "loaded", "strip": "", "receipts": "", "max-body": "0", "grant": "", "before": "0"}}
	if !strings.HasPrefix(head, "# ") {
		t.Fatalf("%s: does not say what it shows", name)
	}
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		k, v, _ := strings.Cut(line, ": ")
		if _, ok := x.settings[k]; !ok {
			t.Fatalf("%s: unknown setting %q", name, line)
		}
		x.settings[k] = v
	}
	return x
}

// newRequest parses text as a request, like a server.
func newRequest(t *testing.T, text string) *http.Request {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	body = strings.TrimSuffix(body, "\n")
	head = strings.ReplaceAll(strings.TrimSuffix(head, "\n"), "\n", "\r\n")
	if body != "" {
		head += "\r\nContent-Length: " + strconv.Itoa(len(body))
	}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n\r\n" + body)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// parseGrant returns testKeys with the limits in text: "scopes", "quota", "rate" and
// "burst", each with "=" and a value, or the error "unavailable".
func parseGrant(t *testing.T, text string) httpapi.Authorizer {
	t.Helper()
	var grant httpapi.Caller
	var perSecond float64
	var burst int
	var refusal error
	for setting := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(setting, "=")
		var err error
		switch name {
		case "scopes":
			grant.Scopes = strings.ReplaceAll(value, ",", " ")
		case "quota":
			grant.Quota, err = strconv.ParseInt(value, 10, 64)
		case "rate":
			perSecond, err = strconv.ParseFloat(value, 64)
		case "burst":
			burst, err = strconv.Atoi(value)
		case "unavailable":
			refusal = httpapi.ErrUnavailable
		default:
			err = errors.New("unknown setting")
		}
		if err != nil {
			t.Fatalf("%s: %v", setting, err)
		}
	}
	keys := testKeys(t)
	if burst > 0 {
		grant.Burst = rate.NewLimiter(rate.Limit(perSecond), burst)
	}
	return authorizerFunc(func(r *http.Request) (httpapi.Caller, error) {
		c, err := keys.Authorize(r)
		grant.ID = c.ID
		return grant, errors.Join(err, refusal)
	})
}

type authorizerFunc func(*http.Request) (httpapi.Caller, error)

func (f authorizerFunc) Authorize(r *http.Request) (httpapi.Caller, error) { return f(r) }

// TestExchanges plays every exchange of testdata/exchanges.
func TestExchanges(t *testing.T) {
	names, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no exchanges: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playExchange(t, name) })
		})
	}
}

func playExchange(t *testing.T, name string) {
	x := readExchange(t, name)
	maxBody, err := strconv.ParseInt(x.settings["max-body"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	grant, down := strings.CutSuffix(x.settings["grant"], " store-down")
	counts := newStore()
	quota := access.New(counts, nil)
	opts := &httpapi.Options{Meter: quota}
	if down {
		counts.fail()
		opts.Store = brokenStore{}
	}
	if x.settings["receipts"] == "signed" {
		opts.Receipt = signedReceipt
	}
	h := httpapi.LimitBody(httpapi.NewHandler(newScreener(t, x.settings["lists"]), parseGrant(t, grant), opts), maxBody, time.Minute)
	if prefix := x.settings["strip"]; prefix != "" {
		h = http.StripPrefix(prefix, h)
	}
	before := x.request
	n, err := strconv.Atoi(x.settings["before"])
	if err != nil {
		head, _, _ := strings.Cut(before, "\n\n")
		before, n = head+"\n\n"+x.settings["before"]+"\n", 1
	}
	for range n {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, newRequest(t, before))
		if err := checkAnswer(newRequest(t, before).Method, w); err != nil {
			t.Error(err)
		}
	}
	r, w := newRequest(t, x.request), httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := checkAnswer(r.Method, w); err != nil {
		t.Error(err)
	}
	var got bytes.Buffer
	fmt.Fprintf(&got, "HTTP/1.1 %d %s\n", w.Code, http.StatusText(w.Code))
	w.Header().Write(&got)
	text := strings.ReplaceAll(got.String(), "\r\n", "\n") + "\n" + w.Body.String()
	if id := w.Header().Get("X-Request-Id"); id != r.Header.Get("X-Request-Id") {
		text = strings.ReplaceAll(text, id, "REQUEST-ID")
	}
	if text == x.response {
		return
	}
	if !*update {
		t.Errorf("%s\n--- got\n%s--- want\n%s", x.head, text, x.response)
		return
	}
	if err := os.WriteFile(name, []byte(x.head+"-- request --\n"+x.request+"-- response --\n"+text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// receiptKey signs receipts; the seed in it is 32 bytes of 7.
const receiptKey = "PRIVATE+KEY+screen.example+d1ac2726+AQcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"

// signedReceipt is an Options.Receipt that signs with the key of the tests.
func signedReceipt(q httpapi.Screening, text string) ([]byte, error) {
	rec, err := receipt.New(q.Chain, text, q.Result, q.Time)
	if err != nil {
		return nil, err
	}
	rec.ModuleVersion = "v1.0.0" // the same in each build
	signer, err := note.NewSigner(receiptKey)
	if err != nil {
		return nil, err
	}
	return rec.Encode(signer)
}

// checkAnswer returns an error if w breaks a rule for all responses: the headers must
// be consistent, and the body must be well-formed JSON that is a problem exactly if the
// status is not a success.
func checkAnswer(method string, w *httptest.ResponseRecorder) error {
	header, body := w.Header(), w.Body.Bytes()
	if id := header.Get("X-Request-Id"); id == "" {
		return errors.New("no request id")
	}
	caching := "no-store"
	if header.Get("Etag") != "" {
		caching = "private, no-cache"
	}
	if got := header.Get("Cache-Control"); got != caching {
		return fmt.Errorf("Cache-Control is %q, want %q", got, caching)
	}
	if header.Get("X-Content-Type-Options") != "nosniff" || (header.Get("Content-Security-Policy") == "") != (method == "POST" && w.Code == 200) {
		return errors.New("a browser could take it for something else")
	}
	if w.Code == http.StatusNoContent || w.Code == http.StatusNotModified {
		if len(body) > 0 || header.Get("Content-Type") != "" || (header.Get("Etag") == "") != (w.Code == http.StatusNoContent) {
			return fmt.Errorf("%d with a body, or with the tag %q", w.Code, header.Get("Etag"))
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if want := map[bool]string{true: "application/json", false: "application/problem+json"}[w.Code == 200]; media != want {
		return fmt.Errorf("status %d with content type %q", w.Code, media)
	}
	if (w.Code == 405) != (header.Get("Allow") != "") {
		return fmt.Errorf("status %d with Allow %q", w.Code, header.Get("Allow"))
	}
	challenged := w.Code == 401 || w.Code == 403 || strings.Contains(w.Body.String(), `"code":"credentials_in_query"`)
	if challenged != (header.Get("WWW-Authenticate") != "") {
		return fmt.Errorf("status %d with WWW-Authenticate %q", w.Code, header.Get("WWW-Authenticate"))
	}
	if (w.Code == 429 || w.Code == 503) != (header.Get("Retry-After") != "") {
		return fmt.Errorf("status %d with Retry-After %q", w.Code, header.Get("Retry-After"))
	}
	if header["Ratelimit"] != nil && header["Ratelimit-Policy"] == nil {
		return fmt.Errorf("RateLimit %q with RateLimit-Policy %q", header["Ratelimit"], header["Ratelimit-Policy"])
	}
	if method == http.MethodHead {
		if len(body) > 0 {
			return errors.New("HEAD with a body")
		}
		return nil
	}
	if got := header.Get("Content-Length"); got != strconv.Itoa(len(body)) && (got != "" || method != "POST" || w.Code != 200 || len(body) >= 2048) {
		return fmt.Errorf("Content-Length is %s, want %d", got, len(body))
	}
	if !json.Valid(body) {
		return fmt.Errorf("not JSON: %s", body)
	}
	if w.Code == 200 {
		return nil
	}
	var p map[string]any
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	for _, member := range []string{"type", "title", "detail", "code", "request_id"} {
		if s, ok := p[member].(string); !ok || s == "" {
			return fmt.Errorf("problem without %s: %s", member, body)
		}
	}
	if p["status"] != float64(w.Code) || p["request_id"] != header.Get("X-Request-Id") {
		return fmt.Errorf("problem of another answer: %s", body)
	}
	if _, ok := p["reason"]; ok != (w.Code == 400) {
		return fmt.Errorf("problem with reason %v: %s", p["reason"], body)
	}
	return nil
}

// epoch is when the lists of newScreener were loaded.
var epoch = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
