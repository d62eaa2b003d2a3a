package httpapi_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A growing source has other entries at each load.
type growing struct {
	sources.Source
	entries []sources.Entry
}

func (s *growing) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return sources.Static(s.Info(), s.entries...).Load(ctx, prev, add)
}

// TestChanges checks that the response shows the entries that refreshes have added and
// removed, and the lists that they have refused.
func TestChanges(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	entry := func(n byte) sources.Entry {
		return sources.Entry{Address: address.MustParse("ethereum", "0x00000000000000000000000000000000000000"+string("0123456789abcdef"[n>>4])+string("0123456789abcdef"[n&15])), Kind: score.Scam, Ref: "case", Name: "somebody"}
	}
	list := &growing{Source: community}
	s, err := screening.New([]sources.Source{list}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	for n := range byte(120) {
		list.entries = append(list.entries, entry(n))
	}
	refresh := func(fails bool) {
		t.Helper()
		if _, err := s.Refresh(t.Context()); (err != nil) != fails {
			t.Fatal(err)
		}
	}
	refresh(false)
	list.entries = append(list.entries[1:], entry(200), entry(201))
	refresh(false)
	list.entries = list.entries[:1]
	refresh(true) // it has shrunk
	h := httpapi.NewHandler(s, testKeys(t), &httpapi.Options{Store: st})
	for range 2 {
		var answer struct {
			Changes []struct {
				Source, Event, Reason string
				Time                  time.Time
				Entries, Addresses    int
				Added, Removed        int
				AddedEntries          []map[string]string `json:"added_entries"`
				RemovedEntries        []map[string]string `json:"removed_entries"`
				Truncated             bool
			}
		}
		w := send(h, "GET", "/api/v1/changes", "")
		if err := checkAnswer("GET", w); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Changes) != 3 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		refused, second, first := answer.Changes[0], answer.Changes[1], answer.Changes[2]
		if refused.Event != "refused" || refused.Reason == "" || refused.Source != "COMMUNITY_BADLIST" {
			t.Errorf("the newest change is %+v, want a refused list", refused)
		}
		if second.Event != "accepted" || second.Added != 2 || second.Removed != 1 || len(second.AddedEntries) != 2 || len(second.RemovedEntries) != 1 || second.Truncated ||
			second.AddedEntries[0]["listed_address"] != entry(200).Address.Normalized() || second.RemovedEntries[0]["listed_address"] != entry(0).Address.Normalized() ||
			second.AddedEntries[0]["name"] != "somebody" || second.AddedEntries[0]["label"] != "SCAM" || second.AddedEntries[0]["chain"] != "ethereum" {
			t.Errorf("the second change is %+v", second)
		}
		if first.Event != "accepted" || first.Entries != 120 || first.Added != 120 || len(first.AddedEntries) != 100 || !first.Truncated || first.Time.IsZero() {
			t.Errorf("the first change is %+v", first)
		}
	}
}
