package screening_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

var partInfo = sources.Info{ID: "PARTS", Name: "A list with known parts", Jurisdiction: sources.EU}

// listing returns the entry of account n.
func listing(n int) sources.Entry {
	a := address.MustParse("ethereum", fmt.Sprintf("0x%040x", n))
	return sources.Entry{Address: a, Kind: score.Sanctioned, Ref: fmt.Sprint(n)}
}

func upTo(n int) (all []sources.Entry) {
	for i := 1; i <= n; i++ {
		all = append(all, listing(i))
	}
	return all
}

// A part is a source of a partial list, which was read on the day checked.
type part struct {
	sources.Source
	checked time.Time
}

func partOf(entries ...sources.Entry) part {
	return part{sources.Static(partInfo, entries...), time.Date(2026, 9, 22, 0, 0, 0, 0, time.UTC)}
}

func (p part) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := p.Source.Load(ctx, prev, add)
	rev.Completeness, rev.Checked = sources.Partial, p.checked
	return rev, err
}

// A live source delegates to a source that can be replaced.
type live struct{ now sources.Source }

func (l *live) Info() sources.Info { return partInfo }

func (l *live) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if l.now == nil {
		return sources.Revision{}, errDown
	}
	return l.now.Load(ctx, prev, add)
}

// expect checks the status of the list, and the result for account n.
func expect(t *testing.T, when string, s *screening.Screener, loaded bool, addresses, n, points int) {
	t.Helper()
	st := s.Sources()[0]
	if st.Loaded() != loaded || st.LastUpdated.IsZero() == loaded || (st.Completeness == sources.Partial) == loaded && addresses > 0 ||
		st.Addresses != addresses {
		t.Errorf("%s: %+v, want loaded: %v, and %d addresses", when, st, loaded, addresses)
	}
	r, err := s.Screen(listing(n).Address)
	if st.Required && !loaded {
		if !errors.Is(err, screening.ErrNotLoaded) {
			t.Errorf("%s: Screen of %d: %+v, %v, want %v", when, n, r, err, screening.ErrNotLoaded)
		}
		return
	}
	if err != nil || r.Score != points {
		t.Errorf("%s: Screen of %d: %d points, %v, want %d", when, n, r.Score, err, points)
	}
}

// TestPartial follows a list from a partial seed until a whole, shorter list is loaded. One
// that lacks more of the part than a list may lose is refused.
func TestPartial(t *testing.T) {
	optional := &screening.Options{Optional: []string{partInfo.ID}}
	for name, opts := range map[string]*screening.Options{"required": nil, "optional": optional} {
		t.Run(name, func(t *testing.T) {
			l := &live{}
			s := newScreener(t, opts, sources.Seeded(l, partOf(upTo(200)...)))
			if _, err := s.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			expect(t, "opened", s, false, 200, 7, 100)
			if _, err := s.Refresh(t.Context()); !errors.Is(err, errDown) {
				t.Errorf("Refresh while the publisher is down: %v, want %v", err, errDown)
			}
			expect(t, "down", s, false, 200, 7, 100)
			if _, err := s.Open(t.Context()); err != nil {
				t.Error(err)
			}
			expect(t, "opened again", s, false, 200, 7, 100)
			l.now = partOf(upTo(180)...)
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
			expect(t, "another part", s, false, 180, 180, 100)
			for name, short := range map[string]sources.Source{"a shrunken part": partOf(upTo(143)...), "a shrunken list": sources.Static(partInfo, upTo(143)...)} {
				l.now = short
				if _, err := s.Refresh(t.Context()); !errors.Is(err, screening.ErrShrunk) {
					t.Errorf("%s: %v, want %v", name, err, screening.ErrShrunk)
				}
				expect(t, name, s, false, 180, 180, 100)
			}

			l.now = sources.Static(partInfo, upTo(160)...)
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
			expect(t, "whole", s, true, 160, 1, 100)
			expect(t, "whole", s, true, 160, 161, 0)

			// No partial list replaces it, neither a newer nor an older one.
			for name, p := range map[string]part{"read before": partOf(upTo(162)...), "read now": {sources.Static(partInfo, upTo(162)...), time.Time{}}} {
				l.now = p
				_, err := s.Refresh(t.Context())
				if refused := err != nil; refused != p.checked.IsZero() {
					t.Errorf("a part that was %s: error %v", name, err)
				}
				expect(t, "a part that was "+name, s, true, 160, 161, 0)
			}
			if _, err := s.Open(t.Context()); err != nil {
				t.Error(err)
			}
			expect(t, "opened at last", s, true, 160, 1, 100)
		})
	}
}

