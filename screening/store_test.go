package screening_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestRestart follows a list over several programs, in fake time.
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
		if err != nil || report.Sources[0].Entries != 3 {
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

		// The list is unchanged: only the time of the check is saved.
		src.load = numbered(1, 1, 2, 3)
		if report, err := s.Refresh(ctx); err != nil || !report.Sources[0].Unchanged {
			t.Errorf("Refresh = %+v, %v, want it unchanged", report, err)
		}

		// The third program: one entry was removed, and one is new.
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
		if r := report.Sources[0]; err != nil || r.Added != 1 || r.Removed != 1 || r.Entries != 3 || r.Unchanged {
			t.Errorf("Refresh = %+v, %v, want 1 added and 1 removed", r, err)
		}

		// The fourth, without Open: the removed entry reappears with its original time.
		time.Sleep(time.Hour)
		src.load = numbered(3, 1, 2, 3)
		s = newScreener(t, opts, src)
		report, err = s.Refresh(ctx)
		if r := report.Sources[0]; err != nil || r.Added != 1 || r.Removed != 1 {
			t.Errorf("Refresh = %+v, %v, want 1 added and 1 removed", r, err)
		}
		for n, want := range map[int]time.Time{1: start, 2: start, 4: {}} {
			if got := addedAt(t, s, n); got != want {
				t.Errorf("entry %d was added at %v, want %v", n, got, want)
			}
		}

		// The newest file knows what has ended.
		gone := map[string]time.Time{}
		for _, e := range endedOf(t, opts.Store) {
			gone[e.Address.Normalized()[41:]] = e.Until
		}
		if want := map[string]time.Time{"1": start.Add(2 * time.Hour), "4": start.Add(3 * time.Hour)}; !maps.Equal(gone, want) {
			t.Errorf("removed are %v, want %v", gone, want)
		}
	})
}

// TestStoreDamage damages the newest file: Open holds the previous list, which decides nothing, and the error names the file.
func TestStoreDamage(t *testing.T) {
	dir := t.TempDir()
	src := &flaky{info: ofac, load: numbered(1, 1)}
	s := loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	src.load = numbered(2, 1, 2)
	if _, err := s.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	newest := filesOf(t, openStore(t, dir))[0]
	spoil(t, dir, func(n stays.Name) bool { return n == newest })
	var log bytes.Buffer
	src.load = down
	s = newScreener(t, &screening.Options{Store: openStore(t, dir), Logger: slog.New(slog.NewTextHandler(&log, nil))}, src)
	_, err := s.Open(ctx)
	named := func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "source OFAC_SDN: ") && errors.Is(err, store.ErrDamaged) &&
			strings.Contains(err.Error(), newest.String())
	}
	if !named(err) || !named(s.Sources()[0].StoreErr) || !strings.Contains(log.String(), newest.String()) {
		t.Errorf("the file is not named: Open: %v, status: %v, log: %s", err, s.Sources()[0].StoreErr, log.String())
	}
	if st := s.Sources()[0]; st.Digest != digestOf(1) || st.Entries != 1 {
		t.Errorf("opened is %+v, want the list before", st)
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

// TestStoreUnread checks that nothing is accepted before the store has answered, which may hold a
// longer list, and that what comes then is compared with that.
func TestStoreUnread(t *testing.T) {
	numbers := make([]int, 1000)
	for i := range numbers {
		numbers[i] = i
	}
	last := fmt.Sprintf("0x%040x", 999)
	for name, fail := range map[string]func(st *faultyStore, err error){
		"names":   func(st *faultyStore, err error) { st.list = err },
		"files":   func(st *faultyStore, err error) { st.open = err },
		"journal": func(st *faultyStore, err error) { st.read = err },
	} {
		for _, open := range []bool{true, false} {
			for _, seeded := range []bool{true, false} {
				dir := t.TempDir()
				live := &flaky{info: ofac, load: numbered(1, numbers...)}
				loaded(t, &screening.Options{Store: openStore(t, dir)}, live)
				live.load = numbered(2, numbers[:400]...)
				var src sources.Source = live
				if seeded {
					src = sources.Seeded(live, &flaky{info: ofac, load: numbered(3, 1, 2)})
				}
				st := &faultyStore{Store: openStore(t, dir)}
				fail(st, errDown)
				s := newScreener(t, &screening.Options{Store: st}, src)
				if open {
					if _, err := s.Open(ctx); !errors.Is(err, errDown) {
						t.Errorf("%s: Open: %v, want %v", name, err, errDown)
					}
				}
				for range 2 {
					if _, err := s.Refresh(ctx); !errors.Is(err, errDown) || s.Sources()[0].Loaded() || st.puts > 0 {
						t.Errorf("%s: Refresh: %v, %+v; want nothing accepted, and %v", name, err, s.Sources()[0], errDown)
					}
					if _, err := s.ScreenText("ethereum", last); !errors.Is(err, screening.ErrNotLoaded) {
						t.Errorf("%s: ScreenText: %v, want ErrNotLoaded", name, err)
					}
				}
				fail(st, nil)
				if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrShrunk) || s.Sources()[0].StoreErr != nil {
					t.Errorf("%s, when the store has answered: %v, %v, want ErrShrunk", name, err, s.Sources()[0].StoreErr)
				}
				if r, err := s.ScreenText("ethereum", last); err != nil || len(r.Labels) != 1 {
					t.Errorf("%s: ScreenText: %+v, %v, want it listed", name, r, err)
				}
			}
		}
	}
}

