package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestEntries reads a list page by page, searches it, and checks that the operator's own lists
// are shown only to callers with the scope own.
func TestEntries(t *testing.T) {
	var all []sources.Entry
	for i := range 250 {
		all = append(
			all,
			sources.Entry{
				Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", i+1)),
				Kind:    score.Sanctioned,
				Ref:     fmt.Sprint(i),
				Name:    []string{"Alpha", "ÉMILE Beta"}[i%2],
			},
		)
	}
	long := strings.Repeat("a very long name ", 20)
	all[9].Name = long + "of one"
	all[7].Listed, all[7].Address = "not an address: Q7", address.Address{}
	own := sources.Entry{Address: address.MustParse("ethereum", "0x00000000000000000000000000000000000000aa"), Kind: score.Blocked, Ref: "INTERNAL-7"}
	s, err := screening.New([]sources.Source{
		sources.Static(sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}, all...),
		sources.Static(sources.Info{ID: "OURS", Name: "Ours", Jurisdiction: sources.Operator}, own),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	auth := &scoped{"sources"}
	h := httpapi.NewHandler(s, auth, nil)
	type answer struct {
		Source  string
		Entries []map[string]string
		Next    *int
		Code    string
	}
	ask := func(body string) (a answer, status int) {
		t.Helper()
		w := send(h, "POST", "/api/v1/entries", body)
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		return a, w.Code
	}
	if a, status := ask(`{"source":"LIST"}`); status != 200 || len(a.Entries) != 0 || a.Next != nil {
		t.Errorf("before it is loaded: %d %+v", status, a)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen, next := map[string]bool{}, 0
	for pages := 1; ; pages++ {
		a, status := ask(fmt.Sprintf(`{"source":"LIST","after":%d}`, next))
		if status != 200 || a.Source != "LIST" || len(a.Entries) > 100 {
			t.Fatalf("page %d: %d %+v", pages, status, a)
		}
		for _, e := range a.Entries {
			seen[e["source_ref"]] = true
		}
		if a.Next == nil {
			break
		}
		if next = *a.Next; pages > 3 {
			t.Fatal("more than three pages")
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d entries on all pages, want 250", len(seen))
	}
	for search, want := range map[string]int{"0x00000000000000000000000000000000000000FA": 1, " alpha ": 100, "émile": 100, long + "OF ONE": 1, long + "of two": 0, "q7": 1, "249": 1, "nobody": 0,
		strings.Repeat("x", 5000): 0} {
		if a, status := ask(fmt.Sprintf(`{"source":"LIST","search":%q}`, search)); status != 200 || len(a.Entries) != want {
			t.Errorf("%.50q: %d, %d entries, want %d", search, status, len(a.Entries), want)
		}
	}
	if a, status := ask(`{"source":"OURS"}`); status != 403 || a.Code != "insufficient_scope" {
		t.Errorf("an own list without its scope: %d %+v", status, a)
	}
	auth.scopes = "sources own"
	if a, status := ask(`{"source":"OURS"}`); status != 200 || len(a.Entries) != 1 || a.Entries[0]["source_ref"] != "INTERNAL-7" {
		t.Errorf("an own list: %d %+v", status, a)
	}
	auth.scopes = "screen"
	if _, status := ask(`{"source":"LIST"}`); status != 403 {
		t.Errorf("without the scope sources: %d", status)
	}
}
