package screening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestFormerlyOFAC asks for all addresses that the SDN List has dropped, from the bundle and
// after a restart from a store.
func TestFormerlyOFAC(t *testing.T) {
	history, err := sources.History(bundle.OFAC())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"bundle", "store"} {
		s, err := screening.New([]sources.Source{bundle.OFAC()}, &screening.Options{Store: dir})
		if err != nil {
			t.Fatal(err)
		}
		if how == "bundle" {
			_, err = s.Refresh(t.Context())
		} else {
			_, err = s.Open(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		ended, again := 0, 0
		for _, e := range history {
			if e.Until.IsZero() || !e.Address.IsValid() {
				continue
			}
			r, err := s.Screen(e.Address)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Labels) > 0 && r.Labels[0].Match != score.Key {
				if again++; r.Formerly != nil {
					t.Errorf("%s: %s is listed, and formerly listed", how, e.Listed)
				}
				continue
			}
			ended++
			if len(r.Formerly) != 1 || r.Score != 0 && len(r.Labels) == 0 || !r.AllClear() && len(r.Labels) == 0 && len(r.Caveats()) == 0 {
				t.Errorf("%s: %s: %+v", how, e.Listed, r)
				continue
			}
			f := r.Formerly[0]
			if f.Source != "OFAC_SDN" || f.Since.After(e.FirstSeen) || f.Until.Before(e.Until) || !f.Until.After(f.Since) {
				t.Errorf("%s: %s: %+v, want a stay from %v to %v", how, e.Listed, f, e.FirstSeen, e.Until)
			}
		}
		if ended < 90 || ended+again < 93 {
			t.Errorf("%s: %d of the ended stays answer with Formerly, and %d are listed again", how, ended, again)
		}
		r, err := s.ScreenText("ethereum", "0x07687e702b410Fa43f4cB4Af7FA097918ffD2730")
		if err != nil || len(r.Labels) != 0 || len(r.Formerly) != 1 || r.Formerly[0].Name == "" {
			t.Errorf("%s: %+v, %v", how, r, err)
		}
		two, _, err := s.ScreenInput("ETH", clean+" / 0x07687e702b410Fa43f4cB4Af7FA097918ffD2730") // a cell with two
		if !errors.Is(err, address.ErrSeveral) || len(two.Formerly) != 1 || two.Address != r.Address || two.Level != "" || two.AllClear() {
			t.Errorf("%s: %+v, %v", how, two, err)
		}
		text, err := json.Marshal(r)
		if err != nil || !strings.Contains(string(text), `"formerly":[{"source":"OFAC_SDN","source_ref":"`) ||
			!strings.Contains(string(text), `"since":"2022-09-03T00:00:00Z","until":"2025-03-21T00:00:00Z"}]`) {
			t.Errorf("%s: %s, %v", how, text, err)
		}
	}
}

// A dropping source is a list that the test changes.
type dropping struct {
	entries []sources.Entry
	digest  string
}

func (s *dropping) Info() sources.Info {
	return sources.Info{ID: "DROPS", Name: "A list", Jurisdiction: sources.US}
}

func (s *dropping) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	for _, e := range s.entries {
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: strings.Repeat(s.digest, 64), Records: len(s.entries) + 1}, nil
}