// TestStoreFails checks that a store that fails later does not prevent screening, and that it makes no answer
// milder: what an accepted list adds matches at once, and what it drops stays. It is compared with what another
// program has accepted.
func TestStoreFails(t *testing.T) {
	numbers := make([]int, 100)
	for i := range numbers {
		numbers[i] = i
	}
	for name, tt := range map[string]struct {
		other []int // that another program accepts
		want  error
	}{
		"nothing":      {nil, nil},
		"another list": {numbers[5:90], nil},
		"a longer one": {numbers, screening.ErrShrunk},
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now().UTC()
			src := &flaky{info: ofac, load: numbered(1, numbers[:80]...)}
			st := &faultyStore{Store: openStore(t, dir)}
			s := loaded(t, &screening.Options{Store: st}, src)
			time.Sleep(time.Hour)
			if tt.other != nil {
				loaded(t, &screening.Options{Store: openStore(t, dir)}, &flaky{info: ofac, load: numbered(3, tt.other...)})
			}
			time.Sleep(time.Hour)
			for _, fail := range []func(error){st.fail, func(err error) { st.append = err }, func(err error) { st.put = err }} {
				if tt.other != nil {
					fail = st.fail
				}
				fail(errDown)
				for range 2 {
					src.load = numbered(2, append([]int{99}, numbers[5:79]...)...)
					if _, err := s.Refresh(ctx); !errors.Is(err, errDown) || !errors.Is(s.Sources()[0].StoreErr, errDown) {
						t.Errorf("%s: Refresh: %v, %v", name, err, s.Sources()[0].StoreErr)
					}
					for _, n := range []int{2, 10, 99} {
						if at := addedAt(t, s, n); at.IsZero() || n < 80 && at != start {
							t.Errorf("%s: entry %d was added at %v, want it listed since %v", name, n, at, start)
						}
					}
					r := must(s.ScreenText("ethereum", clean))
					if want := []screening.Caveat{{Source: ofac.ID, Kind: screening.CaveatStore}}; r.AllClear() || !slices.Equal(r.Caveats(), want) {
						t.Errorf("%s: the caveats %v, want %v", name, r.Caveats(), want)
					}
					if st := s.Sources()[0]; st.Digest != digestOf(1) || time.Since(st.LastUpdated) < 2*time.Hour {
						t.Errorf("%s: it holds %+v, want the list that is saved", name, st)
					}
				}
				fail(nil)
			}
			if _, err := s.Refresh(ctx); !errors.Is(err, tt.want) || s.Sources()[0].StoreErr != nil {
				t.Errorf("%s: Refresh: %v, %v, want %v", name, err, s.Sources()[0].StoreErr, tt.want)
			}
			if held := s.Sources()[0].Addresses; held != 75 && tt.want == nil || held != len(tt.other) && tt.want != nil {
				t.Errorf("%s: %d addresses are held", name, held)
			}
			if r := must(s.ScreenText("ethereum", clean)); r.Caveats() != nil {
				t.Errorf("%s: the caveats %v, want none", name, r.Caveats())
			}
		})
	}
}

