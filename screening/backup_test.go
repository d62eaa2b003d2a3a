package screening_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestStoreRestored restores a store from a backup while two programs answer: they go on from what they have accepted
// since, whatever was accepted by the operator, and save it again; the times that are lost are a gap.
func TestStoreRestored(t *testing.T) {
	for _, shrunk := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			st := new(storetest.Memory)
			first, second := []int{1, 2}, []int{2, 3}
			if shrunk {
				first, second = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{2, 30}
			}
			src := &flaky{info: ofac, load: numbered(1, first...)}
			srcs := []sources.Source{src}
			opts := &screening.Options{Store: st}
			var all []*screening.Screener
			for range 2 {
				all = append(all, loaded(t, opts, src))
			}
			files, lines := maps.Clone(st.Files), slices.Clone(st.Lines)
			time.Sleep(time.Hour)
			lost := time.Now()
			time.Sleep(time.Hour)
			src.load = numbered(2, second...)
			refresh(t, newScreener(t, &screening.Options{Store: st, LoadOnly: true, Accept: acceptAll}, src)) // the operator
			for _, s := range all {
				refresh(t, s)
				if err := s.SetExceptions(ctx, []screening.Exception{except("ethereum", lazarus)}); err != nil {
					t.Fatal(err)
				}
			}
			digest := all[0].Digest()
			time.Sleep(time.Hour)

			st.Files, st.Lines = files, lines
			src.load = down
			for range 2 {
				for i, s := range all {
					s.Refresh(ctx)
					if addedAt(t, s, second[1]).IsZero() || addedAt(t, s, 2).IsZero() {
						t.Errorf("shrunk %v: restored, and program %d forgets what is listed", shrunk, i)
					}
					if !shrunk && s.Digest() != digest {
						t.Errorf("restored: program %d answers from %s, not from %s", i, s.Digest(), digest)
					}
				}
			}
			time.Sleep(time.Minute)
			now := momentOf(t, all[0])
			time.Sleep(time.Minute)
			src.load = numbered(2, second...)
			for _, s := range all {
				s.Refresh(ctx)
				r := must(s.Screen(listing(second[1]).Address))
				if says := slices.ContainsFunc(r.Caveats(), func(c screening.Caveat) bool { return c.Kind == screening.CaveatStore }); says != shrunk {
					t.Errorf("shrunk %v, and the publisher's list was judged again: the answers say that the store has another list: %v", shrunk, says)
				}
			}
			if _, err := screening.OpenAt(ctx, st, lost, srcs, nil); !errors.Is(err, store.ErrGap) {
				t.Errorf("shrunk %v: a time that was lost: %v, want ErrGap", shrunk, err)
			}
			p, err := screening.OpenAt(ctx, st, now.at, srcs, nil)
			if shrunk { // what matched beside is not in the journal
				if err == nil && momentOf(t, p).digest != now.digest {
					t.Error("opened is another list than was answered from")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := now.same(t, p); err != nil || len(p.Exceptions()) != 1 {
				t.Errorf("restored: %v, %d exceptions", err, len(p.Exceptions()))
			}
			s := newScreener(t, opts, src)
			if _, err := s.Open(ctx); err != nil || addedAt(t, s, second[1]).IsZero() {
				t.Errorf("restored: the next program: %v", err)
			}
		})
	}
}

