package screening

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// check returns an error if e may not be in the list of source i.
func (s *Screener) check(i int, e sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("%s: scoring %s does not know the kind %.64q", nameOf(e), s.table.Version(), e.Kind)
	}
	if !s.infos[i].MayEmit(e.Kind) {
		return fmt.Errorf("%s: a list of jurisdiction %s may not say %s", nameOf(e), s.infos[i].Jurisdiction, e.Kind)
	}
	return nil
}

// nameOf names an entry in an error: by its reference, and by what it lists.
func nameOf(e sources.Entry) string {
	if e.Ref == "" {
		return fmt.Sprintf("entry of %.128q", e.Text())
	}
	return fmt.Sprintf("entry %.64q of %.128q", e.Ref, e.Text())
}

// compare returns what judge must know of next, which was read at the given time, zero for now,
// and of the list held, if there is one.
func (s *Screener) compare(ctx context.Context, i int, had, next *current, read time.Time) *comparison {
	c := &comparison{
		held: had.sight(), offered: next.sight(),
		own: s.infos[i].Jurisdiction == sources.Operator, asks: s.accept != nil, maxShrink: s.maxShrink, now: s.now(),
	}
	c.offered.read = read
	c.offered.replaced = s.replaced(i, had, next.revision.Digest)
	broken := s.broken(ctx, had)
	c.held.later = later{broken.List.Published, broken.Addresses}
	return c
}

// sight returns h as judge sees it.
func (h *current) sight() sight {
	rev := &h.revision
	v := sight{
		digest: rev.Digest, completeness: rev.Completeness, provenance: rev.Provenance, seed: h.seed, published: rev.Published, read: h.checked,
		records: rev.Records, most: h.most, behind: h.isBehind(),
	}
	if h.list != nil {
		v.entries, v.addresses = h.list.Entries, h.list.Addresses
	}
	return v
}

// count completes c, which compares next, whose list b has built, with had.
func (c *comparison) count(b *list.Builder, had, next *current) (err error) {
	held := &c.held
	c.offered.entries, c.offered.addresses = next.list.Entries, next.list.Addresses
	if held.isBundled() {
		c.lost = held.addresses - next.list.Addresses
	} else if had.list != nil {
		c.lost, err = b.Lost(next.list, mayLose(c.maxShrink, held.addresses))
	}
	c.cut, c.counted = next.revision.OpenEnded && b.IsCut(next.list), true
	return err
}

// decide returns why a counted list may not replace had, or nil. The operator decides on a list that is
// suspect.
func (s *Screener) decide(ctx context.Context, i int, c *comparison, had, next *current) error {
	held, came := had.status(s.infos[i], s.required[i]), next.status(s.infos[i], s.required[i])
	if late := c.held.later; late.published.After(held.Published) && !isAhead(late.published, c.now) {
		held.Published = late.published
	}
	held.Addresses = max(held.Addresses, c.held.later.addresses)
	return judge(c, func(suspect error) bool {
		if s.accept == nil || !s.accept(s.infos[i].ID, suspect, held, came) {
			return false
		}
		s.log.WarnContext(ctx, "suspect list accepted by the operator", "source", s.infos[i].ID, "reason", suspect,
			"held_digest", had.revision.Digest, "digest", next.revision.Digest)
		return true
	}).reason
}

// broken returns the event that the list was accepted in whose place had is held, if that list
// cannot be opened and the journal knows it.
func (s *Screener) broken(ctx context.Context, had *current) journal.Event {
	if !had.isBehind() {
		return journal.Event{}
	}
	e, err := s.archive.accepted(ctx, had.broken)
	if err != nil {
		s.log.WarnContext(ctx, "it is not known which list is broken", "file", had.broken, "error", err)
	}
	return e
}