// TestStoreNotWritten runs a program whose store can be read, and not written: until it can, every answer
// says so, what the publisher adds matches, and what it drops stays.
func TestStoreNotWritten(t *testing.T) {
	if longtest.Race {
		return // the test changes its store and its source while they are not in use, without a lock
	}
	synctest.Test(t, func(t *testing.T) {
		st := &faultyStore{Store: new(storetest.Memory)}
		src := &flaky{info: ofac, load: numbered(1, 1, 2)}
		s := newScreener(t, &screening.Options{Store: st}, src)
		defer start(func(ctx context.Context) error { return s.Run(ctx, 10*time.Minute) })()
		time.Sleep(time.Minute + time.Second) // at another time than it looks at the store
		for _, fault := range []*error{&st.put, &st.append} {
			*fault = errUnreliable
			for n := range 2 {
				src.load = numbered(2+n, 1, 3+n)
				time.Sleep(10 * time.Minute) // until the next load
				for range 9 {
					time.Sleep(time.Minute)
					r, err := s.ScreenText("ethereum", clean)
					if err != nil || !slices.Equal(r.Caveats(), []screening.Caveat{{Source: ofac.ID, Kind: screening.CaveatStore}}) ||
						!errors.Is(s.Sources()[0].StoreErr, errUnreliable) {
						t.Fatalf("the caveats %v, %v, %v", r.Caveats(), err, s.Sources()[0].StoreErr)
					}
					for _, listed := range []int{1, 2, 3 + n} {
						if addedAt(t, s, listed).IsZero() {
							t.Errorf("account %d is clean", listed)
						}
					}
				}
			}
			*fault = nil
			src.load = numbered(9, 1, 2)
			time.Sleep(time.Hour)
			if r := must(s.ScreenText("ethereum", clean)); r.Caveats() != nil || s.Sources()[0].StoreErr != nil || !addedAt(t, s, 3).IsZero() {
				t.Fatalf("saved, and the caveats %v, %v", r.Caveats(), s.Sources()[0].StoreErr)
			}
		}
	})
}

// TestStoreBroken refuses a list that is shorter than the list accepted last by the journal, none
// of whose files can be read.
func TestStoreBroken(t *testing.T) {
	dir := t.TempDir()
	numbers := make([]int, 1000)
	for i := range numbers {
		numbers[i] = i
	}
	src := &flaky{info: ofac, load: numbered(1, numbers...)}
	loaded(t, &screening.Options{Store: openStore(t, dir)}, src)
	spoil(t, dir, func(stays.Name) bool { return true })
	src.load = numbered(2, numbers[:400]...)
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	if _, err := s.Refresh(ctx); !errors.Is(err, screening.ErrShrunk) || s.Sources()[0].Loaded() {
		t.Errorf("Refresh: %v, %+v, want ErrShrunk", err, s.Sources()[0])
	}
	src.load = numbered(3, numbers[:900]...)
	if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].Addresses != 900 {
		t.Errorf("Refresh: %v, %+v", err, s.Sources()[0])
	}
}

// TestStoreKeepsTheNewer combines bundled lists and a store in all orders of age.
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
		if report, err := s.Open(ctx); err != nil || report.Sources[0].Added != 1 {
			t.Errorf("Open without a store: %+v, %v", report, err)
		}
		is(t, "a seed without a store", s, 3, now.Add(time.Minute))
	})
}

// TestStoreUnchanged checks that a bundled list equal to the stored one does not make
// it older, and that a seed hides no failure.
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

