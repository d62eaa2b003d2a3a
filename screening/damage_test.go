package screening_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestDamaged flips a bit of the newest file, or of the journal, or cuts it: the newest list is held, or nothing is
// clean, and no answer is of an older list.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	src := &flaky{info: ofac, load: numbered(1, 1)}
	loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	src.load = numbered(2, 1, 2)
	refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir), LoadOnly: true}, src)) // it answers nobody
	src.load = down
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	s.Refresh(ctx) // its lines follow
	for file, step := range map[string]int{filesOf(t, openStore(t, dir))[0].String(): longtest.Step(29, 5), "journal": longtest.Step(61, 5)} {
		data := must(os.ReadFile(filepath.Join(dir, file)))
		for i := 0; i < len(data); i += step {
			flipped := bytes.Clone(data)
			flipped[i] ^= 1 << (i % 8)
			for what, damaged := range map[string][]byte{"flipped": flipped, "cut": data[:i]} {
				copied := t.TempDir()
				if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(copied, file), damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				s := newScreener(t, &screening.Options{Store: openStore(t, copied)}, src)
				_, err := s.Open(ctx)
				r, unanswered := s.ScreenText("ethereum", listing(2).Text())
				if unanswered == nil && len(r.Labels) != 1 {
					t.Errorf("%s %s at %d: %v", file, what, i, r)
				}
				if file != "journal" && (!errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), file)) {
					t.Errorf("%s %s at %d: %v, want ErrDamaged", file, what, i, err)
				}
				if file == "journal" && s.Sources()[0].Digest != digestOf(2) {
					t.Errorf("%s %s at %d: %s is held: %v", file, what, i, s.Sources()[0].Digest, err)
				}
			}
		}
	}
}

