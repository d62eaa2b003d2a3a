package main

import (
	"context"
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
// default all lists but those that [bundle.Optional] names.
func latest(ctx context.Context, lists string, required []string, maxAge time.Duration) (snap Snapshot, err error) {
	snap.Lists = lists
	err = withStore(ctx, lists, func(st store.Store) error { return snap.choose(ctx, st, required, maxAge) })
	return snap, err
}

// choose sets s to the lists of st from which questions were answered last.
func (s *Snapshot) choose(ctx context.Context, st store.Store, required []string, maxAge time.Duration) error {
	known := make(map[string]sources.Info)
	names := len(required) > 0
	for _, src := range bundle.All() {
		info := src.Info()
		known[info.ID] = info
		if !names && !slices.Contains(bundle.Optional(), info.ID) {
			required = append(required, info.ID)
		}
	}
	events, err := journal.Answered(ctx, st)
	if err != nil {
		return err
	}
	if len(events) == 0 {
		return fmt.Errorf("%s: there are no lists: give it the directory store within walletscreen's -data", s.Lists)
	}
	answering, err := answering(ctx, st)
	if err != nil {
		return err
	}
	missing := slices.Clone(required)
	for _, id := range slices.Sorted(maps.Keys(events[0].Held)) {
		if answering != nil && !slices.Contains(answering, id) { // a store keeps the lists of all programs
			s.unasked = append(s.unasked, id)
			continue
		}
		held := events[0].Held[id]
		info, ok := known[id]
		if !ok {
			info = sources.Info{ID: id, Name: id}
			if info.Jurisdiction, err = jurisdictionOf(ctx, st, id, &held); err != nil {
				return fmt.Errorf("list %s: %w", id, err)
			}
		}
		s.Sources = append(s.Sources, info)
		isOwn := info.Jurisdiction == sources.Operator || !ok && !names // walletscreen may have fetched it for its operator
		if !isOwn && !slices.Contains(required, id) {
			s.Optional = append(s.Optional, id)
		}
		missing = slices.DeleteFunc(missing, func(m string) bool { return m == id })
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: the required list %s is missing; -require names the lists that you need", s.Lists, missing[0])
	}
	past, err := screening.OpenAt(ctx, st, time.Now(), s.stubs(), &screening.Options{Optional: s.Optional, MaxAge: maxAge})
	if err != nil {
		return err
	}
	s.status = past.Sources()
	r, err := past.Screen(probe)
	if err != nil {
		return fmt.Errorf("%w; -require names the lists that must be whole, and not too old", err)
	}
	s.Digest, s.caveats = r.Digest(), r.Caveats()
	return nil
}

// answering returns the ids of the lists of the program that answered last, and nil if the journal does not say. A server counts,
// which says in the journal how long it may be silent, before programs that answer at once, such as lists export.
func answering(ctx context.Context, st store.Store) (ids []string, err error) {
	serves := false
	err = journal.Read(ctx, st, func(l *journal.Line, _ *journal.State) error {
		if p := l.Opened; p != nil && p.Answers && (p.Every > 0 || !serves) {
			ids, serves = p.Sources, p.Every > 0
		}
		return nil
	})
	return ids, err
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
var opened = struct {
	sync.Mutex
	lists map[string]*screening.Past
}{lists: make(map[string]*screening.Past)}

// open opens the lists, once in each process.
func (s Snapshot) open(ctx context.Context) (past *screening.Past, err error) {
	opened.Lock()
	defer opened.Unlock()
	if past = opened.lists[s.Digest+" "+s.Lists]; past != nil {
		return past, nil
	}
	err = withStore(ctx, s.Lists, func(st store.Store) (err error) {
		past, err = screening.OpenDigest(ctx, st, s.Digest, s.stubs(), &screening.Options{Optional: s.Optional})
		return err
	})
	if err == nil {
		opened.lists[s.Digest+" "+s.Lists] = past
	}
	return past, err
}

// withStore calls use with the store in a directory. A directory on another file system is copied meanwhile; for "", the
// store has the bundled lists, which are the same in each worker.
func withStore(ctx context.Context, dir string, use func(store.Store) error) error {
	at, remote := dir, strings.Contains(dir, "://")
	if remote || dir == "" {
		var err error
		if at, err = os.MkdirTemp("", "lists"); err != nil {
			return err
		}
		defer os.RemoveAll(at)
	}
	if remote {
		if err := download(ctx, strings.TrimSuffix(dir, "/"), at); err != nil {
			return err
		}
	} else if _, err := os.Stat(at); err != nil {
		return err
	}
	st, err := store.Open(at)
	if err != nil {
		return err
	}
	if dir == "" {
		s, err := screening.New(bundle.All(), &screening.Options{Store: st, Optional: bundle.Optional()})
		if err == nil {
			_, err = s.Refresh(ctx)
		}
		if err != nil {
			return err
		}
	}
	return use(st)
}

// download copies the files in a directory of a file system of Beam's.
func download(ctx context.Context, dir, to string) error {
	names, err := files(ctx, dir+"/*")
	if err != nil {
		return err
	}
	fs, err := filesystem.New(ctx, dir)
	if err != nil {
		return err
	}
	defer fs.Close()
	for _, name := range names {
		data, err := filesystem.Read(ctx, fs, name)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, path.Base(name)), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
