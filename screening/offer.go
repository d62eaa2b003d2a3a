package screening

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// An offer is a list that a publisher, a seed, an import or a program that shares the store offers.
type offer struct {
	rev       sources.Revision // without Checked
	checked   time.Time        // when it was read; zero: now
	began     time.Time        // when the load began
	asked     time.Time        // when it was asked for without conditions; zero: it was not
	seed      bool
	entries   *stays.File
	n         int // how many entries
	ended     []sources.Entry
	history   []sources.Entry // see sources.History
	unchanged bool            // the source says that it is the list held
	err       error           // there is none
}

// A draft is the list of an offer, ready to be accepted.
type draft struct {
	list    *list.List
	held    journal.Held
	changes list.Changes  // to the list before
	refused *journal.Held // what the journal says if it is refused
}

// isOf reports whether d is the list held, with the same dates.
func (d *draft) isOf(held *list.List) bool {
	return held != nil && d.list.Digest == held.Digest && d.list.Entries == held.Entries && !d.changes.Stays
}

// judgeOffer returns the list of an offer, and why it does not replace had, or nil.
func (s *Screener) judgeOffer(ctx context.Context, i int, had *current, o *offer) (d *draft, err error) {
	d = new(draft)
	c := s.compare(i, had, o)
	if o.unchanged {
		return d, errSame
	}
	if err := judge(c, nil).reason; err != nil {
		if err != errRead && err != errReplaced && err != errNoDigest {
			d.refused = &journal.Held{Entries: o.n, Revision: o.rev}
		}
		return d, err
	}
	s.progressOf(i, o.n)
	now := s.now().UTC()
	if s.isAlike(had, o, now) {
		c.same = true
		if err := judge(c, nil).reason; err != nil {
			return d, err
		}
	}
	absent := time.Time{}
	if had.isLoaded() {
		absent = had.checked
	}
	dates := list.NewDates(had.also, o.history, absent, now)
	if err := s.draft(i, d, had, o, dates, now); err != nil {
		return d, err
	}
	if d.isOf(had.list) {
		c.same = true
		if err := judge(c, nil).reason; err != nil {
			return d, err
		}
	}
	beside := had
	if had.list == nil && !o.seed && s.seed(i) != nil { // Open was not called
		if beside, err = s.compareSeed(ctx, i, had, d, o, dates, now); err != nil {
			return d, err
		}
		lost := c.held.later
		c = s.compare(i, beside, o)
		c.held.later = lost
	}
	if err := count(c, d, beside.list, o); err != nil {
		return d, err
	}
	if had.list == nil { // nothing was answered from before
		d.changes.Added, d.changes.Removed = d.list.Distinct(), 0
	}
	d.held.Most = journal.Most(c.held.most, d.list.Addresses)
	if err := s.decide(ctx, i, c, beside, d); err != nil {
		d.refused = &d.held
		return d, err
	}
	return d, nil
}

// compareSeed returns the seed of source i as the list with which d, the list of o, is compared. It is had if the seed cannot be
// loaded.
func (s *Screener) compareSeed(ctx context.Context, i int, had *current, d *draft, o *offer, dates *list.Dates, now time.Time) (*current, error) {
	seed := s.seedBeside(ctx, i)
	if seed == nil {
		return had, nil
	}
	beside := new(draft)
	err := s.draft(i, beside, seed, o, dates, now)
	d.changes = beside.changes
	return seed, err
}

// seedBeside returns the seed of source i as a list that is held, or nil.
func (s *Screener) seedBeside(ctx context.Context, i int) *current {
	o, err := s.read(ctx, i, s.seed(i), sources.Revision{})
	if err != nil {
		return nil
	}
	o.seed = true
	d := new(draft)
	now := s.now().UTC()
	if s.draft(i, d, new(current), o, list.NewDates(nil, nil, time.Time{}, now), now) != nil {
		return nil
	}
	h := &current{list: d.list, held: d.held}
	h.held.Most = d.list.Addresses
	h.age(d.held.Revision.Checked, now)
	return h
}

