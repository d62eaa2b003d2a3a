package screening_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	store "github.com/walletscreen/walletscreen/sources/store/old"
)

var ctx = context.Background()

// openStore opens the store in a directory.
func openStore(t testing.TB, dir string) *store.Dir {
	t.Helper()
	d, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// newScreener returns a Screener that has loaded nothing.
func newScreener(t testing.TB, opts *screening.Options, srcs ...sources.Source) *screening.Screener {
	t.Helper()
	s, err := screening.New(srcs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// digestOf returns a digest that a store takes.
func digestOf(n int) string { return fmt.Sprintf("%064x", n) }

// numbered returns a load function of entries with these numbers; the digest is n.
func numbered(n int, numbers ...int) func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		rev := sources.Revision{Digest: digestOf(n), Records: len(numbers), ETag: strconv.Itoa(n)}
		if prev.Digest == rev.Digest {
			return rev, sources.ErrUnchanged
		}
		for _, i := range numbers {
			e := sources.Entry{Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", i)), Kind: score.Sanctioned}
			if err := add(e); err != nil {
				return sources.Revision{}, err
			}
		}
		return rev, nil
	}
}

var errDown = errors.New("down")

func down(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return sources.Revision{}, errDown
}

// addedAt returns when an entry of numbered was added, zero if it is not listed.
func addedAt(t *testing.T, s *screening.Screener, n int) time.Time {
	t.Helper()
	r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", n))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Labels) == 0 {
		return time.Time{}
	}
	return r.Labels[0].AddedAt
}

// TestRestart follows a list over several programs, in a fake time.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().UTC()
		src := &flaky{info: ofac, load: numbered(1, 1, 2, 3)}
		opts := &screening.Options{Store: openStore(t, dir)}
		loaded(t, opts, src)

		// The second program opens it, without the source.
		time.Sleep(time.Hour)
		src.load = down
		s := newScreener(t, opts, src)
		if _, err := s.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrNotLoaded) {
			t.Errorf("before Open: %v, want ErrNotLoaded", err)
		}
		report, err := s.Open(ctx)
		if err != nil || report.Sources[0].Entries != 3 || report.Digest == "" {
			t.Errorf("Open = %+v, %v", report, err)
		}
		if st := s.Sources()[0]; st.LastUpdated != start || st.Digest != digestOf(1) || st.Addresses != 3 || st.Err != nil || st.StoreErr != nil {
			t.Errorf("opened is %+v, want it as old as it is", st)
		}
		if got := addedAt(t, s, 1); got != start {
			t.Errorf("an entry was added at %v, want %v", got, start)
		}
		if _, err := s.Refresh(ctx); !errors.Is(err, errDown) {
			t.Errorf("Refresh: %v", err)
		}

		// Unchanged: what is kept is when.
		src.load = numbered(1, 1, 2, 3)
		if report, err := s.Refresh(ctx); err != nil || !report.Sources[0].Unchanged {
			t.Errorf("Refresh = %+v, %v, want it unchanged", report, err)
		}

		// The third: one entry has gone, and one is new.
		time.Sleep(time.Hour)
		src.load = numbered(2, 2, 3, 4)
		s = newScreener(t, opts, src)
		if _, err := s.Open(ctx); err != nil {
			t.Error(err)
		}
		if st := s.Sources()[0]; st.LastUpdated != start.Add(time.Hour) {
			t.Errorf("it was last updated at %v, want when it was found unchanged", st.LastUpdated)
		}
		report, err = s.Refresh(ctx)
		if r := report.Sources[0]; err != nil || len(r.Added) != 1 || len(r.Removed) != 1 || r.Entries != 3 || r.Unchanged {
			t.Errorf("Refresh = %+v, %v, want 1 added and 1 removed", r, err)
		}

		// The fourth, without Open: what was gone is back, as it was.
		time.Sleep(time.Hour)
		src.load = numbered(3, 1, 2, 3)
		s = newScreener(t, opts, src)
		report, err = s.Refresh(ctx)
		if r := report.Sources[0]; err != nil || len(r.Added) != 1 || len(r.Removed) != 1 {
			t.Errorf("Refresh = %+v, %v, want 1 added and 1 removed", r, err)
		}
		for n, want := range map[int]time.Time{1: start, 2: start, 4: {}} {
			if got := addedAt(t, s, n); got != want {
				t.Errorf("entry %d was added at %v, want %v", n, got, want)
			}
		}

		// What the store has of all that.
		all, err := opts.Store.Revisions(ctx, "OFAC_SDN")
		if err != nil || len(all) != 3 {
			t.Fatalf("revisions %+v, %v, want 3", all, err)
		}
		var gone []map[string]time.Time
		for _, r := range all {
			l, err := opts.Store.Load(ctx, "OFAC_SDN", r)
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]time.Time{}
			for _, r := range l.Removed {
				at[r.Entry.Address.Normalized()[41:]] = r.At
			}
			gone = append(gone, at)
		}
		want := []map[string]time.Time{{"4": start.Add(3 * time.Hour)}, {"1": start.Add(2 * time.Hour)}, {}}
		if !slices.EqualFunc(gone, want, maps.Equal) {
			t.Errorf("removed are %v, want %v", gone, want)
		}

		// A state of the past answers as it did.
		at, ok := sources.At(all, start.Add(90*time.Minute))
		if !ok {
			t.Fatal("no revision of the past")
		}
		l, err := opts.Store.Load(ctx, "OFAC_SDN", at)
		if err != nil {
			t.Fatal(err)
		}
		l.Info = ofac
		past := loaded(t, nil, l.Source())
		if got := addedAt(t, past, 1); got != start || !addedAt(t, past, 4).IsZero() {
			t.Errorf("in the past an entry was added at %v, want %v", got, start)
		}
	})
}

