package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// Limits of /api/v1/changes.
const (
	maxChanges       = 100
	maxChangeEntries = 100 // of each kind and change
	changesPatience  = 3 * time.Second
)

// A change is one event of a list, as it is sent.
type change struct {
	Source      string        `json:"source"`
	Time        timestamp     `json:"time"`
	Event       string        `json:"event"`
	PublishedAt timestamp     `json:"published_at"`
	Entries     int           `json:"entries"`
	Addresses   int           `json:"addresses"`
	Added       int           `json:"added"`
	Removed     int           `json:"removed"`
	Reason      string        `json:"reason,omitempty"`
	AddedList   []changeEntry `json:"added_entries,omitempty"`
	RemovedList []changeEntry `json:"removed_entries,omitempty"`
	Truncated   bool          `json:"truncated"`

	revision string
	filled   bool // whether its entries were looked for
}

// A changeEntry is an entry of a list that was added or removed.
type changeEntry struct {
	ListedAddress string        `json:"listed_address"`
	Chain         address.Chain `json:"chain,omitempty"`
	Label         score.Kind    `json:"label"`
	SourceRef     string        `json:"source_ref"`
	Name          string        `json:"name,omitempty"`
}

// A changeLog reads the journal of a store.
type changeLog struct {
	turn    chan struct{} // semaphore: one caller reads at a time
	archive *journal.Journal
	next    int64             // position in the journal
	changes []*change         // the newest ones, the oldest first
	deltas  map[string]*delta // of revisions that were not accepted yet, by name
}

// A delta is how a revision differs from the previous revision.
type delta struct {
	added, removed []changeEntry
	whole          bool // added has all
}

// changes answers a GET to /api/v1/changes.
func (e *exchange) changes() ([]byte, *problem) {
	list := []*change{}
	if e.Store != nil {
		ctx, cancel := context.WithTimeout(e.Context(), changesPatience)
		defer cancel()
		var err error
		if list, err = e.changeLog.read(ctx, e.Store); err != nil {
			e.logError(changesUnavailable, fmt.Errorf("changes: %w", err))
			e.setHeader("Retry-After", retrySoon)
			return nil, &problem{Code: changesUnavailable, Detail: "The changes of the lists cannot be read at the moment. This says nothing about the lists."}
		}
	}
	if !e.caller.has(scopeOwn) {
		hideOwn(list, e.screener.Sources())
	}
	var body []byte
	var p *problem
	e.takeTurn(func() { // thousands of entries, each time
		if p = e.enter(false); p == nil { // not while it waited for the store
			body = marshal(struct {
				Changes []*change `json:"changes"`
			}{list})
		}
	})
	return body, cmp.Or(p, e.hold(len(body)))
}

// hideOwn removes the entries and the reasons of lists that are not known to be a
// publisher's: the addresses of the operator's own lists are nobody else's business.
func hideOwn(list []*change, status []screening.SourceStatus) {
	for i, c := range list {
		published := slices.ContainsFunc(status, func(s screening.SourceStatus) bool {
			return s.Info.ID == c.Source && s.Info.Jurisdiction != sources.Operator
		})
		if !published {
			hidden := *c // c is shared
			hidden.Reason, hidden.AddedList, hidden.RemovedList, hidden.Truncated = "", nil, nil, c.Added+c.Removed > 0
			list[i] = &hidden
		}
	}
}

// read returns the newest changes, the newest first. Each is read once and does not
// change afterwards.
func (l *changeLog) read(ctx context.Context, st store.Store) ([]*change, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.archive == nil {
		l.archive = journal.New(st)
	}
	next, err := l.archive.Read(ctx, l.next, func(ev journal.Event) {
		if ev.Type == journal.Changed {
			l.addDelta(&ev)
		}
		if c := newChange(&ev); c != nil && !l.merge(c) {
			c.fill(l.deltas[c.revision])
			l.changes = append(l.changes, c)
		}
		if ev.Type == journal.Accepted {
			delete(l.deltas, ev.Revision)
		}
		if len(l.changes) > 2*maxChanges {
			l.changes = append([]*change(nil), l.changes[len(l.changes)-maxChanges:]...)
		}
	})
	if err != nil && !errors.Is(err, store.ErrDamaged) {
		return nil, err
	}
	l.next = next
	l.changes = l.changes[max(0, len(l.changes)-maxChanges):]
	list := make([]*change, 0, len(l.changes))
	for i := len(l.changes) - 1; i >= 0; i-- {
		if err := l.open(ctx, l.changes[i]); err != nil {
			return nil, err
		}
		list = append(list, l.changes[i])
	}
	return list, nil
}

