// Package sourcetest tests implementations of [sources.Source]. It is a package
// of its own so that no program links package testing.
//
//	func TestSource(t *testing.T) {
//		sourcetest.Run(t, func(t *testing.T) sources.Source {
//			return mylist.New(&mylist.Options{URL: server(t)})
//		})
//	}
package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// Run tests that the Source returned by newSource follows the rules of [sources.Source] and
// of its entries, each rule in a subtest. A failure names the rule and its reason.
//
// Each call of newSource must return a Source of the same list, which must not change during
// the test. Use a list of at least three entries: with fewer, the rules about errors and
// cancellation within a Load show little. Under the race detector, Run also tests that
// concurrent Loads share nothing.
func Run(t *testing.T, newSource func(*testing.T) sources.Source) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			err := r.check(func() sources.Source { return newSource(t) })
			if err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
}

// A rule has a name, the text that is printed when it is broken, and a test.
type rule struct {
	name        string
	explanation string
	check       func(newSource func() sources.Source) error
}

var rules = []rule{
	{
		"info",
		"Info is valid, and equal for every call and for every Source of the list: labels and settings name the source by it.",
		checkInfo,
	},
	{
		"revision",
		"Load returns a Revision with the SHA-256 of the list in lower-case hex, its number of records, at least one, and times in UTC that have passed. What has no digest or no records is refused as a broken list.",
		checkRevision,
	},
	{
		"entries",
		"Each entry lists something, under a kind that the newest scoring table knows and that the jurisdiction may emit, with times in UTC. One entry that does not makes the whole list be refused.",
		checkEntries,
	},
	{
		"listed",
		"Listed and Address say the same: Listed, where it is an address of the chain of Address, is that account, and Address is zero only if sources.Decode knows no address for Listed. Otherwise a listed account would be screened as clean.",
		checkListed,
	},
	{
		"repeat",
		"A second Load with a zero prev reads the same list again: equal entries in equal order, and an equal digest. It never returns ErrUnchanged, for the caller holds nothing.",
		checkRepeat,
	},
	{
		"prev",
		"A Load with the revision that an earlier Load returned either returns ErrUnchanged, adds nothing, and returns a revision of the same digest; or it gives the same entries again.",
		checkPrev,
	},
	{
		"other prev",
		"A Load with a revision of another digest, and without validators, gives the whole list: the caller holds another one.",
		checkOtherPrev,
	},
	{
		"cancelled before",
		"If ctx has ended before Load is called, Load returns an error that wraps ctx.Err(), soon.",
		checkCancelledBefore,
	},
	{
		"cancelled during",
		"If ctx ends while Load is adding entries, Load returns an error that wraps ctx.Err(), soon: a list that was read in part must not pass for one that was read whole.",
		checkCancelledDuring,
	},
	{
		"add error",
		"If add returns an error, Load calls add no more and returns an error that wraps it.",
		checkAddError,
	},
	{
		"concurrent",
		"Methods may be called concurrently: Loads that run side by side each give the whole list.",
		checkConcurrent,
	},
	{
		"slow",
		"A Load whose caller is slow to take an entry gives the whole list all the same, and holds up no other Load: each may have a caller of its own.",
		checkSlow,
	},
	{
		"own entries",
		"Entries are the caller's own: what was given to add does not change after add has returned.",
		checkOwnEntries,
	},
}

// patience is the time allowed for a Load to return after its context has ended, on a
// busy machine.
const patience = time.Minute