// TestStoreDamage damages the newest file: the one before it answers, and says
// so, until the next refresh has replaced it.
func TestStoreDamage(t *testing.T) {
	dir := t.TempDir()
	src := &flaky{info: ofac, load: numbered(1, 1)}
	s := loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	src.load = numbered(2, 1, 2)
	if _, err := s.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob(filepath.Join(dir, "*.list"))
	if err != nil || len(lists) != 2 {
		t.Fatalf("there are %q, %v", lists, err)
	}
	if err := os.Truncate(lists[1], 100); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	src.load = down
	s = newScreener(t, &screening.Options{Store: openStore(t, dir), Logger: slog.New(slog.NewTextHandler(&log, nil))}, src)
	_, err = s.Open(ctx)
	named := func(err error) bool {
		var le *screening.LoadError
		return errors.As(err, &le) && le.Source == "OFAC_SDN" && errors.Is(err, sources.ErrDamaged) && strings.Contains(err.Error(), filepath.Base(lists[1]))
	}
	if !named(err) || !named(s.Sources()[0].StoreErr) || !strings.Contains(log.String(), filepath.Base(lists[1])) {
		t.Errorf("the file is not named: Open: %v, status: %v, log: %s", err, s.Sources()[0].StoreErr, log.String())
	}
	if st := s.Sources()[0]; st.Digest != digestOf(1) || st.Entries != 1 {
		t.Errorf("opened is %+v, want the revision before", st)
	}
	if _, err := os.Stat(lists[1] + ".damaged"); err != nil {
		t.Errorf("it is not set aside: %v", err)
	}
	if _, err := s.Refresh(ctx); !errors.Is(err, errDown) || !named(s.Sources()[0].StoreErr) {
		t.Errorf("while the source is down: %v, %v", err, s.Sources()[0].StoreErr)
	}
	src.load = numbered(2, 1, 2)
	if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].StoreErr != nil {
		t.Errorf("the source is back: %v, %v", err, s.Sources()[0].StoreErr)
	}
	again := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	if _, err := again.Open(ctx); err != nil || again.Sources()[0].Digest != digestOf(2) {
		t.Errorf("after that: %v, %+v", err, again.Sources()[0])
	}
}