// TestBackup copies the store of a program that goes on: the journal first, and the copy has the last list; or the
// files first, and nothing is answered from an older list until the publisher has answered.
func TestBackup(t *testing.T) {
	for _, journalFirst := range []bool{false, true} {
		for after := range 4 { // how many lists are accepted meanwhile
			dir, to := t.TempDir(), t.TempDir()
			src := &flaky{info: ofac, load: numbered(1, 1)}
			s := loaded(t, &screening.Options{Store: openStore(t, dir), Accept: acceptAll}, src)
			next := func(n int) {
				src.load = numbered(n, 1, n)
				refresh(t, s)
			}
			next(2)
			copyFiles := func(journal bool) {
				names := []string{"journal"}
				if !journal {
					names = nil
					for _, n := range filesOf(t, openStore(t, dir)) {
						names = append(names, n.String())
					}
				}
				for _, name := range names {
					if err := os.WriteFile(filepath.Join(to, name), must(os.ReadFile(filepath.Join(dir, name))), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			copyFiles(journalFirst)
			for n := range after {
				next(3 + n)
			}
			copyFiles(!journalFirst)
			src.load = down
			b := newScreener(t, &screening.Options{Store: openStore(t, to)}, src)
			_, oerr := b.Open(ctx)
			if !journalFirst && after > 0 { // the journal knows of a list that was not copied
				if _, err := b.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrNotLoaded) || oerr == nil {
					t.Errorf("files first, %d lists: %v, %v", after, oerr, err)
				}
				src.load = numbered(2+after, 1, 2+after)
				if _, err := b.Refresh(ctx); err != nil {
					t.Errorf("files first, %d lists: %v", after, err)
				}
			} else if oerr != nil {
				t.Errorf("journal first %v, %d lists: %v", journalFirst, after, oerr)
			}
			if b.Digest() != s.Digest() || addedAt(t, b, 2+after).IsZero() {
				t.Errorf("journal first %v, %d lists: the copy has %s, want %s", journalFirst, after, b.Digest(), s.Digest())
			}
		}
	}
}

// TestJournalLostTwice loses the journal twice. Then the files of both times are ahead, and the files of the first time
// have greater numbers of lines: no list is adopted, all match, and what the publisher has then is not forgotten again.
func TestJournalLostTwice(t *testing.T) {
	for lists := range 4 { // accepted before the first loss, besides one
		synctest.Test(t, func(t *testing.T) {
			st, src := new(storetest.Memory), &flaky{info: ofac}
			opts := &screening.Options{Store: st}
			start := func() *screening.Screener {
				time.Sleep(time.Hour)
				return newScreener(t, opts, src)
			}
			accept := func(n int) {
				src.load = numbered(n, 1, n)
				refresh(t, start())
			}
			for n := range lists + 1 {
				accept(2)
				time.Sleep(time.Hour)
				accept(3 + n)
			}
			for range 3 {
				refresh(t, start())
			}
			st.Lines = nil
			accept(20)
			accept(21)
			st.Lines = nil
			src.load = down
			s := start()
			s.Open(ctx)
			if r, err := s.ScreenText("ethereum", listing(21).Text()); !errors.Is(err, screening.ErrNotLoaded) && len(r.Labels) == 0 {
				t.Errorf("%d lists: lost twice, and %v, %v", lists, r, err)
			}
			accept(22)
			src.load = down
			s = start()
			if _, err := s.Open(ctx); err != nil || addedAt(t, s, 22).IsZero() {
				t.Errorf("%d lists: the next program has %s, %v", lists, s.Sources()[0].Digest, err)
			}
		})
	}
}

// An unreadable is a store one of whose files cannot be read now.
type unreadable struct {
	*storetest.Memory
	name string
}

func (u *unreadable) Open(ctx context.Context, name string) ([]byte, error) {
	if name == u.name {
		return nil, errDown
	}
	return u.Memory.Open(ctx, name)
}

// TestAheadUnreadable lets another program accept a list and then the list held again, loses both lines, and cannot read the
// file of the first one: the newest file has the list held, and the others do not matter.
func TestAheadUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, src := &unreadable{Memory: new(storetest.Memory)}, &flaky{info: ofac, load: numbered(3, 1, 3)}
		opts := &screening.Options{Store: st, Accept: acceptAll}
		s, other := loaded(t, opts, src), loaded(t, opts, src)
		lines := slices.Clone(st.Lines)
		for _, n := range []int{2, 3} {
			time.Sleep(time.Hour)
			src.load = numbered(n, 1, n)
			refresh(t, other)
		}
		time.Sleep(time.Hour)
		st.Lines, st.name = lines, filesOf(t, st)[1].String()
		refresh(t, s)
		if status := s.Sources()[0]; status.StoreErr != nil {
			t.Error(status.StoreErr)
		}
	})
}

// TestJournalLostBeside restores the journal alone to an earlier time while a program answers. What that accepts then is
// not replaced by the lists of before, whose files have greater numbers.
func TestJournalLostBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		opts := &screening.Options{Store: st}
		s := loaded(t, opts, src)
		lines := slices.Clone(st.Lines)
		for n := 2; n < 7; n++ {
			time.Sleep(time.Hour)
			src.load = numbered(n, 1, n)
			refresh(t, s)
		}
		st.Lines = lines
		for _, n := range []int{20, 21} {
			time.Sleep(time.Hour)
			src.load = numbered(n, 1, n)
			refresh(t, s)
			next := newScreener(t, opts, &flaky{info: ofac, load: down})
			next.Open(ctx)
			if r, err := next.ScreenText("ethereum", listing(n).Text()); !errors.Is(err, screening.ErrNotLoaded) && len(r.Labels) == 0 {
				t.Errorf("list %d: the next program says %v, %v", n, r, err)
			}
		}
	})
}