// load returns the entries and the revision of one Load.
func load(src sources.Source, prev sources.Revision) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := src.Load(context.Background(), prev, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

// first calls load without a previous revision.
func first(src sources.Source) ([]sources.Entry, sources.Revision, error) {
	entries, rev, err := load(src, sources.Revision{})
	if err != nil {
		err = fmt.Errorf("a Load: %w", err)
	}
	return entries, rev, err
}

func checkInfo(newSource func() sources.Source) error {
	src := newSource()
	info := src.Info()
	if err := info.Validate(); err != nil {
		return err
	}
	if again := src.Info(); again != info {
		return fmt.Errorf("the Info is %+v, then %+v", info, again)
	}
	if _, _, err := first(src); err != nil {
		return err
	}
	if again := src.Info(); again != info {
		return fmt.Errorf("the Info is %+v, and after a Load %+v", info, again)
	}
	if other := newSource().Info(); other != info {
		return fmt.Errorf("the Info is %+v, and of another Source of the list %+v", info, other)
	}
	return nil
}

func checkRevision(newSource func() sources.Source) error {
	_, rev, err := first(newSource())
	if err != nil {
		return err
	}
	if len(rev.Digest) != 64 || strings.Trim(rev.Digest, "0123456789abcdef") != "" {
		return fmt.Errorf("digest %q: want 64 digits of lower-case hex", rev.Digest)
	}
	if rev.Records <= 0 {
		return fmt.Errorf("%d records: want at least one", rev.Records)
	}
	for name, t := range map[string]time.Time{"Published": rev.Published, "Checked": rev.Checked} {
		if t.Location() != time.UTC {
			return fmt.Errorf("%s is %v: want UTC", name, t)
		}
		if t.After(time.Now().Add(24 * time.Hour)) {
			return fmt.Errorf("%s is %v, in the future: the list would never be too old", name, t)
		}
	}
	return nil
}

func checkEntries(newSource func() sources.Source) error {
	src := newSource()
	entries, _, err := first(src)
	if err != nil {
		return err
	}
	info := src.Info()
	for i, e := range entries {
		if !e.Address.IsValid() && sources.TrimListed(e.Listed) == "" {
			return fmt.Errorf("entry %d, ref %q: lists nothing", i, e.Ref)
		}
		if _, ok := score.Latest().Points(e.Kind, score.Exact); !ok {
			return fmt.Errorf("entry %d, %q: scoring %s does not know the kind %q", i, e.Text(), score.Latest().Version(), e.Kind)
		}
		if !info.MayEmit(e.Kind) {
			return fmt.Errorf("entry %d, %q: a list of jurisdiction %s may not emit %s", i, e.Text(), info.Jurisdiction, e.Kind)
		}
		for name, t := range map[string]time.Time{"ListedAt": e.ListedAt, "EntityListedAt": e.EntityListedAt, "FirstSeen": e.FirstSeen, "Until": e.Until} {
			if t.Location() != time.UTC {
				return fmt.Errorf("entry %d, %q: %s is %v: want UTC", i, e.Text(), name, t)
			}
		}
	}
	return nil
}

func checkListed(newSource func() sources.Source) error {
	entries, _, err := first(newSource())
	if err != nil {
		return err
	}
	for i, e := range entries {
		if !e.Address.IsValid() {
			if a, ok := sources.Decode(e.Asset, e.Listed); ok {
				return fmt.Errorf("entry %d, %q: Address is zero, want %v", i, e.Listed, a)
			}
			continue
		}
		a, err := address.Normalize(e.Address.Chain(), sources.TrimListed(e.Text()))
		if err == nil && a.Account() != e.Address.Account() {
			return fmt.Errorf("entry %d, %q: Address is %v, another account", i, e.Listed, e.Address)
		}
	}
	return nil
}

func checkRepeat(newSource func() sources.Source) error {
	src := newSource()
	entries, rev, err := first(src)
	if err != nil {
		return err
	}
	again, revAgain, err := load(src, sources.Revision{})
	if err != nil {
		return fmt.Errorf("the second Load: %w", err)
	}
	return same("the second Load", entries, rev, again, revAgain)
}

func checkPrev(newSource func() sources.Source) error {
	src := newSource()
	entries, rev, err := first(src)
	if err != nil {
		return err
	}
	again, revAgain, err := load(src, rev)
	if errors.Is(err, sources.ErrUnchanged) {
		if len(again) > 0 {
			return fmt.Errorf("a Load returned ErrUnchanged, and added %d entries", len(again))
		}
		if revAgain.Digest != rev.Digest {
			return fmt.Errorf("a Load returned ErrUnchanged, and the digest %q, want that of prev, %q", revAgain.Digest, rev.Digest)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("the Load with its own revision: %w", err)
	}
	return same("the Load with its own revision", entries, rev, again, revAgain)
}

func checkOtherPrev(newSource func() sources.Source) error {
	src := newSource()
	entries, rev, err := first(src)
	if err != nil {
		return err
	}
	prev := sources.Revision{Digest: strings.Repeat("0", 64), Records: rev.Records}
	other, revOther, err := load(src, prev)
	if err != nil {
		return fmt.Errorf("the Load with another revision: %w", err)
	}
	return same("the Load with another revision", entries, rev, other, revOther)
}

func checkCancelledBefore(newSource func() sources.Source) error {
	src := newSource()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return cancelled(ctx, src, func(sources.Entry) error { return nil })
}

func checkCancelledDuring(newSource func() sources.Source) error {
	src := newSource()
	entries, _, err := first(src)
	if err != nil {
		return err
	}
	if len(entries) < 2 {
		return nil // one entry may be all there is to do
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return cancelled(ctx, src, func(sources.Entry) error {
		cancel()
		return nil
	})
}

// cancelled tests that a Load of src fails because ctx has ended.
func cancelled(ctx context.Context, src sources.Source, add func(sources.Entry) error) error {
	done := make(chan error, 1)
	go func() {
		_, err := src.Load(ctx, sources.Revision{}, add)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the Load returned the error %v: want one that wraps %v", err, context.Canceled)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the Load still runs %v after its context has ended", patience)
	}
}

func checkAddError(newSource func() sources.Source) error {
	src := newSource()
	entries, _, err := first(src)
	if err != nil {
		return err
	}
	for _, at := range []int{0, len(entries) / 2, len(entries) - 1} {
		if at < 0 || at >= len(entries) {
			continue // there is no entry to refuse
		}
		refused := errors.New("refused by the test")
		calls := 0
		_, err := src.Load(context.Background(), sources.Revision{}, func(sources.Entry) error {
			calls++
			if calls > at {
				return refused
			}
			return nil
		})
		if calls > at+1 {
			return fmt.Errorf("add refused entry %d and was called %d times more", at, calls-at-1)
		}
		if !errors.Is(err, refused) {
			return fmt.Errorf("add refused entry %d, and Load returned the error %v: want one that wraps that of add", at, err)
		}
	}
	return nil
}

func checkConcurrent(newSource func() sources.Source) error {
	src := newSource()
	entries, rev, err := first(src)
	if err != nil {
		return err
	}
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			_ = src.Info()
			other, revOther, err := load(src, sources.Revision{})
			if err == nil {
				err = same("a concurrent Load", entries, rev, other, revOther)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func checkSlow(newSource func() sources.Source) error {
	src := newSource()
	entries, rev, err := first(src)
	if err != nil {
		return err
	}
	type loaded struct {
		entries []sources.Entry
		rev     sources.Revision
		err     error
	}
	var other loaded
	var got []sources.Entry
	slow := func(e sources.Entry) error {
		got = append(got, e)
		if len(got) > 1 {
			return nil
		}
		done := make(chan loaded, 1)
		go func() {
			var l loaded
			l.entries, l.rev, l.err = load(src, sources.Revision{})
			done <- l
		}()
		select {
		case other = <-done:
			return nil
		case <-time.After(patience):
			return fmt.Errorf("another Load still waits, %v after this one's caller was given an entry", patience)
		}
	}
	revSlow, err := src.Load(context.Background(), sources.Revision{}, slow)
	if err == nil {
		err = same("a Load with a slow caller", entries, rev, got, revSlow)
	}
	if err == nil && len(got) > 0 {
		if err = other.err; err == nil {
			err = same("the Load meanwhile", entries, rev, other.entries, other.rev)
		}
	}
	return err
}

func checkOwnEntries(newSource func() sources.Source) error {
	src := newSource()
	var kept, copies []sources.Entry
	_, err := src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
		kept = append(kept, e)
		e.Listed, e.Asset = strings.Clone(e.Listed), strings.Clone(e.Asset)
		e.Ref, e.Name = strings.Clone(e.Ref), strings.Clone(e.Name)
		e.Kind = score.Kind(strings.Clone(string(e.Kind)))
		copies = append(copies, e)
		return nil
	})
	if err != nil {
		return fmt.Errorf("a Load: %w", err)
	}
	if _, _, err := first(src); err != nil { // may use the buffers of the first again
		return err
	}
	for i := range kept {
		if kept[i] != copies[i] {
			return fmt.Errorf("entry %d was %+v, and is now %+v", i, copies[i], kept[i])
		}
	}
	return nil
}

// same returns an error if two Loads returned different lists.
func same(what string, want []sources.Entry, wantRev sources.Revision, got []sources.Entry, gotRev sources.Revision) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s gave %d entries, the first %d", what, len(got), len(want))
	}
	for i := range want {
		if !equal(got[i], want[i]) {
			return fmt.Errorf("%s gave as entry %d %+v, the first %+v", what, i, got[i], want[i])
		}
	}
	if gotRev.Digest != wantRev.Digest {
		return fmt.Errorf("%s gave the digest %q, the first %q", what, gotRev.Digest, wantRev.Digest)
	}
	return nil
}

// equal reports whether two entries are equal, with equal times.
func equal(a, b sources.Entry) bool {
	if !a.ListedAt.Equal(b.ListedAt) || !a.EntityListedAt.Equal(b.EntityListedAt) || !a.FirstSeen.Equal(b.FirstSeen) || !a.Until.Equal(b.Until) {
		return false
	}
	a.ListedAt, a.EntityListedAt, a.FirstSeen, a.Until = b.ListedAt, b.EntityListedAt, b.FirstSeen, b.Until
	return a == b
}