// A broken store fails, or returns what its load function does.
type brokenStore struct {
	sources.Store
	mu        sync.Mutex
	revisions error
	save      error
	load      func(*sources.List) *sources.List
	saved     int
	confirmed int
}

func (b *brokenStore) Confirm(ctx context.Context, id string, rev sources.Revision) error {
	b.confirmed++
	return b.Store.Confirm(ctx, id, rev)
}

func (b *brokenStore) Revisions(ctx context.Context, id string) ([]sources.Stored, error) {
	if b.revisions != nil {
		return nil, b.revisions
	}
	return b.Store.Revisions(ctx, id)
}

func (b *brokenStore) Load(ctx context.Context, id string, s sources.Stored) (*sources.List, error) {
	l, err := b.Store.Load(ctx, id, s)
	if err == nil && b.load != nil {
		l = b.load(l)
	}
	return l, err
}

func (b *brokenStore) Save(ctx context.Context, l *sources.List) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.save != nil {
		return b.save
	}
	b.saved++
	return b.Store.Save(ctx, l)
}

// TestStoreFails holds that a store that fails stops nothing, and that what it
// knows is not overwritten by a program that could not ask.
func TestStoreFails(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().UTC()
		src := &flaky{info: ofac, load: numbered(1, 1, 2)}
		loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
		time.Sleep(time.Hour)

		unreachable, full := errors.New("unreachable"), errors.New("disk full")
		st := &brokenStore{Store: openStore(t, dir), revisions: unreachable}
		s := newScreener(t, &screening.Options{Store: st}, src)
		if _, err := s.Open(ctx); !errors.Is(err, unreachable) {
			t.Errorf("Open: %v, want %v", err, unreachable)
		}
		src.load = numbered(2, 1, 3)
		if _, err := s.Refresh(ctx); err != nil || !errors.Is(s.Sources()[0].StoreErr, unreachable) || st.saved > 0 {
			t.Errorf("Refresh: %v, %v, saved %d times", err, s.Sources()[0].StoreErr, st.saved)
		}
		st.revisions, st.save = nil, full
		if _, err := s.Refresh(ctx); err != nil || !errors.Is(s.Sources()[0].StoreErr, full) {
			t.Errorf("Refresh: %v, %v, want %v", err, s.Sources()[0].StoreErr, full)
		}
		for n, want := range map[int]time.Time{1: start, 2: {}, 3: start.Add(time.Hour)} {
			if got := addedAt(t, s, n); got != want {
				t.Errorf("entry %d was added at %v, want %v", n, got, want)
			}
		}
		st.save = nil
		if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].StoreErr != nil || st.saved != 1 {
			t.Errorf("Refresh: %v, %v, saved %d times, want 1", err, s.Sources()[0].StoreErr, st.saved)
		}
		all, err := st.Revisions(ctx, "OFAC_SDN")
		if err != nil || len(all) != 2 {
			t.Fatalf("revisions %+v, %v", all, err)
		}
		if l, err := st.Load(ctx, "OFAC_SDN", all[0]); err != nil || len(l.Removed) != 1 || l.Removed[0].Entry.FirstSeen != start {
			t.Errorf("saved is %+v, %v, want what is gone, with its past", l, err)
		}

		// What is stored must be as good as what is loaded.
		src.load = down
		for name, load := range map[string]func(*sources.List) *sources.List{
			"nil":            func(*sources.List) *sources.List { return nil },
			"another source": func(l *sources.List) *sources.List { l.Info.ID = "OTHER"; return l },
			"unknown kind":   func(l *sources.List) *sources.List { l.Entries[0].Kind = "X"; return l },
			"no records":     func(l *sources.List) *sources.List { l.Revision.Records = 0; return l },
			"no digest":      func(l *sources.List) *sources.List { l.Revision.Digest = ""; return l },
		} {
			st.load = load
			s := newScreener(t, &screening.Options{Store: st}, src)
			if _, err := s.Open(ctx); err == nil || s.Sources()[0].Loaded() || s.Sources()[0].StoreErr == nil {
				t.Errorf("%s: Open: %v, %+v", name, err, s.Sources()[0])
			}
		}
		st.load = func(l *sources.List) *sources.List {
			l.Revision.Checked = time.Now().AddDate(1, 0, 0).UTC()
			return l
		}
		s = newScreener(t, &screening.Options{Store: st}, src)
		if _, err := s.Open(ctx); err != nil || s.Sources()[0].LastUpdated != time.Now().UTC() {
			t.Errorf("of the future: %v, last updated %v, want now at the latest", err, s.Sources()[0].LastUpdated)
		}
	})
}

