package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

// refreshEvery is the interval at which serve asks for the lists. The requests are conditional: a
// list that has not changed is not sent again. The file of an own list is looked at every
// ownEvery.
const (
	refreshEvery = time.Hour
	never        = 10 * 365 * 24 * time.Hour
)

var ownEvery = 10 * time.Second // a variable for tests

// newScreener returns a Screener that holds no list yet. Offline, its Run looks at own lists only.
func (o *listOptions) newScreener(srcs []sources.Source, offline bool, opts *screening.Options) (*screening.Screener, error) {
	if err := o.limit(srcs, opts); err != nil {
		return nil, err
	}
	opts.Schedule = make(map[string]screening.Schedule)
	for _, s := range srcs {
		if s.Info().Jurisdiction == sources.Operator {
			opts.Schedule[s.Info().ID] = screening.Schedule{Every: ownEvery, Retry: ownEvery}
		} else if offline {
			opts.Schedule[s.Info().ID] = screening.Schedule{Every: never, Retry: never}
		}
	}
	return screening.New(srcs, opts)
}

// limit sets in opts how good the lists of the sources must be.
func (o *listOptions) limit(srcs []sources.Source, opts *screening.Options) (err error) {
	opts.MaxAge, opts.MaxPublished = o.maxAge, o.maxPublished
	if opts.Optional, err = o.optional(srcs); err != nil {
		return err
	}
	ids := idsOf(srcs)
	for id := range o.maxPublished {
		if !slices.Contains(ids, id) {
			return fmt.Errorf("-max-published: the list %.80q is not held%s", id, didYouMean(id, ids, ""))
		}
	}
	return nil
}

// past returns the lists that answered at a time. If nothing was kept yet, they are reconstructed.
func (o *listOptions) past(ctx context.Context, st store.Store, at time.Time) (past *screening.Past, reconstructed bool, err error) {
	srcs, err := o.sources(false)
	if err != nil {
		return nil, false, err
	}
	opts := &screening.Options{}
	if err := o.limit(srcs, opts); err != nil {
		return nil, false, err
	}
	kept := "-data or -db keeps the lists from the first start on"
	if st != nil {
		past, err = screening.OpenAt(ctx, st, at, srcs, opts)
		if !errors.Is(err, store.ErrNotFound) {
			return past, false, err
		}
		all, err2 := journal.Answered(ctx, st)
		if err2 != nil || len(all) > 0 && !all[len(all)-1].At.After(at) {
			return nil, false, err
		}
		if len(all) > 0 {
			kept = "the lists are kept since " + minute(all[len(all)-1].At)
		}
	}
	if past, err = screening.Reconstruct(ctx, at, srcs, opts); err != nil {
		return nil, false, err
	}
	if !slices.ContainsFunc(past.Sources(), func(l screening.SourceStatus) bool { return l.Required && l.Digest != "" }) {
		return nil, false, fmt.Errorf("nothing is kept of %s (%w): %s, and walletscreen history ADDRESS shows what is known of before", minute(at), store.ErrNotFound, kept)
	}
	return past, true, nil
}

// openPast returns the lists that answered at a time, or an error if they are not kept, or did not decide.
func (p *program) openPast(ctx context.Context, at time.Time) (*screening.Past, error) {
	st, err := p.openStore(ctx, false)
	if err != nil {
		return nil, err
	}
	past, reconstructed, err := p.lists.past(ctx, st, at)
	if err != nil {
		return nil, fmt.Errorf("-at: %w", err)
	}
	if reconstructed { // a label decides whatever is missing
		return past, nil
	}
	if _, err := past.Screen(anyAddress); err != nil {
		return nil, fmt.Errorf("nothing can be decided as of %s: %w", minute(at), err)
	}
	return past, p.sayUnasked(ctx, past.Sources(), at)
}