// TestStoreShrink checks that a new list is compared with the stored one, and that a
// refused list is not saved.
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
	if names := filesOf(t, st); len(names) != 1 || names[0].Last != 1 {
		t.Errorf("files %v, want the first only", names)
	}
	var log bytes.Buffer
	s = newScreener(t, &screening.Options{Store: st, Accept: func(_ string, _ error, held, came screening.SourceStatus) bool {
		return held.Addresses == 300 && came.Addresses == 10
	},
		Logger: slog.New(slog.NewTextHandler(&log, nil))}, src)
	report, err := s.Refresh(ctx)
	if err != nil || report.Sources[0].Removed != 290 || report.Sources[0].Added != 0 {
		t.Errorf("Refresh: %+v, %v", report, err)
	}
	for _, part := range []string{"level=WARN", "accepted by the operator", "OFAC_SDN", "from 300 to 10", digestOf(1), digestOf(2), "added=0 removed=290 entries=10"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log of the override does not say %s:\n%s", part, log.String())
		}
	}
	if names := filesOf(t, st); len(names) != 2 {
		t.Errorf("files %v, want 2", names)
	}
}

// TestStoreWritesLittle checks that repeated loads of one list make one revision, and
// that checks are saved at most once a minute.
func TestStoreWritesLittle(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		again := func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			return numbered(1, 1, 2)(sources.Revision{}, add)
		}
		st := &faultyStore{Store: openStore(t, dir)}
		s := loaded(t, &screening.Options{Store: st}, &flaky{info: ofac, load: again})
		start := time.Now().UTC()
		for i := range 100 {
			time.Sleep(10 * time.Second)
			if report, err := s.Refresh(ctx); err != nil || !report.Sources[0].Unchanged {
				t.Fatalf("refresh %d: %+v, %v", i, report, err)
			}
			if names := filesOf(t, st); len(names) != 1 {
				t.Fatalf("files %v, want one", names)
			}
			all := linesOf(t, st)
			last := all[len(all)-1]
			now := start.Add(time.Duration(i+1) * 10 * time.Second)
			if age := now.Sub(last.At); age >= time.Minute || s.Sources()[0].LastUpdated != now {
				t.Fatalf("after %v the store says it was checked %v ago, the status at %v", now.Sub(start), age, s.Sources()[0].LastUpdated)
			}
		}
		if st.puts != 1 || st.lines != 3+16 { // opened, accepted, answering, and checked for 1000 seconds
			t.Errorf("%d files and %d lines were written, want 1 and 19", st.puts, st.lines)
		}
	})
}

// TestAnomalies counts the anomalies of the real list, which were found by hand in
// OFAC's file: seven Bitcoin addresses under USDT (Omni), a Tron address under XBT, and
// the 64 digits under XMR.
func TestAnomalies(t *testing.T) {
	s := loaded(t, nil, bundle.OFAC())
	a := s.Anomalies("OFAC_SDN")
	want := map[string]int{sources.WrongTicker: 8, sources.Undecodable: 1}
	if st := s.Sources()[0]; !maps.Equal(st.AnomalyKinds, want) || len(a) != 9 {
		t.Errorf("anomalies %v, and %d are returned, want %v", st.AnomalyKinds, len(a), want)
	}
	var got []string
	for _, x := range a {
		got = append(got, fmt.Sprintf("%s %s %s %s", x.Kind, x.Entry.Asset, x.Entry.Address.Chain(), x.Entry.Text()))
	}
	for _, line := range []string{
		"undecodable XMR  " + paymentID,
		"wrong_ticker USDT bitcoin 16iWn2J1McqjToYLHSsAyS6En3QA8YQ91H",
		"wrong_ticker XBT tron TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq",
	} {
		if !slices.Contains(got, line) {
			t.Errorf("there is no anomaly %q in %q", line, got)
		}
	}
	a[0] = sources.Anomaly{}
	if again := s.Anomalies("OFAC_SDN"); again[0] == a[0] {
		t.Error("a caller's change of its anomalies shows in the next answer")
	}
	if other := s.Anomalies("OTHER"); other != nil {
		t.Errorf("of a source that is not there: %v", other)
	}
}

