//go:build unix

package screening_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// damages are what may happen to a file in use. None of them renames a file.
var damages = []struct {
	name string
	do   func(t *testing.T, file string, data []byte)
}{
	{"zeros in the middle", func(t *testing.T, file string, data []byte) {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt(make([]byte, len(data)/2), int64(len(data)/4))
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}},
	{"cut to half", func(t *testing.T, file string, data []byte) {
		if err := os.Truncate(file, int64(len(data)/2)); err != nil {
			t.Fatal(err)
		}
	}},
	{"emptied", func(t *testing.T, file string, data []byte) {
		if err := os.Truncate(file, 0); err != nil {
			t.Fatal(err)
		}
	}},
	{"overwritten by other bytes", func(t *testing.T, file string, data []byte) {
		if err := os.WriteFile(file, bytes.Repeat([]byte("x"), len(data)), 0o600); err != nil {
			t.Fatal(err)
		}
	}},
	{"copied over", func(t *testing.T, file string, data []byte) { // as cp does
		for range 50 {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}},
}

// TestDamagedInUse damages the file of a list while questions about listed addresses run.
// No answer may be clean: a list below the limit is private memory, and a mapped one is
// found damaged by the next refresh.
func TestDamagedInUse(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		for _, d := range damages {
			name := d.name + " while it is read"
			if mapped {
				name = d.name + " while it is mapped"
			}
			t.Run(name, func(t *testing.T) {
				if mapped {
					mapAll(t)
				}
				dir := t.TempDir()
				list := &published{info: ofac}
				entries := listedWithRefs(600)
				list.publish(entries...)
				s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, list)
				refresh(t, s)
				if s.Sources()[0].Mapped != mapped {
					t.Fatalf("mapped: %v", s.Sources()[0].Mapped)
				}
				names, err := filepath.Glob(filepath.Join(dir, "*.rev"))
				if err != nil || len(names) != 1 {
					t.Fatalf("files %q, %v", names, err)
				}
				data, err := os.ReadFile(names[0])
				if err != nil {
					t.Fatal(err)
				}
				verify := func(when string, strict bool) {
					t.Helper()
					clean, failed := askAll(s, entries)
					if strict && clean+failed > 0 || !mapped && failed > 0 || !mapped && clean > 0 {
						t.Errorf("%s: of %d listed addresses, %d are clean and %d fail", when, len(entries), clean, failed)
					}
				}
				ctx, stop := context.WithCancel(ctx)
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() { // must not end the program
						for ctx.Err() == nil {
							askAll(s, entries)
						}
					})
				}
				d.do(t, names[0], data)
				verify("damaged", false)
				list.err = errDown
				if _, err := s.Refresh(ctx); err == nil {
					t.Error("a refresh of a source that is down does not fail")
				}
				st := s.Sources()[0]
				if damaged := mapped && d.name != "copied over"; damaged {
					if clean, failed := askAll(s, entries); clean > 0 || failed == 0 {
						t.Errorf("after a refresh that found it: %d are clean, %d fail", clean, failed)
					}
					if _, err := s.Screen(entries[0].Address); !errors.Is(err, screening.ErrNotLoaded) {
						t.Errorf("after a refresh that found it: %v, want ErrNotLoaded", err)
					}
					if !errors.Is(st.StoreErr, store.ErrDamaged) || st.Loaded() {
						t.Errorf("after a refresh that found it: %+v", st)
					}
				} else {
					verify("after a refresh", true)
				}
				list.err = nil
				refresh(t, s)
				stop()
				wg.Wait()
				verify("loaded again", true)
				if st := s.Sources()[0]; st.Err != nil || st.StoreErr != nil || st.Mapped != mapped {
					t.Errorf("loaded again: %+v", st)
				}
			})
		}
	}
}

