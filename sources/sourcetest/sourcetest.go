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
			if err := check(func() sources.Source { return newSource(t) }, r.check); err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
}

// check returns the error of a rule for the Source that newSource returns.
func check(newSource func() sources.Source, rule func(*list) error) (err error) {
	l := &list{newSource: newSource, src: newSource()}
	l.info = l.src.Info()
	if l.entries, l.rev, err = load(l.src, sources.Revision{}); err != nil {
		return fmt.Errorf("a Load: %w", err)
	}
	return rule(l)
}

// A list is what one Load of a Source gave.
type list struct {
	newSource func() sources.Source
	src       sources.Source
	info      sources.Info // before the Load
	entries   []sources.Entry
	rev       sources.Revision
}

// rules are tested, each with the text that is printed when it is broken.
var rules = []struct {
	name, explanation string
	check             func(*list) error
}{
	{"info", "Info is valid, and equal for every call and for every Source of the list: labels and settings name the source by it.", checkInfo},
	{"revision", "Load returns a Revision with the SHA-256 of the list in lower-case hex, its number of records, at least one, and times in UTC that have passed. What has no digest or no records is refused as a broken list.", checkRevision},
	{"entries", "Each entry lists something, under a kind that the newest scoring table knows and that the jurisdiction may emit, with times in UTC. One entry that does not makes the whole list be refused.", checkEntries},
	{"listed", "Listed and Address say the same: Listed, where it is an address of the chain of Address, is that account, and Address is zero only if sources.Decode knows no address for Listed. Otherwise a listed account would be screened as clean.", checkListed},
	{"repeat", "A second Load with a zero prev reads the same list again: equal entries in equal order, and an equal digest. It never returns ErrUnchanged, for the caller holds nothing.", func(l *list) error {
		return l.same("the second Load", sources.Revision{})
	}},
	{"prev", "A Load with the revision that an earlier Load returned either returns ErrUnchanged, adds nothing, and returns a revision of the same digest; or it gives the same entries again.", checkPrev},
	{"other prev", "A Load with a revision of another digest, and without validators, gives the whole list: the caller holds another one.", func(l *list) error {
		return l.same("the Load with another revision", sources.Revision{Digest: strings.Repeat("0", 64), Records: l.rev.Records})
	}},
	{"cancelled before", "If ctx has ended before Load is called, Load returns an error that wraps ctx.Err(), soon.", func(l *list) error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return cancelled(ctx, l.newSource(), func(sources.Entry) error { return nil })
	}},
	{"cancelled during", "If ctx ends while Load is adding entries, Load returns an error that wraps ctx.Err(), soon: a list that was read in part must not pass for one that was read whole.", func(l *list) error {
		if len(l.entries) < 2 {
			return nil // one entry may be all there is to do
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return cancelled(ctx, l.src, func(sources.Entry) error { cancel(); return nil })
	}},
	{"add error", "If add returns an error, Load calls add no more and returns an error that wraps it.", checkAddError},
	{"concurrent", "Methods may be called concurrently, also while the caller of a Load is slow to take an entry: each Load has a caller of its own, and gives the whole list.", checkConcurrent},
	{"own entries", "Entries are the caller's own: what was given to add does not change after add has returned.", checkOwnEntries},
}

