package screening_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A wallClock is a clock that jumps.
type wallClock struct{ now time.Time }

func newWallClock() *wallClock {
	return &wallClock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func (c *wallClock) add(d time.Duration) { c.now = c.now.Add(d) }

// start returns a Screener that reads the clock.
func (c *wallClock) start(t testing.TB, opts *screening.Options, srcs ...sources.Source) *screening.Screener {
	t.Helper()
	s := newScreener(t, opts, srcs...)
	s.SetClock(func() time.Time { return c.now })
	return s
}

var jumps = map[string]time.Duration{"ten years": 10 * 365 * 24 * time.Hour, "a day": 24 * time.Hour}

// TestClockBackIsNoFreshness checks a list while the clock is ahead. After the clock is
// corrected, that check must not make the list look fresh: in the same process, after a
// restart, or from the store.
func TestClockBackIsNoFreshness(t *testing.T) {
	for name, jump := range jumps {
		for _, unchanged := range []bool{false, true} {
			c := newWallClock()
			src := &flaky{info: ofac, load: numbered(1, 1, 2)}
			opts := &screening.Options{Store: openStore(t, t.TempDir()), MaxAge: 12 * time.Hour}
			s := c.start(t, opts, src)
			if unchanged {
				refresh(t, s)
			}
			c.add(jump)
			refresh(t, s)
			kept := must(s.ScreenText("ethereum", clean))
			if at := s.Sources()[0].LastUpdated; !at.Equal(c.now) {
				t.Errorf("%s ahead: last updated at %v, want %v", name, at, c.now)
			}
			c.add(time.Minute - jump)
			src.load = down
			for when, s := range map[string]*screening.Screener{"in the process": s, "after a restart": c.start(t, opts, src)} {
				const fresh = false // the checks before the last one are not known
				if when == "after a restart" {
					if _, err := s.Open(ctx); err != nil {
						t.Fatal(err)
					}
				}
				st := s.Sources()[0]
				_, err := s.ScreenText("ethereum", clean)
				if !st.Loaded() || fresh != (err == nil) || !fresh && !errors.Is(err, screening.ErrStale) {
					t.Errorf("%s, %s back, unchanged %v: %v, %v", when, name, unchanged, st.Loaded(), err)
				}
				want := time.Time{}
				if fresh {
					want = newWallClock().now
				}
				if !st.LastUpdated.Equal(want) {
					t.Errorf("%s, %s back, unchanged %v: last updated at %v, want %v", when, name, unchanged, st.LastUpdated, want)
				}
			}
			if at := kept.Sources()[0].LastUpdated; !at.IsZero() {
				t.Errorf("a result that was kept says that the list was updated at %v, in the future", at)
			}
			src.load = numbered(1, 1, 2)
			refresh(t, s)
			if _, err := s.ScreenText("ethereum", clean); err != nil || !s.Sources()[0].LastUpdated.Equal(c.now) {
				t.Errorf("%s: after the next check: %v, %v", name, err, s.Sources()[0].LastUpdated)
			}
		}
	}
}

// TestClockAhead checks that a clock that jumps ahead makes lists old.
func TestClockAhead(t *testing.T) {
	for name, jump := range jumps {
		c := newWallClock()
		s := c.start(t, &screening.Options{MaxAge: 12 * time.Hour}, &flaky{info: ofac, load: numbered(1, 1)})
		refresh(t, s)
		c.add(jump)
		if _, err := s.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrStale) {
			t.Errorf("%s: %v, want ErrStale", name, err)
		}
	}
}

// TestClockSkew checks that clocks may differ by a few seconds.
func TestClockSkew(t *testing.T) {
	c := newWallClock()
	s := c.start(t, &screening.Options{MaxAge: 12 * time.Hour}, &flaky{info: ofac, load: numbered(1, 1)})
	refresh(t, s)
	c.add(-30 * time.Second)
	if _, err := s.ScreenText("ethereum", clean); err != nil || s.Sources()[0].LastUpdated.IsZero() {
		t.Errorf("half a minute back: %v, %v", err, s.Sources()[0].LastUpdated)
	}
}