// TestDamagedFallsBack checks that the revision before a damaged one answers, as after a
// restart.
func TestDamagedFallsBack(t *testing.T) {
	mapAll(t)
	dir := t.TempDir()
	list := &published{info: ofac}
	entries := listedWithRefs(100)
	list.publish(entries[:90]...)
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, list)
	refresh(t, s)
	list.publish(entries...)
	refresh(t, s)
	name := revisionsOf(t, openStore(t, dir))[0]
	if err := os.Truncate(filepath.Join(dir, name), 100); err != nil {
		t.Fatal(err)
	}
	list.err = errDown
	s.Refresh(ctx)
	if st := s.Sources()[0]; st.Entries != 100 || st.StoreErr != nil || !st.Loaded() {
		t.Errorf("made again: %+v", st)
	}
	if name = revisionsOf(t, openStore(t, dir))[0]; os.Truncate(filepath.Join(dir, name), 100) != nil {
		t.Fatal(name)
	}
	loseChanges(t, dir)
	s.Refresh(ctx)
	if st := s.Sources()[0]; st.Entries != 90 || st.Loaded() || !errors.Is(st.StoreErr, store.ErrDamaged) {
		t.Errorf("an older list: %+v", st)
	}
	if _, err := s.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrNotLoaded) || !strings.Contains(err.Error(), name) {
		t.Errorf("answered from an older list: %v", err)
	}
	list.err = nil
	refresh(t, s)
	if st := s.Sources()[0]; st.Entries != 100 || st.StoreErr != nil {
		t.Errorf("loaded again: %+v", st)
	}
}

// TestDamagedIsGap checks that nobody says from what was answered since the last verification
// of a mapped file that is then found damaged, even if the file is whole again later.
func TestDamagedIsGap(t *testing.T) {
	mapAll(t)
	dir, c := t.TempDir(), newWallClock()
	list, other := &published{info: ofac}, &published{info: sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}}
	entries := listedWithRefs(100)
	list.publish(entries...)
	other.publish(entries[0])
	st := openStore(t, dir)
	s := c.start(t, &screening.Options{Store: st}, list, other)
	refresh(t, s)
	first := c.now
	c.add(time.Hour)
	refresh(t, s) // verifies it
	verified := c.now
	c.add(time.Hour)
	file := filepath.Join(dir, revisionsOf(t, st)[0])
	whole, err := os.ReadFile(file)
	if err == nil {
		err = os.Truncate(file, 100)
	}
	if err != nil {
		t.Fatal(err)
	}
	list.err = errDown
	s.Refresh(ctx)
	found := c.now
	list.err = nil
	c.add(time.Hour)
	refresh(t, s)
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at  time.Time
		gap bool
	}{
		{first, false}, {verified.Add(-1), false}, {verified, true}, {verified.Add(time.Minute), true}, {found.Add(-1), true}, {c.now, false},
	} {
		p, err := screening.OpenAt(ctx, st, test.at, []sources.Source{list, other}, nil)
		switch {
		case test.gap && !errors.Is(err, store.ErrGap):
			t.Errorf("at %v: %v, want ErrGap", test.at, err)
		case !test.gap && err != nil:
			t.Errorf("at %v: %v", test.at, err)
		case !test.gap && p.Sources()[0].Entries != 100:
			t.Errorf("at %v: %+v", test.at, p.Sources()[0])
		}
	}
}

// askAll asks for listed addresses in every way, and returns how many answers were clean,
// and how many were errors.
func askAll(s *screening.Screener, entries []sources.Entry) (clean, failed int) {
	var c, f atomic.Int64
	count := func(r screening.Result, err error) {
		switch {
		case err != nil:
			f.Add(1)
		case r.Score == 0:
			c.Add(1)
		}
	}
	for i, e := range entries {
		switch i % 3 {
		case 0:
			count(s.Screen(e.Address))
		case 1:
			count(s.ScreenText(e.Address.Chain(), e.Address.Normalized()))
		case 2:
			r, _, err := s.ScreenInput("", e.Address.Display())
			count(r, err)
		}
	}
	for r, err := range s.ScreenAll(func(yield func(address.Address) bool) {
		for _, e := range entries {
			if !yield(e.Address) {
				return
			}
		}
	}) {
		count(r, err)
	}
	return int(c.Load()), int(f.Load())
}
