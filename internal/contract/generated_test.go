package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestGenerated sends generated requests to every endpoint of a server with lists, a
// journal and limited keys, and checks each response against the document: its status,
// headers and body, and that the document names each of its members. It counts what was
// answered, so that no kind of answer is missing.
func TestGenerated(t *testing.T) {
	doc := load(t)
	g := newGenerator(t)
	seen := map[string]int{}
	for i := range longtest.N(800, 4000) {
		r, body := g.request()
		w := httptest.NewRecorder()
		g.handler.ServeHTTP(w, r)
		what := fmt.Sprintf("request %d: %s %s %.300q", i, r.Method, r.URL.Path, body)
		to := route(doc, r)
		if to == nil || to.Operation == nil {
			t.Fatalf("%s: not in the document", what)
		}
		if err := checkAnswer(t.Context(), to, r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
			t.Errorf("%s: the answer %d %s: %v", what, w.Code, w.Body, err)
			continue
		}
		var answer any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, content := range to.Operation.Responses.Status(w.Code).Value.Content {
			if more := undocumented(content.Schema.Value, answer); len(more) > 0 {
				t.Errorf("%s: the answer has members that are not in the document: %q", what, more)
			}
		}
		if w.Code == 200 && r.Method == "POST" && !strings.HasSuffix(r.URL.Path, "batch") { // whose items have problems of their own
			x := &exchange{request: r, body: body}
			if err := checkRequest(t.Context(), to, x); err != nil {
				t.Errorf("%s: answered, though the document does not allow it: %v", what, err)
			}
		}
		eachKind(answer, func(kind string) { seen[r.URL.Path+" "+kind]++ })
	}
	const screen, batch, validate = "/api/v1/screen ", "/api/v1/screen/batch ", "/api/v1/validate "
	for _, want := range []string{
		screen + "CLEAN_NO_MATCH", screen + "CRITICAL", screen + "HIGH", screen + "invalid_address", screen + "unsupported_chain", screen + "missing_field",
		screen + "invalid_type",
		screen + "invalid_json", screen + "quota_exceeded", screen + "missing_credentials", screen + "invalid_token", screen + "insufficient_scope",
		screen + "unsupported_media_type",
		batch + "CLEAN_NO_MATCH", batch + "CRITICAL", batch + "invalid_address", batch + "unsupported_chain", batch + "missing_field", batch + "invalid_type",
		batch + "quota_exceeded", batch + "body_too_large",
		validate + "valid", validate + "invalid_address", validate + "unsupported_chain", validate + "missing_field",
		"/api/v1/entries listed", "/api/v1/entries not_found", "/api/v1/changes accepted", "/api/v1/changes refused", "/api/v1/sources OFAC_SDN",
		"/api/v1/usage resets_at",
	} {
		if seen[want] == 0 {
			t.Errorf("no answer is %s", want)
		}
	}
}

// eachKind calls f with what distinguishes the answers: codes, levels and so on, at any
// depth.
func eachKind(answer any, f func(string)) {
	switch answer := answer.(type) {
	case []any:
		for _, item := range answer {
			eachKind(item, f)
		}
	case map[string]any:
		for name, value := range answer {
			switch text, _ := value.(string); {
			case name == "valid" && value == true, name == "resets_at":
				f(name)
			case text != "" && (name == "code" || name == "level" || name == "event" || name == "id"):
				f(text)
			case name == "listed_address":
				f("listed")
			}
			eachKind(value, f)
		}
	}
}

// A generator makes requests to a handler.
type generator struct {
	*rand.Rand
	handler http.Handler
	tokens  []string // with all scopes, with a quota, with few scopes, unknown, none
}

// lists are loaded twice. At the second time one has changed and one has shrunk.
type changing struct {
	sources.Source
	loads [][]sources.Entry
}

func (c *changing) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	entries := c.loads[0]
	if len(c.loads) > 1 {
		c.loads = c.loads[1:]
	}
	return sources.Static(c.Info(), entries...).Load(ctx, prev, add)
}