// load returns the entries and the revision of one Load.
func load(src sources.Source, prev sources.Revision) (entries []sources.Entry, rev sources.Revision, err error) {
	rev, err = src.Load(context.Background(), prev, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

func checkInfo(l *list) error {
	if err := l.info.Validate(); err != nil {
		return err
	}
	for what, info := range map[string]sources.Info{"after a Load": l.src.Info(), "of another Source of the list": l.newSource().Info()} {
		if info != l.info {
			return fmt.Errorf("the Info is %+v, and %s %+v", l.info, what, info)
		}
	}
	return nil
}

func checkRevision(l *list) error {
	rev := l.rev
	if len(rev.Digest) != 64 || strings.Trim(rev.Digest, "0123456789abcdef") != "" {
		return fmt.Errorf("digest %q: want 64 digits of lower-case hex", rev.Digest)
	}
	if rev.Records <= 0 {
		return fmt.Errorf("%d records: want at least one", rev.Records)
	}
	for _, t := range []time.Time{rev.Published, rev.Checked} {
		if t.Location() != time.UTC || t.After(time.Now().Add(24*time.Hour)) {
			return fmt.Errorf("published %v, checked %v: want times in UTC that have passed, or the list would never be too old", rev.Published, rev.Checked)
		}
	}
	return nil
}

func checkEntries(l *list) error {
	for i, e := range l.entries {
		if !e.Address.IsValid() && sources.TrimListed(e.Listed) == "" {
			return fmt.Errorf("entry %d, ref %q: lists nothing", i, e.Ref)
		}
		if _, ok := score.Latest().Points(e.Kind, score.Exact); !ok || !l.info.MayEmit(e.Kind) {
			return fmt.Errorf("entry %d, %q: scoring %s does not know the kind %q, or a list of jurisdiction %s may not emit it",
				i, e.Text(), score.Latest().Version(), e.Kind, l.info.Jurisdiction)
		}
		for _, t := range []time.Time{e.ListedAt, e.EntityListedAt, e.FirstSeen, e.NotListedOn, e.Until} {
			if t.Location() != time.UTC {
				return fmt.Errorf("entry %d, %q: the time %v: want UTC", i, e.Text(), t)
			}
		}
	}
	return nil
}

func checkListed(l *list) error {
	for i, e := range l.entries {
		want, ok := sources.Decode(e.Asset, e.Listed)
		if e.Address.IsValid() {
			a, err := address.Normalize(e.Address.Chain(), sources.TrimListed(e.Text()))
			want, ok = a, err == nil
		}
		if ok && want.Account() != e.Address.Account() {
			return fmt.Errorf("entry %d, %q: Address is %v, want %v", i, e.Listed, e.Address, want)
		}
	}
	return nil
}

func checkPrev(l *list) error {
	again, rev, err := load(l.src, l.rev)
	switch {
	case !errors.Is(err, sources.ErrUnchanged):
		return l.compare("the Load with its own revision", again, rev, err)
	case len(again) > 0 || rev.Digest != l.rev.Digest:
		return fmt.Errorf("a Load returned ErrUnchanged, %d entries and the digest %q: want none, and the digest of prev, %q", len(again), rev.Digest, l.rev.Digest)
	}
	return nil
}

// patience is the time allowed for a Load to return after its context has ended, on a
// busy machine.
const patience = time.Minute

// soon returns the error of f, or another one if f takes longer than patience.
func soon(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return fmt.Errorf("a Load still waits after %v", patience)
	}
}

// cancelled tests that a Load of src fails because ctx has ended.
func cancelled(ctx context.Context, src sources.Source, add func(sources.Entry) error) error {
	return soon(func() error {
		if _, err := src.Load(ctx, sources.Revision{}, add); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the Load returned the error %v: want one that wraps %v", err, context.Canceled)
		}
		return nil
	})
}

func checkAddError(l *list) error {
	for _, at := range []int{0, len(l.entries) / 2, len(l.entries) - 1} {
		refused := errors.New("refused by the test")
		calls := 0
		_, err := l.src.Load(context.Background(), sources.Revision{}, func(sources.Entry) error {
			if calls++; calls > at {
				return refused
			}
			return nil
		})
		if calls > 0 && (calls != at+1 || !errors.Is(err, refused)) {
			return fmt.Errorf("add refused call %d, was called %d times, and Load returned the error %v: want one that wraps the error of add", at+1, calls, err)
		}
	}
	return nil
}

func checkConcurrent(l *list) error {
	var got []sources.Entry
	rev, err := l.src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
		if got = append(got, e); len(got) > 1 {
			return nil
		}
		return soon(func() error {
			errs := make([]error, 4)
			var wg sync.WaitGroup
			for i := range errs {
				wg.Go(func() {
					_ = l.src.Info()
					errs[i] = l.same("a concurrent Load", sources.Revision{})
				})
			}
			wg.Wait()
			return errors.Join(errs...)
		})
	})
	return l.compare("a Load with a slow caller", got, rev, err)
}

func checkOwnEntries(l *list) error {
	var kept []sources.Entry
	var texts []string
	_, err := l.src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
		kept, texts = append(kept, e), append(texts, fmt.Sprintf("%+v", e))
		return nil
	})
	if err == nil {
		err = l.same("a Load", sources.Revision{}) // it may use the buffers again
	}
	for i := 0; i < len(kept) && err == nil; i++ {
		if now := fmt.Sprintf("%+v", kept[i]); now != texts[i] {
			err = fmt.Errorf("entry %d was %s, and is now %s", i, texts[i], now)
		}
	}
	return err
}

// same loads with a previous revision, and returns an error unless that gives the list.
func (l *list) same(what string, prev sources.Revision) error {
	entries, rev, err := load(l.src, prev)
	return l.compare(what, entries, rev, err)
}

// compare returns an error unless a Load gave the list.
func (l *list) compare(what string, got []sources.Entry, rev sources.Revision, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case len(got) != len(l.entries):
		return fmt.Errorf("%s gave %d entries, the first %d", what, len(got), len(l.entries))
	case rev.Digest != l.rev.Digest:
		return fmt.Errorf("%s gave the digest %q, the first %q", what, rev.Digest, l.rev.Digest)
	}
	for i, want := range l.entries {
		if got[i] != want {
			return fmt.Errorf("%s gave as entry %d %+v, the first %+v", what, i, got[i], want)
		}
	}
	return nil
}
