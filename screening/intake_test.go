package screening_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestIntakeModel refreshes lists whose entries appear, disappear, reappear, repeat
// under other names, and cluster on few addresses, and compares the Report and the
// lists with sets. A restart must not change anything.
func TestIntakeModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	addresses := []address.Address{
		{}, address.MustParse("ethereum", lazarus), address.MustParse("bsc", strings.ToLower(lazarus)),
		address.MustParse("ethereum", clean), address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
		address.MustParse("bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
	}
	pick := func(texts ...string) string { return texts[rng.IntN(len(texts))] }
	entry := func(refs int) sources.Entry {
		e := sources.Entry{
			Address: addresses[rng.IntN(len(addresses))], Kind: []score.Kind{score.Sanctioned, score.Scam}[rng.IntN(2)],
			Asset: pick("", "ETH"), Ref: fmt.Sprint(rng.IntN(refs)), Name: pick("one", "other"),
		}
		switch {
		case !e.Address.IsValid():
			e.Listed = pick("0xABC", "0xabc", "text")
		case rng.IntN(4) == 0:
			e.Listed = " " + e.Address.Normalized()
		case rng.IntN(4) == 0:
			e.Listed = e.Address.Normalized() // which means the same as ""
		}
		if rng.IntN(3) == 0 {
			e.ListedAt = day
		}
		return e
	}
	dir := t.TempDir()
	list := &published{info: ofac}
	start := func() *screening.Screener {
		return newScreener(
			t,
			&screening.Options{Store: openStore(t, dir), Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }},
			list,
		)
	}
	s := start()
	held := make(map[sources.Entry]bool)
	seen := make(map[sources.Entry]time.Time)
	for i := range longtest.N(5, 20) {
		if i%10 == 9 {
			s = start()
		}
		n, refs := 1+rng.IntN(40), 3
		if i%5 == 4 { // a crowd
			n, refs = 1000, 100
		}
		entries := make([]sources.Entry, n)
		repeated := 0
		next := make(map[sources.Entry]bool)
		for j := range entries {
			if entries[j] = entry(refs); j > 0 && rng.IntN(10) == 0 {
				entries[j] = entries[rng.IntN(j)]
			}
			if next[entries[j].Canonical()] {
				repeated++
			}
			next[entries[j].Canonical()] = true
		}
		list.publish(entries...)
		r := refresh(t, s).Sources[0]
		difference := func(what string, got []sources.Entry, of, from map[sources.Entry]bool) {
			t.Helper()
			want := 0
			for e := range of {
				if !from[e] {
					want++
				}
			}
			for _, e := range got {
				if id := e.Canonical(); !of[id] || from[id] {
					t.Errorf("refresh %d: %s has %+v", i, what, e)
				}
			}
			if len(got) != want {
				t.Errorf("refresh %d: %s has %d entries, want %d", i, what, len(got), want)
			}
		}
		difference("Added", collect(t, r.AllAdded()), next, held)
		difference("Removed", collect(t, r.AllRemoved()), held, next)
		if len(collect(t, r.AllAdded())) != r.Added || len(collect(t, r.AllRemoved())) != r.Removed {
			t.Errorf("refresh %d: counts %d added and %d removed", i, r.Added, r.Removed)
		}
		checkHeld(t, s, 0, entries)
		if st := s.Sources()[0]; r.Entries != n || st.Entries != n || st.AnomalyKinds[sources.Duplicate] != repeated {
			t.Errorf("refresh %d: %d entries, %+v, want %d, and %d of them repeated", i, r.Entries, st, n, repeated)
		}
		got, err := s.EntriesOf(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got {
			id := e.Canonical()
			if first, ok := seen[id]; ok && !first.Equal(e.FirstSeen) || e.FirstSeen.IsZero() {
				t.Errorf("refresh %d: %+v was first seen at %v", i, e, first)
			}
			seen[id] = e.FirstSeen
		}
		held = next
		removed := make(map[sources.Entry]bool)
		st := openStore(t, dir)
		for _, stay := range endedOf(t, st) {
			if id := stay.Canonical(); removed[id] || seen[id].IsZero() || !seen[id].Equal(stay.FirstSeen) || stay.Until.Before(stay.FirstSeen) {
				t.Errorf("refresh %d: removed at %v: %+v", i, stay.Until, stay)
			} else if !held[id] {
				removed[id] = true
			}
		}
		if len(removed)+len(held) != len(seen) {
			t.Errorf("refresh %d: %d entries are held and %d removed of %d that were ever listed", i, len(held), len(removed), len(seen))
		}
	}
}
