package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi/page"
)

// goodKey is the only key that the API of these tests accepts.
const goodKey = "wsk_test_0123456789abcdef"

type object = map[string]any

// An api imitates the API of package httpapi in any state that a test needs: stale
// lists, an exhausted quota, a slow server. TestRealAPI checks the page against the
// real API.
type api struct {
	URL string // of the page

	mu      sync.Mutex
	lists   []object               // items of /sources
	changes []object               // items of /changes
	fail    func(path string) *bad // a problem instead of an answer; nil for none
	delay   time.Duration          // before each answer of screen
	batches int                    // answers of screen/batch before the rest wait; 0 for no limit
	quota   int                    // answers left; negative for no limit
	asked   []string               // addresses screened, in order
	calls   map[string]int         // by path
	names   map[string]bool        // Idempotency-Keys
	held    map[string]object      // a member to add to the results for an address
}

// bad is a problem to respond with.
type bad struct {
	status int
	code   string
	detail string
	wait   string // Retry-After
}

// forever is longer than a test waits.
const forever = 5 * time.Minute

// gone is the status that stands for a broken connection.
const gone = -1

const (
	lazarus = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	mixer   = "0x722122dF12D4e14e13Ac3b6895a86e84145b6967"
	theft   = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	spelled = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2" // listed: the other spelling of theft
	clean   = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
)

var labels = map[string][]object{
	strings.ToLower(lazarus): {{
		"label": "SANCTIONED", "source": "OFAC_SDN", "source_ref": "27307", "added_at": "2022-04-14T00:00:00Z", "match": "exact",
		"listed_address": lazarus, "name": "LAZARUS GROUP", "url": "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=27307",
	}, {
		"label": "STOLEN_FUNDS", "source": "COMMUNITY_BADLIST", "source_ref": "ronin-bridge", "added_at": "2022-03-30T00:00:00Z", "match": "family",
		"listed_address": lazarus, "name": "Ronin bridge exploiter",
	}},
	strings.ToLower(mixer): {
		{
			"label":          "MIXER",
			"source":         "COMMUNITY_BADLIST",
			"source_ref":     "tornado",
			"added_at":       "2022-08-08T00:00:00Z",
			"match":          "exact",
			"listed_address": mixer,
			"name":           "Tornado Cash router",
		},
	},
	theft: {
		{
			"label":          "SANCTIONED",
			"source":         "EU_CONSOLIDATED",
			"source_ref":     "EU.8410.77",
			"added_at":       "2024-06-24T00:00:00Z",
			"match":          "key",
			"listed_address": spelled,
			"name":           "A. N. Other",
			"url":            "javascript:alert(1)",
		},
	},
}

var points = map[string]int{"SANCTIONED": 100, "STOLEN_FUNDS": 80, "MIXER": 60}

func stamp(ago time.Duration) string {
	return time.Now().Add(-ago).UTC().Truncate(time.Second).Format(time.RFC3339)
}

// newAPI serves the page and the API under prefix.
func newAPI(t *testing.T, prefix string) *api {
	t.Helper()
	list := func(id, name, jurisdiction string, count int, checked, published time.Duration) object {
		return object{"id": id, "name": name, "jurisdiction": jurisdiction, "last_updated": stamp(checked), "address_count": count,
			"published_at": stamp(published), "partial": false, "completeness": "whole", "required": jurisdiction != "Community"}
	}
	a := &api{quota: -1, calls: map[string]int{}, names: map[string]bool{}, held: map[string]object{}, lists: []object{
		list("OFAC_SDN", "OFAC Specially Designated Nationals", "US", 1018, 40*time.Minute, 28*time.Hour),
		list("EU_CONSOLIDATED", "EU consolidated financial sanctions", "EU", 61, 3*time.Hour, 4*24*time.Hour),
		list("UK_CONSOLIDATED", "UK sanctions list", "UK", 84, 3*time.Hour, 9*24*time.Hour),
		list("COMMUNITY_BADLIST", "Community bad list", "Community", 24310, 5*time.Hour+30*time.Minute, 30*24*time.Hour), // not a full hour: a Date has no milliseconds
	}}
	a.lists[1]["completeness"] = "assembled"
	for i, n := range []int{984, 985, 990, 1002, 1002, 1011} {
		a.changes = append(
			[]object{
				{
					"source":       "OFAC_SDN",
					"time":         stamp(time.Duration(60-9*i) * 24 * time.Hour),
					"event":        "accepted",
					"published_at": stamp(time.Duration(60-9*i) * 24 * time.Hour),
					"entries":      n,
					"addresses":    n,
					"added":        3,
					"removed":      1,
					"truncated":    false,
					"added_entries": []object{
						{"listed_address": lazarus, "chain": "ethereum", "label": "SANCTIONED", "source_ref": "27307", "name": "LAZARUS GROUP"},
					},
					"removed_entries": []object{},
				},
			},
			a.changes...)
	}
	a.changes = append(
		[]object{
			{
				"source":       "UK_CONSOLIDATED",
				"time":         stamp(5 * time.Hour),
				"event":        "refused",
				"published_at": nil,
				"entries":      12,
				"addresses":    12,
				"added":        0,
				"removed":      72,
				"reason":       "it shrank from 84 to 12 addresses",
				"truncated":    false,
			},
		},
		a.changes...)
	mux := http.NewServeMux()
	mux.HandleFunc(prefix+"/api/v1/", a.serve)
	mux.Handle(prefix+"/", page.New())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	a.URL = server.URL + prefix + "/"
	return a
}