// TestFormerlyDropped follows an entry that a list drops, and has again, and one that the list
// says has ended.
func TestFormerlyDropped(t *testing.T) {
	accepted := func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }
	entry := func(text, ref string) sources.Entry {
		return sources.Entry{Address: address.MustParse("ethereum", text), Kind: score.Sanctioned, Ref: ref}
	}
	const one, two, three = "0x0000000000000000000000000000000000000001", "0x0000000000000000000000000000000000000002",
		"0x0000000000000000000000000000000000000003"
	ended := entry(three, "3")
	ended.FirstSeen, ended.Until = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)
	src := &dropping{[]sources.Entry{entry(one, "1"), entry(two, "2"), ended}, "a"}
	s, err := screening.New([]sources.Source{src}, &screening.Options{Accept: accepted})
	if err != nil {
		t.Fatal(err)
	}
	check := func(step string, listed []string, former ...string) {
		t.Helper()
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		for _, text := range []string{one, two, three} {
			for _, chain := range []address.Chain{"ethereum", "polygon"} {
				r, err := s.ScreenText(chain, text)
				if err != nil || (len(r.Labels) == 1) != slices.Contains(listed, text) || (len(r.Formerly) == 1) != slices.Contains(former, text) ||
					len(r.Labels) == 0 && !r.AllClear() {
					t.Errorf("%s: %s on %s: %+v, %v", step, text, chain, r, err)
				}
			}
		}
	}
	check("at first", []string{one, two}, three)
	r, _ := s.ScreenText("ethereum", three)
	if f := r.Formerly[0]; f.Since != ended.FirstSeen || f.Until != ended.Until || f.Ref != "3" || f.Listed != three {
		t.Errorf("%+v", f)
	}
	src.entries, src.digest = []sources.Entry{entry(one, "1"), ended}, "b"
	check("the second is dropped", []string{one}, two, three)
	src.entries, src.digest = []sources.Entry{entry(one, "1"), entry(two, "another")}, "c"
	check("the second is listed again", []string{one, two}, three)
	one2 := entry(one, "1")
	one2.Until = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	src.entries, src.digest = []sources.Entry{one2, entry(two, "another")}, "d"
	check("the first has ended", []string{two}, one, three)
	r, _ = s.ScreenText("ethereum", one)
	if len(r.Formerly) != 1 || r.Formerly[0].Until != one2.Until {
		t.Errorf("%+v, want an end on %v", r.Formerly, one2.Until)
	}
	// The same list again adds nothing.
	src.digest = "e"
	check("the same list", []string{two}, one, three)

	// Another account of the same key was not listed.
	if r, err := s.ScreenText("tron", "410000000000000000000000000000000000000003"); err != nil || r.Formerly != nil {
		t.Errorf("the same key on tron: %+v, %v", r.Formerly, err)
	}
}

