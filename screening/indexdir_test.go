package screening_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
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
	l := &lister{rng, pool, texts, score.Latest().Kinds()}
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
			went, _ := h.start(t, official, other)
			refresh(t, went)
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
	s, _ := h.start(t, src)
	refresh(t, s)
	src.publish(stays...)
	refresh(t, s)
	return h, src
}

// asked of the list of short.
var shortPool = []address.Address{
	address.MustParse("ethereum", lazarus), address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), address.MustParse("ethereum", clean),
}

// replace replaces a file that may be in use.
func replace(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name+"~", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		t.Fatal(err)
	}
}

// TestIndexDirDamage changes and cuts each file at many places: nothing is answered from
// it, what the store has is, and the next start has good files again.
func TestIndexDirDamage(t *testing.T) {
	h, src := short(t)
	s, loads := h.start(t, src)
	want := held(t, s, shortPool, []string{paymentID})
	if loads != 0 {
		t.Fatalf("undamaged, and %d lists are read from the store: %s", loads, &h.log)
	}
	files := h.names(t, ".json")
	var m struct {
		Segment, Removed struct{ Index string }
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{m.Segment.Index, m.Removed.Index} {
		files = append(files, filepath.Join(h.indexes, ofac.ID+"-"+digest+".index"))
	}
	other, err := os.ReadFile(filepath.Join(h.indexes, ofac.ID+"-"+m.Removed.Index+".index"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Fatalf("files %q, want a manifest and two indexes", files)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v", name, info.Mode(), err)
		}
		damaged := map[string][]byte{"empty": nil, "longer": append(slices.Clone(data), 0), "zeros": make([]byte, len(data)), "gone": nil}
		if !bytes.Equal(data, other) {
			damaged["another one"] = other
		}
		for i := 0; i < len(data); i += 1 + len(data)/50 {
			changed := slices.Clone(data)
			changed[i] ^= 1 << (i % 8)
			damaged[fmt.Sprint("changed at ", i)] = changed
			damaged[fmt.Sprint("cut at ", i)] = data[:i]
		}
		for what, data := range damaged {
			if replace(t, name, data); what == "gone" {
				os.Remove(name)
			}
			s, loads := h.start(t, src)
			if got := held(t, s, shortPool, []string{paymentID}); got != want || loads != 1 {
				t.Fatalf("%s %s: %d lists are read from the store, and\n%s", filepath.Base(name), what, loads, cmp.Diff(want, got))
			}
			if logged := strings.Contains(h.log.String(), "level=ERROR"); logged != (what != "gone") {
				t.Errorf("%s %s: the log says\n%s", filepath.Base(name), what, &h.log)
			}
			s, loads = h.start(t, src)
			if got := held(t, s, shortPool, []string{paymentID}); got != want || loads != 0 {
				t.Fatalf("%s %s: the next start reads %d lists from the store, and\n%s\n%s", filepath.Base(name), what, loads, cmp.Diff(want, got), &h.log)
			}
		}
	}
}

// resign replaces text in the manifest of h, and has its checksum right.
func resign(t testing.TB, h *home, old, new string) {
	t.Helper()
	name := h.names(t, ".json")[0]
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "\n")
	if !strings.Contains(text, old) {
		t.Fatalf("the manifest has no %s:\n%s", old, text)
	}
	text = strings.Replace(text, old, new, 1) + "\n"
	replace(t, name, fmt.Appendf(nil, "%s%x\n", text, sha256.Sum256([]byte(text))))
}