// TestPartialSame loads a whole list with the same entries as the partial one.
func TestPartialSame(t *testing.T) {
	l := &live{sources.Static(partInfo, upTo(3)...)}
	s := newScreener(t, nil, sources.Seeded(l, partOf(upTo(3)...)))
	if _, err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, "opened", s, false, 3, 1, 100)
	for range 2 {
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, "whole", s, true, 3, 1, 100)
	}
	// The same applies to a source without a seed that reports an unchanged list.
	l.now = partOf(upTo(3)...)
	s = newScreener(t, nil, l)
	for range 2 {
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, "a part for good", s, false, 3, 1, 100)
	}
	l.now = sources.Static(partInfo, upTo(3)...)
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	expect(t, "whole at last", s, true, 3, 1, 100)
}

// TestPartialRefresh refreshes without calling Open: Refresh loads the whole list, or
// the partial one if that fails.
func TestPartialRefresh(t *testing.T) {
	l := &live{sources.Static(partInfo, append(upTo(2), listing(9))...)}
	s := newScreener(t, nil, sources.Seeded(l, partOf(upTo(3)...)))
	report, err := s.Refresh(t.Context())
	if err != nil || report.Sources[0].Added != 3 || report.Sources[0].Removed != 0 {
		t.Errorf("Refresh: %+v, %v, want 3 entries added", report.Sources[0], err)
	}
	expect(t, "refreshed", s, true, 3, 9, 100)

	s = newScreener(t, &screening.Options{Optional: []string{partInfo.ID}}, sources.Seeded(&live{}, partOf(upTo(3)...)))
	report, err = s.Refresh(t.Context())
	if !errors.Is(err, errDown) || report.Sources[0].Added != 3 || report.Sources[0].Entries != 3 {
		t.Errorf("Refresh while the publisher is down: %+v, %v, want 3 entries added, and %v", report.Sources[0], err, errDown)
	}
	expect(t, "down", s, false, 3, 3, 100)
}

