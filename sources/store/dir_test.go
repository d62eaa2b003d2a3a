package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

func TestConforms(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() (store.Store, error) {
		dir := filepath.Join(t.TempDir(), "new")
		return func() (store.Store, error) { return store.Open(dir) }
	})
}

var ctx = context.Background()

var start = time.Date(2026, 11, 21, 4, 57, 29, 120_000_000, time.UTC)

func open(t testing.TB, dir string) store.Store {
	t.Helper()
	d, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// files returns the names in a directory.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Name() != "journal.whole" {
			names = append(names, f.Name())
		}
	}
	return names
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, data []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// headerOf returns the header of the n-th list of a source: n entries, and n removals.
func headerOf(source string, n int, accepted time.Time) revision.Header {
	return revision.Header{
		Source: source, Name: "Test list", Accepted: accepted, Entries: n,
		Revision: sources.Revision{Digest: fmt.Sprintf("%064x", n), Checked: accepted, Records: n + 1, ETag: "e"},
	}
}

// save saves the n-th list of a source.
func save(a *journal.Journal, source string, n int, accepted time.Time) (name string, err error) {
	h := headerOf(source, n, accepted)
	return a.Save(ctx, h, func(w *revision.Writer) (err error) {
		entry := func(i int) sources.Entry {
			return sources.Entry{Listed: fmt.Sprintf("entry %d of %d", i, n), Kind: score.Scam, FirstSeen: accepted}
		}
		for i := range n {
			err = errors.Join(err, w.Entry(entry(i)))
		}
		return err
	})
}

// accepted returns the event of the n-th list of a source.
func accepted(name string) journal.Event {
	source, at, digest, _ := revision.ParseName(name)
	n := 0
	fmt.Sscanf(digest, "%x", &n)
	return journal.Event{Type: journal.Accepted, At: at, Source: source, Revision: name, List: headerOf(source, n, at).Revision, Entries: n, Added: n}
}

// accept saves a list and writes its Accepted event.
func accept(t testing.TB, a *journal.Journal, source string, n int, at time.Time) (name string) {
	t.Helper()
	name, err := save(a, source, n, at)
	if err == nil {
		err = a.Append(ctx, accepted(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// answering returns the event that the given revisions are in use.
func answering(at time.Time, exceptions string, names ...string) journal.Event {
	e := journal.Event{Type: journal.Answering, At: at, Digest: fmt.Sprintf("%064x", at.UnixNano()), Exceptions: exceptions, Lists: make(map[string]string)}
	for _, name := range names {
		source, _, _, _ := revision.ParseName(name)
		e.Lists[source] = name
	}
	return e
}

// TestFiles checks the names and the format of the files.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a := journal.New(open(t, dir))
	name := accept(t, a, "TEST", 1, start)
	later := headerOf("TEST", 1, start).Revision
	later.Checked = start.Add(time.Hour)
	changed := later
	changed.Checked, changed.ETag = start.Add(2*time.Hour), "f"
	err := a.Append(ctx,
		answering(start.Add(time.Second), "", name),
		journal.Event{Type: journal.Confirmed, Source: "TEST", Revision: name, List: later},
		journal.Event{Type: journal.Confirmed, Source: "TEST", Revision: name, List: changed},
		journal.Event{Type: journal.Refused, At: start.Add(3 * time.Hour), Source: "TEST", Reason: "it is <too> short\nand old"},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := "TEST-20261121T045729.120000000Z-" + fmt.Sprintf("%064x", 1) + ".rev"
	if got := files(t, dir); !slices.Equal(got, []string{want, "journal"}) || name != want {
		t.Errorf("files %q, want %q and the journal", got, want)
	}
	if text := read(t, dir, name); !bytes.HasPrefix(text, []byte("walletscreen revision 1\nsource TEST\n")) {
		t.Errorf("it begins with %.60q", text)
	}
	if os.Getenv("UPDATE") != "" {
		write(t, read(t, dir, "journal"), "testdata", "journal")
	}
	golden := string(read(t, "testdata", "journal"))
	if got := string(read(t, dir, "journal")); got != golden {
		t.Errorf("the journal is\n%s\nwant\n%s", got, golden)
	}
	for _, f := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s has the mode %v", f, info.Mode())
		}
	}
}

// TestNames checks that only names of revisions can name a file.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	d := open(t, filepath.Join(dir, "store"))
	digest := fmt.Sprintf("%064x", 1)
	good := revision.Name("A_1", start, digest)
	if source, at, of, ok := revision.ParseName(good); source != "A_1" || !at.Equal(start) || of != digest || !ok {
		t.Errorf("ParseName(%q) = %q, %v, %q, %v", good, source, at, of, ok)
	}
	outside := filepath.Join(dir, "outside")
	write(t, nil, outside)
	for _, name := range []string{
		"", ".", "..", "journal", "../outside", "x/" + good, "../" + good, strings.ToLower(good), good + ".damaged", good + "\x00", " " + good,
		strings.Replace(good, "0Z", "0z", 1), strings.Replace(good, "T", "t", 1), strings.Replace(good, "1121", "1321", 1),
		revision.Name("", start, digest), revision.Name("A-B", start, digest), revision.Name("A/B", start, digest), revision.Name(strings.Repeat("A", 65),
			start, digest),
		revision.Name("A", start, ""), revision.Name("A", start, strings.Repeat("/", 64)), revision.Name("A", start, strings.ToUpper(strings.Repeat("a", 64))),
		revision.Name("A", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), digest),
	} {
		if _, _, _, ok := revision.ParseName(name); ok {
			t.Errorf("ParseName(%q) reports true", name)
		}
		_, opened := d.Open(ctx, name)
		put := d.Put(ctx, name, func(io.Writer) error { return nil })
		for what, err := range map[string]error{"Open": opened, "Put": put, "Delete": d.Delete(ctx, name), "SetAside": d.SetAside(ctx, name)} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s of %q: %v, want ErrNotFound", what, name, err)
			}
		}
	}
	if got := files(t, filepath.Join(dir, "store")); len(got) > 0 {
		t.Errorf("files %q, want none", got)
	}
	a := journal.New(d)
	for what, h := range map[string]revision.Header{
		"no source": headerOf("", 1, start), "a path": headerOf("../A", 1, start), "no time": headerOf("A", 1, time.Time{}),
		"no digest": {Source: "A", Accepted: start},
	} {
		if name, err := a.Save(ctx, h, func(*revision.Writer) error { return nil }); err == nil {
			t.Errorf("%s: saved as %s", what, name)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	open(t, dir)
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the directory is %v, %v, want it for the owner alone", info, err)
	}
	write(t, nil, dir, ".walletscreen-new-1")
	write(t, nil, dir, "notes.txt")
	hour := time.Now().Add(-time.Hour)
	for _, name := range files(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, name), hour, hour); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, dir)
	if got := files(t, dir); !slices.Equal(got, []string{"notes.txt"}) {
		t.Errorf("after Open there is %q, want the incomplete file removed, and nothing else", got)
	}
	if names, err := d.Names(ctx); len(names) > 0 || err != nil {
		t.Errorf("Names = %q, %v, want none", names, err)
	}
	if _, err := store.Open(filepath.Join(dir, "notes.txt")); err == nil {
		t.Error("a file was opened as a directory")
	}
}