// set changes a between two responses.
func (a *api) set(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

func (a *api) serve(w http.ResponseWriter, r *http.Request) {
	_, path, _ := strings.Cut(r.URL.Path, "/api/v1/")
	var body struct {
		Address, Chain, Source, Search, At string
		After                              int
		Items                              []struct{ Address, Chain string }
		Receipt                            bool
	}
	json.NewDecoder(r.Body).Decode(&body)
	a.mu.Lock()
	var delay time.Duration
	if strings.HasPrefix(path, "screen") {
		delay = a.delay
	}
	if path == "screen/batch" && a.batches > 0 && a.calls[path] >= a.batches {
		delay = forever
	}
	a.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls[path]++
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		if a.quota >= 0 {
			w.Header().Set("RateLimit", fmt.Sprintf(`"monthly";r=%d;t=86400`, a.quota))
		}
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(v)
	}
	fail := func(p bad) {
		if p.wait != "" {
			w.Header().Set("Retry-After", p.wait)
		}
		answer(p.status, object{"status": p.status, "code": p.code, "detail": p.detail, "request_id": "req-1"})
	}
	if p := a.fail; p != nil {
		if p := p(path); p != nil {
			if p.status == gone {
				panic(http.ErrAbortHandler)
			}
			fail(*p)
			return
		}
	}
	switch r.Header.Get("Authorization") {
	case "Bearer " + goodKey:
	case "":
		fail(bad{401, "missing_credentials", "No API key was sent.", ""})
		return
	default:
		fail(bad{401, "invalid_token", "The key is unknown, expired or revoked.", ""})
		return
	}
	switch path {
	case "sources":
		answer(200, a.lists)
	case "changes":
		answer(200, object{"changes": a.changes})
	case "entries":
		all := []object{}
		for _, l := range labels[strings.ToLower(lazarus)][:1] {
			if strings.Contains("lazarus group", strings.ToLower(body.Search)) {
				all = append(
					all,
					object{
						"listed_address": l["listed_address"],
						"chain":          "ethereum",
						"label":          l["label"],
						"source_ref":     l["source_ref"],
						"name":           "LAZARUS \u202eGROUP",
					},
				)
			}
		}
		var next any
		if body.Search == "" && body.After == 0 {
			next = 100
		}
		answer(200, object{"source": body.Source, "entries": all, "next": next})
	case "validate":
		answer(200, validated(body.Address, body.Chain))
	case "screen":
		if a.quota == 0 {
			fail(bad{429, "quota_exceeded", "The quota of the month is used up.", "777600"})
			return
		}
		v := a.screen(body.Address, body.Chain)
		if v["code"] != nil {
			answer(400, v)
			return
		}
		if v = a.whole(v, body.At); body.Receipt {
			v["receipt"] = "receipt of " + body.Chain + " " + body.Address + "\n"
		}
		answer(200, v)
	case "screen/table":
		answer(200, object{"output": []byte("caf\xe9 " + r.URL.RawQuery), "receipt": "receipt of a table\n"})
	case "screen/batch":
		all, quota, asked := []object{}, a.quota, a.asked
		for _, item := range body.Items {
			all = append(all, a.screen(item.Address, item.Chain))
		}
		if name := r.Header.Get("Idempotency-Key"); a.names[name] {
			a.quota, a.asked = quota, asked
		} else {
			a.names[name] = true
		}
		answer(200, a.whole(object{"results": all}, body.At))
	}
}