// TestTailLostUnproved loses the end of the journal again, while files of the first time contradict each other, so that the list
// held does not count as loaded: nobody is clean by the list of before.
func TestTailLostUnproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		s := loaded(t, &screening.Options{Store: st}, src)
		lines := slices.Clone(st.Lines)
		again := func(n int) {
			time.Sleep(time.Hour)
			src.load = numbered(n, 1, n)
			s.Refresh(ctx)
		}
		for n := range 4 {
			again(2 + n)
		}
		st.Lines = lines
		again(5)
		again(6)
		src.load = down
		for range 3 {
			time.Sleep(time.Hour)
			s.Refresh(ctx)
		}
		st.Cut(2)
		for range 2 {
			time.Sleep(time.Hour)
			s.Refresh(ctx)
			if r, err := s.Screen(listing(6).Address); !errors.Is(err, screening.ErrNotLoaded) && len(r.Labels) == 0 {
				t.Errorf("it answers from %s: %+v, %v", s.Sources()[0].Digest, r, err)
			}
		}
	})
}

// TestRestoredRefused restores a store to a list beside which the list held is suspect, and lets another program accept a third one.
// What was held goes on matching, and answers say so.
func TestRestoredRefused(t *testing.T) {
	mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1, 2, 3, 4)}
	accept := true
	s := loaded(t, &screening.Options{Store: mem, Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return accept }}, src)
	lines := slices.Clone(mem.Lines)
	src.load = numbered(2, 1, 9)
	refresh(t, s)
	mem.Lines, mem.Files, accept = lines, maps.Clone(mem.Files), false
	maps.DeleteFunc(mem.Files, func(name string, _ []byte) bool { return strings.Contains(name, "-1-2-") })
	src.load = down
	s.Refresh(ctx)
	refresh(t, newScreener(t, &screening.Options{Store: mem}, &flaky{info: ofac, load: numbered(3, 1, 2, 3, 4, 5)}))
	s.Refresh(ctx)
	r := must(s.Screen(listing(9).Address))
	if len(r.Labels) != 1 || len(r.Caveats()) == 0 || s.Sources()[0].Digest != digestOf(3) {
		t.Errorf("%+v, with the caveats %v, from %+v", r.Labels, r.Caveats(), s.Sources()[0])
	}
}

// TestTailLost cuts the journal behind the last line that a program knows, which has not followed yet what another
// program has accepted: that is in a file, and is not forgotten.
func TestTailLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		opts := &screening.Options{Store: st}
		s := loaded(t, opts, src)
		known := len(st.Lines)
		time.Sleep(time.Hour)
		src.load = numbered(2, 1, 2)
		refresh(t, newScreener(t, &screening.Options{Store: st, LoadOnly: true}, src))
		lost := time.Now()
		st.Lines = st.Lines[:known]
		time.Sleep(time.Hour)
		src.load = down
		s.Refresh(ctx)
		if addedAt(t, s, 2).IsZero() {
			t.Error("what was accepted is forgotten")
		}
		if _, err := screening.OpenAt(ctx, st, lost.Add(time.Minute), []sources.Source{src}, nil); !errors.Is(err, store.ErrGap) {
			t.Errorf("a time that was lost: %v, want ErrGap", err)
		}
	})
}

// TestRestoredFails restores a store under a program that runs, and has no room then for the list held, or cannot be read: until
// that list is saved, answers say so, whatever other lists do, and the journal does not say that another list answered.
func TestRestoredFails(t *testing.T) {
	t.Run("full", func(t *testing.T) { restoredFails(t, func(st *faultyStore) *error { return &st.put }) })
	t.Run("unread", func(t *testing.T) { restoredFails(t, func(st *faultyStore) *error { return &st.open }) })
}