// merge reports whether l has an event about the revision of c already. A program that
// opens a revision before another one has written its event writes one, too, which says
// nothing about what was added.
func (l *changeLog) merge(c *change) bool {
	at := slices.IndexFunc(l.changes, func(had *change) bool {
		return c.Event == journal.Accepted && had.Event == c.Event && had.revision == c.revision
	})
	if at >= 0 && c.Added+c.Removed > 0 {
		c.fill(l.deltas[c.revision])
		l.changes[at] = c
	}
	return at >= 0
}

// newChange returns the change that an event is, or nil.
func newChange(ev *journal.Event) *change {
	if ev.Type != journal.Accepted && ev.Type != journal.Refused {
		return nil
	}
	return &change{
		Source: ev.Source, Time: timestamp{ev.At}, Event: ev.Type, PublishedAt: timestamp{ev.List.Published},
		Entries: ev.Entries, Addresses: ev.Addresses, Added: ev.Added, Removed: ev.Removed, Reason: ev.Reason,
		Truncated: ev.Added+ev.Removed > 0, revision: ev.Revision,
	}
}

// addDelta adds a Changed event.
func (l *changeLog) addDelta(ev *journal.Event) {
	if l.deltas == nil || len(l.deltas) > maxChanges { // most were never accepted
		l.deltas = make(map[string]*delta)
	}
	d := l.deltas[ev.Revision]
	if d == nil {
		d = &delta{whole: ev.Before != ""}
		l.deltas[ev.Revision] = d
	}
	had := make(map[sources.Entry]bool, len(ev.Delta.Dropped))
	for _, e := range ev.Delta.Dropped {
		had[e.Canonical()] = true
	}
	for _, e := range ev.Delta.Gained {
		if !had[e.Canonical()] && len(d.added) < maxChangeEntries {
			d.added = append(d.added, newChangeEntry(&e))
		}
	}
	for _, r := range ev.Delta.Removed {
		if len(d.removed) < maxChangeEntries {
			d.removed = append(d.removed, newChangeEntry(&r.Entry))
		}
	}
}

// fill sets what was added and removed, as far as d says that.
func (c *change) fill(d *delta) {
	if d == nil || c.Event != journal.Accepted {
		return
	}
	c.AddedList, c.RemovedList, c.filled = d.added[:min(len(d.added), c.Added)], d.removed[:min(len(d.removed), c.Removed)], d.whole
	c.Truncated = len(c.AddedList) < c.Added || len(c.RemovedList) < c.Removed
}

// open reads what was added from the revision, once, unless that is known.
func (l *changeLog) open(ctx context.Context, c *change) error {
	if c.filled || c.Event != journal.Accepted || !c.Truncated {
		return nil
	}
	f, err := l.archive.Open(ctx, c.revision)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // try again
	}
	c.filled = true
	if err != nil {
		return nil // it is no longer kept
	}
	_, accepted, _, _ := revision.ParseName(c.revision)
	for entry, err := range f.Entries() {
		if err != nil || len(c.AddedList) == maxChangeEntries {
			break
		}
		if entry.FirstSeen.Equal(accepted) {
			c.AddedList = append(c.AddedList, newChangeEntry(&entry))
		}
	}
	c.Truncated = len(c.AddedList) < c.Added || len(c.RemovedList) < c.Removed
	return nil
}

func newChangeEntry(e *sources.Entry) changeEntry {
	listed := e.Listed
	if listed == "" {
		listed = e.Address.Normalized()
	}
	return changeEntry{ListedAddress: listed, Chain: e.Address.Chain(), Label: e.Kind, SourceRef: e.Ref, Name: e.Name}
}
