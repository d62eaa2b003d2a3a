package screening_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestBehind breaks the newest list in a store so that it cannot be made again. What stands before
// it, an older revision or the seed, decides nothing, also in a program that starts later or asks
// for the lists of that time, until the publisher's list is loaded.
func TestBehind(t *testing.T) {
	cut := func(name string) error { return os.Truncate(name, 100) }
	cutAndForget := func(name string) error {
		return errors.Join(cut(name), os.Remove(filepath.Join(filepath.Dir(name), "journal")))
	}
	for _, tt := range []struct {
		name     string
		spoil    func(name string) error
		older    bool // the store has an older revision
		seeded   bool // the source has a seed
		optional bool
		want     error // what Open says
	}{
		{"cut", cut, true, false, false, store.ErrDamaged},
		{"cut, with a seed", cut, true, true, false, store.ErrDamaged},
		{"cut, only a seed", cut, false, true, false, store.ErrDamaged},
		{"cut, nothing else", cut, false, false, false, store.ErrDamaged},
		{"cut, without a journal", cutAndForget, true, true, false, store.ErrDamaged},
		{"cut, without a journal, only a seed", cutAndForget, false, true, false, store.ErrDamaged},
		{"cut, without a journal, optional", cutAndForget, false, true, true, store.ErrDamaged},
		{"deleted", os.Remove, true, true, false, store.ErrNotFound},
		{"deleted, only a seed", os.Remove, false, true, false, store.ErrNotFound},
		{"cut, optional", cut, true, true, true, store.ErrDamaged},
		{"cut, only a seed, optional", cut, false, true, true, store.ErrDamaged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				at := func(days, to int) *edition {
					e := &edition{entries: numberedEntries(score.Sanctioned, 0, to)}
					e.rev = sources.Revision{Digest: digestOf(to), Records: to, Published: time.Now().AddDate(0, 0, days)}
					return e
				}
				bundled, first, second, newest := at(-30, 10), at(-20, 11), at(-15, 12), at(-10, 14)
				bundled.rev.Checked, bundled.rev.Provenance = time.Now().AddDate(0, 0, -30), "bundled"
				live := &flaky{info: ofac}
				src := sources.Source(live)
				if tt.seeded {
					src = sources.Seeded(live, &flaky{info: ofac, load: bundled.load})
				}
				other := &flaky{info: sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}, load: numbered(1, 99)} // opened at another instant
				opts := func() *screening.Options {
					opts := &screening.Options{Store: openStore(t, dir)}
					if tt.optional {
						opts.Optional = []string{ofac.ID}
					}
					return opts
				}
				s := newScreener(t, opts(), src, other)
				if tt.older {
					live.load = first.load
					refresh(t, s)
					time.Sleep(time.Hour)
				}
				live.load = newest.load
				refresh(t, s)
				time.Sleep(time.Hour)
				broken := filepath.Join(dir, filesOf(t, openStore(t, dir))[0].String())
				if err := tt.spoil(broken); err != nil {
					t.Fatal(err)
				}
				_, err := os.Stat(filepath.Join(dir, "journal"))
				known := err == nil // when the broken list was published
				caveat := []screening.Caveat{{Source: ofac.ID, Kind: screening.CaveatMissing}}
				before := 0 // entries of the list before the broken one, which match
				switch {
				case tt.older:
					before = 11
				case tt.seeded:
					before = 10
				}
				if before > 0 {
					caveat[0].Kind = screening.CaveatPartial
				}
				check := func(when string, s *screening.Screener) {
					t.Helper()
					r, err := s.ScreenText("ethereum", listing(13).Text())
					if !tt.optional && !errors.Is(err, screening.ErrNotLoaded) {
						t.Errorf("%s: %v, %v, want ErrNotLoaded", when, r.Level, err)
					}
					if tt.optional && (err != nil || r.AllClear() || !slices.Equal(r.Caveats(), caveat)) {
						t.Errorf("%s: %+v, %v, want the caveat %v", when, r.Caveats(), err, caveat)
					}
					if st := s.Sources()[0]; st.Loaded() || st.Entries != before {
						t.Errorf("%s: held are %d entries of %s: %v", when, st.Entries, st.Digest, st.StoreErr)
					}
				}
				live.load = down
				for _, when := range []string{"the first start", "the second start"} {
					s = newScreener(t, opts(), src, other)
					if _, err := s.Open(ctx); !errors.Is(err, tt.want) && !errors.Is(err, store.ErrNotFound) {
						t.Errorf("%s: %v, want %v", when, err, tt.want)
					}
					check(when, s)
					if _, err := s.Refresh(ctx); !errors.Is(err, errDown) {
						t.Errorf("%s: %v", when, err)
					}
					check(when+", refreshed", s)
					if _, err := screening.OpenAt(ctx, openStore(t, dir), time.Now(), []sources.Source{src, other}, opts()); err == nil {
						t.Errorf("%s: as of then, it is opened", when)
					}
					time.Sleep(time.Hour)
				}
				live.load = func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
					return sources.Revision{}, sources.ErrUnchanged
				}
				if _, err := s.Refresh(ctx); !errors.Is(err, sources.ErrUnchanged) {
					t.Errorf("unchanged, but asked without a revision: %v", err)
				}
				check("unchanged, but asked without a revision", s)
				s = newScreener(t, opts(), src, other)
				s.Open(ctx)
				check("and started again", s)
				if live.load = second.load; known {
					if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrOlder) {
						t.Errorf("an older list: %v, want ErrOlder", err)
					}
					check("an older list is refused", s)
				}
				live.load = newest.load
				refresh(t, s)
				for _, when := range []string{"loaded again", "and started again"} {
					r, err := s.ScreenText("ethereum", listing(13).Text())
					if err != nil || len(r.Labels) != 1 || r.Caveats() != nil {
						t.Errorf("%s: %+v, %v", when, r, err)
					}
					s = newScreener(t, opts(), src, other)
					if _, err := s.Open(ctx); err != nil {
						t.Errorf("%s: %v", when, err)
					}
				}
			})
		})
	}
}

// TestAheadOfOtherRules loses the journal of a list with entries that a later program does not accept of that source: a file
// that it cannot use is no store that fails, so the next list of the publisher is saved.
func TestAheadOfOtherRules(t *testing.T) {
	dir := t.TempDir()
	live := &flaky{info: ofac}
	offer := func(kind score.Kind, n int) {
		e := &edition{entries: numberedEntries(kind, 0, n), rev: sources.Revision{Digest: digestOf(n), Records: n}}
		live.load = e.load
	}
	offer(score.Sanctioned, 10)
	refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir)}, live))
	if err := os.Remove(filepath.Join(dir, "journal")); err != nil {
		t.Fatal(err)
	}
	live.info.Jurisdiction = sources.Community
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, live)
	if _, err := s.Open(ctx); err == nil || s.Sources()[0].Loaded() {
		t.Errorf("opened: %v, %+v", err, s.Sources()[0])
	}
	offer(score.Scam, 11)
	refresh(t, s)
	s = newScreener(t, &screening.Options{Store: openStore(t, dir)}, live)
	if _, err := s.Open(ctx); err != nil || s.Sources()[0].Entries != 11 || !s.Sources()[0].Loaded() {
		t.Errorf("opened again: %v, %+v", err, s.Sources()[0])
	}
}
