package httpapi

import (
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// Limits of one answer of /api/v1/entries.
const (
	maxEntries  = 100
	maxLookedAt = 200_000 // entries that are compared with a search
)

// A page of the entries of a list is the answer to POST /api/v1/entries.
type entryPage struct {
	Source  string        `json:"source"`
	Entries []changeEntry `json:"entries"`
	Next    *int          `json:"next"` // what to send as after for more; null at the end
}

// entries answers a POST to /api/v1/entries, so that no search text is in a URL.
func (e *exchange) entries() ([]byte, *problem) {
	search, _ := e.fields["search"].(string)
	after := 0
	var err error
	if number, ok := e.fields["after"].(json.Number); ok {
		if after, err = strconv.Atoi(string(number)); err != nil || after < 0 {
			return nil, wrongType("after", number)
		}
	}
	source := e.fields["source"].(string)
	i := slices.IndexFunc(e.screener.Sources(), func(s screening.SourceStatus) bool { return s.Info.ID == source })
	if i < 0 {
		return nil, &problem{Code: notFound, Field: "source", Detail: "No list has this id. GET /api/v1/sources names them."}
	}
	if e.screener.Sources()[i].Info.Jurisdiction == sources.Operator && !e.caller.has(scopeOwn) {
		return nil, e.lacks(scopeOwn, "to see the operator's own lists")
	}
	return e.inTurn(func() (any, *problem) { // a search reads the whole list
		page, err := e.pageOf(source, strings.ToLower(strings.TrimSpace(search)), after)
		if err != nil {
			return nil, e.internal("entries", err)
		}
		return page, nil
	})
}

// pageOf returns the entries of a list that have the text in them, from a position on.
func (e *exchange) pageOf(source, text string, after int) (*entryPage, error) {
	page := &entryPage{Source: source, Entries: []changeEntry{}}
	at := -1
	for entry, err := range e.screener.Entries(source) {
		if err != nil {
			return nil, err
		}
		if at++; at%1024 == 0 {
			runtime.Gosched()
		}
		if at < after {
			continue
		}
		if len(page.Entries) == maxEntries || at-after >= maxLookedAt {
			page.Next = &at
			return page, nil
		}
		if c := newChangeEntry(&entry); text == "" || has(text, c.ListedAddress, entry.Address.Normalized(), c.Name, c.SourceRef) {
			page.Entries = append(page.Entries, c)
		}
	}
	return page, nil
}

// has reports whether one of all has a text, which is in lower case, in any case.
func has(text string, all ...string) bool {
	return slices.ContainsFunc(all, func(s string) bool { return strings.Contains(strings.ToLower(s), text) })
}
