// Package compat answers the calls of Chainalysis's free sanctions API and of TRM Labs'
// sanctions screening, so that a program written for them asks this server when its base URL
// and key change. These shapes cannot say that an answer is in doubt or a list is missing: that
// is an HTTP error. A client that takes an error for "not sanctioned", as in
// catch { return false }, fails open: everybody passes while a list is missing, the quota is
// used up or the address is mistyped. Ask yours about "not-an-address": it must refuse.
//
//	GET  {base_url}/api/v1/address/{address}         with the key in X-API-Key
//	POST {base_url}/public/v1/sanctions/screening    with the key as the password of HTTP Basic
//
// An address is clean only if every required list is loaded and within the ages that
// [screening.Options] set, no list has the account, and the text is an address without a doubt.
// What an exception suppresses does not count. Everything else is a listing or a problem: 400
// invalid_address, 409 listed_otherwise, 429, 503 sources_unavailable or sources_stale.
package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

const (
	batch           = "/api/v1/screen/batch" // the path that is asked
	listedOtherwise = "listed_otherwise"     // the code that package httpapi does not have
	maxItems        = 100                    // limits of a call in TRM's shape
	maxBody         = 512 << 10
	maxWait         = 10 * time.Second
)

// New returns the handler of [httpapi.NewHandler] that also answers the two shapes, by asking
// itself: callers, limits, quotas, audit and metrics work as in /api/v1/screen/batch. Each
// address that is screened counts, also if the answer is an error. A text is read on all chains.
//
// Labels of the kinds SANCTIONED, TERRORIST_FINANCING and BLOCKED, and of the given ones, are shown
// as listings. An account with other labels only is 409 listed_otherwise.
func New(s *screening.Screener, auth httpapi.Authorizer, opts *httpapi.Options, kinds ...score.Kind) http.Handler {
	h := &handler{api: httpapi.NewHandler(s, auth, opts), kinds: append([]score.Kind{score.Sanctioned, score.TerroristFinancing, score.Blocked}, kinds...)}
	if opts != nil {
		h.exact, h.prefix = opts.Prefix != "", strings.TrimRight(opts.Prefix, "/")
	}
	return h
}

type handler struct {
	api    http.Handler
	prefix string
	exact  bool // all paths are below prefix
	kinds  []score.Kind
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, below := strings.CutPrefix(r.URL.EscapedPath(), h.prefix)
	after := func(part string) (string, bool) {
		before, rest, found := strings.Cut(path, part)
		return rest, found && below && (!h.exact || strings.Trim(before, "/") == "")
	}
	var ask func() *answer
	status := http.StatusOK
	if text, ok := after("/api/v1/address/"); ok {
		ask = func() *answer { return h.address(r, text) }
	} else if rest, ok := after("/public/v1/sanctions/screening"); ok && rest == "" {
		ask, status = func() *answer { return h.screening(r) }, http.StatusCreated
	} else if _, ok := after("/api/risk/v2/entities"); ok {
		ask = func() *answer { return h.paid(r) }
	} else {
		h.api.ServeHTTP(w, r)
		return
	}
	if r.Body != nil && r.Body != http.NoBody { // net/http reads to its end what nobody wants
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(maxWait))
	}
	ask().write(w, status)
}

// paid answers Chainalysis's API that costs money.
func (h *handler) paid(r *http.Request) *answer {
	a := h.ask(r, r.Method, "/api/risk/v2/entities", http.NoBody)
	a.explain(http.StatusNotFound, "This is the paid API, which reports exposure. This server knows lists only: ask GET /api/v1/address/{address}.")
	return a
}

// address answers in Chainalysis's shape.
func (h *handler) address(r *http.Request, text string) *answer {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return h.ask(r, r.Method, "/api/v1/sources", http.NoBody) // which has the same methods
	}
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	one, _ := json.Marshal(map[string]any{"items": []map[string]string{{"address": text}}})
	r = r.Clone(r.Context())
	r.Header.Set("Content-Type", "application/json")
	a := h.ask(r, http.MethodPost, batch, bytes.NewReader(one))
	if len(a.Results) != 1 {
		return a
	}
	shown, p := h.judge(a.Results[0], a.Freshness)
	found := []any{}
	for _, l := range shown {
		found = append(found, identification(l, a.Freshness[l.Source].LastUpdated))
	}
	a.problem, a.body = p, map[string]any{"identifications": found}
	return a
}