// TestPartialStored restarts the program and checks that a partial list stays partial,
// and that first-seen times stay.
func TestPartialStored(t *testing.T) {
	dir := openStore(t, t.TempDir())
	start := func(live sources.Source, seed ...sources.Entry) *screening.Screener {
		t.Helper()
		s := newScreener(t, &screening.Options{Store: dir, Optional: []string{partInfo.ID}}, sources.Seeded(live, partOf(seed...)))
		if _, err := s.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	l := &live{}
	s := start(l, upTo(100)...)
	expect(t, "first start", s, false, 100, 1, 100)
	r, err := s.Screen(listing(1).Address)
	if err != nil {
		t.Fatal(err)
	}
	seen := r.Labels[0].AddedAt
	s = start(l, upTo(100)...)
	expect(t, "second start", s, false, 100, 1, 100)
	past, err := screening.OpenAt(t.Context(), dir, time.Now(), []sources.Source{l}, &screening.Options{Optional: []string{partInfo.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if st := past.Sources()[0]; st.Loaded() || st.Addresses != 100 {
		t.Errorf("in the past: %+v, want a part of 100", st)
	}

	l.now = sources.Static(partInfo, upTo(98)...)
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.now = nil
	s = start(l, upTo(100)...)
	expect(t, "third start", s, true, 98, 99, 0)
	if r, err := s.Screen(listing(1).Address); err != nil || !r.Labels[0].AddedAt.Equal(seen) {
		t.Errorf("labels %+v, %v, want one added at %v", r.Labels, err, seen)
	}
}

// TestProvenance checks that a bundled list says where it comes from, also
// after a restart, until the publisher confirms it or sends another list.
func TestProvenance(t *testing.T) {
	const from = "an extraction"
	for name, live := range map[string]sources.Source{"confirmed": confirming{sources.Static(partInfo, upTo(3)...)},
		"replaced": sources.Static(partInfo, upTo(4)...)} {
		opts := &screening.Options{Store: openStore(t, t.TempDir())}
		src := sources.Seeded(live, extracted{sources.Static(partInfo, upTo(3)...), from})
		for range 2 {
			s := newScreener(t, opts, src)
			if _, err := s.Open(ctx); err != nil || s.Sources()[0].Provenance != from {
				t.Errorf("%s: opened: %v, from %q, want %q", name, err, s.Sources()[0].Provenance, from)
			}
		}
		s := newScreener(t, opts, src)
		if report := must(s.Refresh(ctx)); report.Sources[0].Provenance != "" || s.Sources()[0].Provenance != "" {
			t.Errorf("%s: refreshed: from %q, want the publisher", name, s.Sources()[0].Provenance)
		}
		s = newScreener(t, opts, src)
		if _, err := s.Open(ctx); err != nil || s.Sources()[0].Provenance != "" {
			t.Errorf("%s: after a restart: %v, from %q, want the publisher", name, err, s.Sources()[0].Provenance)
		}
	}
}

// An extracted source has a provenance and is old.
type extracted struct {
	sources.Source
	from string
}

func (e extracted) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := e.Source.Load(ctx, prev, add)
	rev.Provenance, rev.Checked = e.from, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return rev, err
}

// A confirming source returns the revision that it is asked about, unchanged, as after a
// 304.
type confirming struct{ sources.Source }

func (c confirming) Load(_ context.Context, prev sources.Revision, _ func(sources.Entry) error) (sources.Revision, error) {
	prev.Checked = time.Time{}
	return prev, sources.ErrUnchanged
}

// TestSeedInstead starts a program with a seed on a store with the publisher's list, which is newer: while the store fails at
// first, and the seed is undated; and while the clock is years behind. The publisher's list stays.
func TestSeedInstead(t *testing.T) {
	for name, undated := range map[string]bool{"store fails": true, "clock behind": false} {
		c, mem := newWallClock(), new(storetest.Memory)
		live := &flaky{info: ofac, load: numbered(2, 1, 2)}
		refresh(t, c.start(t, &screening.Options{Store: mem}, live))
		seed := &edition{entries: upTo(1), rev: sources.Revision{Digest: digestOf(1), Records: 1, Provenance: "bundled"}}
		st := &faultyStore{Store: mem}
		if undated {
			st.list = errUnreliable
		} else {
			seed.rev.Checked = c.now.AddDate(0, -1, 0)
			c.add(-10 * 365 * 24 * time.Hour)
		}
		live.load = down
		s := c.start(t, &screening.Options{Store: st}, sources.Seeded(live, &flaky{info: ofac, load: seed.load}))
		s.Open(ctx)
		s.Refresh(ctx)
		st.list = nil
		s.Refresh(ctx)
		if r := must(s.Screen(listing(2).Address)); len(r.Labels) != 1 {
			t.Errorf("%s: the seed replaced the publisher's list: %s", name, s.Sources()[0].Digest)
		}
	}
}

// TestSeedUndated starts a program again with another seed that does not say how old it is: the publisher's list stays.
func TestSeedUndated(t *testing.T) {
	for _, published := range []time.Time{{}, day} {
		st := openStore(t, t.TempDir())
		of := func(n int) *flaky {
			e := &edition{entries: upTo(n), rev: sources.Revision{Digest: digestOf(n), Records: n, Published: published}}
			return &flaky{info: ofac, load: e.load}
		}
		live := &flaky{info: ofac, load: numbered(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)}
		refresh(t, newScreener(t, &screening.Options{Store: st}, sources.Seeded(live, of(9))))
		live.load = down
		s := newScreener(t, &screening.Options{Store: st}, sources.Seeded(live, of(10)))
		if _, err := s.Open(ctx); err != nil {
			t.Error(err)
		}
		if r := must(s.Screen(listing(11).Address)); len(r.Labels) != 1 {
			t.Errorf("published on %v: the seed replaced the publisher's list: %s", published, s.Sources()[0].Digest)
		}
	}
}

// TestSeedOfAnother starts two programs with different seeds on one store: whichever begins, the newer seed answers. A seed that
// does not say how old it is replaces no dated one. If the clock is years behind, both dates are still to come.
func TestSeedOfAnother(t *testing.T) {
	for name, undated := range map[string]bool{"clock behind": false, "undated": true} {
		for _, newerFirst := range []bool{false, true} {
			c, st := newWallClock(), new(storetest.Memory)
			older := &edition{entries: upTo(1), rev: sources.Revision{Digest: digestOf(1), Records: 1, Provenance: "bundled"}}
			newer := &edition{entries: upTo(2), rev: sources.Revision{Digest: digestOf(2), Records: 2, Provenance: "bundled"}}
			newer.rev.Published, newer.rev.Checked = c.now.AddDate(0, -1, 0), c.now.AddDate(0, -1, 0)
			if !undated {
				older.rev.Published, older.rev.Checked = c.now.AddDate(0, -2, 0), c.now.AddDate(0, -2, 0)
				c.add(-10 * 365 * 24 * time.Hour)
			}
			seeds := []*edition{older, newer}
			if newerFirst {
				slices.Reverse(seeds)
			}
			for range 2 {
				for _, seed := range seeds {
					c.add(time.Hour)
					s := c.start(t, &screening.Options{Store: st}, sources.Seeded(&flaky{info: ofac, load: down}, &flaky{info: ofac, load: seed.load}))
					if _, err := s.Open(ctx); err != nil {
						t.Errorf("%s, the newer first %v: %v", name, newerFirst, err)
					}
					if got := s.Sources()[0].Digest; got != digestOf(2) && (newerFirst || seed == newer) {
						t.Errorf("%s, the newer first %v: the older seed answers", name, newerFirst)
					}
				}
			}
		}
	}
}