// TestAnomaliesCounted checks that an equal entry is a duplicate, whatever its name, while
// one that differs in anything else is not, and that the anomalies that are returned are
// limited, but not their number.
func TestAnomaliesCounted(t *testing.T) {
	const tron = "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq"
	entry := func(asset, text, ref, name string) sources.Entry {
		a, _ := sources.Decode(asset, text)
		return sources.Entry{Address: a, Listed: text, Asset: asset, Kind: score.Sanctioned, Ref: ref, Name: name}
	}
	entries := []sources.Entry{
		entry(
			"USDT",
			tron,
			"1",
			"",
		), entry("TRX", tron, "1", ""), entry("USDT", tron, "2", ""), entry("USDT", tron, "1", "renamed"), entry("USDT", tron, "1", ""),
	}
	normal := entries[0]
	normal.Listed = ""
	entries = append(entries, normal)
	for i := range 1000 {
		entries = append(entries, entry("", fmt.Sprint("text ", i), "1", ""))
	}
	s := loaded(t, nil, sources.Static(ofac, append(entries, entry("XBT", tron, "3", ""))...))
	want := map[string]int{sources.Duplicate: 3, sources.Undecodable: 1000, sources.WrongTicker: 1}
	if st := s.Sources()[0]; !maps.Equal(st.AnomalyKinds, want) {
		t.Errorf("anomalies %v, want %v", st.AnomalyKinds, want)
	}
	a := s.Anomalies(ofac.ID)
	if len(a) != 104 || a[0].Entry.Name != "renamed" || a[102].Kind != sources.Undecodable || a[103].Kind != sources.WrongTicker {
		t.Errorf("%d anomalies are returned, the first is %+v", len(a), a[0])
	}
}

// BenchmarkRestart measures the time from start to the first result, with the stored
// list of OFAC.
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

// TestUnsavedOnce offers two lists again and again while the store fails: what they add matches, and is kept once.
func TestUnsavedOnce(t *testing.T) {
	src := &flaky{info: ofac, load: numbered(1, 0, 1, 2, 3, 4, 5)}
	st := &faultyStore{Store: openStore(t, t.TempDir())}
	s := loaded(t, &screening.Options{Store: st}, src)
	st.fail(errDown)
	for i := range 10 {
		src.load = numbered(2+i%2, 0, 1, 2, 3, 4, 5, 6+i%2)
		if _, err := s.Refresh(ctx); !errors.Is(err, errDown) {
			t.Fatal(err)
		}
	}
	for _, n := range []int{5, 6, 7} {
		if r := must(s.Screen(listing(n).Address)); len(r.Labels) != 1 {
			t.Errorf("address %d: %+v, want one label", n, r.Labels)
		}
	}
	if n := s.Unsaved(0); n != 8 {
		t.Errorf("%d entries are kept, want 8", n)
	}
}

// TestUnsavedTogether offers lists that have more entries of one address together than one list may have, while the store
// fails: all match.
func TestUnsavedTogether(t *testing.T) {
	of := func(n, from, to int) *edition {
		e := &edition{entries: upTo(3), rev: sources.Revision{Digest: digestOf(n), Records: 3 + to - from}}
		for i := from; i < to; i++ {
			one := listing(9)
			one.Ref = fmt.Sprint("party ", i)
			e.entries = append(e.entries, one)
		}
		return e
	}
	src := &flaky{info: ofac, load: of(1, 0, 0).load}
	st := &faultyStore{Store: openStore(t, t.TempDir())}
	s := loaded(t, &screening.Options{Store: st}, src)
	st.fail(errDown)
	for n, e := range []*edition{of(2, 0, 600), of(3, 600, 1200)} {
		src.load = e.load
		if _, err := s.Refresh(ctx); !errors.Is(err, errDown) {
			t.Fatal(err)
		}
		if r := must(s.Screen(listing(9).Address)); len(r.Labels) != 600*(n+1) {
			t.Errorf("after list %d: %d labels, want %d", n, len(r.Labels), 600*(n+1))
		}
	}
}

// A hungStore never returns from an Append of a line that has the text, unless its context ends.
type hungStore struct {
	store.Store
	text string
}

func (h *hungStore) Append(ctx context.Context, number uint64, line []byte) error {
	if h.text != "" && strings.Contains(string(line), h.text) {
		<-ctx.Done()
		return ctx.Err()
	}
	return h.Store.Append(ctx, number, line)
}

// TestStoreHangs has a store that hangs at one kind of line: Refresh returns all the same.
func TestStoreHangs(t *testing.T) {
	for _, kind := range []string{journal.Accepted, journal.Answering} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := newScreener(t, &screening.Options{Store: &hungStore{openStore(t, dir), `"type":"` + kind}}, &flaky{ofac, numbered(1, 1)})
			begin := time.Now()
			_, err := s.Refresh(ctx)
			if took := time.Since(begin); took > 3*time.Minute || (err != nil) != (kind == journal.Accepted) {
				t.Errorf("%s: Refresh took %v and says %v", kind, took, err)
			}
		})
	}
}