// screen returns the result or the problem of one address.
func (a *api) screen(text, chain string) object {
	on := chain
	if all := address.Detect(text); chain == "" && len(all) > 0 {
		on = string(all[max(0, slices.IndexFunc(all, address.Address.Proven))].Chain())
		if len(text) < 25 {
			return object{"status": 400, "code": "missing_field", "field": "chain", "reason": "absent", "detail": "This is too short to find its chain."}
		}
	} else if r := address.Interpret("", text); chain == "" && r.Err == nil { // the text names its chain
		on = string(r.Addresses[0].Chain())
	}
	x, err := address.Normalize(address.Chain(on), text)
	chain = on
	if err != nil {
		v := validated(text, chain)
		v["status"] = 400
		return v
	}
	if a.quota == 0 {
		return object{"status": 429, "code": "quota_exceeded", "detail": "The quota of the month is used up."}
	}
	if a.quota > 0 {
		a.quota--
	}
	a.asked = append(a.asked, text)
	v := object{"address": x.Normalized(), "chain": chain, "score": 0, "level": "CLEAN_NO_MATCH", "labels": []object{}}
	if found := labels[x.Normalized()]; found != nil {
		n := points[found[0]["label"].(string)]
		if found[0]["match"] == "key" {
			n -= 15
		}
		level := map[bool]string{true: "CRITICAL"}[n >= 90]
		if level == "" {
			level = map[bool]string{true: "HIGH", false: "MEDIUM"}[n >= 70]
		}
		v["score"], v["level"], v["labels"] = n, level, found
	}
	for name, value := range a.held[x.Normalized()] {
		v[name] = value
	}
	return v
}

// whole adds to v the members that a response has once. at is the day of the lists, or "".
func (a *api) whole(v object, at string) object {
	if at != "" {
		v["as_of"] = at + "T23:59:59Z"
	}
	fresh := object{}
	for _, l := range a.lists {
		var age any
		if at, _ := l["last_updated"].(string); at != "" {
			t, _ := time.Parse(time.RFC3339, at)
			age = int(time.Since(t).Seconds())
		}
		fresh[l["id"].(string)] = object{
			"last_updated": l["last_updated"],
			"age_seconds":  age,
			"published_at": l["published_at"],
			"partial":      l["partial"],
			"completeness": l["completeness"],
			"required":     l["required"],
		}
	}
	v["data_freshness"], v["scoring_version"] = fresh, "v1.1"
	v["snapshot"], v["screened_at"] = "5f0c1d2e3b4a59687766554433221100ffeeddccbbaa99887766554433221100", stamp(0)
	v["_disclaimer"] = "Informational screening signals from public sanctions lists and risk databases; not legal, compliance or investment advice. The " +
		"data may be incomplete, delayed or wrong. The decision, and any action, is the caller's own."
	return v
}

// validated returns the response of /validate. For an invalid address it has the
// members of a problem.
func validated(text, chain string) object {
	var chains []string
	for _, x := range address.Detect(text) {
		chains = append(chains, string(x.Chain()))
	}
	on := chain
	if on == "" {
		on = "ethereum"
		if all := address.Detect(text); len(all) > 0 {
			on = string(all[max(0, slices.IndexFunc(all, address.Address.Proven))].Chain())
		}
	}
	x, err := address.Normalize(address.Chain(on), text)
	if err == nil {
		if chain != "" || chains == nil {
			chains = []string{on}
		}
		return object{"valid": true, "address": x.Normalized(), "chain": on, "chains": chains, "proven": x.Proven()}
	}
	v := object{
		"valid":  false,
		"chains": chains,
		"code":   "invalid_address",
		"field":  "address",
		"reason": "bad_format",
		"detail": "This is not an address on " + on + ".",
	}
	p, ok := err.(*address.ParseError)
	if !ok {
		return v
	}
	switch p.Err {
	case address.ErrSecret:
		v["reason"], v["detail"] = "secret", "This looks like a private key or a seed."
	case address.ErrChecksum:
		v["reason"], v["detail"] = "bad_checksum", "The checksum is wrong. This is likely a typing error."
	case address.ErrChain:
		v["code"], v["field"], v["reason"] = "unsupported_chain", "chain", "unknown"
		if p.Other != "" {
			v["reason"] = "ticker"
		}
	case address.ErrOtherChain:
		v["reason"], v["detail"] = "wrong_chain", "This is an address on "+string(p.Other)+"."
	}
	if p.Other != "" {
		v["suggested_chain"] = p.Other
	}
	if p.Offset > 0 {
		v["offset"] = p.Offset
	}
	return v
}
