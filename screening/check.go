package screening

import (
	"context"
	"fmt"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"strings"
)

// check returns an error if e may not be in the list of source i.
func (s *Screener) check(i int, e sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.opts.Table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("%s: scoring %s does not know the kind %.64q", nameOf(e), s.opts.Table.Version(), e.Kind)
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