// A panickyStore panics when its journal is read.
type panickyStore struct {
	store.Store
	panics bool
}

func (p *panickyStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	if p.panics {
		panic("bug")
	}
	return p.Store.Read(ctx, from, each)
}

// TestStorePanics lets a store panic under a program that answers: that is an error like any other, and the list held stays.
func TestStorePanics(t *testing.T) {
	src := &flaky{info: ofac, load: numbered(1, 1)}
	st := &panickyStore{Store: new(storetest.Memory)}
	s := loaded(t, &screening.Options{Store: st}, src)
	st.panics = true
	if _, err := s.Open(ctx); err == nil {
		t.Error("no error")
	}
	if _, err := s.Refresh(ctx); err == nil {
		t.Error("a refresh: no error")
	}
	if r, err := s.Screen(listing(1).Address); err != nil || len(r.Labels) != 1 || s.Sources()[0].StoreErr == nil {
		t.Errorf("%v, %v, from %+v", r.Labels, err, s.Sources()[0])
	}
}

// TestUnknownChain has a file of a version that knows a chain more: its list is not loaded, until the publisher's next list is.
func TestUnknownChain(t *testing.T) {
	dir := t.TempDir()
	src := &flaky{info: ofac, load: numbered(1, 1, 2, 3)}
	refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir)}, src))
	st := openStore(t, dir)
	name := filesOf(t, st)[0]
	data, err := st.Open(ctx, name.String())
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte("ethereum"), []byte("ethereux"), 1)
	sum := sha256.Sum256(data)
	other := name
	other.Sum = hex.EncodeToString(sum[:16])
	if err := errors.Join(st.Delete(ctx, name.String()), st.Put(ctx, other.String(), data)); err != nil {
		t.Fatal(err)
	}
	s := newScreener(t, &screening.Options{Store: st}, src)
	if _, err := s.Open(ctx); !errors.Is(err, store.ErrVersion) || s.Sources()[0].Loaded() {
		t.Errorf("Open: %v, want ErrVersion", err)
	}
	src.load = numbered(2, 1, 2, 3, 4)
	refresh(t, s)
	if r := must(s.Screen(listing(4).Address)); len(r.Labels) != 1 || r.Caveats() != nil {
		t.Errorf("%+v, %v, want a label", r.Labels, r.Caveats())
	}
}

// TestReadOnlyKeepsTheNewer has a program that only reads a store, and has a newer list than the program that writes there accepts:
// it keeps the newer one.
func TestReadOnlyKeepsTheNewer(t *testing.T) {
	dir := t.TempDir()
	at := func(days, n int) *flaky {
		return &flaky{ofac, (&edition{entries: upTo(n), rev: sources.Revision{Digest: digestOf(days), Records: n, Published: day.AddDate(0, 0, days)}}).load}
	}
	writes := func(src sources.Source) *screening.Screener {
		return newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	}
	refresh(t, writes(at(1, 10)))
	src := at(3, 12)
	s := newScreener(t, &screening.Options{Store: store.ReadOnly(openStore(t, dir)), Accept: acceptAll}, src)
	refresh(t, s)
	refresh(t, writes(at(2, 11)))
	for _, when := range []string{"opened", "refreshed while the source is down"} {
		s.Open(ctx)
		if r := must(s.Screen(listing(12).Address)); len(r.Labels) != 1 {
			t.Errorf("%s: it holds %s, want the newer list", when, s.Sources()[0].Digest)
		}
		src.load = down
		s.Refresh(ctx)
	}
	refresh(t, writes(at(4, 13)))
	s.Open(ctx)
	if r := must(s.Screen(listing(13).Address)); len(r.Labels) != 1 {
		t.Errorf("it holds %s, want the newest list of the store", s.Sources()[0].Digest)
	}
	refresh(t, writes(at(5, 14)))
	s.Open(ctx)
	if r := must(s.Screen(listing(14).Address)); len(r.Labels) != 1 {
		t.Errorf("it holds %s, want the next list of the store", s.Sources()[0].Digest)
	}
}