// open returns a Screener of the sources, without any of those that the options choose, with the
// lists in the store, or the bundled ones. It changes the store if write is set.
func (p *program) open(ctx context.Context, srcs []sources.Source, write bool, opts *screening.Options) (_ *screening.Screener, err error) {
	if srcs == nil {
		if srcs, err = p.lists.sources(false); err != nil {
			return nil, err
		}
	}
	if opts.Store, err = p.openStore(ctx, write); err != nil {
		return nil, err
	}
	s, err := p.lists.newScreener(srcs, true, opts)
	if err != nil {
		return nil, err
	}
	if err := s.SetExceptions(ctx, nil); err != nil { // what own lists allow
		return nil, err
	}
	if _, err := s.Open(ctx); err != nil && opts.Store == nil {
		return nil, err
	}
	if !write && len(p.lists.own) > 0 {
		s.Refresh(ctx) // reads the files; Sources has the error of each
	}
	return s, nil
}

// openLists returns a Screener, or an error if a list that is required is missing or too old.
func (p *program) openLists(ctx context.Context) (*screening.Screener, error) {
	s, err := p.open(ctx, nil, false, &screening.Options{})
	if err != nil {
		return nil, err
	}
	bad := p.lists.undecidable(s)
	for _, l := range s.Sources() {
		if bad != nil || isBroken(l) {
			bad = errors.Join(bad, failure(l))
		}
	}
	if p.store != nil && bad == nil {
		bad = p.sayUnasked(ctx, s.Sources(), time.Time{})
	}
	return s, bad
}

// sayUnasked says which lists the server with this store answers from, or answered from at a time that is not zero, and that are not
// asked: an address that one of them blocks would be called clean. Published lists count unless -lists has chosen. The server says in
// the journal how long it may be silent; lists export, which answers at once, does not.
func (p *program) sayUnasked(ctx context.Context, asked []screening.SourceStatus, at time.Time) error {
	var unasked []string
	err := journal.Read(ctx, p.store, func(l *journal.Line, _ *journal.State) error {
		if p := l.Opened; p != nil && p.Answers && p.Every > 0 && (at.IsZero() || !l.At.After(at)) {
			unasked = p.Sources
		}
		return nil
	})
	unasked = slices.DeleteFunc(slices.Clone(unasked), func(id string) bool {
		isAsked := slices.ContainsFunc(asked, func(l screening.SourceStatus) bool { return l.Info.ID == id })
		return isAsked || len(p.lists.choose) > 0 && p.lists.published(id) != nil
	})
	if len(unasked) > 0 {
		fmt.Fprintln(p.stderr, fold("walletscreen: serve answers from lists that are not asked here, "+strings.Join(unasked, ", ")+": give the same -lists and -list as to serve"))
	}
	return err
}

// undecidable returns an error if a required list is missing or too old.
func (o *listOptions) undecidable(s *screening.Screener) error {
	now := time.Now()
	var missing, old, due []string
	for _, l := range s.Sources() {
		switch {
		case l.Required && !l.Loaded():
			missing = append(missing, l.Info.ID)
		case l.Required && o.tooOld(l, now):
			old = append(old, fmt.Sprintf("%s is %s old", l.Info.ID, ageText(now.Sub(l.LastUpdated))))
		case l.Required && o.isDue(l, now) && l.Published.IsZero():
			due = append(due, l.Info.ID+" does not say when it was published")
		case l.Required && o.isDue(l, now):
			due = append(due, fmt.Sprintf("%s was published %s ago", l.Info.ID, ageText(now.Sub(l.Published))))
		}
	}
	switch {
	case len(missing) > 0:
		text := fmt.Sprintf("nothing can be decided: %s not loaded\nwalletscreen lists refresh -data DIR fetches lists", strings.Join(missing, " and "))
		if p := o.published(missing[0]); p != nil && p.parse != nil {
			text += fmt.Sprintf(", and lists import -data DIR %s=FILE reads one that you have downloaded", missing[0])
		}
		return errors.New(text)
	case len(old) > 0:
		return fmt.Errorf("nothing can be decided: %s, older than -max-age %v", strings.Join(old, " and "), o.maxAge)
	case len(due) > 0:
		return fmt.Errorf("nothing can be decided: %s, and -max-published allows less", strings.Join(due, " and "))
	}
	return nil
}