// TestFirstSeenInTheFuture checks that entries first seen while the clock was ahead get
// a new first-seen time at the next load, even if the list has not changed. Other
// entries, including those that reappear, keep their times.
func TestFirstSeenInTheFuture(t *testing.T) {
	for name, jump := range jumps {
		for _, restart := range []bool{false, true} {
			c := newWallClock()
			start := c.now
			src := &flaky{info: ofac, load: numbered(1, 1)}
			opts := &screening.Options{Store: openStore(t, t.TempDir())}
			s := c.start(t, opts, src)
			refresh(t, s)
			c.add(jump)
			src.load = numbered(2, 1, 2)
			refresh(t, s)
			if at := addedAt(t, s, 2); !at.Equal(c.now) {
				t.Errorf("%s ahead: first seen at %v", name, at)
			}
			c.add(time.Hour - jump)
			if restart {
				s = c.start(t, opts, src)
			}
			report := refresh(t, s)
			if r := report.Sources[0]; r.Added+r.Removed != 0 || r.Err != nil {
				t.Errorf("%s back: %+v, want nothing added or removed", name, r)
			}
			want := c.now
			for range 2 {
				if a, b := addedAt(t, s, 1), addedAt(t, s, 2); !a.Equal(start) || !b.Equal(want) {
					t.Errorf("%s back, restart %v: first seen at %v and %v, want %v and %v", name, restart, a, b, start, want)
				}
				c.add(time.Hour)
				s = c.start(t, opts, src)
				refresh(t, s)
			}
		}
	}
}

// TestPastOfJumps checks that OpenAt uses the lists in use at that time by the clock of
// that time, even if the clock has jumped since.
func TestPastOfJumps(t *testing.T) {
	for _, steps := range [][]time.Duration{
		{time.Hour, 10 * 365 * 24 * time.Hour, -10*365*24*time.Hour + time.Hour, time.Hour, time.Hour},
		{time.Hour, 24 * time.Hour, -24*time.Hour + time.Hour, time.Hour, time.Hour},
		{time.Hour, -24 * time.Hour, time.Hour, 24 * time.Hour, time.Hour},
		{time.Hour, -10 * 365 * 24 * time.Hour, time.Hour, 10 * 365 * 24 * time.Hour, time.Hour},
		{time.Hour, -time.Second, -time.Second, time.Hour, time.Hour},
	} {
		for _, restart := range []bool{false, true} {
			c := newWallClock()
			src := &flaky{info: ofac}
			st := openStore(t, t.TempDir())
			opts := &screening.Options{Store: st}
			s := c.start(t, opts, src)
			var periods []period
			for i, step := range steps {
				src.load = numbered(i+1, i+1)
				refresh(t, s)
				p := period{from: c.now, digest: s.Digest()}
				c.add(time.Minute)
				p.to = c.now
				periods = append(periods, p)
				c.add(step - time.Minute)
				if restart {
					s = c.start(t, opts, src)
					if _, err := s.Open(ctx); err != nil || s.Digest() != p.digest {
						t.Errorf("steps %v: after a restart: %v, digest %s, want the last list", steps, err, s.Digest())
					}
				}
			}
			gaps := 0
			for i, p := range periods {
				for _, at := range []time.Time{p.from, p.from.Add(time.Second), p.to} {
					past, err := screening.OpenAt(ctx, st, at, []sources.Source{src}, nil)
					if errors.Is(err, store.ErrGap) {
						gaps++ // the clock was put back later
						continue
					}
					if err != nil {
						t.Errorf("steps %v, period %d: %v", steps, i, err)
						continue
					}
					r := must(past.ScreenText("ethereum", fmt.Sprintf("0x%040x", i+1)))
					later := func(q period) bool { return q.digest == r.Digest() && !q.from.After(at) }
					if r.Digest() != p.digest && !slices.ContainsFunc(periods[i+1:], later) {
						t.Errorf("steps %v, restart %v: at %v it answers from %s, and answered from %s", steps, restart, at, r.Digest(), p.digest)
					}
				}
			}
			if gaps == 3*len(periods) {
				t.Errorf("steps %v: nothing is known", steps)
			}
			last, err := screening.OpenAt(ctx, st, c.now, []sources.Source{src}, nil)
			if err != nil || must(last.ScreenText("ethereum", clean)).Digest() != s.Digest() {
				t.Errorf("steps %v: now: %v", steps, err)
			}
		}
	}
}

// A period is the time during which a digest was in use, by the clock of that time.
type period struct {
	from, to time.Time
	digest   string
}