// TestIndexDirOutdated has what another version or another program may have written, of
// which nothing must be answered.
func TestIndexDirOutdated(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *home, *published){
		"another format":  func(t *testing.T, h *home, _ *published) { resign(t, h, `"format":2`, `"format":3`) },
		"another version": func(t *testing.T, h *home, _ *published) { resign(t, h, `"program":"`, `"program":"v0.1.2`) },
		"another source":  func(t *testing.T, h *home, _ *published) { resign(t, h, `"source":"OFAC_SDN"`, `"source":"OTHER"`) },
		"other keys":      func(t *testing.T, h *home, _ *published) { resign(t, h, `"filed":"1 `, `"filed":"1 7:00 `) },
		"another form":    func(t *testing.T, h *home, _ *published) { resign(t, h, `"filed":"1 `, `"filed":"2 `) },
		"an unknown kind": func(t *testing.T, h *home, _ *published) {
			resign(t, h, `"kinds":["SANCTIONED"]`, `"kinds":["SANCTIONED","NEW"]`)
		},
		"a negative number": func(t *testing.T, h *home, _ *published) { resign(t, h, `"entries":4`, `"entries":-4`) },
		"no digest":         func(t *testing.T, h *home, _ *published) { resign(t, h, `"Digest":"0000`, `"Digest":"","x":"0000`) },
		"a path":            func(t *testing.T, h *home, _ *published) { resign(t, h, `"index":"`, `"index":"../../`) },
		"another index":     func(t *testing.T, h *home, _ *published) { resign(t, h, `"index":"`, `"index":"00`) },
		"no JSON":           func(t *testing.T, h *home, _ *published) { resign(t, h, `{`, `[`) },
		"with NoKeyMatch": func(t *testing.T, h *home, _ *published) {
			resign(t, h, `"accounts_only":false`, `"accounts_only":true`)
		},
		"Options.NoKeyMatch": func(t *testing.T, h *home, _ *published) { h.opts.NoKeyMatch = true },
		"a newer list": func(t *testing.T, h *home, src *published) {
			src.publish(append(src.entries, sanctioned("tron", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq", "9"))...)
			loaded(t, &screening.Options{Store: openStore(t, h.lists)}, src)
		},
		"an older one": func(t *testing.T, h *home, src *published) {
			lists, err := filepath.Glob(filepath.Join(h.lists, "*.list"))
			if err != nil || len(lists) != 2 || os.Remove(lists[1]) != nil {
				t.Fatalf("%q, %v", lists, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, src := short(t)
			change(t, h, src)
			want := func() string {
				s := newScreener(t, &screening.Options{Store: openStore(t, h.lists), NoKeyMatch: h.opts.NoKeyMatch}, src)
				s.Open(ctx)
				return held(t, s, shortPool, []string{paymentID})
			}
			for i, n := range []int{1, 0} { // the first start writes it anew
				s, loads := h.start(t, src)
				if d := cmp.Diff(want(), held(t, s, shortPool, []string{paymentID})); d != "" || loads != n {
					t.Errorf("start %d: %d lists are read from the store, want %d; -store +index\n%s\n%s", i, loads, n, d, &h.log)
				}
			}
		})
	}
}

// TestIndexDirLong damages the index of a long list, so that it would miss what is
// asked: it is not answered from, not even until it is loaded again.
func TestIndexDirLong(t *testing.T) {
	const n = 70_000
	h, listed := newHome(t), randomEVM(n, 1)
	s, _ := h.start(t, long(listed))
	refresh(t, s)
	for _, name := range h.names(t, ".index") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		clear(data[256 : 256+n]) // its filters, which are what comes first
		replace(t, name, data)
	}
	s, loads := h.start(t, &flaky{info: ofac, load: down})
	if r, err := s.ScreenText("ethereum", listed[n/2]); err != nil || r.Score != 100 || loads != 1 {
		t.Errorf("%+v, %v, %d lists are read from the store", r, err, loads)
	}
	if !strings.Contains(h.log.String(), "level=ERROR") {
		t.Errorf("the log says\n%s", &h.log)
	}
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
		s, _ := h.start(t, src)
		refresh(t, s)
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
		for range 2 {
			s, loads := h.start(t, src)
			if at := s.Sources()[0].LastUpdated; loads != 0 || !at.Equal(time.Now()) {
				t.Errorf("%d lists are read from the store, and it was last updated at %v, want %v", loads, at, time.Now())
			}
		}
		if err := os.RemoveAll(h.indexes); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		refresh(t, s)
		if s, loads := h.start(t, src); loads != 0 || s.Sources()[0].Entries != 3 {
			t.Errorf("the directory was removed: %d lists are read from the store, %+v", loads, s.Sources()[0])
		}
	})
}

// TestIndexDirOlder has a program that still holds a list of which another has saved a
// newer one: it does not take the place of that.
func TestIndexDirOlder(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		older := &flaky{info: ofac, load: numbered(1, 1)}
		s, _ := h.start(t, older)
		refresh(t, s)
		newer := &flaky{info: ofac, load: numbered(2, 1, 2)}
		other, _ := h.start(t, newer)
		time.Sleep(time.Hour)
		refresh(t, other)
		time.Sleep(time.Hour)
		refresh(t, s)
		if s, loads := h.start(t, newer); loads != 0 || s.Sources()[0].Entries != 2 {
			t.Errorf("%d lists are read from the store, %+v", loads, s.Sources()[0])
		}
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
			src.load = numbered(i+1, numbers...)
			time.Sleep(time.Hour)
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
		// Another list of the same digest is another list.
		src.load = numbered(9, 1, 2)
		time.Sleep(time.Hour)
		refresh(t, first)
		src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			rev, err := numbered(8, 1, 4)(prev, add)
			rev.Digest = digestOf(9)
			return rev, err
		}
		refresh(t, second)
		if r, err := second.Screen(pool[3]); err != nil || r.Score != 100 {
			t.Errorf("an entry of the second program: %+v, %v", r, err)
		}
		// And so are the same entries under another digest.
		time.Sleep(time.Hour)
		src.load = numbered(10, 1, 3)
		refresh(t, first)
		time.Sleep(time.Hour)
		src.load = numbered(11, 1, 3)
		refresh(t, second)
		all, err := openStore(t, h.lists).Revisions(ctx, partInfo.ID)
		if err != nil || all[0].Digest != digestOf(11) || !all[0].Accepted.Equal(time.Now()) || all[1].Digest != digestOf(10) {
			t.Errorf("the store has %+v, %v", all, err)
		}
	})
}