// tooOld reports whether a list was not checked within -max-age.
func (o *listOptions) tooOld(l screening.SourceStatus, now time.Time) bool {
	return o.maxAge > 0 && !l.Info.Final && (l.LastUpdated.IsZero() || now.Sub(l.LastUpdated) > o.maxAge)
}

// isDue reports whether a list was not published within -max-published.
func (o *listOptions) isDue(l screening.SourceStatus, now time.Time) bool {
	limit := o.maxPublished[l.Info.ID]
	return limit > 0 && !l.Info.Final && (l.Published.IsZero() || now.Sub(l.Published) > limit)
}

// storeDir has the lists in -data. The lists of earlier versions, in formerDir, are neither read nor changed.
const (
	storeDir  = "store"
	formerDir = "lists"
)

// formerText says what it means that there are lists of an earlier version.
const formerText = "of an earlier version, and neither read nor changed: -at, receipts, formerly and first-seen dates of before need that version; " +
	"keys, quotas and outbox stay in use"

// openDir opens the store in the directory of -data, and makes it if write is set.
func openDir(data string, write bool, warn func(text string)) (store.Store, error) {
	name, former := filepath.Join(data, storeDir), ""
	has := func(name string) bool { _, err := os.Stat(filepath.Join(data, name)); return err == nil }
	if !has(storeDir) && has("journal") {
		return nil, fmt.Errorf("%s is itself a store, as store.Open makes it: want the directory that has it under the name %s", data, storeDir)
	}
	if !has(storeDir) && has(formerDir) {
		former = filepath.Join(data, formerDir) + " is " + formerText
	}
	if !has(storeDir) && !write {
		err := fmt.Errorf("there are no lists in %s; walletscreen lists refresh -data fetches them", data)
		if former != "" {
			err = fmt.Errorf("%w; %s", err, former)
		}
		return nil, err
	}
	st, err := store.Open(name)
	if err == nil && former != "" {
		warn("-data: " + former)
	}
	return st, err
}

// openStore opens the store of lists once for all that a command does, and returns nil if there is none: the database of
// -db if replicas share it, or else a directory in -data. One that is only read must exist. openStore warns when it
// creates a store beside one of an earlier version.
func (p *program) openStore(ctx context.Context, write bool) (store.Store, error) {
	if p.store != nil {
		return p.store, nil
	}
	warn := p.warn
	if warn == nil {
		warn = func(text string) { fmt.Fprintln(p.stderr, "walletscreen:", text) }
	}
	if p.lists.db != "" {
		if err := checkDB(p.lists.db); err != nil {
			return nil, err
		}
	}
	var st store.Store
	p.closeStore = func() {}
	switch {
	case isShared(p.lists.db):
		pg, err := pgstore.Open(ctx, p.lists.db)
		if err != nil {
			return nil, databaseError(err)
		}
		if st, p.closeStore = pg, pg.Close; pg.Former() {
			warn("-db: the tables walletscreen_journal, walletscreen_files and walletscreen_chunks are " + formerText)
		}
	case p.lists.data != "":
		var err error
		if st, err = openDir(p.lists.data, write, warn); err != nil {
			return nil, fmt.Errorf("-data: %w", err)
		}
	default:
		return nil, nil
	}
	if p.store = store.Retain(st, p.lists.keep); !write {
		p.store = store.ReadOnly(p.store)
	}
	return p.store, nil
}

// wantStore returns an error unless -data or -db names a store of lists.
func (o *listOptions) wantStore() error {
	if o.data == "" && !isShared(o.db) {
		return errors.New("want -data, the directory that keeps the lists, or a PostgreSQL in -db, the same as for serve")
	}
	return nil
}
