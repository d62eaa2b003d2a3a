package httpapi

import (
	"context"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
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

	n      uint32 // the number of the acceptance
	digest string // of all entries
	filled bool   // whether its entries were looked for
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
	turn    turns // of one caller: to read
	journal journal.Reader
	changes []*change // the newest ones, the oldest first
}

// changes answers a GET to /api/v1/changes.
func (e *exchange) changes() ([]byte, *problem) {
	list := []change{}
	if e.Store != nil {
		ctx, cancel := context.WithTimeout(e.Context(), changesPatience)
		defer cancel()
		var err error
		if list, err = e.changeLog.read(ctx, e.Store); err != nil {
			e.logError(changesUnavailable, "changes", err)
			e.setHeader("Retry-After", retrySoon)
			return nil, &problem{Code: changesUnavailable, Detail: "The changes of the lists cannot be read at the moment. This says nothing about the lists."}
		}
	}
	if !e.caller.has(scopeOwn) {
		hideOwn(list, e.screener.Sources())
	}
	return e.inTurn(func() (any, *problem) { return map[string]any{"changes": list}, nil }) // thousands of entries, each time
}

// hideOwn removes the entries and the reasons of lists that are not known to be a
// publisher's: the addresses of the operator's own lists are nobody else's business.
func hideOwn(list []change, status []screening.SourceStatus) {
	for i := range list {
		c := &list[i]
		published := slices.ContainsFunc(status, func(s screening.SourceStatus) bool {
			return s.Info.ID == c.Source && s.Info.Jurisdiction != sources.Operator
		})
		if !published {
			c.Reason, c.AddedList, c.RemovedList, c.Truncated = "", nil, nil, c.Added+c.Removed > 0
		}
	}
}

// read returns the newest changes, the newest first. The entries of each are read once; until there was time
// for that, it is truncated.
func (l *changeLog) read(ctx context.Context, st store.Store) ([]change, error) {
	if err := l.turn.take(ctx); err != nil {
		return nil, err
	}
	defer func() { <-l.turn }()
	err := l.journal.Next(ctx, st, func() { l.changes = nil }, func(line *journal.Line) {
		if c := newChange(line); c != nil {
			l.changes = append(l.changes, c)
		}
		if len(l.changes) > 2*maxChanges {
			l.changes = append([]*change(nil), l.changes[len(l.changes)-maxChanges:]...)
		}
	})
	if err != nil {
		return nil, err
	}
	l.changes = l.changes[max(0, len(l.changes)-maxChanges):]
	list := make([]change, 0, len(l.changes))
	for _, c := range slices.Backward(l.changes) {
		if err := c.fill(ctx, st); err != nil && ctx.Err() == nil {
			return nil, err
		}
		list = append(list, *c)
	}
	return list, nil
}

// newChange returns the change that a line is, or nil.
func newChange(line *journal.Line) *change {
	held := line.Held
	if line.Type == journal.Refused {
		held = line.Offered
	}
	if held == nil || line.Type != journal.Accepted && line.Type != journal.Refused {
		return nil
	}
	return &change{
		Source: line.Source, Time: timestamp{line.At}, Event: line.Type, PublishedAt: timestamp{held.Revision.Published},
		Entries: held.Entries, Addresses: held.Addresses, Added: line.Added, Removed: line.Removed, Reason: line.Reason,
		Truncated: line.Added+line.Removed > 0, n: held.N, digest: held.Digest,
	}
}

// fill reads once which entries were added and removed. An entry with another name is neither.
func (c *change) fill(ctx context.Context, st store.Store) error {
	if c.filled || c.Event != journal.Accepted || !c.Truncated || ctx.Err() != nil {
		return nil
	}
	f, err := journal.Open(ctx, st, c.Source, &journal.Held{N: c.n, Digest: c.digest}, nil)
	if err != nil && !journal.IsAtFault(err) {
		return err // the store fails: try again
	}
	c.filled = true
	if err != nil {
		return nil // it is no longer kept
	}
	c.compare(f)
	return nil
}

// covers reports whether a stay is in the acceptance n.
func covers(s *stays.Stay, n uint32) bool { return s.In <= n && (s.Out == 0 || s.Out > n) }

// each calls do for the stays of a file that came or went with c, and if all is true for those that did neither.
func (c *change) each(f *stays.File, all bool, do func(*stays.Stay, stays.Key)) {
	for _, ended := range [...]bool{false, true} {
		for r, err := range f.Records(ended) {
			var s stays.Stay
			if err != nil || !all && r.In != c.n && r.Out != c.n || !covers(&r.Stay, c.n-1) && !covers(&r.Stay, c.n) {
				continue
			}
			if r.Read(&s) == nil {
				do(&s, stays.KeyOf(&s.Entry))
			}
		}
	}
}

// compare finds the entries in a file of stays. Each is shown once. It reads the addresses of the whole file once.
func (c *change) compare(f *stays.File) {
	in := make(map[stays.Key][2]bool) // of entries that came or went: whether they are in the acceptance before, and in this one
	c.each(f, false, func(_ *stays.Stay, key stays.Key) { in[key] = [2]bool{} })
	c.each(f, true, func(s *stays.Stay, key stays.Key) {
		if has, ok := in[key]; ok {
			in[key] = [2]bool{has[0] || covers(s, c.n-1), has[1] || covers(s, c.n)}
		}
	})
	c.each(f, false, func(s *stays.Stay, key stays.Key) {
		switch has := in[key]; {
		case s.In == c.n && !has[0] && len(c.AddedList) < min(maxChangeEntries, c.Added):
			c.AddedList = append(c.AddedList, newChangeEntry(&s.Entry))
		case s.Out == c.n && !has[1] && len(c.RemovedList) < min(maxChangeEntries, c.Removed):
			c.RemovedList = append(c.RemovedList, newChangeEntry(&s.Entry))
		default:
			return
		}
		in[key] = [2]bool{true, true}
	})
	c.Truncated = len(c.AddedList) < c.Added || len(c.RemovedList) < c.Removed
}

func newChangeEntry(e *sources.Entry) changeEntry {
	return changeEntry{ListedAddress: e.Text(), Chain: e.Address.Chain(), Label: e.Kind, SourceRef: e.Ref, Name: e.Name}
}