// TestRestoredNotWritten restores a store to an earlier time under a program that runs, and lets it be full then: the list
// held stays, and is saved as soon as that works.
func TestRestoredNotWritten(t *testing.T) {
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	src := &flaky{info: ofac, load: numbered(1, upToNumber(10)...)}
	st := &faultyStore{Store: openStore(t, dir)}
	s := newScreener(t, &screening.Options{Store: st}, src)
	refresh(t, s)
	if err := os.CopyFS(backup, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	src.load = numbered(2, upToNumber(12)...)
	refresh(t, s)
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(backup))); err != nil {
		t.Fatal(err)
	}
	src.load = down
	for _, when := range []string{"full", "still full", "with room", "later"} {
		if st.put = nil; strings.Contains(when, "full") {
			st.put = errUnreliable
		}
		s.Refresh(ctx)
		if r := must(s.Screen(listing(12).Address)); len(r.Labels) != 1 || s.Sources()[0].Digest != digestOf(2) {
			t.Errorf("%s: it holds %s, want the newer list", when, s.Sources()[0].Digest)
		}
	}
	s = newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	if _, err := s.Open(ctx); err != nil || s.Sources()[0].Digest != digestOf(2) {
		t.Errorf("started again, it holds %s: %v", s.Sources()[0].Digest, err)
	}
}

// upToNumber returns the numbers from 1 to n.
func upToNumber(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// A namelessStore fails at three calls of Names.
type namelessStore struct {
	store.Store
	calls, fails int
}

func (n *namelessStore) Names(ctx context.Context) ([]string, error) {
	if n.calls++; n.fails > 0 && n.calls >= n.fails && n.calls < n.fails+3 {
		return nil, errDown
	}
	return n.Store.Names(ctx)
}

// aheadOfJournal makes a store whose newest file has a list of 12 entries, and returns its journal, which ends with the list
// before, of 10. The source is down.
func aheadOfJournal(t *testing.T, dir string) (src *flaky, journal []byte) {
	t.Helper()
	src = &flaky{info: ofac, load: numbered(1, upToNumber(10)...)}
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
	refresh(t, s)
	journal, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	src.load = numbered(2, upToNumber(12)...)
	refresh(t, s)
	if err := os.WriteFile(filepath.Join(dir, "journal"), journal, 0o600); err != nil {
		t.Fatal(err)
	}
	src.load = down
	return src, journal
}

// TestAheadNotNamed loses the line of the newest list, and lets the store fail for a while when a program looks for files that are ahead
// of the journal: nobody is clean by the list before.
func TestAheadNotNamed(t *testing.T) {
	dir := t.TempDir()
	src, journal := aheadOfJournal(t, dir)
	for fails := range 5 {
		s := newScreener(t, &screening.Options{Store: &namelessStore{Store: openStore(t, dir), fails: fails}}, src)
		s.Open(ctx)
		if r, err := s.Screen(listing(12).Address); len(r.Labels) == 0 && !errors.Is(err, screening.ErrNotLoaded) {
			t.Errorf("call %d of Names fails: %+v, %v", fails, r, err)
		}
		for range 3 {
			s.Open(ctx)
		}
		if r, err := s.Screen(listing(12).Address); err != nil || len(r.Labels) != 1 {
			t.Errorf("opened again after call %d of Names failed: %+v, %v", fails, r, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "journal"), journal, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAheadNotWritten loses the line of the newest list, whose file is damaged or not, while nothing can be written: nobody is
// clean by the list before, however often the program asks.
func TestAheadNotWritten(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		dir := t.TempDir()
		src, _ := aheadOfJournal(t, dir)
		if damaged {
			spoil(t, dir, func(n stays.Name) bool { return n.Last == 2 })
		}
		st := &faultyStore{Store: openStore(t, dir), append: errDown}
		s := newScreener(t, &screening.Options{Store: st}, src)
		for n := range 4 {
			s.Refresh(ctx)
			if r, err := s.Screen(listing(12).Address); len(r.Labels) == 0 && !errors.Is(err, screening.ErrNotLoaded) {
				t.Errorf("damaged: %v, refresh %d: %+v, %v", damaged, n, r, err)
			}
		}
		st.append = nil
		s.Refresh(ctx)
		r, err := s.Screen(listing(12).Address)
		if damaged && !errors.Is(err, screening.ErrNotLoaded) || !damaged && (err != nil || len(r.Labels) != 1 || s.Sources()[0].Digest != digestOf(2)) {
			t.Errorf("damaged: %v, the store works again: %+v, %v", damaged, r, err)
		}
	}
}

// TestOpenedNotWritten lets the first line of a program fail, which has its exceptions: until it is written, answers say that the
// store fails, and a past answer is never one without these exceptions.
func TestOpenedNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1, 2)}
		loaded(t, &screening.Options{Store: mem}, src)
		time.Sleep(time.Hour)
		st := &faultyStore{Store: mem, append: errDown}
		s := newScreener(t, &screening.Options{Store: st}, src)
		if err := s.SetExceptions(ctx, []screening.Exception{{Address: listing(1).Address, Reason: "r", Author: "a"}}); err != nil {
			t.Fatal(err)
		}
		s.Refresh(ctx)
		for _, works := range []bool{false, true} {
			if works {
				st.append = nil
			}
			s.Open(ctx)
			fails := slices.ContainsFunc(must(s.Screen(listing(1).Address)).Caveats(), func(c screening.Caveat) bool { return c.Kind == screening.CaveatStore })
			if fails == works {
				t.Errorf("the store works %v, and the answers say %v", works, fails)
			}
			now := momentOf(t, s)
			time.Sleep(time.Hour)
			p, err := screening.OpenAt(ctx, mem, now.at, []sources.Source{src}, nil)
			if works && err == nil {
				err = now.same(t, p)
			}
			if works && err != nil {
				t.Errorf("the store works: %v", err)
			}
		}
	})
}

