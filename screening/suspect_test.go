package screening_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// An edition is a list with a revision.
type edition struct {
	info    sources.Info
	rev     sources.Revision
	entries []sources.Entry
}

func (e *edition) load(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	for _, entry := range e.entries {
		if err := add(entry); err != nil {
			return sources.Revision{}, err
		}
	}
	return e.rev, nil
}

// numberedEntries returns the entries with the numbers of a range.
func numberedEntries(kind score.Kind, from, to int) (all []sources.Entry) {
	for i := from; i < to; i++ {
		e := listing(i)
		e.Kind = kind
		all = append(all, e)
	}
	return all
}

// acceptAll is an Accept for lists that change all over.
func acceptAll(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }

// TestSuspect replaces lists by others that are suspect for one reason or none. A
// suspect list is refused unless Accept accepts it; the report, the status and the
// journal give the reason.
func TestSuspect(t *testing.T) {
	official := func(from, to int) []sources.Entry { return numberedEntries(score.Sanctioned, from, to) }
	own := sources.Info{ID: "OWN", Name: "own list", Jurisdiction: sources.Operator}
	october := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	rev := func(change func(*sources.Revision)) sources.Revision {
		r := sources.Revision{Records: 1}
		if change != nil {
			change(&r)
		}
		return r
	}
	published := func(t time.Time) sources.Revision { return rev(func(r *sources.Revision) { r.Published = t }) }
	openEnded := rev(func(r *sources.Revision) { r.OpenEnded = true })
	assembled := rev(func(r *sources.Revision) { r.Completeness = sources.Assembled })
	partial := rev(func(r *sources.Revision) { r.Completeness = sources.Partial })
	for _, tt := range []struct {
		name     string
		info     sources.Info
		had, has edition
		want     error
	}{
		{"shrunk", ofac, edition{entries: official(0, 300)}, edition{entries: official(0, 239)}, screening.ErrShrunk},
		{"shrunk by the limit", ofac, edition{entries: official(0, 300)}, edition{entries: official(0, 240)}, nil},
		{"shrunk from 56", ofac, edition{entries: official(0, 56)}, edition{entries: official(0, 14)}, screening.ErrShrunk},
		{"shrunk from 14", ofac, edition{entries: official(0, 14)}, edition{entries: official(0, 6)}, screening.ErrShrunk},
		{"shrunk from 6", ofac, edition{entries: official(0, 6)}, edition{entries: official(0, 1)}, screening.ErrShrunk},
		{"shrunk by 3 of 9", ofac, edition{entries: official(0, 9)}, edition{entries: official(0, 6)}, screening.ErrShrunk},
		{"shrunk by 2 of 9", ofac, edition{entries: official(0, 9)}, edition{entries: official(0, 7)}, nil},
		{"shrunk by 3 of 15", ofac, edition{entries: official(0, 15)}, edition{entries: official(0, 12)}, nil},
		{"shrunk from a part", ofac, edition{entries: official(0, 56), rev: partial}, edition{entries: official(0, 14)}, screening.ErrShrunk},
		{"a part, shrunk", ofac, edition{entries: official(0, 14), rev: partial}, edition{entries: official(0, 6), rev: partial}, screening.ErrShrunk},
		{"another list", ofac, edition{entries: official(0, 56)}, edition{entries: official(100, 200)}, screening.ErrShrunk},
		{"half of it another list", ofac, edition{entries: official(0, 56)}, edition{entries: official(28, 156)}, screening.ErrShrunk},
		{"cut within an entry", ofac, edition{entries: official(0, 20), rev: openEnded},
			edition{entries: append(official(0, 17), official(90, 91)...), rev: openEnded}, screening.ErrCut},
		{"emptied", ofac, edition{entries: official(0, 3)}, edition{}, screening.ErrEmptied},
		{"own list, shrunk", own, edition{entries: numberedEntries(score.Blocked, 0, 300)}, edition{entries: numberedEntries(score.Blocked, 0, 3)}, nil},
		{"own list, emptied", own, edition{entries: numberedEntries(score.Blocked, 0, 3)}, edition{rev: sources.Revision{Records: 0}}, nil},
		{"grown", ofac, edition{entries: official(0, 1000)}, edition{entries: official(0, 11_001)}, screening.ErrGrown},
		{"grown ten times", ofac, edition{entries: official(0, 1001)}, edition{entries: official(0, 10_010)}, nil},
		{"grown by 10,000", ofac, edition{entries: official(0, 10)}, edition{entries: official(0, 10_010)}, nil},
		{"grown from an assembled list", ofac, edition{entries: official(0, 10), rev: assembled}, edition{entries: official(0, 10_011)}, nil},
		{"grown from a part", ofac, edition{entries: official(0, 10), rev: partial}, edition{entries: official(0, 10_011)}, nil},
		{"older", ofac, edition{entries: official(0, 10), rev: published(october)}, edition{entries: official(1, 11), rev: published(october.Add(-1))},
			screening.ErrOlder},
		{"of the same date", ofac, edition{entries: official(0, 10), rev: published(october)}, edition{entries: official(1, 11), rev: published(october)}, nil},
		{"without a date", ofac, edition{entries: official(0, 10), rev: published(october)}, edition{entries: official(1, 11)}, nil},
		{"older than a part", ofac, edition{entries: official(0, 10), rev: rev(func(r *sources.Revision) { r.Published, r.Completeness = october, sources.Partial })},
			edition{entries: official(1, 11), rev: published(october.Add(-1))}, screening.ErrOlder},
		{"in the future", ofac, edition{entries: official(0, 10), rev: published(october)},
			edition{entries: official(1, 11), rev: published(time.Now().AddDate(36, 0, 0))}, screening.ErrFuture},
		{"tomorrow", ofac, edition{entries: official(0, 10), rev: published(october)},
			edition{entries: official(1, 11), rev: published(time.Now().AddDate(0, 0, 1))}, nil},
		{"cut", ofac, edition{entries: official(0, 10), rev: openEnded}, edition{entries: official(0, 9), rev: openEnded}, screening.ErrCut},
		{"lost only repetitions", ofac, edition{entries: append(official(0, 10), official(3, 6)...), rev: openEnded},
			edition{entries: official(0, 10), rev: openEnded}, nil},
		{"lost a repetition and an entry", ofac, edition{entries: append(official(0, 10), official(3, 4)...), rev: openEnded},
			edition{entries: official(0, 9), rev: openEnded}, screening.ErrCut},
		{"lost only repetitions, and now in a format without end", ofac, edition{entries: append(official(0, 10), official(3, 6)...)},
			edition{entries: official(0, 10), rev: openEnded}, nil},
		{"lost one in the middle", ofac, edition{entries: official(0, 10), rev: openEnded},
			edition{entries: append(official(0, 5), official(6, 10)...), rev: openEnded}, nil},
		{"lost one and got one", ofac, edition{entries: official(0, 10), rev: openEnded},
			edition{entries: append(official(0, 9), official(20, 21)...), rev: openEnded}, nil},
		{"lost the last one, by one more record", ofac, edition{entries: official(0, 10), rev: openEnded},
			edition{entries: official(0, 9), rev: rev(func(r *sources.Revision) { r.OpenEnded, r.Records = true, 2 })}, nil},
		{"cut, and now in a format that does not show it", ofac, edition{entries: official(0, 10)}, edition{entries: official(0, 9), rev: openEnded},
			screening.ErrCut},
		{"lost one and got one, and now in a format without end", ofac, edition{entries: official(0, 10)}, edition{entries: official(1, 11), rev: openEnded}, nil},
		{"cut, in a format that shows it", ofac, edition{entries: official(0, 10)}, edition{entries: official(0, 9)}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, restart := range []bool{false, true} {
				if restart && len(tt.has.entries) > 10_000 && tt.want == nil && !longtest.Enabled() {
					continue
				}
				dir := t.TempDir()
				type question struct {
					source     string
					reason     error
					held, came screening.SourceStatus
				}
				var asked []question
				accept := false
				opts := &screening.Options{
					Store:    openStore(t, dir),
					Optional: []string{tt.info.ID},
					Accept: func(source string, reason error, held, came screening.SourceStatus) bool {
						asked = append(asked, question{source, reason, held, came})
						return accept
					},
				}
				src := &flaky{info: tt.info}
				set := func(e edition, digest int) {
					e.info, e.rev.Digest = tt.info, digestOf(digest)
					if e.rev.Records == 0 && tt.info.Jurisdiction != sources.Operator {
						e.rev.Records = 1
					}
					src.load = e.load
				}
				set(tt.had, 1)
				s := loaded(t, opts, src)
				if restart {
					s = newScreener(t, opts, src)
				}
				set(tt.has, 2)
				report, err := s.Refresh(ctx)
				if !errors.Is(err, tt.want) || (err != nil) != (tt.want != nil) {
					t.Fatalf("Refresh: %v, want %v", err, tt.want)
				}
				held, events := tt.has, 0
				for _, e := range linesOf(t, opts.Store) {
					if e.Type == journal.Refused {
						if events++; e.Source != tt.info.ID || !strings.Contains(e.Reason, tt.want.Error()) || e.Offered == nil || e.Offered.Entries != len(tt.has.entries) {
							t.Errorf("the journal says %+v", e)
						}
					}
				}
				if tt.want != nil {
					held = tt.had
					r := report.Sources[0]
					if !errors.Is(r.Err, tt.want) || !errors.Is(s.Sources()[0].Err, tt.want) || r.Added != 0 || events != 1 {
						t.Errorf("reported: %v, %v, %d events", r.Err, s.Sources()[0].Err, events)
					}
					if len(asked) != 1 || asked[0].source != tt.info.ID || !errors.Is(asked[0].reason, tt.want) || asked[0].held.Entries != len(tt.had.entries) ||
						asked[0].came.Entries != len(tt.has.entries) ||
						!strings.Contains(r.Err.Error(), asked[0].reason.Error()) {
						t.Errorf("Accept got %+v", asked)
					}
				} else if asked != nil || events != 0 {
					t.Errorf("Accept got %+v, and there are %d events", asked, events)
				}
				if st := s.Sources()[0]; st.Entries != len(held.entries) || st.OpenEnded != held.rev.OpenEnded {
					t.Errorf("%d entries are held, open-ended: %v, want %d, %v", st.Entries, st.OpenEnded, len(held.entries), held.rev.OpenEnded)
				}
				if tt.want == nil {
					continue
				}
				accept = true
				if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].Entries != len(tt.has.entries) {
					t.Errorf("accepted: %v, and %d entries are held, want %d", err, s.Sources()[0].Entries, len(tt.has.entries))
				}
			}
		})
	}
}

