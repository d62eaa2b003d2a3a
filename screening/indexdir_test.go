package screening_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A countedStore counts the lists that are read from it.
type countedStore struct {
	sources.Store
	loads atomic.Int64
}

func (c *countedStore) Load(ctx context.Context, id string, s sources.Stored) (*sources.List, error) {
	c.loads.Add(1)
	return c.Store.Load(ctx, id, s)
}

// A home is the directories of a program: of lists, and of indexes.
type home struct {
	lists, indexes string
	opts           screening.Options
	log            bytes.Buffer
}

func newHome(t testing.TB) *home {
	dir := t.TempDir()
	return &home{lists: filepath.Join(dir, "lists"), indexes: filepath.Join(dir, "indexes")}
}

// start returns a Screener that has opened what is there, and how many lists it has
// read from the store for that.
func (h *home) start(t testing.TB, srcs ...sources.Source) (s *screening.Screener, loads int) {
	t.Helper()
	st := &countedStore{Store: openStore(t, h.lists)}
	opts := h.opts
	opts.Store, opts.IndexDir = st, h.indexes
	h.log.Reset()
	opts.Logger = slog.New(slog.NewTextHandler(&h.log, nil))
	s = newScreener(t, &opts, srcs...)
	s.Open(ctx)
	return s, int(st.loads.Load())
}

// loaded returns a Screener that has loaded what is new since it was started.
func (h *home) loaded(t testing.TB, srcs ...sources.Source) *screening.Screener {
	t.Helper()
	s, _ := h.start(t, srcs...)
	refresh(t, s)
	return s
}

// opened returns a Screener that has opened a list of so many entries, and must have
// read it from its index.
func (h *home) opened(t testing.TB, entries int, src sources.Source) *screening.Screener {
	t.Helper()
	s, loads := h.start(t, src)
	if st := s.Sources()[0]; loads != 0 || st.Entries != entries {
		t.Errorf("%d lists are read from the store, and %d entries are held, want %d\n%s", loads, st.Entries, entries, &h.log)
	}
	return s
}

