package screening_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// holding returns everything that s reports about its lists, and about the given
// addresses and texts.
func holding(t testing.TB, s *screening.Screener, pool []address.Address, texts []string) string {
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
		var odd []string // the order may differ
		for _, a := range s.Anomalies(st.Info.ID) {
			a.Entry.Listed = a.Entry.Text() // a file omits the normal form
			odd = append(odd, fmt.Sprintf("%+v\n", a))
		}
		slices.Sort(odd)
		st.LastUpdated = st.LastUpdated.Truncate(time.Minute)
		st.Bytes = 0 // the tables need some bytes more or less, as they were built
		fmt.Fprintf(&b, "%+v\n%s", st, odd)
		entries, err := s.EntriesOf(i)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, e := range entries {
			lines = append(lines, fmt.Sprintf("%+v %q\n", e, e.Text()))
		}
		slices.Sort(lines)
		fmt.Fprint(&b, lines)
	}
	return b.String() + s.Digest()
}

// TestRestartModel changes random lists over several refreshes and opens them again.
// Everything must be as before, including removed entries.
func TestRestartModel(t *testing.T) {
	pool := vectors.Addresses(t, "..")
	texts := []string{paymentID, "0xa7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near", "\xff\x00", "\xfe\x00"}
	rng := rand.New(rand.NewPCG(5, 6))
	l := &lister{rng, pool, texts, score.Latest().Kinds()[1:]}
	for range longtest.N(1, 12) {
		dir := t.TempDir()
		official := &published{info: ofac}
		var entries []sources.Entry
		for range 1 + rng.IntN(300) {
			entries = append(entries, l.entry(false))
		}
		opts := &screening.Options{Store: openStore(t, dir), Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }}
		s := newScreener(t, opts, official)
		for range 4 {
			official.publish(entries...)
			refresh(t, s)
			entries = l.next(entries, false)
		}
		want := holding(t, s, pool, texts)
		removed := endedOf(t, opts.Store)
		official.err = errDown
		open := func(when string) *screening.Screener {
			t.Helper()
			s := newScreener(t, opts, official)
			if _, err := s.Open(ctx); err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			if d := cmp.Diff(want, holding(t, s, pool, texts)); d != "" {
				t.Errorf("%s: -before +now\n%s", when, d)
			}
			p, err := screening.OpenDigest(ctx, opts.Store, s.Digest(), []sources.Source{official}, nil)
			if err != nil || p.Sources()[0].Entries != s.Sources()[0].Entries {
				t.Errorf("%s: OpenDigest: %v", when, err)
			}
			got := endedOf(t, opts.Store)
			same := func(a, b sources.Entry) bool {
				return a.Canonical() == b.Canonical() && a.Until.Equal(b.Until) && a.FirstSeen.Equal(b.FirstSeen)
			}
			order := func(a, b sources.Entry) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
			slices.SortFunc(got, order)
			slices.SortFunc(removed, order)
			if !slices.EqualFunc(removed, got, same) {
				t.Errorf("%s: %d removed entries, want %d", when, len(got), len(removed))
			}
			return s
		}
		open("after a restart")
	}
}

// TestTwoPrograms runs two programs with one store. Each uses the lists that the other
// accepted, with their times, and neither overwrites them.
func TestTwoPrograms(t *testing.T) {
	st := openStore(t, t.TempDir())
	a, b := &flaky{info: ofac, load: numbered(1, 1, 2)}, &flaky{info: ofac, load: down}
	first, second := newScreener(t, &screening.Options{Store: st}, a), newScreener(t, &screening.Options{Store: st}, b)
	refresh(t, first)
	seen := addedAt(t, first, 1)
	if _, err := second.Refresh(ctx); !errors.Is(err, errDown) || second.Digest() != first.Digest() {
		t.Errorf("the second program: %v, digest %s, want %s", err, second.Digest(), first.Digest())
	}

	// The first accepts a new list: the second has it before it loads anything.
	a.load = numbered(2, 1, 2, 3)
	refresh(t, first)
	prev := ""
	b.load = func(p sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		prev = p.Digest
		return numbered(2, 1, 2, 3)(p, add)
	}
	if r := refresh(t, second).Sources[0]; prev != digestOf(2) || !r.Unchanged || second.Digest() != first.Digest() {
		t.Errorf("the second program: %+v, asked with %s", r, prev)
	}
	for n := 1; n <= 3; n++ {
		if x, y := addedAt(t, first, n), addedAt(t, second, n); !x.Equal(y) || x.IsZero() || n < 3 && !x.Equal(seen) {
			t.Errorf("entry %d was first seen at %v by one and at %v by the other", n, x, y)
		}
	}

	// Both load the same list at the same time: neither deletes the last file that has it, and
	// both programs agree from the next refresh on.
	for n := range 15 {
		a.load, b.load = numbered(n+3, 2, 3, n+4), numbered(n+3, 2, 3, n+4)
		done := make(chan error)
		for _, s := range []*screening.Screener{first, second} {
			go func() { _, err := s.Refresh(ctx); done <- err }()
		}
		if err := errors.Join(<-done, <-done); err != nil {
			t.Fatal(err)
		}
		if files := filesOf(t, st); int(files[0].Last) != n+3 || len(files) > 4 {
			t.Fatalf("list %d was accepted, and there are %v", n+3, files)
		}
	}
	refresh(t, first)
	refresh(t, second)
	if x, y := addedAt(t, first, 2), addedAt(t, second, 2); !x.Equal(seen) || !y.Equal(seen) {
		t.Errorf("an entry was first seen at %v and %v, want %v", x, y, seen)
	}
	names := must(st.Names(ctx))
	if first.Digest() != second.Digest() {
		t.Errorf("files %q, digests %s and %s", names, first.Digest(), second.Digest())
	}

	// A deleted file is saved again.
	for _, name := range names {
		if err := st.Delete(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	a.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		prev.ETag = "another"
		return prev, sources.ErrUnchanged
	}
	refresh(t, first)
	again := newScreener(t, &screening.Options{Store: st}, &flaky{info: ofac, load: down})
	if _, err := again.Open(ctx); err != nil || again.Digest() != first.Digest() || !addedAt(t, again, 2).Equal(seen) {
		t.Errorf("after the files were deleted: %v, digest %s, want %s", err, again.Digest(), first.Digest())
	}
}

// BenchmarkOpen measures the start of a program up to its first result, with a stored
// list of a million entries.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	const n = 1_000_000
	text := randomEVM(n, 1)
	loaded(b, &screening.Options{Store: openStore(b, dir)}, streamed(text))
	size := 0.0
	for _, name := range filesOf(b, openStore(b, dir)) {
		info, err := os.Stat(filepath.Join(dir, name.String()))
		if err != nil {
			b.Fatal(err)
		}
		size = float64(info.Size())
	}
	for b.Loop() {
		s := newScreener(b, &screening.Options{Store: openStore(b, dir)}, streamed(nil))
		if _, err := s.Open(ctx); err != nil {
			b.Fatal(err)
		}
		if r, err := s.ScreenText("bsc", text[7]); err != nil || r.Score != 100 {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(size/n, "file-B/entry")
}