// TestOwnListMayBeEmpty checks that a list of the operator may be empty.
func TestOwnListMayBeEmpty(t *testing.T) {
	info := sources.Info{ID: "OWN", Name: "own list", Jurisdiction: sources.Operator}
	src := &flaky{info: info, load: (&edition{rev: sources.Revision{Digest: digestOf(1)}}).load}
	opts := &screening.Options{Store: openStore(t, t.TempDir())}
	for range 2 {
		s := loaded(t, opts, src)
		if r, err := s.ScreenText("ethereum", clean); err != nil || r.Level != score.CleanNoMatch || !s.Sources()[0].Loaded() {
			t.Errorf("an empty list: %+v, %v, %+v", r, err, s.Sources()[0])
		}
	}
	if s := newScreener(t, opts, src); must(s.Open(ctx)).Sources[0].Err != nil || !s.Sources()[0].Loaded() {
		t.Errorf("after a restart: %+v", s.Sources()[0])
	}
}

// TestGrownFromSeed checks that a seed may be much shorter than the list.
func TestGrownFromSeed(t *testing.T) {
	short := sources.Static(partInfo, upTo(10)...)
	long := sources.Static(partInfo, upTo(10_020)...)
	s := newScreener(t, nil, sources.Seeded(long, short))
	if _, err := s.Open(ctx); err != nil || s.Sources()[0].Entries != 10 {
		t.Fatalf("Open: %v, %+v", err, s.Sources()[0])
	}
	if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].Entries != 10_020 {
		t.Errorf("Refresh: %v, %+v", err, s.Sources()[0])
	}
}