// listed are addresses on the lists, on their chains.
var listed = []struct{ address, chain string }{
	{"0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "ethereum"}, {"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "bitcoin"},
	{"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "tron"}, {"7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q", "solana"},
}

func newGenerator(t *testing.T) *generator {
	t.Helper()
	official := []sources.Entry{}
	for i, l := range listed {
		official = append(official, sources.Entry{Address: address.MustParse(address.Chain(l.chain), l.address), Listed: l.address, Kind: score.Sanctioned,
			Ref: fmt.Sprint(i), Name: "A person"})
	}
	many := []sources.Entry{}
	for i := range 120 {
		many = append(many, sources.Entry{Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", 1000+i)), Kind: score.Scam, Ref: "case"})
	}
	missing := sources.Static(sources.Info{ID: "MISSING", Name: "Never loaded", Jurisdiction: "CH"})
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{
		&changing{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC", Jurisdiction: sources.US, RefURL: "https://sanctions.example/{ref}"}),
			[][]sources.Entry{official[:3], official}},
		&changing{sources.Static(sources.Info{ID: "COMMUNITY_BADLIST", Name: "Reports", Jurisdiction: sources.Community}), [][]sources.Entry{many, many[:1]}},
		&changing{missing, [][]sources.Entry{nil}},
	}, &screening.Options{Store: st, Optional: []string{"MISSING"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.Refresh(t.Context()) // the empty list fails, and the short one
	}
	keys := access.NewMemory()
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), tokens: []string{"wsk_unknown_ABCDEFGHIJKLMNOPQRSTUVWXYZ", ""}}
	for _, k := range []access.Key{{Name: "all"}, {Name: "all of them"}, {Name: "quota", Quota: 300, Rate: 1e6, Burst: 1e6}, {Name: "narrow", Scopes: "usage"}} {
		token, key, err := access.NewKey(k)
		if err != nil {
			t.Fatal(err)
		}
		if err := keys.PutKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		g.tokens = append(g.tokens, token)
	}
	ring := access.New(keys, nil)
	t.Cleanup(func() { ring.Close(context.Background()) })
	g.handler = httpapi.NewHandler(s, ring, &httpapi.Options{Meter: ring, Store: st})
	return g
}

// pick returns one of all.
func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// seldom reports true once in n times.
func (g *generator) seldom(n int) bool { return g.IntN(n) == 0 }

// request returns a request and its body.
func (g *generator) request() (*http.Request, []byte) {
	path := pick(g, "screen", "screen", "screen/batch", "screen/batch", "validate", "validate", "sources", "changes", "usage", "entries")
	method, body := "POST", []byte(nil)
	switch path {
	case "screen", "validate":
		body = []byte(g.item(path == "validate"))
	case "screen/batch":
		var items []string
		for range pick(g, 0, 1, 1, 2, 2, 5, 5, 20, 20, 20, 1000, 1001) {
			items = append(items, g.item(false))
			if len(items) > 20 && g.seldom(2) {
				items[len(items)-1] = `{"address":"` + listed[0].address + `","chain":"ethereum"}`
			}
		}
		body = []byte(`{"items":[` + strings.Join(items, ",") + `]}`)
	case "entries":
		body = []byte(`{"source":"` + pick(g, "OFAC_SDN", "OFAC_SDN", "NONE") + `"` + pick(g, "", `,"search":"a"`, `,"after":1`, `,"after":-1`) + `}`)
	default:
		method = "GET"
	}
	if method == "POST" && g.seldom(12) {
		body = g.spoil(body)
	}
	r := httptest.NewRequest(method, "/api/v1/"+path, strings.NewReader(string(body)))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
		if g.seldom(20) {
			r.Header.Set("Content-Type", pick(g, "text/plain", "application/json; charset=latin1", "application/xml"))
		}
		if g.seldom(5) {
			r.Header.Set("Idempotency-Key", pick(g, `"a"`, `"b"`, `"c"`, "c", `""`))
		}
	}
	if token := g.tokens[g.IntN(len(g.tokens))]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if g.seldom(3) {
		r.Header.Set("X-Request-Id", pick(g, "req-1", "", "with blank", listed[0].address, strings.Repeat("x", 200)))
	}
	return r, body
}

// item returns a question, as JSON. Most can be answered.
func (g *generator) item(bare bool) string {
	text, chain := fmt.Sprintf("0x%040x", g.Uint64()), pick(g, "ethereum", "bsc", "polygon")
	switch g.IntN(8) {
	case 0, 1:
		l := pick(g, listed...)
		text, chain = l.address, l.chain
	case 2: // the same key on another chain
		text, chain = listed[1].address, pick(g, "bitcoin-cash", "bitcoin-sv", "litecoin")
	case 3:
		l := pick(g, listed...)
		at := g.IntN(len(l.address))
		text, chain = l.address[:at]+string(rune(' '+g.IntN(95)))+l.address[at+1:], l.chain
	case 4:
		chain = pick(g, "ETH", "trx", "dogecoin", "", "nowhere", "eip155:5", "Bitcoin Cash", strings.Repeat("x", 300))
	case 5:
		text = pick(g, "", " ", "0x123", "vitalik.eth", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", strings.Repeat("1", 2000), "\u0000",
			"é✓\U0001F600", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5")
	}
	q := map[string]any{"address": text, "chain": chain}
	if g.seldom(4) {
		q["id"] = pick[any](g, "customer", "", 5, nil)
	}
	if bare && g.seldom(2) {
		delete(q, "chain")
	}
	if g.seldom(10) {
		q[pick(g, "address", "chain")] = pick[any](g, nil, 5, true, []string{"x"}, map[string]int{})
	}
	if g.seldom(10) {
		delete(q, pick(g, "address", "chain"))
	}
	b, _ := json.Marshal(q)
	return string(b)
}

// spoil returns body with a fault.
func (g *generator) spoil(body []byte) []byte {
	switch g.IntN(4) {
	case 0:
		return body[:g.IntN(len(body))]
	case 1:
		body = append([]byte(nil), body...)
		body[g.IntN(len(body))] = byte(g.Uint32())
		return body
	case 2:
		return append(body, " {}"...)
	}
	return []byte(pick(g, "", "null", "[]", "5", `{"address":"a","address":"b","chain":"c"}`, `{"items":{}}`))
}
