package screening

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// An offer is a list that a publisher, a seed, an import or a program that shares the store offers.
type offer struct {
	list.Offer                  // Checked is zero if it is read now
	rev        sources.Revision // without Checked
	began      time.Time        // when the load began
	earlier    bool             // Checked is the time of this program when it was read: another program may have accepted a list since
	asked      time.Time        // when it was asked for without conditions; zero: it was not
	seed       bool
	again      bool // it was accepted, and the operator is not asked again
	unchanged  bool // the source says that it is the list held
}

// overtaken dates o, if it was read now, to when its load began: what another program has accepted since may be newer.
func (o *offer) overtaken() {
	if o.Checked.IsZero() {
		o.Checked, o.earlier = o.began, true
	}
}

// A draft is the list of an offer, ready to be accepted.
type draft struct {
	list    *list.List
	held    journal.Held
	changes list.Changes  // to the list before
	refused *journal.Held // what the journal says if it is refused
}

// judgeOffer returns the list of an offer, and whether it replaces had.
func (s *Screener) judgeOffer(ctx context.Context, i int, had *current, o *offer) (d *draft, v verdict) {
	d = new(draft)
	c, now := s.compare(i, had, o), s.now().UTC()
	c.same = o.unchanged || s.isAlike(had, o, now)
	if v = judge(c, nil); o.unchanged && v.decision == accepted {
		return d, verdict{refused, errOvertaken}
	} else if v.decision != accepted {
		if v.decision == refused && v.reason != errNoDigest {
			d.refused = &journal.Held{Entries: o.N, Revision: o.rev}
		}
		return d, v
	}
	if err := s.draft(i, d, had, o, now); err != nil {
		return d, verdict{refused, err}
	}
	l, held := d.list, had.list
	c.same = held != nil && l.Digest == held.Digest && l.Entries == held.Entries && !d.changes.Stays // so are the dates
	c.offered.Entries, c.offered.Addresses, c.counted = l.Entries, l.Addresses, true
	if c.lost = d.changes.Lost; c.held.isBundled() {
		c.lost = c.held.Addresses - l.Addresses
	}
	if o.rev.OpenEnded && d.changes.Removed > 0 {
		var err error
		if c.cut, err = isCut(held, d); err != nil {
			return d, verdict{refused, err}
		}
	}
	d.held.Most = journal.Most(c.held.Most, d.list.Addresses)
	if v = s.decide(ctx, i, c, had, d); v.decision == refused {
		d.refused = &d.held
	}
	return d, v
}

// isAlike reports whether an offer has the entries of the list held, in their order, and nothing says
// that their dates are others.
func (s *Screener) isAlike(had *current, o *offer, now time.Time) bool {
	if had.list == nil || had.list.Entries != o.N || len(o.History)+len(o.Ended) > 0 || isFuture(had.list.LatestSeen, now) {
		return false
	}
	return had.list.File().Alike(o.Entries)
}

// draft builds the list of an offer that follows had.
func (s *Screener) draft(i int, d *draft, had *current, o *offer, now time.Time) error {
	next := o.Offer
	if next.Checked.IsZero() || next.Checked.After(now) {
		next.Checked = now
	}
	if had.isLoaded() && !o.rev.Published.Before(had.held.Revision.Published) {
		next.Absent = had.checked // an older list, which the operator has accepted, is no evidence
	}
	if had.unsaved != nil {
		next.Beside = had.unsaved.list
	}
	rev := o.rev
	if rev.Checked = next.Checked; rev.Completeness == sources.Partial {
		rev.Checked = o.Checked
	}
	to := max(had.held.N, had.later.N) + 1
	h := stays.Header{Source: s.infos[i].ID, Name: s.infos[i].Name, Last: to, Written: now, Revision: rev}
	err := s.building(func() (err error) {
		d.list, d.changes, err = list.Next(h, had.list, &next)
		return err
	})
	if err != nil {
		return err
	}
	d.held = journal.Held{
		N: to, Digest: d.list.Digest, Entries: d.list.Entries, Addresses: d.list.Addresses,
		Accepted: now, Asked: now, History: digestOfHistory(o.History), Seed: o.seed, Revision: rev,
	}
	return nil
}

// compare returns what judge must know of an offer, and of the list held, if there is one.
func (s *Screener) compare(i int, had *current, o *offer) *comparison {
	now, other := s.now(), had.held.Revision.Digest != o.rev.Digest
	seen := other && s.book.Seen(s.infos[i].ID, o.rev.Digest)
	return &comparison{
		held: had.sight(),
		offered: sight{Held: journal.Held{Revision: o.rev, Seed: o.seed}, read: o.Checked,
			replaced: had.damaged != nil && had.later.Revision.Digest != o.rev.Digest || seen,
			untimely: o.earlier && (seen || other && isFuture(o.Checked, now))},
		own: s.infos[i].Jurisdiction == sources.Operator, asks: s.opts.Accept != nil && !o.again, now: now,
	}
}

// decide says whether a counted list replaces the one held. The operator decides on a list that is suspect.
func (s *Screener) decide(ctx context.Context, i int, c *comparison, had *current, d *draft) verdict {
	came := current{list: d.list, held: d.held}
	came.age(d.held.Revision.Checked, c.now)
	was, is := had.status(s.infos[i], s.required[i]), came.status(s.infos[i], s.required[i])
	if late := c.held.later; late.Revision.Published.After(was.Published) && !isAhead(late.Revision.Published, c.now) {
		was.Published = late.Revision.Published
	}
	was.Addresses = max(was.Addresses, c.held.later.Addresses)
	return judge(c, func(suspect error) bool {
		if !c.asks || !s.opts.Accept(s.infos[i].ID, suspect, was, is) {
			return false
		}
		s.opts.Logger.WarnContext(ctx, "suspect list accepted by the operator", "source", s.infos[i].ID, "reason", suspect,
			"held_digest", was.Digest, "digest", is.Digest)
		return true
	})
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
