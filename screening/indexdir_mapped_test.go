//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package screening_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// blind makes the index of a list, which may be mapped, miss whatever is asked: its
// filters, which are what comes first in the file, are zeros.
func blind(t *testing.T, h *home, n int) {
	t.Helper()
	for _, name := range h.names(t, ".index") {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, (n+7)/8*8), 256); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// TestIndexDirVerified damages the index of a long list once it is open, as whatever has
// a right checksum and is wrong all the same would be: the first refresh finds that,
// whatever it finds else, and the list of the store is there at once; and a Book is told
// all that is listed.
func TestIndexDirVerified(t *testing.T) {
	const n = 70_000
	h, listed := newHome(t), randomEVM(n, 1)
	s, _ := h.start(t, long(listed))
	refresh(t, s)
	want := s.Stats().Digest
	customer := address.MustParse("ethereum", listed[n/2])
	book := newBook(t, customer, address.MustParse("ethereum", clean))
	silent := &flaky{info: ofac, load: down}
	check := func(t *testing.T, how string, s *screening.Screener, reports []screening.Report) {
		t.Helper()
		if r, err := s.Screen(customer); err != nil || r.Score != 100 || r.Digest() != want {
			t.Errorf("%s: %+v, %v, want it listed", how, r, err)
		}
		found := 0
		for _, r := range reports {
			c := changed(t, book, r)
			if found += len(c); len(c) > 0 && (c[customer].After.Score != 100 || c[customer].Before.Digest() != "") {
				t.Errorf("%s: changed %+v", how, c)
			}
		}
		if found != 1 {
			t.Errorf("%s: a book has %d changes, want the one that is listed", how, found)
		}
		if !strings.Contains(h.log.String(), "index is damaged") {
			t.Errorf("%s: the log says\n%s", how, &h.log)
		}
	}
	open := func(t *testing.T) *screening.Screener {
		t.Helper()
		s, loads := h.start(t, silent)
		blind(t, h, n)
		if r, err := s.Screen(customer); err != nil || r.Score != 0 || loads != 0 {
			t.Fatalf("opened: %+v, %v, %d lists are read; the test proves nothing", r, err, loads)
		}
		return s
	}
	t.Run("Refresh", func(t *testing.T) {
		s := open(t)
		r, err := s.Refresh(ctx)
		if !errors.Is(err, errDown) {
			t.Errorf("Refresh: %v", err)
		}
		check(t, "Refresh", s, []screening.Report{r})
		if s, loads := h.start(t, silent); loads != 0 {
			t.Errorf("the next start reads %d lists from the store", loads)
		} else if _, err := s.Refresh(ctx); !errors.Is(err, errDown) || strings.Contains(h.log.String(), "level=ERROR") {
			t.Errorf("the files are not as they were: %v\n%s", err, &h.log)
		}
	})
	t.Run("Run", func(t *testing.T) {
		var reports []screening.Report
		ctx, stop := context.WithCancel(ctx)
		h.opts.Report = func(r screening.Report) { // Open twice, the repair, the load
			if reports = append(reports, r); len(reports) == 4 {
				stop()
			}
		}
		defer func() { h.opts.Report = nil }()
		s := open(t)
		if err := s.Run(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		check(t, "Run", s, reports[1:])
	})
	t.Run("Open of a seed", func(t *testing.T) { // which is compared with it
		blind(t, h, n)
		seed := &flaky{info: ofac, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			rev, err := numbered(1, 1)(prev, add)
			rev.Checked = day
			return rev, err
		}}
		s, loads := h.start(t, sources.Seeded(silent, seed))
		if r, err := s.Screen(customer); err != nil || r.Score != 100 || r.Digest() != want || loads != 1 {
			t.Errorf("%+v, %v, %d lists are read from the store", r, err, loads)
		}
	})
	t.Run("no store", func(t *testing.T) {
		s := open(t)
		names := h.names(t, ".index")
		data, err := os.ReadFile(names[0])
		if err != nil || len(names) != 1 {
			t.Fatalf("there are %q, %v", names, err)
		}
		if err := os.Rename(h.lists, h.lists+"~"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(ctx); err == nil {
			t.Error("Refresh: nothing is wrong")
		}
		if names := h.names(t, ".index"); len(names) != 0 {
			t.Errorf("what is damaged is still there: %q", names)
		}
		replace(t, names[0], data) // as if it could not be removed
		if r, err := s.Screen(customer); !errors.Is(err, screening.ErrNotLoaded) {
			t.Errorf("without a store: %+v, %v, want ErrNotLoaded", r, err)
		}
		if err := os.Rename(h.lists+"~", h.lists); err != nil {
			t.Fatal(err)
		}
		if s.Refresh(ctx); s.Stats().Digest != want {
			t.Errorf("the store is back, and the list is not")
		}
		if n := strings.Count(h.log.String(), "opened from its index"); n != 1 {
			t.Errorf("it was opened from its index %d times", n)
		}
	})
}