// TestPastAfterClockBack accepts a list while the clock is ahead. After the clock is set
// right, OpenAt of that time must not answer from the list before, and a list that was
// checked in the future is as stale as it is live.
func TestPastAfterClockBack(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, 10 * 365 * 24 * time.Hour} {
		for _, restart := range []bool{false, true} {
			name := fmt.Sprintf("%v ahead, restart %v", jump, restart)
			c := &wallClock{time.Now().Add(-2 * time.Hour)}
			src := &flaky{info: ofac, load: numbered(1, 1)}
			opts := &screening.Options{Store: openStore(t, t.TempDir()), MaxAge: 12 * time.Hour}
			s := c.start(t, opts, src)
			refresh(t, s)
			c.add(100 * time.Minute)
			c.add(jump)
			src.load = numbered(2, 2)
			refresh(t, s)
			c.add(time.Minute - jump)
			if restart {
				s = c.start(t, opts, src)
				s.Open(ctx)
			}
			check := func(when string, known bool) {
				t.Helper()
				_, live := s.ScreenText("ethereum", clean)
				past, err := screening.OpenAt(ctx, opts.Store, c.now, []sources.Source{src}, opts)
				if !known && errors.Is(err, store.ErrGap) {
					return
				}
				if err != nil {
					t.Errorf("%s, %s: %v", name, when, err)
					return
				}
				r, err := past.ScreenText("ethereum", clean)
				if (live == nil) != (err == nil) || !errors.Is(err, live) || err == nil && r.Digest() != s.Digest() {
					t.Errorf("%s, %s: %v and %s, live %v and %s", name, when, err, r.Digest(), live, s.Digest())
				}
			}
			check("before the next check", false)
			c.add(time.Minute)
			refresh(t, s)
			check("after the next check", true)
			c.add(time.Minute)
			check("a minute later", true)
		}
	}
}

// TestRetainedOverJumps lets the clock jump for one refresh. No revision that Retain
// promises is lost.
func TestRetainedOverJumps(t *testing.T) {
	for _, jump := range []time.Duration{10 * 365 * 24 * time.Hour, -10 * 365 * 24 * time.Hour} {
		c := newWallClock()
		src := &flaky{info: ofac}
		st := openStore(t, t.TempDir())
		s := c.start(t, &screening.Options{Store: store.Retain(st, 365*24*time.Hour)}, src)
		var moments []moment
		for i := range 6 {
			src.load = numbered(i+1, i+1)
			if i == 3 {
				c.add(jump)
			}
			refresh(t, s)
			moments = append(moments, momentOf(t, s))
			if i == 3 {
				c.add(-jump)
			}
			c.add(time.Hour)
		}
		for i, m := range moments {
			if p, err := screening.OpenDigest(ctx, st, m.digest, []sources.Source{src}, nil); err != nil || momentOf(t, p).listed != m.listed {
				t.Errorf("%v: revision %d: %v", jump, i, err)
			}
		}
	}
}

// TestClockBackBetweenPrograms puts the clock back after another program has accepted a list. What this program holds, and
// offers to the store again, was read before, although the clock says that it was read later.
func TestClockBackBetweenPrograms(t *testing.T) {
	for name, spoil := range map[string]func(st *faultyStore, refresh func()){
		"saved late": func(st *faultyStore, refresh func()) {
			st.fail(errUnreliable)
			refresh()
			st.fail(nil)
		},
		"restored": func(st *faultyStore, _ func()) {
			lines := st.Store.(*storetest.Memory).Lines
			lines[len(lines)-1][0] ^= 1 // the last line that it knows
		},
	} {
		c, mem := newWallClock(), new(storetest.Memory)
		st, src := &faultyStore{Store: mem}, &flaky{info: ofac, load: numbered(1, 1)}
		s, other := c.start(t, &screening.Options{Store: st}, src), c.start(t, &screening.Options{Store: mem}, src)
		refresh(t, other)
		c.add(time.Hour)
		refresh(t, s)
		c.add(time.Hour)
		spoil(st, func() {
			src.load = numbered(2, 1, 2)
			s.Refresh(ctx)
		})
		st.fail(errUnreliable)
		c.add(time.Hour)
		src.load = numbered(3, 1, 3)
		refresh(t, other)
		c.add(-10 * 365 * 24 * time.Hour)
		refresh(t, other)
		c.add(time.Hour)
		st.fail(nil)
		src.load = down
		s.Refresh(ctx)
		other.Refresh(ctx)
		for who, s := range map[string]*screening.Screener{"this program": s, "the other one": other} {
			if r := must(s.Screen(listing(3).Address)); len(r.Labels) != 1 {
				t.Errorf("%s: %s answers from list %s", name, who, s.Sources()[0].Digest)
			}
		}
	}
}

// TestClockBackOfOne puts the clock back after one of two lists was checked: that check lies in the future, so nobody knows how old
// the list is, however young the other one.
func TestClockBackOfOne(t *testing.T) {
	c := newWallClock()
	one, other := &flaky{info: ofac, load: numbered(1, 1)}, &flaky{info: sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}, load: numbered(2, 2)}
	s := c.start(t, &screening.Options{MaxAge: 12 * time.Hour}, one, other)
	refresh(t, s)
	one.load = down
	c.add(10 * time.Hour)
	s.Refresh(ctx)
	c.add(-9 * time.Hour)
	if _, err := s.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrStale) {
		t.Errorf("a list was checked in the future: %v, want ErrStale", err)
	}
	c.add(9 * time.Hour)
	if _, err := s.ScreenText("ethereum", clean); err != nil {
		t.Error(err)
	}
}