// TestStoreKeepsTheNewer has bundled lists and a store in all orders of age.
func TestStoreKeepsTheNewer(t *testing.T) {
	dated := func(n int, at time.Time) sources.Source {
		return &flaky{info: ofac, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			rev, err := numbered(n, n)(prev, add)
			rev.Checked = at
			return rev, err
		}}
	}
	is := func(t *testing.T, when string, s *screening.Screener, n int, at time.Time) {
		t.Helper()
		if st := s.Sources()[0]; st.Digest != digestOf(n) || st.LastUpdated != at {
			t.Errorf("%s: %s of %v is held, want %d of %v", when, st.Digest, st.LastUpdated, n, at)
		}
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		live := &flaky{info: ofac, load: numbered(2, 2)}
		opts := &screening.Options{Store: openStore(t, dir)}
		loaded(t, opts, live)
		time.Sleep(time.Hour)
		live.load = down

		s := newScreener(t, opts, dated(1, now.AddDate(-1, 0, 0)))
		for _, f := range []func(context.Context) (screening.Report, error){s.Refresh, s.Open, s.Refresh} {
			if report, err := f(ctx); err != nil || !report.Sources[0].Unchanged {
				t.Errorf("an old bundle: %+v, %v", report, err)
			}
			is(t, "an old bundle", s, 2, now)
		}
		s = newScreener(t, opts, sources.Seeded(live, dated(1, now.AddDate(-1, 0, 0))))
		if _, err := s.Open(ctx); err != nil {
			t.Error(err)
		}
		is(t, "an old seed", s, 2, now)
		if _, err := s.Refresh(ctx); !errors.Is(err, errDown) {
			t.Errorf("Refresh: %v, want what the live source says", err)
		}
		is(t, "an old seed, and the source down", s, 2, now)

		s = newScreener(t, opts, sources.Seeded(live, dated(3, now.Add(time.Minute))))
		if _, err := s.Open(ctx); err != nil {
			t.Error(err)
		}
		is(t, "a newer seed", s, 3, now.Add(time.Minute))
		s = newScreener(t, opts, live)
		if _, err := s.Open(ctx); err != nil {
			t.Error(err)
		}
		is(t, "which was saved", s, 3, now.Add(time.Minute))

		s = newScreener(t, nil, sources.Seeded(live, dated(3, now.Add(time.Minute))))
		if report, err := s.Open(ctx); err != nil || len(report.Sources[0].Added) != 1 {
			t.Errorf("Open without a store: %+v, %v", report, err)
		}
		is(t, "a seed without a store", s, 3, now.Add(time.Minute))
	})
}

// TestStoreUnchanged holds that a bundled list that is the stored one takes nothing
// of its freshness, and that a seed hides no failure.
func TestStoreUnchanged(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		old := &flaky{info: ofac, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			rev, err := numbered(1, 1)(prev, add)
			rev.Checked = now.AddDate(-1, 0, 0)
			return rev, err
		}}
		live := &flaky{info: ofac, load: numbered(1, 1)}
		opts := &screening.Options{Store: openStore(t, dir)}
		loaded(t, opts, live)
		time.Sleep(time.Hour)
		if st := loaded(t, opts, old).Sources()[0]; st.LastUpdated != now {
			t.Errorf("last updated %v, want %v: the store knows better", st.LastUpdated, now)
		}
		live.load = down
		s := newScreener(t, opts, sources.Seeded(live, old))
		s.Refresh(ctx)
		if _, err := s.Open(ctx); err != nil || !errors.Is(s.Sources()[0].Err, errDown) {
			t.Errorf("Open: %v, and %v; want the failure of the live source to show", err, s.Sources()[0].Err)
		}
	})
}