// TestVanished removes the directory and checks that the error names it: the store must
// not look empty.
func TestVanished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	d := open(t, dir)
	a := journal.New(d)
	name := accept(t, a, "TEST", 1, start)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, opened := d.Open(ctx, name)
	_, listed := d.Names(ctx)
	_, _, reads := d.Read(ctx, 0)
	_, saved := save(a, "TEST", 2, start)
	_, revisions := a.Revisions(ctx, "TEST")
	_, answers := a.Answering(ctx, start, func(journal.Event) bool { return true })
	for what, err := range map[string]error{
		"Open": opened, "Names": listed, "Read": reads, "Save": saved, "Revisions": revisions, "Answering": answers,
		"Delete": d.Delete(ctx, name), "SetAside": d.SetAside(ctx, name), "Append": a.Append(ctx, accepted(name)),
	} {
		if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want an error that names the directory", what, err)
		}
	}
}

// TestOtherJournal replaces the journal by a shorter one and checks that it is read
// from the beginning.
func TestOtherJournal(t *testing.T) {
	dir := t.TempDir()
	a := journal.New(open(t, dir))
	first, second := accept(t, a, "TEST", 1, start), accept(t, a, "TEST", 2, start.Add(-time.Hour))
	journal := read(t, dir, "journal")
	lines := bytes.SplitAfter(journal, []byte("\n"))
	if got, err := a.Revisions(ctx, "TEST"); err != nil || !slices.Equal(got, []string{second, first}) {
		t.Errorf("revisions %q, %v, want the order of the journal", got, err)
	}
	write(t, lines[0], dir, "journal")
	if got, err := a.Revisions(ctx, "TEST"); err != nil || !slices.Equal(got, []string{first, second}) {
		t.Errorf("revisions %q, %v, want the one in the journal first", got, err)
	}
	if err := os.Remove(filepath.Join(dir, "journal")); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Revisions(ctx, "TEST"); err != nil || !slices.Equal(got, []string{first, second}) {
		t.Errorf("without a journal: revisions %q, %v, want the order of the names", got, err)
	}
	if _, err := a.Open(ctx, second); err != nil {
		t.Errorf("without a journal: %v", err)
	}
}