// isAlike reports whether an offer has the entries of the list held, in their order, and nothing says
// that their dates are others.
func (s *Screener) isAlike(had *current, o *offer, now time.Time) bool {
	if had.list == nil || had.list.Entries != o.n || len(o.history)+len(o.ended) > 0 || isFuture(had.list.LatestSeen, now) {
		return false
	}
	return had.list.File().Alike(o.entries)
}

// draft builds the list of an offer that follows had.
func (s *Screener) draft(i int, d *draft, had *current, o *offer, dates *list.Dates, now time.Time) error {
	checked := o.checked
	if checked.IsZero() || checked.After(now) {
		checked = now
	}
	rev := journal.Storable(o.rev)
	rev.Checked = checked
	if rev.Completeness == sources.Partial {
		rev.Checked = o.checked
	}
	ends := make(map[sources.Entry]time.Time, len(o.ended))
	for k := range o.ended {
		ends[o.ended[k].Canonical()] = o.ended[k].Until
	}
	until := func(e *sources.Entry) time.Time {
		if at, ok := ends[e.Canonical()]; ok {
			return at
		}
		if at := dates.Ended(e); !at.IsZero() {
			return at
		}
		if checked.After(e.FirstSeen) {
			return checked
		}
		return now
	}
	to := max(had.held.N, had.later.N) + 1
	ended := slices.Clone(o.ended)
	for _, e := range o.history {
		if !e.Until.IsZero() {
			ended = append(ended, e)
		}
	}
	h := stays.Header{Source: s.infos[i].ID, Name: s.infos[i].Name, Last: to, Written: now, Revision: rev}
	err := s.building(func() (err error) {
		d.list, d.changes, err = list.Next(h, had.list, &list.Offer{Entries: o.entries, N: o.n, Ended: ended, Until: until, Dates: dates})
		return err
	})
	if err != nil {
		return err
	}
	d.held = journal.Held{
		N: to, Digest: d.list.Digest, Entries: d.list.Entries, Addresses: d.list.Addresses, Most: d.list.Addresses,
		Accepted: now, Asked: now, Seed: o.seed, Revision: rev,
	}
	return nil
}

// compare returns what judge must know of an offer, and of the list held, if there is one.
func (s *Screener) compare(i int, had *current, o *offer) *comparison {
	rev := &o.rev
	return &comparison{
		held: had.sight(),
		offered: sight{
			digest: rev.Digest, completeness: rev.Completeness, provenance: rev.Provenance, seed: o.seed, published: rev.Published, read: o.checked,
			records: rev.Records, behind: had.damaged != nil && had.later.Revision.Digest != rev.Digest,
			replaced: had.held.Revision.Digest != rev.Digest && s.book.Seen(s.infos[i].ID, rev.Digest),
		},
		own: s.infos[i].Jurisdiction == sources.Operator, asks: s.accept != nil, maxShrink: s.maxShrink, now: s.now(),
	}
}

// count completes c, which compares d, the list of o, with the list held.
func count(c *comparison, d *draft, held *list.List, o *offer) (err error) {
	c.offered.entries, c.offered.addresses, c.counted = d.list.Entries, d.list.Addresses, true
	if c.lost = d.changes.Lost; c.held.isBundled() {
		c.lost = c.held.addresses - d.list.Addresses
	}
	if o.rev.OpenEnded && d.changes.Removed > 0 {
		c.cut, err = isCut(held, d)
	}
	return err
}

// isCut reports whether d, which lacks an entry of the list held, not only repetitions, is the beginning of that list. Its last
// entry may have been cut itself.
func isCut(held *list.List, d *draft) (bool, error) {
	next, stop := iter.Pull2(held.All())
	defer stop()
	alike, n := 0, d.list.Entries // alike: how many of the first entries are the same
	for e, err := range d.list.All() {
		was, werr, _ := next()
		if err = errors.Join(err, werr); err != nil {
			return false, err
		}
		if e.Canonical() != was.Canonical() {
			break
		}
		alike++
	}
	return alike == n || alike == n-1 && d.changes.Added == 1 && n < held.Entries, nil
}
