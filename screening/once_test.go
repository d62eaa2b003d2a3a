package screening_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources"
)

// TestChangedOnce changes two lists at random, one of them optional, restarts the program,
// misses reports, leaves loops early and is killed while it writes. A program that
// follows ChangedOnce knows all verdicts after each loop that came to its end, and nothing comes
// twice.
func TestChangedOnce(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(7, 8))
	for range longtest.N(3, 20) {
		dir := t.TempDir()
		file := filepath.Join(dir, "told")
		lists := dir
		opts := &screening.Options{
			Store:    openStore(t, lists),
			Optional: []string{community.ID},
			Accept:   func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true },
		}
		us, others := &published{info: ofac}, &published{info: community}
		var own []address.Address
		for i := range n {
			own = append(own, address.MustParse("bsc", fmt.Sprintf("0x%040x", i)))
		}
		mine := newBook(t, own...)
		var s *screening.Screener
		// said returns the labels of two lists. What was told of one that is not wholly loaded counts.
		said := func(r screening.Result, told [2]string) (text [2]string) {
			for i, st := range s.Sources() {
				var lines []string
				if !st.Loaded() {
					lines = slices.Collect(strings.Lines(told[i]))
				}
				for _, l := range r.Labels {
					if l.Source == st.Info.ID {
						lines = append(lines, fmt.Sprintln(l.Kind, l.Match, l.Ref))
					}
				}
				slices.Sort(lines)
				text[i] = strings.Join(slices.Compact(lines), "")
			}
			return text
		}
		publish := func(l *published, kind score.Kind) {
			var entries []sources.Entry
			for i := range n {
				if rng.IntN(3) == 0 {
					entries = append(
						entries,
						sources.Entry{Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", i)), Kind: kind, Ref: fmt.Sprint(rng.IntN(2))},
					)
				}
			}
			l.publish(append(entries, sources.Entry{Listed: "nothing", Kind: kind})...)
		}
		told := make(map[address.Address][2]string)
		doubted := make(map[address.Address]bool) // the last change lacked labels that count
		known := true                             // a loop came to its end since one was left early
		follow := func(what string, r screening.Report) {
			t.Helper()
			stop := rng.IntN(6) == 0
			for c, err := range mine.ChangedOnce(file, r) {
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				now := said(c.After, told[c.Address])
				if known && told[c.Address] == now && !doubted[c.Address] {
					t.Errorf("%s: %v comes twice: %q", what, c.Address, now)
				}
				told[c.Address], doubted[c.Address] = now, !s.Sources()[1].Loaded() && now[1] != ""
				if stop {
					known = false
					return
				}
			}
			// A list that is not loaded counts as it was when the loop was left, whatever was told.
			known = known || s.Sources()[1].Loaded()
			for _, a := range own {
				r, err := s.Screen(a)
				if now := said(r, told[a]); err != nil || told[a] != now {
					t.Errorf("%s: %v: told %q, and it is %q, %v", what, a, told[a], now, err)
				}
			}
		}
		publish(us, score.Sanctioned)
		publish(others, score.Scam)
		for step := range 25 {
			if step == 0 || rng.IntN(3) == 0 {
				if text, err := os.ReadFile(file); err == nil && rng.IntN(2) == 0 { // killed while it wrote
					os.WriteFile(file, append(text, own[0].String()+"\tOFAC"...), 0o600)
				}
				switch rng.IntN(4) {
				case 0: // the optional list is not kept
					lists = t.TempDir()
					opts.Store = openStore(t, lists)
					others.err = errDown
				case 1: // its newest revision is broken, and cannot be made again: an older one is held
					if names, _ := filepath.Glob(filepath.Join(lists, community.ID+"-*.stays")); len(names) > 0 {
						text := must(os.ReadFile(filepath.Join(lists, "journal")))
						text = bytes.ReplaceAll(text, []byte(`,"changes":`), []byte(`,"chances":`))
						if err := errors.Join(os.Truncate(slices.Max(names), 9), os.WriteFile(filepath.Join(lists, "journal"), text, 0o600)); err != nil {
							t.Fatal(err)
						}
						opts.Store = openStore(t, lists)
						others.err = errDown
					}
				}
				s = newScreener(t, opts, us, others)
			}
			switch rng.IntN(4) {
			case 0:
				publish(us, score.Sanctioned)
			case 1:
				publish(others, score.Scam)
				others.err = nil
			}
			report, _ := s.Refresh(ctx)
			if rng.IntN(5) == 0 && s.Sources()[1].Loaded() {
				s = newScreener(t, opts, us, others) // nobody was told
				report, _ = s.Refresh(ctx)
			}
			follow(fmt.Sprint("step ", step), report)
		}
	}
}

// TestChangedOnceFiles uses files that are not of verdicts.
func TestChangedOnceFiles(t *testing.T) {
	mine := newBook(t, address.MustParse("ethereum", lazarus))
	s := newScreener(t, nil, staticOf([]sources.Entry{sanctioned("ethereum", lazarus, "1")}))
	report := refresh(t, s)
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("my notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{other: nil, filepath.Join(dir, "missing", "file"): os.ErrNotExist, dir: nil} {
		n := 0
		for c, err := range mine.ChangedOnce(name, report) {
			if n++; err == nil || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %+v, %v, want %v", name, c, err, want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d errors", name, n)
		}
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "my notes\n" {
		t.Errorf("the file has become %q, %v", text, err)
	}
	file := filepath.Join(dir, "told")
	for i, want := range []int{1, 0, 0} {
		var all []book.Change
		for c, err := range mine.ChangedOnce(file, report) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		if len(all) != want {
			t.Errorf("call %d: %+v, want %d", i, all, want)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v, want a private file", info.Mode(), err)
	}
}

// TestChangedOnceWhileMissing yields changes of an address while an optional list that has it is not loaded. When the list is
// loaded again, its label is a change to what was yielded last.
func TestChangedOnceWhileMissing(t *testing.T) {
	us, others := &flaky{info: ofac, load: numbered(1, 2)}, &flaky{info: community, load: numbered(2, 1)}
	mine, file := newBook(t, listing(1).Address), filepath.Join(t.TempDir(), "told")
	others.load = func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		return sources.Revision{Digest: digestOf(2), Records: 1}, add(sources.Entry{Address: listing(1).Address, Kind: score.Scam})
	}
	has := others.load
	var s *screening.Screener
	restart := func() {
		s = newScreener(t, &screening.Options{Optional: []string{community.ID}, Accept: acceptAll}, us, others)
	}
	next := func(when string, want ...int) {
		t.Helper()
		report, _ := s.Refresh(ctx)
		var got []int
		for c, err := range mine.ChangedOnce(file, report) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, len(c.After.Labels))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: it yields changes with %v labels, want %v", when, got, want)
		}
	}
	restart()
	next("listed", 1)
	others.load = down
	restart()
	next("one list is missing")
	us.load = numbered(3, 1, 2)
	next("the other one lists it", 1)
	us.load = numbered(4, 2)
	next("the other one drops it", 0)
	others.load = has
	next("the missing list is back", 1)
	next("nothing new")
}
