package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// RunStore tests that the Store which open returns keeps the rules of
// [sources.Store], one rule in each subtest; what fails says which rule it is, and
// why there is one.
//
// Each call of open must open the same, at first empty, place: what a Store saved
// is looked for in the next one, as after a restart. newPlace is called for each
// rule, and returns an open for a place of its own.
//
// That a Store survives being killed at any instant is not tested here: it depends
// on what it stores in.
func RunStore(t *testing.T, newPlace func(*testing.T) (open func() (sources.Store, error))) {
	t.Helper()
	for _, r := range storeRules {
		t.Run(r.name, func(t *testing.T) {
			if err := r.check(newPlace(t)); err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
}

type storeRule struct {
	name        string
	explanation string
	check       func(open func() (sources.Store, error)) error
}

var storeRules = []storeRule{
	{
		"empty",
		"A source of which nothing is kept has no revisions, and that is no error; what is asked of it nevertheless is ErrNotStored.",
		storeEmpty,
	},
	{
		"save",
		"What was saved is loaded as it was, to the last field but those of Info that are the program's, by whoever opens the Store next.",
		storeSave,
	},
	{
		"newest first",
		"Revisions names the revisions by the time at which they were accepted, the newest first, in whatever order they were saved; each is loaded by its name. The same list may be there twice.",
		storeNewestFirst,
	},
	{
		"sources apart",
		"What is kept of one source has nothing to do with another, even if the id of the one begins with that of the other.",
		storeApart,
	},
	{
		"confirm",
		"Confirm changes the Revision of the newest list to that which was confirmed, adds its Checked to the Checks, and does nothing else; of another digest it returns ErrNotStored.",
		storeConfirm,
	},
	{
		"snapshots",
		"A snapshot that was saved is named, the newest first, and loaded as it was, by whoever opens the Store next; one that was never saved is ErrNotStored.",
		storeSnapshots,
	},
	{
		"own list",
		"The Store keeps no hold of what it was given, and what it returns is the caller's own.",
		storeOwn,
	},
	{
		"cancelled",
		"If ctx has ended, methods return an error that wraps ctx.Err(), soon, and change nothing.",
		storeCancelled,
	},
	{
		"concurrent",
		"Methods may be called concurrently.",
		storeConcurrent,
	},
}

// testList returns the n-th of some lists of a source.
func testList(source string, n int) *sources.List {
	accepted := time.Date(2026, 11, 21, 4, 57, n, 123456789, time.UTC)
	evm := address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	l := &sources.List{
		Info: sources.Info{ID: source, Name: "A \"list\"\nof " + source, Jurisdiction: sources.US},
		Revision: sources.Revision{
			Digest: fmt.Sprintf("%064x", n), Published: accepted.AddDate(0, 0, -1), Checked: accepted,
			Records: n + 3, ETag: `W/"abc"`, LastModified: "Wed, 19 Nov 2025 15:00:00 GMT",
		},
		Accepted: accepted,
		Entries: []sources.Entry{
			{Address: evm, Listed: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "ETH", Kind: score.Sanctioned, Ref: "27307", Name: "Lazarus Group", ListedAt: accepted.AddDate(-3, 0, 0), FirstSeen: accepted.AddDate(0, -1, 0)},
			{Listed: " not an address\u200b", Asset: "XMR", Kind: score.Scam, Name: "bytes \xff\x00"},
			{Address: address.MustParse("bsc", evm.Normalized()), Kind: score.Scam, Ref: fmt.Sprint(n)},
		},
		Removed: []sources.Removal{{Entry: sources.Entry{Address: evm, Kind: score.Scam, Ref: "gone", FirstSeen: accepted.AddDate(-1, 0, 0)}, At: accepted.AddDate(0, 0, -2)}},
		Checks:  []time.Time{accepted},
	}
	return l
}

// testSnapshot returns the n-th of some snapshots.
func testSnapshot(n int) *sources.Snapshot {
	return &sources.Snapshot{
		Digest: fmt.Sprintf("%064x", n),
		Since:  time.Date(2026, 11, 21, 5, 0, n, 123456789, time.UTC),
		Lists: map[string]sources.Stored{
			"TEST": nameOf(testList("TEST", n)), "TEST_2": {},
		},
		Exceptions: fmt.Sprintf("exceptions \"%d\"\n<&>\u2028é", n),
	}
}

// sameSnapshot returns an error if got is not want.
func sameSnapshot(got, want *sources.Snapshot) error {
	if got == nil || got.Digest != want.Digest || got.Since != want.Since || got.Exceptions != want.Exceptions || !maps.Equal(got.Lists, want.Lists) {
		return fmt.Errorf("it loaded the snapshot %+v, want %+v", got, want)
	}
	return nil
}

func nameOf(l *sources.List) sources.Stored {
	return sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted}
}

// sameList returns an error if got is not want.
func sameList(got, want *sources.List) error {
	switch {
	case got == nil:
		return errors.New("it loaded nil")
	case got.Info.ID != want.Info.ID || got.Info.Name != want.Info.Name:
		return fmt.Errorf("it loaded the Info %+v, want the ID and Name of %+v", got.Info, want.Info)
	case got.Revision != want.Revision:
		return fmt.Errorf("it loaded the Revision %+v, want %+v", got.Revision, want.Revision)
	case got.Accepted != want.Accepted:
		return fmt.Errorf("it loaded what was accepted at %v, want %v", got.Accepted, want.Accepted)
	case !slices.Equal(got.Entries, want.Entries):
		return fmt.Errorf("it loaded the entries %+v, want %+v", got.Entries, want.Entries)
	case !slices.Equal(got.Removed, want.Removed):
		return fmt.Errorf("it loaded as removed %+v, want %+v", got.Removed, want.Removed)
	case !slices.Equal(got.Checks, want.Checks):
		return fmt.Errorf("it loaded the checks %v, want %v", got.Checks, want.Checks)
	}
	return nil
}

// kept returns an error unless a Store that is opened now has exactly the given
// lists of the source, in this order.
func kept(open func() (sources.Store, error), source string, want ...*sources.List) error {
	st, err := open()
	if err != nil {
		return err
	}
	all, err := st.Revisions(context.Background(), source)
	if err != nil {
		return err
	}
	var names []sources.Stored
	for _, l := range want {
		names = append(names, nameOf(l))
	}
	if !slices.Equal(all, names) {
		return fmt.Errorf("the revisions of %s are %+v, want %+v", source, all, names)
	}
	for i, name := range names {
		got, err := st.Load(context.Background(), source, name)
		if err != nil {
			return err
		}
		if err := sameList(got, want[i]); err != nil {
			return err
		}
	}
	return nil
}

// save saves lists in a Store that is opened for it.
func save(open func() (sources.Store, error), lists ...*sources.List) (sources.Store, error) {
	st, err := open()
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		if err := st.Save(context.Background(), l); err != nil {
			return nil, fmt.Errorf("a Save: %w", err)
		}
	}
	return st, nil
}

func storeEmpty(open func() (sources.Store, error)) error {
	st, err := open()
	if err != nil {
		return err
	}
	l := testList("TEST", 1)
	if all, err := st.Revisions(context.Background(), "TEST"); len(all) > 0 || err != nil {
		return fmt.Errorf("an empty Store has %+v, %v", all, err)
	}
	if _, err := st.Load(context.Background(), "TEST", nameOf(l)); !errors.Is(err, sources.ErrNotStored) {
		return fmt.Errorf("a Load of what was never saved: %v, want ErrNotStored", err)
	}
	if err := st.Confirm(context.Background(), "TEST", l.Revision); !errors.Is(err, sources.ErrNotStored) {
		return fmt.Errorf("a Confirm of what was never saved: %v, want ErrNotStored", err)
	}
	return nil
}

func storeSave(open func() (sources.Store, error)) error {
	full, bare, part := testList("TEST", 1), testList("TEST", 2), testList("TEST", 3)
	part.Revision.Completeness = sources.Partial
	bare.Revision = sources.Revision{Digest: bare.Revision.Digest, Records: 1}
	bare.Entries, bare.Removed, bare.Checks = nil, nil, nil
	if _, err := save(open, full, bare, part); err != nil {
		return err
	}
	return kept(open, "TEST", part, bare, full)
}

func storeNewestFirst(open func() (sources.Store, error)) error {
	first, second, third := testList("TEST", 1), testList("TEST", 2), testList("TEST", 3)
	third.Revision.Digest = first.Revision.Digest
	if _, err := save(open, second, third, first); err != nil {
		return err
	}
	return kept(open, "TEST", third, second, first)
}

func storeApart(open func() (sources.Store, error)) error {
	a, b := testList("TEST", 1), testList("TEST_2", 2)
	if _, err := save(open, a, b); err != nil {
		return err
	}
	if err := kept(open, "TEST", a); err != nil {
		return err
	}
	return kept(open, "TEST_2", b)
}

func storeConfirm(open func() (sources.Store, error)) error {
	first, second := testList("TEST", 1), testList("TEST", 2)
	st, err := save(open, first, second)
	if err != nil {
		return err
	}
	other := first.Revision
	other.Checked = other.Checked.AddDate(0, 0, 1)
	if err := st.Confirm(context.Background(), "TEST", other); !errors.Is(err, sources.ErrNotStored) {
		return fmt.Errorf("a Confirm of what is not the newest: %v, want ErrNotStored", err)
	}
	for range 3 {
		second.Revision.Checked, second.Revision.ETag = second.Revision.Checked.AddDate(0, 0, 1), "new"
		second.Checks = append(second.Checks, second.Revision.Checked)
		if err := st.Confirm(context.Background(), "TEST", second.Revision); err != nil {
			return fmt.Errorf("a Confirm: %w", err)
		}
	}
	if err := kept(open, "TEST", second, first); err != nil {
		return fmt.Errorf("after Confirm: %w", err)
	}
	third := testList("TEST", 3)
	third.Revision.Digest = second.Revision.Digest
	if st, err = save(open, third); err != nil {
		return err
	}
	got, err := st.Load(context.Background(), "TEST", nameOf(third))
	if err != nil {
		return err
	}
	if err := sameList(got, third); err != nil { // and not with what was confirmed of another
		return err
	}
	got, err = st.Load(context.Background(), "TEST", nameOf(second))
	if err != nil {
		return err
	}
	if !slices.Equal(got.Checks, second.Checks) {
		return fmt.Errorf("the checks of what is not the newest any more are %v, want %v", got.Checks, second.Checks)
	}
	return nil
}

func storeSnapshots(open func() (sources.Store, error)) error {
	ctx := context.Background()
	st, err := open()
	if err != nil {
		return err
	}
	if all, err := st.Snapshots(ctx); len(all) > 0 || err != nil {
		return fmt.Errorf("an empty Store has the snapshots %+v, %v", all, err)
	}
	first, second, third := testSnapshot(1), testSnapshot(2), testSnapshot(3)
	third.Digest, third.Lists = first.Digest, nil
	var names []sources.Stored
	for _, s := range []*sources.Snapshot{third, second, first} {
		names = append(names, sources.Stored{Digest: s.Digest, Accepted: s.Since})
	}
	for _, s := range []*sources.Snapshot{second, first, third} {
		if err := st.SaveSnapshot(ctx, s); err != nil {
			return fmt.Errorf("a SaveSnapshot: %w", err)
		}
	}
	clear(second.Lists) // the caller's own
	if st, err = open(); err != nil {
		return err
	}
	all, err := st.Snapshots(ctx)
	if err != nil || !slices.Equal(all, names) {
		return fmt.Errorf("the snapshots are %+v, %v, want %+v", all, err, names)
	}
	for i, want := range []*sources.Snapshot{third, testSnapshot(2), first} {
		for range 2 {
			got, err := st.LoadSnapshot(ctx, names[i])
			if err != nil {
				return err
			}
			if err := sameSnapshot(got, want); err != nil {
				return err
			}
			clear(got.Lists)
		}
	}
	never := testSnapshot(4)
	if _, err := st.LoadSnapshot(ctx, sources.Stored{Digest: never.Digest, Accepted: never.Since}); !errors.Is(err, sources.ErrNotStored) {
		return fmt.Errorf("a LoadSnapshot of what was never saved: %v, want ErrNotStored", err)
	}
	return nil
}

func storeOwn(open func() (sources.Store, error)) error {
	l := testList("TEST", 1)
	st, err := save(open, l)
	if err != nil {
		return err
	}
	l.Entries[0], l.Removed[0] = sources.Entry{}, sources.Removal{}
	for range 2 {
		got, err := st.Load(context.Background(), "TEST", nameOf(l))
		if err != nil {
			return err
		}
		if err := sameList(got, testList("TEST", 1)); err != nil {
			return err
		}
		got.Entries[0], got.Removed[0] = sources.Entry{}, sources.Removal{}
	}
	return nil
}

func storeCancelled(open func() (sources.Store, error)) error {
	l, snap := testList("TEST", 1), testSnapshot(1)
	st, err := save(open, l)
	if err != nil {
		return err
	}
	if err := st.SaveSnapshot(context.Background(), snap); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	later := l.Revision
	later.Checked = later.Checked.AddDate(0, 0, 1)
	_, revisions := st.Revisions(ctx, "TEST")
	_, load := st.Load(ctx, "TEST", nameOf(l))
	_, snapshots := st.Snapshots(ctx)
	_, loadSnapshot := st.LoadSnapshot(ctx, sources.Stored{Digest: snap.Digest, Accepted: snap.Since})
	for name, err := range map[string]error{
		"Save": st.Save(ctx, testList("TEST", 2)), "Confirm": st.Confirm(ctx, "TEST", later), "Revisions": revisions, "Load": load,
		"SaveSnapshot": st.SaveSnapshot(ctx, testSnapshot(2)), "Snapshots": snapshots, "LoadSnapshot": loadSnapshot,
	} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s: error %v, want one that wraps %v", name, err, context.Canceled)
		}
	}
	if all, err := st.Snapshots(context.Background()); len(all) != 1 || err != nil {
		return fmt.Errorf("the snapshots are %+v, %v, want those that were saved in time", all, err)
	}
	return kept(open, "TEST", l)
}

func storeConcurrent(open func() (sources.Store, error)) error {
	st, err := open()
	if err != nil {
		return err
	}
	ctx := context.Background()
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			source := "TEST_" + strings.Repeat("A", i%4)
			l := testList(source, i)
			errs[i] = st.Save(ctx, l)
			all, err := st.Revisions(ctx, source)
			errs[i] = errors.Join(errs[i], err)
			for _, s := range all {
				if _, err := st.Load(ctx, source, s); err != nil && !errors.Is(err, sources.ErrNotStored) {
					errs[i] = errors.Join(errs[i], err)
				}
			}
			errs[i] = errors.Join(errs[i], st.SaveSnapshot(ctx, testSnapshot(i)))
			snapshots, err := st.Snapshots(ctx)
			errs[i] = errors.Join(errs[i], err)
			for _, s := range snapshots {
				_, err := st.LoadSnapshot(ctx, s)
				errs[i] = errors.Join(errs[i], err)
			}
			if err := st.Confirm(ctx, source, l.Revision); err != nil && !errors.Is(err, sources.ErrNotStored) {
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