// TestStoreOfTheFuture has a list that was accepted by a clock that was ahead:
// what is accepted next must be newer still, or it would never be opened.
func TestStoreOfTheFuture(t *testing.T) {
	for _, reachable := range []bool{true, false} {
		st := &brokenStore{Store: openStore(t, t.TempDir())}
		future := time.Now().AddDate(3, 0, 0).UTC()
		err := st.Save(ctx, &sources.List{
			Info: ofac, Revision: sources.Revision{Digest: digestOf(1), Records: 1, Checked: future}, Accepted: future,
			Entries: []sources.Entry{sanctioned("ethereum", lazarus, "1")},
		})
		if err != nil {
			t.Fatal(err)
		}
		src := &flaky{info: ofac, load: numbered(2, 1)}
		s := newScreener(t, &screening.Options{Store: st}, src)
		if !reachable {
			st.revisions = errDown
		}
		if _, err := s.Refresh(ctx); err != nil {
			t.Error(err)
		}
		st.revisions = nil
		if _, err := s.Refresh(ctx); err != nil {
			t.Error(err)
		}
		again := newScreener(t, &screening.Options{Store: st}, src)
		if _, err := again.Open(ctx); err != nil || again.Sources()[0].Digest != digestOf(2) {
			t.Errorf("reachable at once: %v: Open: %v, %+v, want the list that was accepted last", reachable, err, again.Sources()[0])
		}
	}
}

// TestStoreShrink holds that the limit is against what is stored, and that nothing
// is saved that was refused.
func TestStoreShrink(t *testing.T) {
	dir := t.TempDir()
	numbers := make([]int, 300)
	for i := range numbers {
		numbers[i] = i
	}
	src := &flaky{info: ofac, load: numbered(1, numbers...)}
	loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	src.load = numbered(2, numbers[:10]...)
	st := openStore(t, dir)
	s := newScreener(t, &screening.Options{Store: st}, src)
	if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrShrunk) || s.Sources()[0].Addresses != 300 {
		t.Errorf("Refresh: %v, %+v, want ErrShrunk against the stored list", err, s.Sources()[0])
	}
	if all, err := st.Revisions(ctx, "OFAC_SDN"); err != nil || len(all) != 1 || all[0].Digest != digestOf(1) {
		t.Errorf("revisions %+v, %v, want the first only", all, err)
	}
	var log bytes.Buffer
	s = newScreener(t, &screening.Options{Store: st, AllowShrink: func(id string, had, has int) bool { return had == 300 && has == 10 },
		Logger: slog.New(slog.NewTextHandler(&log, nil))}, src)
	report, err := s.Refresh(ctx)
	if err != nil || len(report.Sources[0].Removed) != 290 || len(report.Sources[0].Added) != 0 {
		t.Errorf("Refresh: %+v, %v", report, err)
	}
	for _, part := range []string{"level=WARN", "override", "OFAC_SDN", "had=300", "has=10", digestOf(1), digestOf(2)} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log of the override does not say %s:\n%s", part, log.String())
		}
	}
	if all, err := st.Revisions(ctx, "OFAC_SDN"); err != nil || len(all) != 2 {
		t.Errorf("revisions %+v, %v, want 2", all, err)
	}
}

