package bundle_test

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// history returns the history of the SDN List.
func history(t *testing.T) []sources.Entry {
	t.Helper()
	all, err := sources.History(sources.Seeded(ofac.New(nil), bundle.OFAC()))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d stays, %v", len(all), err)
	}
	return all
}

// An identity is an account, or a string that is none.
type identity struct {
	account address.Address
	text    string
}

func identityOf(e sources.Entry) identity {
	if e.Address.IsValid() {
		return identity{account: e.Address.Canonical()}
	}
	return identity{text: e.Listed}
}

// editions returns the entries of complete official lists, by day.
func editions(t *testing.T) map[time.Time][]sources.Entry {
	t.Helper()
	f, err := os.Open("testdata/ofac_listed.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	days := make(map[time.Time][]sources.Entry)
	for _, row := range rows[1:] {
		e := sources.Entry{Asset: row[1], Listed: row[2], Kind: score.Sanctioned}
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
		for _, text := range strings.Fields(row[0]) {
			day, err := time.Parse(time.DateOnly, text)
			if err != nil {
				t.Fatal(err)
			}
			days[day] = append(days[day], e)
		}
	}
	entries, rev := load(t, bundle.OFAC())
	days[rev.Published] = entries
	return days
}

// complete returns the accounts of the editions.
func complete(t *testing.T) map[time.Time]map[identity]bool {
	days := make(map[time.Time]map[identity]bool)
	for day, entries := range editions(t) {
		days[day] = make(map[identity]bool)
		for _, e := range entries {
			days[day][identityOf(e)] = true
		}
	}
	return days
}

// TestHistory holds the history of the SDN List against its complete lists of four days.
func TestHistory(t *testing.T) {
	all := history(t)
	ended := 0
	for _, e := range all {
		if !e.Until.IsZero() {
			ended++
		}
		if e.FirstSeen.IsZero() || e.NotListedOn.After(e.FirstSeen) || !e.Until.IsZero() && !e.Until.After(e.FirstSeen) {
			t.Errorf("%s: not listed on %v, listed by %v, until %v: want this order", e.Listed, e.NotListedOn, e.FirstSeen, e.Until)
		}
		if !e.Address.IsValid() && !strings.HasPrefix(e.Listed, "5be5543f") && !strings.HasPrefix(e.Listed, "0xa7e5d5a7") &&
			!strings.Contains(e.Listed, "fzilsx") {
			t.Errorf("%s is not decoded", e.Listed)
		}
	}
	if len(all) < 1159 || ended < 96 {
		t.Errorf("%d stays, %d of them ended, want at least 1159 and 96", len(all), ended)
	}
	days := complete(t)
	if len(days) < 4 {
		t.Fatalf("lists of %d days, want 4", len(days))
	}
	for day, listed := range days {
		covered := make(map[identity]bool)
		absent := make(map[identity]int) // stays that do not allow that the account was listed
		stays := make(map[identity]int)
		for _, e := range all {
			id := identityOf(e)
			stays[id]++
			switch {
			case !e.FirstSeen.After(day) && (e.Until.IsZero() || e.Until.After(day)):
				covered[id] = true
			case !e.NotListedOn.Before(day) || !e.Until.IsZero() && !e.Until.After(day):
				absent[id]++
			}
		}
		for id := range listed {
			if stays[id] == absent[id] {
				t.Errorf("%v: %v was listed, and the history says it was not", day, id)
			}
		}
		for id := range covered {
			if !listed[id] {
				t.Errorf("%v: %v was not listed, and the history says it was", day, id)
			}
		}
	}
}

// TestAsOfDays checks the list of the days on which addresses came and went: one counts on the first day that
// has it, also if an earlier copy of that day lacks it, and on none that lacks it.
func TestAsOfDays(t *testing.T) {
	longtest.WithoutRace(t)
	all := history(t)
	days := make(map[time.Time]map[string]bool)
	for _, e := range all {
		for _, day := range []time.Time{e.FirstSeen, e.NotListedOn, e.Until} {
			if !day.IsZero() {
				days[day] = make(map[string]bool)
			}
		}
	}
	for day, listed := range days {
		_, err := sources.AsOf(bundle.OFAC(), day).Load(t.Context(), sources.Revision{}, func(e sources.Entry) error {
			listed[e.Asset+e.Text()] = true
			return nil
		})
		if err != nil && !errors.Is(err, sources.ErrNoPast) {
			t.Fatal(err)
		}
	}
	for _, e := range all {
		k := e.Asset + e.Text()
		if !days[e.FirstSeen][k] || e.NotListedOn.Before(e.FirstSeen) && days[e.NotListedOn][k] || !e.Until.IsZero() && days[e.Until][k] {
			t.Errorf("%s: listed %v on %v, %v on %v, and %v on %v", e.Text(), days[e.NotListedOn][k], e.NotListedOn, days[e.FirstSeen][k], e.FirstSeen, days[e.Until][k], e.Until)
		}
	}
}

// TestAsOfHolders checks that an account which two parties hold has an entry of each in the past, too.
func TestAsOfHolders(t *testing.T) {
	refs := func(src sources.Source) map[string][]string {
		all := make(map[string][]string)
		_, err := src.Load(t.Context(), sources.Revision{}, func(e sources.Entry) error {
			all[e.Text()] = append(all[e.Text()], e.Ref)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	seen := 0
	past := refs(sources.AsOf(bundle.OFAC(), time.Date(2026, 9, 30, 0, 0, 0, 0, time.UTC)))
	for text, want := range refs(bundle.OFAC()) {
		if len(want) == 1 || past[text] == nil {
			continue
		}
		seen++
		if got := past[text]; !slices.Equal(got, want) {
			t.Errorf("%s was held by %q, want %q", text, got, want)
		}
	}
	if seen < 2 {
		t.Errorf("%d accounts with two entries, want two or more", seen)
	}
}

// TestHistoryOfOthers checks that the other lists have none.
func TestHistoryOfOthers(t *testing.T) {
	for _, src := range bundle.All() {
		all, err := sources.History(src)
		if id := src.Info().ID; err != nil || (all != nil) != (id == "OFAC_SDN") {
			t.Errorf("%s: %d stays, %v", id, len(all), err)
		}
	}
}

// TestDates holds the dates of all labels of the SDN List against its complete lists of four
// days: no address was listed before its date, and none was missing on its date or after.
func TestDates(t *testing.T) {
	longtest.WithoutRace(t)
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	refutes := refuter(t)
	entries, _ := load(t, bundle.OFAC())
	party, own, bounded := 0, 0, 0
	for _, e := range entries {
		r, err := s.ScreenText("monero", e.Text())
		if e.Address.IsValid() {
			r, err = s.Screen(e.Address)
		}
		if err != nil || len(r.Labels) == 0 {
			t.Fatalf("%s: %+v, %v", e.Listed, r, err)
		}
		l := r.Labels[0]
		if l.Match == score.Key {
			continue
		}
		if refutes(identityOf(e), l.AddedAt) || !l.NotListedOn.IsZero() && l.AddedAt.Before(l.NotListedOn) {
			t.Errorf("%s: added at %v, not listed on %v, and a list refutes it", e.Listed, l.AddedAt, l.NotListedOn)
		}
		switch {
		case l.AddedAt.Equal(l.EntityListedAt):
			party++
		case !l.EntityListedAt.IsZero():
			own++
		}
		if !l.NotListedOn.IsZero() {
			bounded++
		}
	}
	if party < 500 || own < 300 || bounded < 900 {
		t.Errorf("%d labels have the date of the party, %d another one, %d a bound", party, own, bounded)
	}
	// OFAC added the address in April 2022 to an entry of 2019.
	r, err := s.ScreenText("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil || len(r.Labels) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if l := r.Labels[0]; l.EntityListedAt != date(2019, 9, 13) || l.NotListedOn != date(2021, 7, 6) || l.AddedAt != date(2022, 9, 3) {
		t.Errorf("added at %v, not listed on %v, party of %v", l.AddedAt, l.NotListedOn, l.EntityListedAt)
	}
}

// refuter returns a function that reports whether a complete list shows that an account was
// not added at a time.
func refuter(t *testing.T) func(id identity, added time.Time) bool {
	days, again := complete(t), ended(t)
	return func(id identity, added time.Time) (refuted bool) {
		for day, listed := range days {
			refuted = refuted || listed[id] && added.After(day) && !again[id] || !listed[id] && !added.After(day)
		}
		return refuted
	}
}

// TestDatesOfOldList loads a list of March 2025, when the addresses of Tornado Cash were
// still listed: since August 2022, under a party that is dated in November.
func TestDatesOfOldList(t *testing.T) {
	longtest.WithoutRace(t)
	f, err := os.Open("../ofac/testdata/sdn_advanced_excerpt_2025-03-04.xml.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var entries []sources.Entry
	if _, err := ofac.Parse(z, func(e sources.Entry) error { entries = append(entries, e); return nil }); err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{sources.Seeded(sources.Static(bundle.OFAC().Info(), entries...), bundle.OFAC())}, &screening.Options{
		Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	days, early := complete(t), 0
	for _, e := range entries {
		if !e.Address.IsValid() {
			continue
		}
		r, err := s.Screen(e.Address)
		if err != nil || len(r.Labels) == 0 {
			t.Fatalf("%s: %+v, %v", e.Listed, r, err)
		}
		l := r.Labels[0]
		for day, listed := range days {
			if id := identityOf(e); day.Before(date(2025, 3, 4)) && (listed[id] && l.AddedAt.After(day) || !listed[id] && !l.AddedAt.After(day)) {
				t.Errorf("%s: added at %v, and the list of %v refutes it", e.Listed, l.AddedAt, day)
			}
		}
		if l.EntityListedAt.Equal(date(2022, 11, 8)) && !l.AddedAt.After(date(2022, 9, 3)) {
			early++
		}
	}
	if early < 30 {
		t.Errorf("%d addresses were on a list before their party's date, want at least 30", early)
	}
}

// TestDatesOfImports loads the complete lists of some days over the bundled one, as an import
// does that the operator accepts, and then the bundled one again. No list refutes a date.
func TestDatesOfImports(t *testing.T) {
	longtest.WithoutRace(t)
	days, texts, again := complete(t), editions(t), ended(t)
	_, rev := load(t, bundle.OFAC())
	listed := make(map[identity]sources.Entry)
	for _, e := range history(t) {
		listed[identityOf(e)] = e
	}
	n := 0
	for day := range days {
		copied := &published{Source: bundle.OFAC()}
		copied.set(day, texts[day])
		s, err := screening.New([]sources.Source{sources.Seeded(copied, bundle.OFAC())}, &screening.Options{
			Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, held := range []time.Time{day, rev.Published} {
			copied.set(held, texts[held])
			if _, err := s.Refresh(t.Context()); err != nil || !s.Sources()[0].Published.Equal(held) {
				t.Fatalf("%v: %v, and that of %v is held", held, err, s.Sources()[0].Published)
			}
			for id, e := range listed {
				if !e.Address.IsValid() {
					continue
				}
				r, err := s.Screen(e.Address)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range r.Labels {
					for other, on := range days {
						if l.Match == score.Key || other.After(held) {
							continue
						}
						n++
						if on[id] && l.AddedAt.After(other) && !again[id] || !on[id] && !l.AddedAt.After(other) ||
							on[id] && l.NotListedOn.Equal(other) && l.AddedAt.After(other) {
							t.Errorf(
								"%v over the bundle: %s added at %v, not listed on %v, and the list of %v refutes it",
								held,
								e.Listed,
								l.AddedAt,
								l.NotListedOn,
								other,
							)
						}
					}
				}
				for _, f := range r.Formerly {
					for other, on := range days {
						n++
						within := !other.Before(f.Since) && other.Before(f.Until)
						if (on[id] && other.Equal(f.Until) || !on[id] && within) && !strings.Contains(f.Listed, "fzilsx") { // a misprint
							t.Errorf("%v over the bundle: %s formerly from %v until %v, and the list of %v refutes it", held, e.Listed, f.Since, f.Until, other)
						}
					}
				}
			}
		}
	}
	if n < 10_000 {
		t.Errorf("%d dates compared, want more", n)
	}
}

// set makes p a copy of the given day.
func (p *published) set(day time.Time, entries []sources.Entry) {
	p.entries = slices.Clone(entries)
	for i := range p.entries {
		p.entries[i].FirstSeen = day
	}
	p.rev = sources.Revision{Digest: strings.Repeat("0", 56) + day.Format("20060102"), Records: len(entries), Published: day, Checked: day}
}

// ended returns the accounts that have a stay that ended.
func ended(t *testing.T) map[identity]bool {
	all := make(map[identity]bool)
	for _, e := range history(t) {
		if !e.Until.IsZero() {
			all[identityOf(e)] = true
		}
	}
	return all
}