// identification returns a label in Chainalysis's shape.
func identification(l screening.Label, checked string) map[string]any {
	category, prefix, subject, how := strings.ToLower(string(l.Kind)), string(l.Kind), l.Listed, "This account is listed"
	if l.Kind == score.Sanctioned || l.Kind == score.TerroristFinancing {
		category, prefix = "sanctions", "SANCTIONS"
	}
	if l.Match == score.Key {
		subject, how = "(same key as a listed address)", "This address is not listed itself: it has the same key as a listed address, "+l.Listed
	}
	words := []string{prefix + ":", strings.ReplaceAll(l.Source, "_", " "), l.Name, l.AddedAt.Format(time.DateOnly), subject}
	shown := map[string]any{
		"category": category, "name": strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " "), "url": nil,
		"description": fmt.Sprintf("%s. List %s, reference %s, match %s, list checked %s.", how, l.Source, l.Ref, l.Match, checked),
	}
	if l.URL != "" {
		shown["url"] = l.URL
	}
	return shown
}

// screening answers in TRM's shape.
func (h *handler) screening(r *http.Request) *answer {
	var array []byte
	a := h.ask(r, r.Method, batch, lateBody(sync.OnceValue(func() io.Reader {
		rest := http.MaxBytesReader(nil, r.Body, maxBody)
		array, _ = io.ReadAll(rest) // the error of rest stays
		all := io.MultiReader(bytes.NewReader(array), rest)
		switch {
		case tooMany(array):
			return http.MaxBytesReader(nil, io.NopCloser(all), 0)
		case json.Valid(array): // else its text could end the array and add members
			return io.MultiReader(strings.NewReader(`{"items":`), all, strings.NewReader("}"))
		}
		return all
	})))
	a.explain(http.StatusRequestEntityTooLarge, "At most 100 addresses can be asked about at once, in at most 512 KiB.")
	var asked []map[string]json.RawMessage // unlike a struct, it does not ignore letter case
	if len(a.Results) > 0 {
		json.Unmarshal(array, &asked)
	}
	verdicts := make([]any, len(a.Results))
	for i, it := range a.Results {
		shown, p := h.judge(it, a.Freshness)
		if p != nil {
			p["field"], a.problem = fmt.Sprintf("items[%d]", i), p
			break
		}
		verdicts[i] = map[string]any{"address": asked[i]["address"], "isSanctioned": len(shown) > 0}
	}
	a.body = verdicts
	return a
}

// tooMany reports whether an array has more than maxItems items. It reads no further.
func tooMany(array []byte) bool {
	d := json.NewDecoder(bytes.NewReader(array))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return false
	}
	n, err := 0, error(nil)
	for ; n <= maxItems && err == nil && d.More(); n++ {
		err = d.Decode(new(json.RawMessage))
	}
	return n > maxItems && err == nil
}

// An item is an answer about one address, or has the Code of its problem.
type item struct {
	Code string
	screening.Answer
}

type freshness struct {
	LastUpdated string `json:"last_updated"`
	Required    bool
}

// judge returns the labels to show as listings, none if the account is clean, or the problem
// of an answer that is neither.
func (h *handler) judge(text json.RawMessage, lists map[string]freshness) (shown []screening.Label, p problem) {
	var it item
	if json.Unmarshal(text, &it) != nil {
		it = item{} // neither listed nor clean
	}
	for _, l := range it.Labels {
		if slices.Contains(h.kinds, l.Kind) {
			shown = append(shown, l)
		}
	}
	missing := slices.ContainsFunc(it.Caveats, func(c screening.Caveat) bool { // package httpapi refuses it before
		l, ok := lists[c.Source]
		return (!ok || l.Required) && c.Kind != screening.CaveatStale && c.Kind != screening.CaveatOld && c.Kind != screening.CaveatStore
	})
	switch {
	case it.Code != "":
		json.Unmarshal(text, &p)
	case len(shown) > 0:
	case len(it.Labels) > 0:
		p = newProblem(409, listedOtherwise, "Listed otherwise", "The address is listed with a kind that is not shown here: ask /api/v1/screen.")
	case len(it.Doubts) > 0:
		p = newProblem(400, "invalid_address", "Invalid address", "The text does not settle which account is meant: "+it.Doubts[0].Explain()+".")
		p["field"], p["reason"] = "address", it.Doubts[0]
	case missing:
		p = newProblem(503, "sources_unavailable", "Lists not loaded", "A required list is missing, so no address can be called clean.")
	case it.Level != score.CleanNoMatch || it.Score != 0 || it.Labels == nil || it.Doubts == nil || it.Caveats == nil:
		p = newProblem(500, "internal", "Internal error", "Nothing can be said about the address.")
	}
	return shown, p
}
