package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Snapshot names the lists that all workers of a job answer from. A worker that
// cannot open exactly these fails, and so does the job: two halves of an answer
// never come from different lists.
type Snapshot struct {
	Lists    string // the directory, or "" for the bundled lists
	Digest   string // of all lists together
	Sources  []sources.Info
	Optional []string // ids of lists that need not be loaded

	status  []screening.SourceStatus // of the sources, where the job starts
	caveats []screening.Caveat       // about them
	unasked []string                 // other lists that the directory has
}

// latest returns the Snapshot of the lists in a directory from which questions
// were answered last. It opens them, and returns an error if a required one is
// missing or older than maxAge. An operator's own lists are always required, and by
// default those bundled lists that [bundle.Optional] does not name, as in walletscreen.
func latest(ctx context.Context, lists string, required []string, maxAge time.Duration) (Snapshot, error) {
	snap := Snapshot{Lists: lists}
	if len(required) == 0 {
		for _, src := range bundle.All() {
			if id := src.Info().ID; !slices.Contains(bundle.Optional(), id) {
				required = append(required, id)
			}
		}
	}
	dir, err := local(ctx, lists)
	if err != nil {
		return snap, err
	}
	st, err := store.Open(dir)
	if err != nil {
		return snap, err
	}
	events, err := journal.Answered(ctx, st)
	if err != nil {
		return snap, err
	}
	if len(events) == 0 {
		return snap, fmt.Errorf("%s: there are no lists: give it the directory store within walletscreen's -data", lists)
	}
	held := events[0].Held
	if snap.unasked, err = onlyAnswering(ctx, st, held); err != nil {
		return snap, err
	}
	for id, held := range held {
		jurisdiction, err := jurisdictionOf(ctx, st, id, &held)
		if err != nil {
			return snap, fmt.Errorf("list %s: %w", id, err)
		}
		snap.Sources = append(snap.Sources, sources.Info{ID: id, Name: id, Jurisdiction: jurisdiction})
	}
	for _, id := range required {
		if _, ok := held[id]; !ok {
			return snap, fmt.Errorf("%s: the required list %s is missing; -require names the lists that you need", lists, id)
		}
	}
	for _, l := range snap.Sources {
		if l.Jurisdiction != sources.Operator && !slices.Contains(required, l.ID) {
			snap.Optional = append(snap.Optional, l.ID)
		}
	}
	past, err := screening.OpenAt(ctx, st, time.Now(), snap.stubs(), &screening.Options{Optional: snap.Optional, MaxAge: maxAge})
	if err != nil {
		return snap, err
	}
	r, err := past.Screen(probe)
	if err != nil {
		return snap, fmt.Errorf("%w; -require names the lists that must be whole, and not too old", err)
	}
	snap.Digest = r.Digest()
	snap.status, snap.caveats = past.Sources(), r.Caveats()
	return snap, nil
}

// onlyAnswering deletes the lists that the last program that answered has not had, and returns their ids: a store keeps the lists of all programs.
// A server counts, which says in the journal how long it may be silent, before programs that answer at once, such as lists export.
func onlyAnswering(ctx context.Context, st store.Store, held map[string]journal.Held) (deleted []string, err error) {
	var answering []string
	serves := false
	err = journal.Read(ctx, st, func(l *journal.Line, _ *journal.State) error {
		if p := l.Opened; p != nil && p.Answers && (p.Every > 0 || !serves) {
			answering, serves = p.Sources, p.Every > 0
		}
		return nil
	})
	for _, id := range slices.Sorted(maps.Keys(held)) {
		if answering != nil && !slices.Contains(answering, id) {
			delete(held, id)
			deleted = append(deleted, id)
		}
	}
	return deleted, err
}

// print says which lists the answers come from: "clean" refers to these alone.
func (s Snapshot) print(w io.Writer) {
	for _, l := range s.status {
		checked := "never checked"
		if !l.LastUpdated.IsZero() {
			checked = "checked on " + l.LastUpdated.UTC().Format(time.DateOnly)
		}
		fmt.Fprintf(w, "list %s: %d addresses, %s, %s\n", l.Info.ID, l.Addresses, l.Completeness, checked)
	}
	for _, c := range s.caveats {
		fmt.Fprintf(w, "caveat: list %s is %s\n", c.Source, c.Kind)
	}
	for _, id := range s.unasked {
		fmt.Fprintf(w, "list %s: not asked, because the last program that answered did not have it\n", id)
	}
}

// probe is an address to ask for the digest of the lists.
var probe = address.MustParse("ethereum", "0x0000000000000000000000000000000000000000")

// jurisdictionOf returns which kinds of entries a list that was held may have: whether it is of an
// authority, of an operator or of a community, as its entries show.
func jurisdictionOf(ctx context.Context, st store.Store, id string, held *journal.Held) (sources.Jurisdiction, error) {
	for e, err := range journal.Entries(ctx, st, id, held) {
		switch {
		case err != nil:
			return "", err
		case e.Kind.Official():
			return sources.US, nil
		case e.Kind == score.Blocked:
			return sources.Operator, nil
		}
	}
	return sources.Community, nil
}

// stubs returns sources that load nothing: the lists come from the directory.
func (s Snapshot) stubs() []sources.Source {
	var all []sources.Source
	for _, info := range s.Sources {
		all = append(all, sources.Static(info))
	}
	return all
}

// opened are the lists that this process has opened, by directory and digest.
var opened sync.Map // of string to func() (*screening.Past, error)

// open opens the lists, once in each process.
func (s Snapshot) open(ctx context.Context) (*screening.Past, error) {
	once, _ := opened.LoadOrStore(s.Digest+" "+s.Lists, sync.OnceValues(func() (*screening.Past, error) {
		dir, err := local(ctx, s.Lists)
		if err != nil {
			return nil, err
		}
		st, err := store.Open(dir)
		if err != nil {
			return nil, err
		}
		return screening.OpenDigest(ctx, st, s.Digest, s.stubs(), &screening.Options{Optional: s.Optional})
	}))
	past, err := once.(func() (*screening.Past, error))()
	if err != nil {
		opened.Delete(s.Digest + " " + s.Lists) // the next bundle tries again
	}
	return past, err
}

// local returns a local directory with the files of dir: dir itself, or a copy if
// it is on another file system. For "", it makes one of the bundled lists, which are the
// same in each worker.
func local(ctx context.Context, dir string) (string, error) {
	if dir == "" {
		return bundled(ctx)
	}
	if !strings.Contains(dir, "://") {
		if _, err := os.Stat(dir); err != nil {
			return "", err
		}
		return dir, nil
	}
	dir = strings.TrimSuffix(dir, "/")
	fs, err := filesystem.New(ctx, dir)
	if err != nil {
		return "", err
	}
	defer fs.Close()
	names, err := fs.List(ctx, dir+"/*")
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s: there are no files", dir)
	}
	to, err := os.MkdirTemp("", "lists")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if err := download(ctx, fs, name, filepath.Join(to, path.Base(name))); err != nil {
			return "", errors.Join(err, os.RemoveAll(to))
		}
	}
	return to, nil
}

// bundled returns a directory with the bundled lists.
func bundled(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "lists")
	if err != nil {
		return "", err
	}
	st, err := store.Open(dir)
	if err != nil {
		return "", err
	}
	s, err := screening.New(bundle.All(), &screening.Options{Store: st, Optional: bundle.Optional()})
	if err != nil {
		return "", err
	}
	if _, err := s.Refresh(ctx); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func download(ctx context.Context, fs filesystem.Interface, name, to string) error {
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
