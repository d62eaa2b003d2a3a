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

// judgeOffer returns the list of an offer, as far as it must be known, its changes to had, and whether it replaces had.
func (s *Screener) judgeOffer(ctx context.Context, i int, had *current, o *offer) (came current, changes list.Changes, v verdict) {
	c, now := s.compare(i, had, o), s.now().UTC()
	c.same = o.unchanged || s.isAlike(had, o, now)
	switch v = judge(c, nil); {
	case v.decision == refused:
		came.held = journal.Held{Entries: o.N, Revision: o.rev}
		return came, changes, v
	case v.decision != accepted:
		return came, changes, v
	case o.unchanged:
		return came, changes, verdict{refused, errOvertaken}
	}
	came, changes, err := s.next(i, had, o, now)
	if err != nil {
		return came, changes, verdict{refused, err}
	}
	l, held := came.list, had.list
	c.same = held != nil && l.Digest == held.Digest && l.Entries == held.Entries && !changes.Stays // so are the dates
	c.offered.Entries, c.offered.Addresses, c.counted = l.Entries, l.Addresses, true
	if c.lost = changes.Lost; c.held.isBundled() {
		c.lost = c.held.Addresses - l.Addresses
	}
	if o.rev.OpenEnded && changes.Removed > 0 {
		if c.cut, err = isCut(held, l, &changes); err != nil {
			return current{}, changes, verdict{refused, err}
		}
	}
	came.held.Most = journal.Most(c.held.Most, l.Addresses)
	return came, changes, s.decide(ctx, i, c, had, &came)
}

// isAlike reports whether an offer has the entries of the list held, in their order, and nothing says
// that their dates are others.
func (s *Screener) isAlike(had *current, o *offer, now time.Time) bool {
	if had.list == nil || had.list.Entries != o.N || len(o.History)+len(o.Ended) > 0 || isFuture(had.list.LatestSeen, now) {
		return false
	}
	return had.list.File().Alike(o.Entries)
}

// next builds the list of an offer that follows had.
func (s *Screener) next(i int, had *current, o *offer, now time.Time) (next current, changes list.Changes, err error) {
	offered := o.Offer
	if offered.Checked.IsZero() || offered.Checked.After(now) {
		offered.Checked = now
	}
	if had.isLoaded() && !o.rev.Published.Before(had.held.Revision.Published) {
		offered.Absent = had.checked // an older list, which the operator has accepted, is no evidence
	}
	if had.unsaved != nil {
		offered.Beside = had.unsaved.list
	}
	rev := o.rev
	if rev.Checked = offered.Checked; rev.Completeness == sources.Partial {
		rev.Checked = o.Checked
	}
	to := max(had.held.N, had.later.N) + 1
	h := stays.Header{Source: s.infos[i].ID, Name: s.infos[i].Name, Last: to, Written: now, Revision: rev}
	err = s.building(func() (err error) {
		next.list, changes, err = list.Next(h, had.list, &offered)
		return err
	})
	if err != nil {
		return current{}, changes, err
	}
	next.held = journal.Held{
		N: to, Digest: next.list.Digest, Entries: next.list.Entries, Addresses: next.list.Addresses,
		Accepted: now, Asked: now, History: digestOfHistory(o.History), Seed: o.seed, Revision: rev,
	}
	next.age(rev.Checked, now)
	return next, changes, nil
}

// compare returns what judge must know of an offer, and of the list held, if there is one.
func (s *Screener) compare(i int, had *current, o *offer) *comparison {
	now, lost := s.now(), had.damaged != nil && had.later.Revision.Digest == o.rev.Digest
	other := had.held.Revision.Digest != o.rev.Digest && !lost
	seen := other && s.book.Seen(s.infos[i].ID, o.rev.Digest)
	return &comparison{
		held: had.sight(),
		offered: sight{Held: journal.Held{Revision: o.rev, Seed: o.seed}, read: o.Checked,
			replaced: had.damaged != nil && !lost || seen,
			untimely: o.earlier && (seen || other && isFuture(o.Checked, now))},
		own: s.infos[i].Jurisdiction == sources.Operator, asks: s.opts.Accept != nil && !o.again, now: now,
	}
}

// decide says whether a counted list replaces the one held. The operator decides on a list that is suspect.
func (s *Screener) decide(ctx context.Context, i int, c *comparison, had, came *current) verdict {
	was, is := had.status(s.infos[i], s.required[i]), came.status(s.infos[i], s.required[i])
	if late := c.held.later; late.Revision.Published.After(was.Published) && !isAhead(late.Revision.Published, c.now) {
		was.Published = late.Revision.Published
	}
	was.Addresses = max(was.Addresses, c.held.later.Addresses) // or a rule of Accept about sizes would let a part replace a list that is lost
	return judge(c, func(suspect error) bool {
		if !c.asks || !s.opts.Accept(s.infos[i].ID, suspect, was, is) {
			return false
		}
		s.opts.Logger.WarnContext(ctx, "suspect list accepted by the operator", "source", s.infos[i].ID, "reason", suspect,
			"held_digest", was.Digest, "digest", is.Digest)
		return true
	})
}

// isCut reports whether l, which lacks an entry of the list held, not only repetitions, is the beginning of that list. Its last
// entry may have been cut itself.
func isCut(held, l *list.List, changes *list.Changes) (bool, error) {
	next, stop := iter.Pull2(held.All())
	defer stop()
	alike, n := 0, l.Entries // alike: how many of the first entries are the same
	for e, err := range l.All() {
		was, werr, _ := next()
		if err = errors.Join(err, werr); err != nil {
			return false, err
		}
		if e.Canonical() != was.Canonical() {
			break
		}
		alike++
	}
	return alike == n || alike == n-1 && changes.Added == 1 && n < held.Entries, nil
}