func restoredFails(t *testing.T, faultOf func(*faultyStore) *error) {
	synctest.Test(t, func(t *testing.T) {
		mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		st := &faultyStore{Store: mem}
		fault := faultOf(st)
		slow := &flaky{info: sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}}
		slow.load = func(rev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			time.Sleep(time.Minute)
			return numbered(9, 9)(rev, add)
		}
		s := loaded(t, &screening.Options{Store: st}, src, slow)
		files, lines := maps.Clone(mem.Files), slices.Clone(mem.Lines)
		time.Sleep(time.Hour)
		src.load = numbered(2, 1, 2)
		refresh(t, s)
		mem.Files, mem.Lines, *fault, src.load = files, lines, errUnreliable, down
		time.Sleep(time.Hour)
		for n := range 2 {
			s.Refresh(ctx)
			r := must(s.Screen(listing(2).Address))
			if len(r.Labels) != 1 || !slices.ContainsFunc(r.Caveats(), func(c screening.Caveat) bool { return c.Kind == screening.CaveatStore }) {
				t.Errorf("it fails, refresh %d: %v, caveats %v", n, r.Labels, r.Caveats())
			}
			time.Sleep(time.Hour)
		}
		failing := momentOf(t, s)
		time.Sleep(time.Hour)
		*fault = nil
		for range 2 {
			s.Refresh(ctx)
			time.Sleep(time.Hour)
		}
		if r := must(s.Screen(listing(1).Address)); len(r.Labels) != 1 || s.Sources()[0].StoreErr != nil || s.Sources()[0].Digest != digestOf(2) {
			t.Errorf("it works: %v, %+v", r.Labels, s.Sources()[0])
		}
		if _, err := screening.OpenAt(ctx, mem, failing.at, []sources.Source{src, slow}, nil); !errors.Is(err, store.ErrGap) {
			t.Errorf("while it failed: %v, want ErrGap", err)
		}
	})
}

// TestTailLostOfTwo loses the lines of two lists. The next program says of both that what answered since is not known,
// also of that which it reads after it has written a line about the other one.
func TestTailLostOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(storetest.Memory)
		one := &flaky{info: ofac, load: numbered(1, 1)}
		other := &flaky{info: sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}, load: numbered(11, 11)}
		s := loaded(t, &screening.Options{Store: st}, one, other)
		known := len(st.Lines)
		time.Sleep(time.Hour)
		one.load = numbered(2, 1, 2)
		refresh(t, s)
		time.Sleep(time.Hour)
		other.load = numbered(12, 11, 12)
		refresh(t, s)
		lost := time.Now().Add(time.Minute)
		st.Lines = st.Lines[:known]
		time.Sleep(time.Hour)
		one.load, other.load = down, down
		newScreener(t, &screening.Options{Store: slowly{st, "OTHER"}}, one, other).Refresh(ctx)
		for _, src := range []*flaky{one, other} {
			if _, err := screening.OpenAt(ctx, st, lost, []sources.Source{src}, nil); !errors.Is(err, store.ErrGap) {
				t.Errorf("%s at a time that was lost: %v, want ErrGap", src.info.ID, err)
			}
		}
	})
}

// TestTailLostUnseen cuts as many lines of the journal as a program that runs writes about that: it must look at its lists
// nevertheless, and say what answers, or at least that this is not known.
func TestTailLostUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		s := newScreener(t, &screening.Options{Store: st}, src)
		defer start(func(ctx context.Context) error { return s.Run(ctx, 1000*time.Hour) })()
		time.Sleep(time.Hour + time.Second) // at another time than it looks at the store
		refresh(t, newScreener(t, &screening.Options{Store: st, LoadOnly: true}, &flaky{info: ofac, load: numbered(2, 1, 2)}))
		time.Sleep(time.Hour)
		st.Cut(2)
		time.Sleep(10 * time.Minute)
		at, was := time.Now(), s.Digest()
		time.Sleep(10 * time.Minute)
		src.load = down
		s.Refresh(ctx)
		time.Sleep(time.Hour)
		past, err := screening.OpenAt(ctx, st, at, []sources.Source{src}, nil)
		if errors.Is(err, store.ErrGap) {
			return // the program may not have answered from what it accepted again
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := must(past.Screen(listing(2).Address)); r.Digest() != was || len(r.Labels) != 1 {
			t.Errorf("after the loss: %v, digest %s, want %s", r.Labels, r.Digest(), was)
		}
	})
}

// A slowly is a Store that takes a second to open a file whose name begins with a prefix.
type slowly struct {
	store.Store
	prefix string
}

func (s slowly) Open(ctx context.Context, name string) ([]byte, error) {
	if strings.HasPrefix(name, s.prefix) {
		time.Sleep(time.Second)
	}
	return s.Store.Open(ctx, name)
}