// TestDatesOfRevisions follows the dates of entries in a list that dates parties only.
func TestDatesOfRevisions(t *testing.T) {
	party := time.Date(2019, 9, 13, 0, 0, 0, 0, time.UTC)
	entry := func(n int, ref string) sources.Entry {
		a := address.MustParse("ethereum", fmt.Sprintf("0x%040x", n))
		return sources.Entry{Address: a, Kind: score.Sanctioned, Ref: ref, EntityListedAt: party}
	}
	dir, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	src := &dropping{[]sources.Entry{entry(1, "1"), entry(2, "2"), entry(3, "3")}, "a"}
	s, err := screening.New([]sources.Source{src}, &screening.Options{Store: dir})
	if err != nil {
		t.Fatal(err)
	}
	label := func(s *screening.Screener, n int) screening.Label {
		t.Helper()
		r, err := s.Screen(entry(n, "").Address)
		if err != nil || len(r.Labels) != 1 {
			t.Fatalf("%d: %+v, %v", n, r, err)
		}
		return r.Labels[0]
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l := label(s, 1); l.AddedAt != party || l.EntityListedAt != party || !l.NotListedOn.IsZero() {
		t.Errorf("at first: %+v, want the date of the party", l)
	}
	checked := s.Sources()[0].LastUpdated
	// The party gets another address, and the list another reference for the second one.
	src.entries, src.digest = []sources.Entry{entry(1, "1"), entry(2, "another"), entry(3, "3"), entry(4, "1")}, "b"
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	restarted, err := screening.New([]sources.Source{src}, &screening.Options{Store: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := restarted.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*screening.Screener{"running": s, "restarted": restarted} {
		for n := 1; n <= 3; n++ {
			if l := label(s, n); l.AddedAt != party || !l.NotListedOn.IsZero() {
				t.Errorf("%s: %d: %+v, want the date of the party", name, n, l)
			}
		}
		if l := label(s, 4); l.NotListedOn != checked || !l.AddedAt.After(checked) || l.EntityListedAt != party {
			t.Errorf("%s: %+v, want one that was not listed on %v", name, l, checked)
		}
	}
}

// TestFormerlyAfterKill restarts after a program was killed before it had written to the journal
// what a list dropped, and when.
func TestFormerlyAfterKill(t *testing.T) {
	dir := t.TempDir()
	src := &flaky{info: ofac, load: numbered(1, 1, 2, 3)}
	opts := &screening.Options{Store: openStore(t, dir)}
	s := loaded(t, opts, src)
	written, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	src.load = numbered(2, 1, 2)
	refresh(t, s)
	first := s.Digest()
	if err := os.WriteFile(filepath.Join(dir, "journal"), written, 0o600); err != nil {
		t.Fatal(err)
	}
	src.load = down
	for range 2 {
		s = newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
		if _, err := s.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", 3)); err != nil || len(r.Labels) != 0 || len(r.Formerly) != 1 || r.Digest() != first {
			t.Errorf("the dropped entry: %+v, %v, want it formerly listed", r, err)
		}
		s.Refresh(t.Context()) // writes the journal
	}
}

// A remembering source is one that knows the past of its list.
type remembering struct {
	*dropping
	past []sources.Entry
	full int // how often it was asked without its revision
}

func (s *remembering) History() ([]sources.Entry, error) { return s.past, nil }

func (s *remembering) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if prev.Digest == strings.Repeat(s.digest, 64) {
		return sources.Revision{}, sources.ErrUnchanged
	}
	s.full++
	return s.dropping.Load(ctx, prev, add)
}

// TestHistoryOfStored stores a list with a program that knows nothing of its past. A later one
// that does says it, although the list is unchanged, and saves that once.
func TestHistoryOfStored(t *testing.T) {
	entry := func(n int) sources.Entry {
		a := address.MustParse("ethereum", fmt.Sprintf("0x%040x", n))
		return sources.Entry{Address: a, Kind: score.Sanctioned, Ref: fmt.Sprint(n)}
	}
	since := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	listed, ended := entry(1), entry(3)
	listed.FirstSeen, listed.NotListedOn = since, since.AddDate(0, -1, 0)
	ended.FirstSeen, ended.Until = since, since.AddDate(1, 0, 0)
	opts := &screening.Options{Store: openStore(t, t.TempDir())}
	src := &remembering{dropping: &dropping{[]sources.Entry{entry(1), entry(2)}, "a"}}
	refresh(t, newScreener(t, opts, src))

	src.past = []sources.Entry{listed, ended}
	for run := range 3 {
		s := newScreener(t, opts, src)
		for range 2 {
			if r := refresh(t, s).Sources[0]; r.Added+r.Removed > 0 {
				t.Errorf("run %d: %+v", run, r)
			}
		}
		label := must(s.Screen(listed.Address)).Labels[0]
		if label.AddedAt != since || label.NotListedOn != listed.NotListedOn {
			t.Errorf("run %d: %+v, want it listed since %v", run, label, since)
		}
		if r := must(s.Screen(ended.Address)); len(r.Formerly) != 1 || r.Formerly[0].Until != ended.Until {
			t.Errorf("run %d: %+v, want it formerly listed", run, r)
		}
		accepted := 0
		for _, l := range linesOf(t, opts.Store) {
			if l.Type == journal.Accepted {
				accepted++
			}
		}
		if accepted != 2 || src.full != 2 {
			t.Errorf("run %d: %d lists were accepted, and %d asked for without conditions, want 2", run, accepted, src.full)
		}
	}
}

// TestUntilToCome loads a listing that will end: it lasts until then.
func TestUntilToCome(t *testing.T) {
	e := listing(1)
	e.Until = time.Now().Add(time.Hour)
	s := loaded(t, nil, sources.Static(ofac, e, listing(2)))
	if r := must(s.Screen(e.Address)); r.Score != 100 || r.Formerly != nil {
		t.Errorf("a listing that ends in an hour: %d points, formerly %v", r.Score, r.Formerly)
	}
}