// TestFuture accepts a list that is dated in the future. Its date proves nothing: the list
// counts as old, and a list with the right date replaces it.
func TestFuture(t *testing.T) {
	info := ofac
	info.Rhythm = 30 * 24 * time.Hour
	src := &flaky{info: info}
	at := func(digest int, published time.Time) {
		e := edition{entries: numberedEntries(score.Sanctioned, 0, 10), rev: sources.Revision{Digest: digestOf(digest), Records: 1, Published: published}}
		src.load = e.load
	}
	accept := false
	s := newScreener(t, &screening.Options{Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return accept }}, src)
	at(1, time.Now().AddDate(36, 0, 0))
	if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrFuture) || s.Sources()[0].Loaded() {
		t.Errorf("the first list: %v, want ErrFuture", err)
	}
	accept = true
	if _, err := s.Refresh(ctx); err != nil {
		t.Error(err)
	}
	r, err := s.ScreenText("ethereum", clean)
	if err != nil {
		t.Error(err)
	}
	if want := []screening.Caveat{{Source: info.ID, Kind: screening.CaveatOld}}; !slices.Equal(r.Caveats(), want) {
		t.Errorf("accepted, it has the caveats %v, want %v", r.Caveats(), want)
	}
	accept = false
	at(2, time.Now())
	if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].Digest != digestOf(2) {
		t.Errorf("the list of today: %v", err)
	}
	limited := newScreener(t, &screening.Options{MaxPublished: map[string]time.Duration{info.ID: info.Rhythm}, Accept: acceptAll}, src)
	at(3, time.Now().AddDate(36, 0, 0))
	if _, err := limited.Refresh(ctx); err != nil {
		t.Error(err)
	}
	if _, err := limited.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrStale) {
		t.Errorf("under a limit of publication: %v, want ErrStale", err)
	}
}