// TestIndexDirOwnPast has a program that knows more of the past than the store, or does
// not know what the store knows: it takes nothing that another has kept.
func TestIndexDirOwnPast(t *testing.T) {
	h := newHome(t)
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: ofac, load: numbered(1, 1)}
		other, _ := h.start(t, src)
		refresh(t, other)
		st := &brokenStore{Store: openStore(t, h.lists), revisions: errDown}
		s := newScreener(t, &screening.Options{Store: st, IndexDir: h.indexes}, src)
		src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			st.revisions = nil
			return numbered(1, 1)(prev, add)
		}
		if refresh(t, s); s.Stats().Sources[0].Mapped {
			t.Error("the store could not be asked, and the list is out of it")
		}

		src.load, st.save = numbered(2, 1, 2), errDown
		time.Sleep(time.Hour)
		seen := time.Now().UTC()
		refresh(t, s)
		src.load, st.save = numbered(3, 1, 2, 3), nil
		time.Sleep(time.Hour)
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
		s, _ := h.start(t, src)
		misses, _ := h.start(t, src)
		refresh(t, s)
		refresh(t, misses)
		src.load = numbered(2, 1, 2, 4)
		time.Sleep(time.Hour)
		seen := time.Now().UTC()
		refresh(t, s)
		src.load = numbered(3, 1, 2, 3)
		time.Sleep(time.Hour)
		refresh(t, misses)
		refresh(t, s)
		if at := addedAt(t, s, 2); at != seen {
			t.Errorf("an entry was added at %v, want %v", at, seen)
		}
		src.load = numbered(4, 1, 2, 3, 4)
		time.Sleep(time.Hour)
		refresh(t, s)
		if at := addedAt(t, s, 4); at != seen {
			t.Errorf("an entry that came back was added at %v, want %v", at, seen)
		}
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
	s, _ := h.start(t, src)
	refresh(t, s)
	if s, loads := h.start(t, src); loads != 0 || s.Sources()[0].Published != day {
		t.Errorf("published %v, want %v; %d lists are read from the store", s.Sources()[0].Published, day, loads)
	}
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

// TestIndexFormat holds that entries are filed, and listings written, as in the files of
// indexFormat, and that no string can be read as an address of another chain.
func TestIndexFormat(t *testing.T) {
	var literals []sources.Entry
	for _, text := range []string{paymentID, "0xA7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near", " bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1"} {
		for _, asset := range []string{"", "ETH", "XBT", "XMR"} {
			literals = append(literals, sources.Entry{Listed: text, Asset: asset, Kind: score.Scam, FirstSeen: day})
		}
	}
	digest, err := screening.IndexDigest(append([]sources.Entry{
		{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, Ref: "1", Name: "name", ListedAt: day, FirstSeen: day.Add(1)},
		{Address: address.MustParse("ethereum", clean), Kind: score.Sanctioned, Ref: "1", Name: "name", ListedAt: day, FirstSeen: day.Add(1)},
		{Address: address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), Listed: "as listed", Asset: "XBT", Kind: score.Mixer},
	}, literals...))
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("format %d, digest %s, chains %s", screening.IndexFormat, digest, address.Chains())
	const name = "testdata/filings.golden"
	if *update {
		entries := literals
		for _, a := range valid(t) {
			entries = append(entries, sources.Entry{Address: a})
		}
		text := head + "\n" + strings.Join(screening.Filed(entries), "\n") + "\n"
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	got := []string{head}
	for _, line := range lines[1:] {
		var e sources.Entry
		var of string
		if _, err := fmt.Sscanf(line, "%s", &of); err != nil {
			t.Fatal(err)
		}
		if a := new(address.Address); a.UnmarshalText([]byte(of)) == nil {
			e.Address = *a
		} else if _, err := fmt.Sscanf(line, "invalid address %q %q:", &e.Listed, &e.Asset); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, screening.Filed([]sources.Entry{e})...)
	}
	if d := cmp.Diff(lines, got); d != "" {
		t.Errorf("an index that was written before would be read wrongly. Raise indexFormat in manifest.go, and go test -run TestIndexFormat -update: -want +got\n%s", d)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/filings.golden")

// FuzzIndexDir has manifests of all kinds, with a right checksum: none makes a panic.
func FuzzIndexDir(f *testing.F) {
	h, src := short(f)
	name := h.names(f, ".json")[0]
	data, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	text, _, _ := bytes.Cut(data, []byte("\n"))
	f.Add(text)
	f.Add(bytes.Replace(text, []byte("1"), []byte("-1"), -1))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := h.copy(t)
		text = append(bytes.ReplaceAll(text, []byte("\n"), nil), '\n')
		replace(t, h.names(t, ".json")[0], fmt.Appendf(nil, "%s%x\n", text, sha256.Sum256(text)))
		s, _ := h.start(t, src)
		held(t, s, shortPool, []string{paymentID})
		refresh(t, s)
	})
}

// BenchmarkOpen is a start to the first answer about a list of a million addresses:
// out of a store, and out of Options.IndexDir.
func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, 1_000_000) }

func benchmarkOpen(b *testing.B, n int) {
	h := newHome(b)
	listed := randomEVM(n, 1)
	s, _ := h.start(b, long(listed))
	refresh(b, s)
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