// TestStoreWritesLittle holds that a list that a source gives again and again is
// one revision, and that checks are written down once a minute at most.
func TestStoreWritesLittle(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		again := func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			return numbered(1, 1, 2)(sources.Revision{}, add)
		}
		st := &brokenStore{Store: openStore(t, dir)}
		s := loaded(t, &screening.Options{Store: st}, &flaky{info: ofac, load: again})
		start := time.Now().UTC()
		for i := range 100 {
			time.Sleep(10 * time.Second)
			if report, err := s.Refresh(ctx); err != nil || !report.Sources[0].Unchanged {
				t.Fatalf("refresh %d: %+v, %v", i, report, err)
			}
			all, err := st.Revisions(ctx, "OFAC_SDN")
			if err != nil || len(all) != 1 {
				t.Fatalf("revisions %+v, %v", all, err)
			}
			l, err := st.Load(ctx, "OFAC_SDN", all[0])
			if err != nil {
				t.Fatal(err)
			}
			now := start.Add(time.Duration(i+1) * 10 * time.Second)
			if age := now.Sub(l.Revision.Checked); age >= time.Minute || s.Sources()[0].LastUpdated != now {
				t.Fatalf("after %v the store says it was checked %v ago, the status at %v", now.Sub(start), age, s.Sources()[0].LastUpdated)
			}
		}
		if st.saved != 1 || st.confirmed != 16 { // in 1000 seconds
			t.Errorf("saved %d times and confirmed %d times, want 1 and 16", st.saved, st.confirmed)
		}
	})
}

// TestAnomalies counts what is odd in the real list. The figures were found by
// hand in OFAC's file of 2025-11-19: seven Bitcoin addresses under USDT (Omni) and
// a Tron address under XBT, the 64 digits under XMR, and one line that is there
// twice.
func TestAnomalies(t *testing.T) {
	s := loaded(t, nil, bundle.OFAC())
	a := s.Anomalies("OFAC_SDN")
	want := map[sources.AnomalyKind]int{sources.WrongTicker: 8, sources.Undecodable: 1, sources.Duplicate: 1}
	if !maps.Equal(a.Counts, want) || len(a.First) != 10 || s.Sources()[0].Anomalies != 10 || a.Total() != 10 {
		t.Errorf("anomalies %v (%d), status %d, want %v", a.Counts, len(a.First), s.Sources()[0].Anomalies, want)
	}
	var got []string
	for _, x := range a.First {
		got = append(got, fmt.Sprintf("%s %s %s %s", x.Kind, x.Entry.Asset, x.Entry.Address.Chain(), x.Entry.Listed))
	}
	for _, line := range []string{
		"undecodable XMR  " + paymentID,
		"wrong_ticker USDT bitcoin 16iWn2J1McqjToYLHSsAyS6En3QA8YQ91H",
		"wrong_ticker XBT tron TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq",
		"duplicate XBT bitcoin 3F6bbvS1krsc1qR8FsbTDfYQyvkMm3QvmR",
	} {
		if !slices.Contains(got, line) {
			t.Errorf("there is no anomaly %q in %q", line, got)
		}
	}
	a.Counts[sources.Duplicate], a.First[0] = 99, sources.Anomaly{}
	if again := s.Anomalies("OFAC_SDN"); !maps.Equal(again.Counts, want) || again.First[0] == a.First[0] {
		t.Error("a caller's change of its anomalies shows in the next answer")
	}
	if other := s.Anomalies("OTHER"); other.Total() != 0 {
		t.Errorf("of a source that is not there: %v", other)
	}
}

// BenchmarkRestart is a start to the first answer, from a store that has OFAC's
// list.
func BenchmarkRestart(b *testing.B) {
	dir := b.TempDir()
	src := bundle.OFAC()
	loaded(b, &screening.Options{Store: openStore(b, dir)}, src)
	silent := &flaky{info: src.Info(), load: down}
	for b.Loop() {
		s := newScreener(b, &screening.Options{Store: openStore(b, dir)}, silent)
		if _, err := s.Open(ctx); err != nil {
			b.Fatal(err)
		}
		if r, err := s.ScreenText("bsc", lazarus); err != nil || r.Score != 100 {
			b.Fatal(r, err)
		}
	}
}