// copy returns a home with the same files.
func (h *home) copy(t testing.TB) *home {
	t.Helper()
	c := newHome(t)
	c.opts = h.opts
	for from, to := range map[string]string{h.lists: c.lists, h.indexes: c.indexes} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// names returns the names of the files of indexes that end so.
func (h *home) names(t testing.TB, suffix string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(h.indexes, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// held returns all that s says of what it holds, about the addresses and texts that
// are asked.
func held(t testing.TB, s *screening.Screener, pool []address.Address, texts []string) string {
	t.Helper()
	var b strings.Builder
	answer := func(r screening.Result, err error) {
		fmt.Fprintln(&b, r.Address, r.Score, r.Level, r.Labels, r.Digest(), err)
	}
	for _, a := range pool {
		answer(s.Screen(a))
	}
	for _, text := range texts {
		answer(s.ScreenText("ethereum", text))
	}
	for i, st := range s.Sources() {
		var odd []string // a store has them in another order
		for _, a := range s.Anomalies(st.Info.ID).First {
			a.Entry.Listed = a.Entry.Text() // which a store has as nothing, if it is the normal form
			odd = append(odd, fmt.Sprintf("%+v\n", a))
		}
		slices.Sort(odd)
		fmt.Fprintf(&b, "%+v\n%s", st, odd)
		entries, err := s.Entries(i)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(&b, sortedLines(entries))
	}
	st := s.Stats()
	for _, l := range st.Sources {
		fmt.Fprintln(&b, l.Source, l.Entries, l.Addresses, l.Chains, l.Keys, l.Classes, l.Anomalies)
	}
	return b.String() + st.Digest
}

// sortedLines returns entries as text, sorted.
func sortedLines(entries []sources.Entry) string {
	var lines []string
	for _, e := range entries {
		lines = append(lines, fmt.Sprintf("%+v %q\n", e, e.Listed))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestIndexDir holds a program that starts from its indexes against one that starts
// from the store, and against the one that went on: they say the same, of lists of all
// shapes of entries, and so they do of the next refresh.
func TestIndexDir(t *testing.T) {
	pool := valid(t)
	texts := []string{paymentID, "0xa7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near", "\xff\x00", "\xfe\x00"}
	rng := rand.New(rand.NewPCG(5, 6))
	l := &lister{rng, pool, texts, score.Latest().Kinds()[1:]}
	removed, repeated := 0, 0
	for round := range 12 {
		h := newHome(t)
		h.opts = screening.Options{NoKeyMatch: round%3 == 2, MaxShrink: 1, AllowShrink: func(string, int, int) bool { return true }}
		synctest.Test(t, func(t *testing.T) {
			official, other := &published{info: ofac}, &published{info: community}
			publish := func() {
				var entries []sources.Entry
				for range 60 {
					e := l.entry(false)
					e.Ref += "\xff" // no UTF-8
					entries = append(entries, e)
					if rng.IntN(10) == 0 {
						entries = append(entries, slices.Repeat([]sources.Entry{e}, 1+rng.IntN(3))...)
					}
				}
				official.publish(entries...)
				other.publish(l.entry(true), l.entry(true))
			}
			publish()
			went := h.loaded(t, official, other)
			for range 3 {
				time.Sleep(time.Hour)
				if rng.IntN(2) == 0 {
					publish()
				}
				r := refresh(t, went)
				removed += len(r.Sources[0].Removed)
				repeated += went.Anomalies(ofac.ID).Counts[sources.Duplicate]
				time.Sleep(time.Minute)

				ours, theirs := h.copy(t), h.copy(t)
				theirs.indexes = filepath.Join(theirs.lists, "none")
				fromIndex, n := ours.start(t, official, other)
				fromStore, m := theirs.start(t, official, other)
				if n != 0 || m != 2 {
					t.Fatalf("%d and %d lists were read from the store, want 0 and 2\n%s", n, m, &ours.log)
				}
				for i, st := range fromIndex.Stats().Sources {
					if !st.Mapped || !went.Stats().Sources[i].Mapped {
						t.Errorf("%s is not mapped", st.Source)
					}
				}
				if d := cmp.Diff(fmt.Sprintf("%+v", went.Anomalies(ofac.ID)), fmt.Sprintf("%+v", fromIndex.Anomalies(ofac.ID))); d != "" {
					t.Errorf("anomalies: -went on +started from the index\n%s", d)
				}
				want := held(t, went, pool, texts)
				for name, s := range map[string]*screening.Screener{"index": fromIndex, "store": fromStore} {
					if d := cmp.Diff(want, held(t, s, pool, texts)); d != "" {
						t.Fatalf("-went on +started from the %s\n%s", name, d)
					}
				}

				publish()
				book := newBook(t, pool...)
				said := func(s *screening.Screener) string {
					r := refresh(t, s)
					out := fmt.Sprintln(r.Digest, len(changed(t, book, r)))
					for _, of := range r.Sources {
						out += fmt.Sprintln(of.Source, of.Unchanged, of.Entries, of.Err) + sortedLines(of.Added) + "-\n" + sortedLines(of.Removed)
					}
					return out + held(t, s, pool, texts)
				}
				if d := cmp.Diff(said(fromStore), said(fromIndex)); d != "" {
					t.Fatalf("the next refresh: -from the store +from the index\n%s", d)
				}
				a, b := ours.stored(t), theirs.stored(t)
				if d := cmp.Diff(a, b); d != "" {
					t.Fatalf("saved then: -from the store +from the index\n%s", d)
				}
			}
		})
	}
	if removed == 0 || repeated == 0 {
		t.Errorf("%d entries were removed and %d repeated: the test proves nothing about them", removed, repeated)
	}
}

// stored returns what the store has of the newest list of ofac.
func (h *home) stored(t *testing.T) string {
	t.Helper()
	l := stored(t, h.lists)
	out := sortedLines(l.Entries)
	var gone []string
	for _, r := range l.Removed {
		gone = append(gone, fmt.Sprintf("%v %+v\n", r.At, r.Entry))
	}
	slices.Sort(gone)
	return out + strings.Join(gone, "")
}

// short returns a home of a list of few entries of all kinds, some of which were
// removed or are repeated, and the publisher.
func short(t testing.TB) (*home, *published) {
	h, src := newHome(t), &published{info: ofac}
	gone, again := sanctioned("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "2"), sanctioned("bsc", lazarus, "3")
	stays := []sources.Entry{
		sanctioned("ethereum", lazarus, "1"), {Listed: paymentID, Asset: "XMR", Kind: score.Sanctioned}, again, again,
	}
	src.publish(append(stays, gone)...)
	s := h.loaded(t, src)
	src.publish(stays...)
	refresh(t, s)
	return h, src
}

// asked of the list of short.
var shortPool = []address.Address{
	address.MustParse("ethereum", lazarus), address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), address.MustParse("ethereum", clean),
}

// heldShort returns all that s says of the list of short.
func heldShort(t testing.TB, s *screening.Screener) string {
	t.Helper()
	return held(t, s, shortPool, []string{paymentID})
}

// TestIndexDirOfficial has a list that says what its source may not say any more.
func TestIndexDirOfficial(t *testing.T) {
	h, src := short(t)
	src.info.Jurisdiction = sources.Community
	s, _ := h.start(t, src)
	if r, err := s.ScreenText("ethereum", lazarus); !errors.Is(err, screening.ErrNotLoaded) {
		t.Errorf("a community list says SANCTIONED: %+v, %v, want ErrNotLoaded", r, err)
	}
}

// TestIndexDirNotWritten has a directory that cannot be made: all is as without one.
func TestIndexDirNotWritten(t *testing.T) {
	h := newHome(t)
	if err := os.WriteFile(h.indexes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.indexes = filepath.Join(h.indexes, "below")
	src := &published{info: ofac}
	src.publish(sanctioned("ethereum", lazarus, "1"))
	s, _ := h.start(t, src)
	for range 2 {
		refresh(t, s)
		r, err := s.ScreenText("ethereum", lazarus)
		if err != nil || r.Score != 100 || s.Sources()[0].StoreErr != nil || s.Stats().Sources[0].Mapped {
			t.Errorf("%+v, %v, %+v", r, err, s.Sources()[0])
		}
	}
	if n := strings.Count(h.log.String(), "index not kept"); n != 2 {
		t.Errorf("the log says so %d times, want 2:\n%s", n, &h.log)
	}
	if s, loads := h.start(t, src); loads != 1 || s.Sources()[0].Entries != 1 {
		t.Errorf("the next start: %+v, %d lists are read from the store", s.Sources()[0], loads)
	}
	if _, err := screening.New([]sources.Source{src}, &screening.Options{IndexDir: t.TempDir()}); err == nil {
		t.Error("there is an IndexDir without a Store, and no error")
	}
}

// TestIndexDirTooMuch has a manifest that is too long to be read, which is not written.
func TestIndexDirTooMuch(t *testing.T) {
	h, src := newHome(t), &published{info: ofac}
	var entries []sources.Entry
	for i := range 100 { // which are all anomalies
		text := fmt.Sprint(i, strings.Repeat("x", 60_000))
		entries = append(entries, sources.Entry{Listed: text, Name: text, Ref: text, Kind: score.Sanctioned})
	}
	src.publish(entries...)
	s, _ := h.start(t, src)
	if refresh(t, s); !strings.Contains(h.log.String(), "index not kept") || s.Stats().Sources[0].Mapped {
		t.Errorf("it is kept:\n%.1000s", &h.log)
	}
	if s, loads := h.start(t, src); loads != 1 || s.Sources()[0].Entries != 100 || strings.Contains(h.log.String(), "level=ERROR") {
		t.Errorf("%d lists are read from the store, %+v\n%.1000s", loads, s.Sources()[0], &h.log)
	}
}

// TestIndexDirMemory holds that the memory in which an index was built is given back.
func TestIndexDirMemory(t *testing.T) {
	h, src := newHome(t), &published{info: ofac}
	src.publish(sanctioned("ethereum", lazarus, "1"))
	var s *screening.Screener
	var built weak.Pointer[index.Index]
	st := &brokenStore{Store: openStore(t, h.lists)}
	s = newScreener(t, &screening.Options{Store: &savingStore{st, func() { built = s.Index(0) }}, IndexDir: h.indexes}, src)
	if r := refresh(t, s); r.Sources[0].Entries != 1 || built == s.Index(0) {
		t.Fatalf("%+v, and the index is the one that was built", r)
	}
	runtime.GC()
	runtime.GC()
	if built.Value() != nil {
		t.Error("the index that was built is still there")
	}
	if r, err := s.ScreenText("ethereum", lazarus); err != nil || r.Score != 100 || !s.Stats().Sources[0].Mapped {
		t.Errorf("%+v, %v", r, err)
	}
}

// A savingStore calls a function when it is to save a list.
type savingStore struct {
	sources.Store
	saves func()
}

func (s *savingStore) Save(ctx context.Context, l *sources.List) error {
	s.saves()
	return s.Store.Save(ctx, l)
}

// TestIndexDirFiles follows the files: what is not named any more goes when it is old,
// what has gone is written again, and the time of the last check is kept.
func TestIndexDirFiles(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: ofac, load: numbered(1, 1)}
		s := h.loaded(t, src)
		first := h.names(t, ".index")
		temp := filepath.Join(h.indexes, ".new-1")
		if err := os.WriteFile(temp, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		src.load = numbered(2, 1, 2, 2)
		refresh(t, s)
		if all := h.names(t, ".index"); len(all) != 2 {
			t.Errorf("there are %q, want a young one to stay", all)
		}
		h.opts.NoKeyMatch = true
		h.start(t, src) // has files of its own
		h.opts.NoKeyMatch = false
		for _, name := range append(h.names(t, ".index"), temp) { // by the clock of the system, which is not that of the test
			if err := os.Chtimes(name, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		refresh(t, s)
		if all := h.names(t, ".index"); len(all) != 2 || slices.Contains(all, first[0]) || len(h.names(t, "1")) > 0 {
			t.Errorf("there are %q, want those of the list alone, of both options", all)
		}
		young := func(name string) bool {
			info, err := os.Stat(name)
			return err == nil && info.ModTime().Equal(time.Now())
		}
		if all := h.names(t, ".index"); !slices.ContainsFunc(all, young) {
			t.Errorf("of %q, none is of now: another program may sweep what is just named again", all)
		}
		for range 2 {
			if at := h.opened(t, 3, src).Sources()[0].LastUpdated; !at.Equal(time.Now()) {
				t.Errorf("the list was last updated at %v, want %v", at, time.Now())
			}
		}
		if err := os.RemoveAll(h.indexes); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		refresh(t, s)
		h.opened(t, 3, src)
	})
}

// TestIndexDirPublished has a publisher in another time zone: a list says the same of it
// out of its index and out of the store.
func TestIndexDirPublished(t *testing.T) {
	h := newHome(t)
	src := &flaky{info: ofac, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		rev, err := numbered(1, 1)(prev, add)
		rev.Published = day.In(time.FixedZone("UTC+4", 4*60*60))
		return rev, err
	}}
	h.loaded(t, src)
	if at := h.opened(t, 1, src).Sources()[0].Published; at != day {
		t.Errorf("published %v, want %v", at, day)
	}
}

// BenchmarkOpen is a start to the first answer about a list of a million addresses:
// out of a store, and out of Options.IndexDir.
func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, 1_000_000) }

func benchmarkOpen(b *testing.B, n int) {
	h := newHome(b)
	listed := randomEVM(n, 1)
	h.loaded(b, long(listed))
	silent := &flaky{info: ofac, load: down}
	for _, dir := range []string{"", h.indexes} {
		from := "store"
		if dir != "" {
			from = "index"
		}
		b.Run(fmt.Sprintf("n=%d/%s", n, from), func(b *testing.B) {
			for b.Loop() {
				s := newScreener(b, &screening.Options{Store: openStore(b, h.lists), IndexDir: dir}, silent)
				if _, err := s.Open(ctx); err != nil {
					b.Fatal(err)
				}
				if r, err := s.ScreenText("ethereum", listed[n/2]); err != nil || r.Score != 100 {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// A long list is streamed, with a revision that a store takes.
type long streamed

func (l long) Info() sources.Info { return ofac }

func (l long) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := streamed(l).Load(ctx, prev, add)
	rev.Digest = digestOf(len(l))
	return rev, err
}