// TestDamagedInUse changes all files while they answer: no answer depends on them any more.
func TestDamagedInUse(t *testing.T) {
	dir := t.TempDir()
	src := &flaky{info: ofac, load: numbered(1, 1, 2)}
	loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	src.load = down
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	if _, err := s.Open(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range filesOf(t, openStore(t, dir)) {
		if err := os.WriteFile(filepath.Join(dir, name.String()), bytes.Repeat([]byte("x"), 100), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if addedAt(t, s, 1).IsZero() || addedAt(t, s, 2).IsZero() || !s.Sources()[0].Loaded() {
			t.Errorf("damaged in use: %+v", s.Sources()[0])
		}
		s.Refresh(ctx)
	}
}

// TestPastIsNoOther damages files: the lists of the past that another file has are opened, and the others are errors.
func TestPastIsNoOther(t *testing.T) {
	for _, tt := range []struct {
		name  string
		last  uint32 // files of later acceptances are spoiled
		spoil func(string) error
		want  []error // by list
	}{
		{"the newest is cut", 2, func(name string) error { return os.Truncate(name, 300) }, []error{nil, nil, store.ErrDamaged}},
		{"the newest is deleted", 2, os.Remove, []error{nil, nil, store.ErrNotFound}},
		{"all are cut", 0, func(name string) error { return os.Truncate(name, 300) }, []error{store.ErrDamaged, store.ErrDamaged, store.ErrDamaged}},
		{"all are deleted", 0, os.Remove, []error{store.ErrNotFound, store.ErrNotFound, store.ErrNotFound}},
	} {
		dir := t.TempDir()
		src := &flaky{info: ofac}
		s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
		var moments []moment
		for n := range 3 {
			src.load = numbered(n+1, n)
			refresh(t, s)
			moments = append(moments, momentOf(t, s))
		}
		for _, n := range filesOf(t, openStore(t, dir)) {
			if n.Last > tt.last {
				if err := tt.spoil(filepath.Join(dir, n.String())); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i, m := range moments {
			srcs := []sources.Source{src}
			p, err := screening.OpenAt(ctx, openStore(t, dir), m.at, srcs, nil)
			_, derr := screening.OpenDigest(ctx, openStore(t, dir), m.digest, srcs, nil)
			if !errors.Is(err, tt.want[i]) || !errors.Is(derr, tt.want[i]) || err != nil && !strings.Contains(err.Error(), "source "+ofac.ID+": ") {
				t.Errorf("%s: list %d: %v, %v, want %v that names the source", tt.name, i, err, derr, tt.want[i])
			}
			if err == nil {
				if err := m.same(t, p); err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
			}
		}
	}
}

// TestForged puts files in the place of a list that are whole, and say something else, or what no source could: no
// program answers from them, and no past.
func TestForged(t *testing.T) {
	for name, change := range map[string]func(h *stays.Header, all []stays.Stay) []stays.Stay{
		"an entry is gone": func(_ *stays.Header, all []stays.Stay) []stays.Stay { return all[1:] },
		"another account": func(_ *stays.Header, all []stays.Stay) []stays.Stay {
			all[0].Entry = listing(5)
			return all
		},
		"unknown kind": func(_ *stays.Header, all []stays.Stay) []stays.Stay { all[0].Kind = "X"; return all },
		"nothing listed": func(*stays.Header, []stays.Stay) []stays.Stay {
			return []stays.Stay{{Entry: sources.Entry{Kind: score.Sanctioned}, In: 1}}
		},
	} {
		dir := t.TempDir()
		src := &flaky{info: ofac, load: numbered(1, 1, 2)}
		m := momentOf(t, loaded(t, &screening.Options{Store: openStore(t, dir)}, src))
		st := openStore(t, dir)
		was := filesOf(t, st)[0]
		f, err := journal.Load(ctx, st, was)
		if err != nil {
			t.Fatal(err)
		}
		var all []stays.Stay
		for s, err := range f.All() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		h := f.Header
		forged, err := stays.New(h, change(&h, all))
		if err != nil {
			t.Fatal(err)
		}
		as, data, err := forged.Bytes()
		if err = errors.Join(err, st.Delete(ctx, was.String()), st.Put(ctx, as, data)); err != nil {
			t.Fatal(err)
		}
		srcs := []sources.Source{src}
		if _, err := screening.OpenAt(ctx, st, m.at, srcs, nil); err == nil {
			t.Errorf("%s: OpenAt opens it", name)
		}
		if _, err := screening.OpenDigest(ctx, st, m.digest, srcs, nil); err == nil {
			t.Errorf("%s: OpenDigest opens it", name)
		}
		src.load = down
		s := newScreener(t, &screening.Options{Store: st}, src)
		if _, err := s.Open(ctx); err == nil || s.Sources()[0].Loaded() || s.Sources()[0].StoreErr == nil {
			t.Errorf("%s: Open: %v, %+v", name, err, s.Sources()[0])
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := screening.OpenAt(ended, st, m.at, srcs, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("ctx has ended: %v", err)
		}
	}
}

// TestValidatorLies has a publisher that says that its list is unchanged when it is not: once a day it is asked for all
// of the list, also by programs that restart.
func TestValidatorLies(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			held, asked := 1, 0
			src := &flaky{info: ofac}
			src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				if prev.ETag != "" {
					return prev, sources.ErrUnchanged
				}
				asked++
				return numbered(held, 1, held)(prev, add)
			}
			opts := &screening.Options{Store: openStore(t, dir)}
			s := newScreener(t, opts, src)
			for hour := range 24 * 5 {
				if hour == 30 {
					held = 2
				}
				if restarts {
					s = newScreener(t, opts, src)
				}
				refresh(t, s)
				if now := s.Sources()[0].LastUpdated; !now.Equal(time.Now()) {
					t.Fatal(fmt.Sprint("checked at ", now))
				}
				if hour >= 54 && addedAt(t, s, 2).IsZero() {
					t.Fatalf("restarts %v: %d hours later, the new list is not held", restarts, hour-30)
				}
				time.Sleep(time.Hour)
			}
			if asked != 5 {
				t.Errorf("restarts %v: asked for all of it %d times in five days", restarts, asked)
			}
		})
	}
}

// TestAcceptBesideLost damages the file of the list held: Accept knows its size, and when it was published.
func TestAcceptBesideLost(t *testing.T) {
	dir := t.TempDir()
	published := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	load := func(n int, published time.Time) func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		return func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			rev, err := numbered(n, numbers...)(prev, add)
			rev.Published = published
			return rev, err
		}
	}
	src := &flaky{info: ofac, load: load(300, published)}
	loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	if err := os.Truncate(filepath.Join(dir, filesOf(t, openStore(t, dir))[0].String()), 300); err != nil {
		t.Fatal(err)
	}
	src.load = load(10, published.Add(-time.Hour))
	asked := 0
	s := newScreener(t, &screening.Options{Store: openStore(t, dir), Accept: func(_ string, reason error, held, came screening.SourceStatus) bool {
		if asked++; held.Addresses != 300 || came.Addresses != 10 || !held.Published.Equal(published) {
			t.Errorf("%v: asked about %d and %d addresses, of %v", reason, held.Addresses, came.Addresses, held.Published)
		}
		return came.Addresses > held.Addresses/2
	}}, src)
	if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrShrunk) || asked != 1 || s.Sources()[0].Loaded() {
		t.Errorf("%v, asked %d times: %+v", err, asked, s.Sources()[0])
	}
}

// TestSeedAgain damages the file of a list that came with the program: that copy is the list that was lost, and is held again.
func TestSeedAgain(t *testing.T) {
	for _, src := range []sources.Source{bundle.FBI(), sources.Seeded(&flaky{info: bundle.OFAC().Info(), load: down}, bundle.OFAC())} {
		dir := t.TempDir()
		s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
		s.Refresh(ctx)
		want := s.Digest()
		if err := os.Truncate(filepath.Join(dir, must(openStore(t, dir).Names(ctx))[0]), 300); err != nil {
			t.Fatal(err)
		}
		s = newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
		s.Refresh(ctx)
		if got := s.Sources()[0]; !got.Loaded() || got.StoreErr != nil || s.Digest() != want {
			t.Errorf("%s: held is %s, want %s: %+v", src.Info().ID, s.Digest(), want, got)
		}
	}
}
