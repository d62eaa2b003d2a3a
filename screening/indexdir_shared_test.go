package screening_test

import (
	"fmt"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// next has f give these numbers as its list n, an hour later.
func (f *flaky) next(n int, numbers ...int) {
	time.Sleep(time.Hour)
	f.load = numbered(n, numbers...)
}

// TestIndexDirOlder has a program that still holds a list of which another has saved a
// newer one: it does not take the place of that.
func TestIndexDirOlder(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		older, newer := &flaky{info: ofac, load: numbered(1, 1)}, &flaky{info: ofac}
		s := h.loaded(t, older)
		other, _ := h.start(t, newer)
		newer.next(2, 1, 2)
		refresh(t, other)
		time.Sleep(time.Hour)
		refresh(t, s)
		h.opened(t, 2, newer)
	})
}

// TestIndexDirReplicas has two programs that load the same lists one after the other: the
// second takes what the first has kept, to the time at which an entry was first seen, and
// the store has each list once.
func TestIndexDirReplicas(t *testing.T) {
	h := newHome(t)
	updated := regexp.MustCompile(`LastUpdated:\S* \S*`)
	pool := []address.Address{listing(1).Address, listing(2).Address, listing(3).Address, listing(4).Address}
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: partInfo, load: numbered(1, 1, 2, 2)}
		first, _ := h.start(t, src)
		second, _ := h.start(t, src)
		for i, numbers := range [][]int{{1, 2, 2}, {2, 3, 3}, {1, 3}, {1, 2, 4}} {
			src.next(i+1, numbers...)
			a := refresh(t, first)
			kept := held(t, first, pool, nil)
			time.Sleep(time.Second)
			b := refresh(t, second)
			if d := cmp.Diff(updated.ReplaceAllString(kept, ""), updated.ReplaceAllString(held(t, second, pool, nil), "")); d != "" {
				t.Errorf("list %d: -first +second\n%s", i, d)
			}
			if len(a.Sources[0].Added) != len(b.Sources[0].Added) || len(a.Sources[0].Removed) != len(b.Sources[0].Removed) || a.Digest != b.Digest {
				t.Errorf("list %d: the first reports %+v, the second %+v", i, a, b)
			}
			all, err := openStore(t, h.lists).Revisions(ctx, partInfo.ID)
			if err != nil || len(all) != i+1 {
				t.Errorf("list %d: the store has %d revisions, %v", i, len(all), err)
			}
			if lag := second.Sources()[0].LastUpdated.Sub(first.Sources()[0].LastUpdated); lag != time.Second {
				t.Errorf("list %d: the second was updated %v after the first", i, lag)
			}
			if first.Sources()[0].StoreErr != nil || second.Sources()[0].StoreErr != nil {
				t.Errorf("list %d: %+v, %+v", i, first.Sources()[0], second.Sources()[0])
			}
			if i%2 == 1 {
				first, second = second, first
			}
		}
	})
}

// TestIndexDirUnlike has two programs that load lists which are not quite the same: neither
// takes that of the other.
func TestIndexDirUnlike(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: partInfo, load: numbered(1, 1)}
		first, second := h.loaded(t, src), h.loaded(t, src)
		src.next(2, 1, 2)
		refresh(t, first)
		src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			rev, err := numbered(3, 1, 4)(prev, add)
			rev.Digest = digestOf(2)
			return rev, err
		}
		refresh(t, second)
		if r, err := second.Screen(listing(4).Address); err != nil || r.Score != 100 {
			t.Errorf("of the same digest: an entry of the second program: %+v, %v", r, err)
		}
		src.next(4, 1, 3)
		refresh(t, first)
		src.next(5, 1, 3)
		refresh(t, second)
		all, err := openStore(t, h.lists).Revisions(ctx, partInfo.ID)
		if err != nil || all[0].Digest != digestOf(5) || !all[0].Accepted.Equal(time.Now()) || all[1].Digest != digestOf(4) {
			t.Errorf("of the same entries: the store has %+v, %v", all, err)
		}
	})
}

// TestIndexDirOwnPast has a program that knows more of the past than the store, or does
// not know what the store knows: it takes nothing that another has kept.
func TestIndexDirOwnPast(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: ofac, load: numbered(1, 1)}
		other := h.loaded(t, src)
		st := &brokenStore{Store: openStore(t, h.lists), revisions: errDown}
		s := newScreener(t, &screening.Options{Store: st, IndexDir: h.indexes}, src)
		src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			st.revisions = nil
			return numbered(1, 1)(prev, add)
		}
		if refresh(t, s); s.Stats().Sources[0].Mapped {
			t.Error("the store could not be asked, and the list is out of it")
		}

		src.next(2, 1, 2)
		st.save = errDown
		seen := time.Now().UTC()
		refresh(t, s)
		src.next(3, 1, 2, 3)
		st.save = nil
		refresh(t, other)
		refresh(t, s)
		if at := addedAt(t, s, 2); at != seen {
			t.Errorf("an entry was added at %v, want %v", at, seen)
		}
	})
}

// TestIndexDirMissed has a program that has missed a list that another had: what that
// knows by it of the past stays known.
func TestIndexDirMissed(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: ofac, load: numbered(1, 1)}
		s, misses := h.loaded(t, src), h.loaded(t, src)
		src.next(2, 1, 2, 4)
		seen := time.Now().UTC()
		refresh(t, s)
		src.next(3, 1, 2, 3)
		refresh(t, misses)
		refresh(t, s)
		if at := addedAt(t, s, 2); at != seen {
			t.Errorf("an entry was added at %v, want %v", at, seen)
		}
		src.next(4, 1, 2, 3, 4)
		refresh(t, s)
		if at := addedAt(t, s, 4); at != seen {
			t.Errorf("an entry that came back was added at %v, want %v", at, seen)
		}
	})
}

// TestIndexDirShared has two programs in one directory that refresh lists of their own
// accord, while others start and ask.
func TestIndexDirShared(t *testing.T) {
	h := newHome(t)
	var wg sync.WaitGroup
	start := func() *screening.Screener {
		s := newScreener(t, &screening.Options{Store: openStore(t, h.lists), IndexDir: h.indexes}, &growing{})
		if _, err := s.Open(ctx); err != nil {
			t.Error(err)
		}
		return s
	}
	for range 2 {
		wg.Go(func() {
			s := start()
			for range 40 {
				if _, err := s.Refresh(ctx); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 40 {
				s := start()
				var top int
				if fmt.Sscanf(s.Sources()[0].Digest, "%x", &top); top == 0 {
					continue // there is none yet
				}
				if r, err := s.Screen(listing(top).Address); err != nil || r.Score != 100 {
					t.Errorf("of %d entries: %+v, %v", top, r, err)
				}
				if r, err := s.Screen(listing(top + 1).Address); err != nil || r.Score != 0 {
					t.Errorf("of %d entries: %+v, %v", top, r, err)
				}
			}
		})
	}
	wg.Wait()
	if n := start().Sources()[0].Entries; n < 36 {
		t.Errorf("%d entries in the end", n)
	}
}
