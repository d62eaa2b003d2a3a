package screening_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

var ctx = context.Background()

// openStore opens the store in a directory.
func openStore(t testing.TB, dir string) store.Store {
	t.Helper()
	d, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
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

func (j *journalStore) Read(ctx context.Context, from int64) ([]byte, int64, error) {
	lines, next, err := j.Store.Read(ctx, from)
	var changed []byte
	for line := range strings.Lines(string(lines)) {
		changed = append(changed, j.change(line)...)
	}
	if changed == nil && lines != nil {
		changed = []byte{'\n'}
	}
	return changed, next, err
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

func (f *faultyStore) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	if f.put != nil {
		return f.put
	}
	f.puts++
	return f.Store.Put(ctx, name, write)
}

func (f *faultyStore) Open(ctx context.Context, name string) ([]byte, error) {
	if f.open != nil {
		return nil, f.open
	}
	return f.Store.Open(ctx, name)
}

func (f *faultyStore) Read(ctx context.Context, from int64) ([]byte, int64, error) {
	if f.read != nil {
		return nil, from, f.read
	}
	return f.Store.Read(ctx, from)
}

func (f *faultyStore) Append(ctx context.Context, lines []byte) error {
	if f.append != nil {
		return f.append
	}
	f.lines += bytes.Count(lines, []byte("\n"))
	return f.Store.Append(ctx, lines)
}

// answersOf returns the Answering events of a store, newest first.
func answersOf(t testing.TB, st store.Store) []journal.Event {
	t.Helper()
	all, err := journal.New(st).Answerings(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// revisionsOf returns the names of the revisions of ofac in a store, newest first.
func revisionsOf(t testing.TB, st store.Store) []string {
	t.Helper()
	names, err := journal.New(st).Revisions(ctx, ofac.ID)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// openRevision opens a revision.
func openRevision(t testing.TB, st store.Store, name string) *revision.File {
	t.Helper()
	f, err := journal.New(st).Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// removalsOf returns the entries that the list of a revision no longer has, each once, with the
// last time.
func removalsOf(t testing.TB, st store.Store, name string) (all []revision.Removal) {
	t.Helper()
	removed, err := journal.New(st).Removed(ctx, name, "")
	if err != nil {
		t.Fatal(err)
	}
	done := make(map[sources.Entry]bool)
	for e, err := range openRevision(t, st, name).Entries() {
		if err != nil {
			t.Fatal(err)
		}
		done[e.Canonical()] = true
	}
	for _, r := range slices.Backward(removed) {
		if !done[r.Entry.Canonical()] {
			all = append(all, r)
		}
		done[r.Entry.Canonical()] = true
	}
	return all
}

// loseChanges damages what the journal in a directory says about how revisions differ.
func loseChanges(t testing.TB, dir string) {
	t.Helper()
	name := filepath.Join(dir, "journal")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.ReplaceAll(text, []byte(`,"changes":`), []byte(`,"chances":`))
	if bytes.Equal(damaged, text) {
		t.Fatal("the journal has no changes")
	}
	if err := os.WriteFile(name, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
}

// forge replaces the only revision in a directory by one with other content, without
// tables, and with valid checksums.
func forge(t testing.TB, dir string, change func(*revision.Header, []sources.Entry) []sources.Entry) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.rev"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %q, %v, want one", names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := revision.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var entries []sources.Entry
	for e, err := range f.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	header := f.Header
	header.Rule = ""
	entries = change(&header, entries)
	header.Entries = len(entries)
	var b bytes.Buffer
	w, err := revision.NewWriter(&b, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := w.Entry(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
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

// eventsOf returns all events of a store.
func eventsOf(t testing.TB, st store.Store) (all []journal.Event) {
	t.Helper()
	if _, err := journal.New(st).Read(ctx, 0, func(e journal.Event) { all = append(all, e) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// collect returns what a sequence yields, none of it with an error.
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

// sameEntries reports whether a sequence yields these entries, in any order.
func sameEntries(t *testing.T, seq iter.Seq2[sources.Entry, error], want []sources.Entry) bool {
	t.Helper()
	times := make(map[sources.Entry]int)
	for _, e := range collect(t, seq) {
		times[e.Canonical()]++
	}
	for _, e := range want {
		times[e.Canonical()]--
	}
	for _, n := range times {
		if n != 0 {
			return false
		}
	}
	return true
}
