package screening_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// alternating returns the load function of the n-th edition of a list that takes the same accounts off and on again,
// so that new files are begun.
func alternating(n int) func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	var numbers []int
	for i := range 60 {
		numbers = append(numbers, 100+60*(n%2)+i)
	}
	return numbered(n+1, append(numbers, n%8, 1000+n)...)
}

// TestRetain changes a list each day: what was in use within the time that a store keeps lists can be opened, and
// what was not is deleted, except files that have something else.
func TestRetain(t *testing.T) {
	longtest.WithoutRace(t)
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name   string
		retain func(store.Store) store.Store
		within time.Duration
	}{
		{"by default", func(st store.Store) store.Store { return st }, 1 << 62},
		{"zero", func(st store.Store) store.Store { return store.Retain(st, 0) }, 1 << 62},
		{"for ever", func(st store.Store) store.Store { return store.Retain(store.Retain(st, day), -1) }, 1 << 62},
		{"ten days", func(st store.Store) store.Store { return store.Retain(store.Retain(st, 1), 10*day) }, 10 * day},
		{"the newest", func(st store.Store) store.Store { return store.Retain(st, 1) }, 1},
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			st := tt.retain(openStore(t, dir))
			src := &flaky{info: ofac}
			s := newScreener(t, &screening.Options{Store: st, Accept: acceptAll}, src)
			var moments []moment
			for n := range 40 {
				src.load = alternating(n)
				refresh(t, s)
				moments = append(moments, momentOf(t, s))
				time.Sleep(day)
			}
			srcs, last, gone := []sources.Source{src}, moments[39].at, 0
			for i, m := range moments {
				if tt.within > 1000*day && i%longtest.N(4, 1) != 0 {
					continue // the others are all kept, too
				}
				p, err := screening.OpenAt(ctx, st, m.at, srcs, nil)
				_, derr := screening.OpenDigest(ctx, st, m.digest, srcs, nil)
				ended := m.at.Add(day)
				switch {
				case err == nil && derr == nil:
					if err := m.same(t, p); err != nil {
						t.Errorf("%s: %v", tt.name, err)
					}
				case i == 39 || last.Sub(ended) <= tt.within:
					t.Errorf("%s: the list of %v before: %v, %v", tt.name, last.Sub(m.at), err, derr)
				case !errors.Is(err, store.ErrNotFound) || !errors.Is(derr, store.ErrNotFound) || errors.Is(err, store.ErrDamaged):
					t.Errorf("%s: the list of %v before: %v, %v, want ErrNotFound", tt.name, last.Sub(m.at), err, derr)
				default:
					gone++
				}
			}
			if (gone == 0) != (tt.within > 1000*day) || tt.within < 1000*day && (gone < 20 || len(filesOf(t, st)) > 8) {
				t.Errorf("%s: %d lists are gone, and there are %d files", tt.name, gone, len(filesOf(t, st)))
			}
		})
	}
}

// TestRetainJumps lets clocks jump and differ while two hours pass: nothing is deleted.
func TestRetainJumps(t *testing.T) {
	longtest.WithoutRace(t)
	for _, ahead := range []time.Duration{49 * time.Hour, 25 * time.Hour, 10 * 365 * 24 * time.Hour, time.Hour, 47 * time.Hour}[:longtest.N(3, 5)] {
		st := store.Retain(openStore(t, t.TempDir()), 5*24*time.Hour)
		clock := newWallClock()
		src := &flaky{info: ofac, load: alternating(0)}
		opts := &screening.Options{Store: st, Accept: acceptAll}
		programs := []*screening.Screener{clock.start(t, opts, src), newScreener(t, opts, src)}
		programs[1].SetClock(func() time.Time { return clock.now.Add(ahead) })
		var digests []string
		for n := range 40 {
			src.load = alternating(n)
			s := programs[n%2]
			s.Refresh(ctx)
			if d := s.Digest(); !slices.Contains(digests, d) {
				digests = append(digests, d)
			}
			clock.add(3 * time.Minute)
		}
		for i, d := range digests {
			if _, err := screening.OpenDigest(ctx, st, d, []sources.Source{src}, nil); err != nil {
				t.Fatalf("a clock is %v ahead: list %d of %d: %v", ahead, i, len(digests), err)
			}
		}
		if len(digests) < 33 {
			t.Errorf("a clock is %v ahead: only %d lists were accepted", ahead, len(digests))
		}
	}
}