// TestOneListUnread lets the store fail when a program opens one list that another program has accepted: until it is read, answers
// say that the store fails, whatever other lists do.
func TestOneListUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		slow := &flaky{info: sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}}
		slow.load = func(rev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			time.Sleep(time.Minute)
			return numbered(9, 9)(rev, add)
		}
		st := &faultyStore{Store: mem}
		s := loaded(t, &screening.Options{Store: st}, src, slow)
		src.load = numbered(2, 1, 2)
		loaded(t, &screening.Options{Store: mem}, src, slow)
		src.load = down
		for _, works := range []bool{false, true} {
			if st.open = errDown; works {
				st.open = nil
			}
			time.Sleep(time.Hour)
			s.Refresh(ctx)
			r := must(s.Screen(listing(2).Address))
			if fails := slices.ContainsFunc(r.Caveats(), func(c screening.Caveat) bool { return c.Kind == screening.CaveatStore }); fails == works || works && len(r.Labels) != 1 {
				t.Errorf("the list can be read %v: %v, and the answers say that the store fails %v", works, r.Labels, fails)
			}
		}
	})
}

// TestExceptionsLineLost loses the line that took an exception back, which a program that answers has read, and another one, which
// only loads lists, has not: no past answer has the exception.
func TestExceptionsLineLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1, 2)}
		s := newScreener(t, &screening.Options{Store: mem}, src)
		if err := s.SetExceptions(ctx, []screening.Exception{{Address: listing(1).Address, Reason: "r", Author: "a"}}); err != nil {
			t.Fatal(err)
		}
		refresh(t, s)
		time.Sleep(time.Hour)
		lost := len(mem.Lines)
		if err := s.SetExceptions(ctx, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		refresh(t, s)
		mem.Lines = slices.Delete(mem.Lines, lost, lost+1)
		src.load = numbered(2, 1, 2, 3)
		for range 2 {
			time.Sleep(time.Hour)
			refresh(t, newScreener(t, &screening.Options{Store: mem, LoadOnly: true}, src))
			time.Sleep(time.Hour)
			refresh(t, s)
			now := momentOf(t, s)
			time.Sleep(time.Minute)
			p, err := screening.OpenAt(ctx, mem, now.at, []sources.Source{src}, nil)
			if err == nil {
				err = now.same(t, p)
			}
			if err != nil && !errors.Is(err, store.ErrGap) {
				t.Error(err)
			}
		}
	})
}