// TestGapLost restores a store twice under a program that runs; the second time, the line about the first gap is lost, too.
// Both gaps are said again.
func TestGapLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		opts := &screening.Options{Store: st}
		s := loaded(t, opts, src)
		files, lines := maps.Clone(st.Files), slices.Clone(st.Lines)
		time.Sleep(time.Hour)
		src.load = numbered(2, 1, 2)
		refresh(t, s)
		time.Sleep(time.Hour)
		lost := time.Now()
		st.Files, st.Lines = files, lines
		time.Sleep(time.Hour)
		src.load = numbered(3, 1, 2, 3)
		refresh(t, newScreener(t, opts, src)) // it knows nothing of that
		lines = slices.Clone(st.Lines)
		time.Sleep(time.Hour)
		refresh(t, s)
		time.Sleep(time.Hour)
		st.Lines = lines
		refresh(t, s)
		if _, err := screening.OpenAt(ctx, st, lost, []sources.Source{src}, nil); !errors.Is(err, store.ErrGap) {
			t.Errorf("a time that was lost: %v, want ErrGap", err)
		}
	})
}

// TestRestoredUnsaved restores a store under a program that then accepts another list, and cannot write: that list is saved when the
// store works again, after the list held.
func TestRestoredUnsaved(t *testing.T) {
	mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
	st := &faultyStore{Store: mem}
	s := loaded(t, &screening.Options{Store: st}, src)
	files, lines := maps.Clone(mem.Files), slices.Clone(mem.Lines)
	src.load = numbered(2, 1, 2)
	refresh(t, s)
	mem.Files, mem.Lines, st.put = files, lines, errUnreliable
	src.load = numbered(3, 1, 2, 3)
	s.Refresh(ctx)
	src.load = down
	for _, st.put = range []error{errUnreliable, nil, nil} {
		s.Refresh(ctx)
		if r := must(s.Screen(listing(3).Address)); len(r.Labels) != 1 {
			t.Errorf("Put says %v: what was accepted is forgotten", st.put)
		}
	}
	if st := s.Sources()[0]; st.StoreErr != nil || st.Digest != digestOf(3) {
		t.Errorf("it works: %+v", st)
	}
}

// TestRestoredFollow restores a store under a program that follows it, and cannot use it while another program accepts a newer list:
// that list decides once the store works, and nothing else matches.
func TestRestoredFollow(t *testing.T) {
	for _, faultOf := range []func(*faultyStore) *error{func(st *faultyStore) *error { return &st.append }, func(st *faultyStore) *error { return &st.read }} {
		synctest.Test(t, func(t *testing.T) {
			at := func(n, from, to int) *flaky {
				e := &edition{entries: numberedEntries(score.Sanctioned, from, to)}
				e.rev = sources.Revision{Digest: digestOf(n), Records: to - from, Published: time.Now().Add(time.Duration(n) * time.Hour)}
				return &flaky{info: ofac, load: e.load}
			}
			mem := new(storetest.Memory)
			other := func(src *flaky) { refresh(t, newScreener(t, &screening.Options{Store: mem}, src)) }
			first, second, third := at(1, 1, 10), at(2, 0, 10), at(3, 1, 11)
			other(first)
			backup := slices.Clone(mem.Lines)
			time.Sleep(time.Hour)
			other(second)
			st := &faultyStore{Store: mem}
			s := newScreener(t, &screening.Options{Store: st}, first)
			s.Open(ctx)
			time.Sleep(time.Hour)
			*faultOf(st) = errUnreliable
			mem.Lines = backup
			s.Open(ctx)
			if r := must(s.Screen(listing(0).Address)); len(r.Labels) != 1 || s.Sources()[0].StoreErr == nil {
				t.Errorf("it fails: %v, %+v", r.Labels, s.Sources()[0])
			}
			maps.DeleteFunc(mem.Files, func(name string, _ []byte) bool { return strings.Contains(name, "-1-2-") })
			time.Sleep(time.Hour)
			other(third)
			failing := time.Now()
			time.Sleep(time.Hour)
			*faultOf(st) = nil
			for range 2 {
				s.Open(ctx)
			}
			if r := must(s.Screen(listing(0).Address)); len(r.Labels) != 0 || s.Sources()[0].StoreErr != nil || s.Sources()[0].Digest != digestOf(3) {
				t.Errorf("it works: %v, %+v", r.Labels, s.Sources()[0])
			}
			if _, err := screening.OpenAt(ctx, mem, failing, []sources.Source{first}, nil); !errors.Is(err, store.ErrGap) {
				t.Errorf("while it failed: %v, want ErrGap", err)
			}
		})
	}
}