// TestShrunkByFifths replaces a list by ever shorter ones; each lacks less than a fifth of the list
// before. Once half of the addresses are gone, the list is suspect, also after restarts,
// until it is accepted.
func TestShrunkByFifths(t *testing.T) {
	for _, kept := range []bool{false, true} {
		opts := new(screening.Options)
		if kept {
			opts.Store = openStore(t, t.TempDir())
		}
		accept := false
		opts.Accept = func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return accept }
		src := &flaky{info: ofac}
		s := newScreener(t, opts, src)
		load := func(digest, n int) error {
			e := edition{entries: numberedEntries(score.Sanctioned, 0, n), rev: sources.Revision{Digest: digestOf(digest), Records: 1}}
			src.load = e.load
			if kept {
				s = newScreener(t, opts, src)
			}
			_, err := s.Refresh(ctx)
			return err
		}
		for i, n := range []int{1000, 820, 680, 560, 500} {
			if err := load(i, n); err != nil {
				t.Errorf("%d addresses: %v", n, err)
			}
		}
		if err := load(5, 450); !errors.Is(err, screening.ErrShrunk) || s.Sources()[0].Addresses != 500 {
			t.Errorf("450 of 1,000 addresses: %v, want ErrShrunk", err)
		}
		accept = true
		if err := load(5, 450); err != nil {
			t.Error(err)
		}
		accept = false
		if err := load(6, 400); err != nil {
			t.Errorf("400 of 450 addresses: %v", err)
		}
	}
}

// TestSeedConfirmed exchanges half of a list that came with the program and that the publisher has confirmed since: it is
// suspect as any other.
func TestSeedConfirmed(t *testing.T) {
	seed := &edition{entries: numberedEntries(score.Sanctioned, 0, 100), rev: sources.Revision{Digest: digestOf(1), Records: 100, Checked: day, Provenance: "bundled"}}
	live := &flaky{info: ofac, load: func(prev sources.Revision, _ func(sources.Entry) error) (sources.Revision, error) {
		return prev, sources.ErrUnchanged
	}}
	opts := &screening.Options{Store: openStore(t, t.TempDir())}
	s := newScreener(t, opts, sources.Seeded(live, &flaky{info: ofac, load: seed.load}))
	if _, err := s.Open(ctx); err != nil {
		t.Fatal(err)
	}
	refresh(t, s)
	half := &edition{entries: numberedEntries(score.Sanctioned, 50, 150), rev: sources.Revision{Digest: digestOf(2), Records: 100}}
	live.load = half.load
	if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrShrunk) {
		t.Errorf("Refresh with half of the list exchanged: %v, want ErrShrunk", err)
	}
	if r, err := s.Screen(listing(1).Address); err != nil || len(r.Labels) != 1 {
		t.Errorf("%+v, %v, want a label", r, err)
	}
}
