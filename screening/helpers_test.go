package screening_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

var ctx = context.Background()

// openStore opens the store in a directory. Programs in it append in turn: one that waits for the lock of the directory
// asks again by the clock, which in a synctest bubble stands still while another goroutine waits for a mutex of that program.
func openStore(t testing.TB, dir string) store.Store {
	t.Helper()
	d, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return inTurn{d}
}

type inTurn struct{ store.Store }

var appending sync.Mutex

func (s inTurn) Append(ctx context.Context, number uint64, line []byte) error {
	appending.Lock()
	defer appending.Unlock()
	return s.Store.Append(ctx, number, line)
}

// newScreener returns a Screener without loaded lists.
func newScreener(t testing.TB, opts *screening.Options, srcs ...sources.Source) *screening.Screener {
	t.Helper()
	s, err := screening.New(srcs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refresh calls Refresh, which must not fail, and returns its Report.
func refresh(t testing.TB, s *screening.Screener) screening.Report {
	t.Helper()
	r, err := s.Refresh(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// digestOf returns a digest that a store accepts.
func digestOf(n int) string { return fmt.Sprintf("%064x", n) }

// numbered returns a load function that returns entries with these numbers; the digest
// is n.
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

// A journalStore modifies the lines of the journal as they are read.
type journalStore struct {
	store.Store
	change func(line string) string
}

func (j *journalStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	return j.Store.Read(ctx, from, func(line []byte) error { return each([]byte(j.change(string(line)))) })
}

// A faultyStore fails where an error is set, and counts its calls.
type faultyStore struct {
	store.Store
	list, put, open, append, read error
	puts, lines                   int
}

func (f *faultyStore) Names(ctx context.Context) ([]string, error) {
	if f.list != nil {
		return nil, f.list
	}
	return f.Store.Names(ctx)
}

func (f *faultyStore) Put(ctx context.Context, name string, data []byte) error {
	if f.put != nil {
		return f.put
	}
	f.puts++
	return f.Store.Put(ctx, name, data)
}

func (f *faultyStore) Open(ctx context.Context, name string) ([]byte, error) {
	if f.open != nil {
		return nil, f.open
	}
	return f.Store.Open(ctx, name)
}

func (f *faultyStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	if f.read != nil {
		return f.read
	}
	return f.Store.Read(ctx, from, each)
}

func (f *faultyStore) Append(ctx context.Context, number uint64, line []byte) error {
	if f.append != nil {
		return f.append
	}
	f.lines++
	return f.Store.Append(ctx, number, line)
}

// fail lets all calls fail with err, or none for nil.
func (f *faultyStore) fail(err error) {
	f.list, f.put, f.open, f.append, f.read = err, err, err, err, err
}

// linesOf returns the lines of a store.
func linesOf(t testing.TB, st store.Store) (all []journal.Line) {
	t.Helper()
	if err := journal.Read(ctx, st, func(l *journal.Line, _ *journal.State) error { all = append(all, *l); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// answersOf returns the snapshots of all lists in a store, the newest first.
func answersOf(t testing.TB, st store.Store) (all []journal.Snapshot) {
	t.Helper()
	err := journal.Snapshots(ctx, st, nil, func(s *journal.Snapshot) {
		if len(all) == 0 || all[len(all)-1].Digest != s.Digest {
			c := *s
			c.State = s.State.Clone()
			all = append(all, c)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

// filesOf returns the files of ofac in a store, the newest first.
func filesOf(t testing.TB, st store.Store) (all []stays.Name) {
	t.Helper()
	names, err := st.Names(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if n, ok := stays.ParseName(name); ok && n.Source == ofac.ID {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b stays.Name) int { return int(b.Last) - int(a.Last) })
	return all
}

// endedOf returns the last stays, by the newest file of ofac in a store, of the entries that have ended.
func endedOf(t testing.TB, st store.Store) (all []sources.Entry) {
	t.Helper()
	name := filesOf(t, st)[0]
	f, err := journal.Load(ctx, st, name)
	if err != nil {
		t.Fatal(err)
	}
	last := make(map[sources.Entry]sources.Entry)
	for s, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		if key := s.Canonical(); s.Out != 0 && s.Until.After(last[key].Until) {
			last[key] = s.Entry
		}
	}
	for _, e := range last {
		all = append(all, e)
	}
	return all
}

// spoil cuts those files of ofac in a directory for which which is true.
func spoil(t testing.TB, dir string, which func(stays.Name) bool) {
	t.Helper()
	for _, n := range filesOf(t, openStore(t, dir)) {
		if which(n) {
			if err := os.Truncate(filepath.Join(dir, n.String()), 100); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// listedWithRefs returns EVM entries with distinct tickers, names and references.
func listedWithRefs(n int) []sources.Entry {
	var entries []sources.Entry
	for i, text := range randomEVM(n, 9) {
		entries = append(entries, sources.Entry{
			Address: address.MustParse("ethereum", text), Asset: "ETH", Kind: score.Sanctioned,
			Ref: strconv.Itoa(i), Name: "name " + strconv.Itoa(i%10), ListedAt: day,
		})
	}
	return entries
}

func staticOf(entries []sources.Entry) sources.Source { return sources.Static(ofac, entries...) }

// tronOf returns the tron address with the 20 bytes of an EVM address.
func tronOf(a address.Address) address.Address {
	raw, err := hex.DecodeString("41" + a.Normalized()[2:])
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(raw)
	sum = sha256.Sum256(sum[:])
	return address.MustParse("tron", base58.Bitcoin.Encode(append(raw, sum[:4]...)))
}

// collect returns the entries that a sequence yields without an error.
func collect(t *testing.T, seq iter.Seq2[sources.Entry, error]) (all []sources.Entry) {
	t.Helper()
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// sameEntries reports whether a sequence yields these entries, in their order.
func sameEntries(t *testing.T, seq iter.Seq2[sources.Entry, error], want []sources.Entry) bool {
	t.Helper()
	return slices.EqualFunc(collect(t, seq), want, func(a, b sources.Entry) bool { return a.Canonical() == b.Canonical() })
}
