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

// TestDamagedInUse damages the file of a list while questions about listed addresses run: no
// answer depends on the file any more. The next program that opens it finds the damage.
func TestDamagedInUse(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			dir := t.TempDir()
			list := &published{info: ofac}
			entries := listedWithRefs(600)
			list.publish(entries...)
			s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, list)
			refresh(t, s)
			list.err = errDown
			s = newScreener(t, &screening.Options{Store: openStore(t, dir)}, list)
			s.Open(ctx) // it answers from the file
			names, err := filepath.Glob(filepath.Join(dir, "*.rev"))
			if err != nil || len(names) != 1 {
				t.Fatalf("files %q, %v", names, err)
			}
			data, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			verify := func(when string) {
				t.Helper()
				if clean, failed := askAll(s, entries); clean+failed > 0 {
					t.Errorf("%s: of %d listed addresses, %d are clean and %d fail", when, len(entries), clean, failed)
				}
			}
			verify("whole")
			asking, stop := context.WithCancel(ctx)
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for asking.Err() == nil {
						if clean, failed := askAll(s, entries); clean+failed > 0 {
							t.Errorf("while it is damaged: %d clean, %d failed", clean, failed)
						}
					}
				})
			}
			d.do(t, names[0], data)
			verify("damaged")
			if _, err := s.Refresh(ctx); err == nil {
				t.Error("a refresh of a source that is down does not fail")
			}
			verify("after a refresh")
			stop()
			wg.Wait()
			s = newScreener(t, &screening.Options{Store: openStore(t, dir)}, list)
			_, err = s.Open(ctx)
			if d.name == "copied over" {
				verify("opened again")
				return
			}
			if _, serr := s.Screen(entries[0].Address); !errors.Is(serr, screening.ErrNotLoaded) || !errors.Is(s.Sources()[0].StoreErr, store.ErrDamaged) {
				t.Errorf("opened again: %v, %v, %v", err, serr, s.Sources()[0].StoreErr)
			}
		})
	}
}

// TestDamagedFallsBack checks what answers after a restart if the newest file is damaged.
func TestDamagedFallsBack(t *testing.T) {
	dir := t.TempDir()
	list := &published{info: ofac}
	entries := listedWithRefs(100)
	list.publish(entries[:90]...)
	start := func() *screening.Screener {
		t.Helper()
		s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, list)
		s.Refresh(ctx)
		return s
	}
	start()
	list.publish(entries...)
	start()
	name := revisionsOf(t, openStore(t, dir))[0]
	if err := os.Truncate(filepath.Join(dir, name), 100); err != nil {
		t.Fatal(err)
	}
	list.err = errDown
	if st := start().Sources()[0]; st.Entries != 100 || st.StoreErr != nil || !st.Loaded() {
		t.Errorf("made again: %+v", st)
	}
	if name = revisionsOf(t, openStore(t, dir))[0]; os.Truncate(filepath.Join(dir, name), 100) != nil {
		t.Fatal(name)
	}
	loseChanges(t, dir)
	s := start()
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
