package screening

import (
	"context"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// An offer is a list that a publisher, a seed, an import or a program that shares the store offers.
type offer struct {
	rev            sources.Revision // without Checked
	checked        time.Time        // when it was read; zero: now
	began          time.Time        // when the load began
	asked          time.Time        // when it was asked for without conditions; zero: it was not
	seed           bool
	entries, ended []sources.Entry
	history        []sources.Entry // see sources.History
	dated          bool            // the source says when entries were first seen
	unchanged      bool            // the source says that it is the list held
	err            error           // there is none
}

// A draft is the list of an offer, ready to be accepted.
type draft struct {
	list           *list.List
	file           *stays.File
	held           journal.Held
	added, removed int
	distinct       int           // entries, each once
	refused        *journal.Held // what the journal says of it, if it is refused
	ready          time.Time
	took           time.Duration
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
			d.refused = &journal.Held{Entries: len(o.entries), Revision: o.rev}
		}
		return d, err
	}
	s.progressOf(i, len(o.entries))
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
	dates, err := list.NewDates(had.list, had.also, o.history, absent, now)
	if err != nil {
		return d, err
	}
	dated := o.entries
	if o.dated {
		dated = slices.Clone(dated)
	}
	for k := range dated {
		if !o.dated { // by an earlier call
			dated[k].FirstSeen, dated[k].NotListedOn = time.Time{}, time.Time{}
		}
		dates.Date(&dated[k])
	}
	if err := s.draft(i, d, had, o, dated, dates, now); err != nil {
		return d, err
	}
	if d.file != nil && had.list != nil && d.list.Digest == had.list.Digest && d.list.Entries == had.list.Entries && !changes(d.file) {
		c.same = true
		if err := judge(c, nil).reason; err != nil {
			return d, err
		}
	}
	beside := had
	if had.list == nil && !o.seed && s.seed(i) != nil { // Open was not called
		if seeded := s.seedBeside(ctx, i); seeded != nil {
			lost := c.held.later
			beside = seeded
			c = s.compare(i, beside, o)
			c.held.later = lost
		}
	}
	if err := count(c, d, beside.list, o); err != nil {
		return d, err
	}
	if had.list == nil { // nothing was answered from before
		d.added, d.removed = d.distinct, 0
	}
	d.held.Most = journal.Most(c.held.most, d.list.Addresses)
	if err := s.decide(ctx, i, c, beside, d); err != nil {
		d.refused = &d.held
		return d, err
	}
	return d, nil
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
	dates, err := list.NewDates(nil, nil, nil, time.Time{}, now)
	if err != nil || s.draft(i, d, new(current), o, o.entries, dates, now) != nil {
		return nil
	}
	h := &current{list: d.list, held: d.held, file: d.file}
	h.held.Most = d.list.Addresses
	h.age(d.held.Revision.Checked, now)
	return h
}

// isAlike reports whether an offer has the entries of the list held, in their order, and nothing says
// that their dates are others.
func (s *Screener) isAlike(had *current, o *offer, now time.Time) bool {
	if had.list == nil || had.list.Entries != len(o.entries) || len(o.history)+len(o.ended) > 0 || isFuture(had.list.LatestSeen, now) {
		return false
	}
	k := 0
	for was, err := range had.list.All() {
		if err != nil || k == len(o.entries) {
			return false
		}
		e := stays.Normal(o.entries[k])
		if o.dated && !e.FirstSeen.IsZero() && e.FirstSeen.Before(was.FirstSeen) {
			return false
		}
		e.FirstSeen, e.NotListedOn = was.FirstSeen, was.NotListedOn
		if e != was {
			return false
		}
		k++
	}
	return true
}

// changes reports whether the last acceptance of a file brought or ended a stay.
func changes(f *stays.File) bool {
	for s, err := range f.All() {
		if err != nil || s.In == f.Last || s.Out == f.Last {
			return true
		}
	}
	return false
}

// draft builds the list of an offer whose entries are dated.
func (s *Screener) draft(i int, d *draft, had *current, o *offer, dated []sources.Entry, dates *list.Dates, now time.Time) error {
	start := time.Now()
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
		if d.file, err = had.file.Next(had.held.N, h, dated, ended, until); err != nil {
			return err
		}
		d.list, err = list.Build(d.file, to, func(sources.Entry) error { return nil })
		return err
	})
	if err != nil {
		return err
	}
	d.ready, d.took = time.Now(), time.Since(start)
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
func count(c *comparison, d *draft, held *list.List, o *offer) error {
	const is, was = 1, 2
	of := make(map[stays.Key]uint8, len(o.entries))
	for k := range o.entries {
		of[stays.KeyOf(&o.entries[k])] = is
	}
	d.distinct = len(of)
	lost := make(map[index.ID]bool)
	alike, n, both := 0, 0, 0 // alike: how many of the first entries are the same
	for e, err := range held.All() {
		if err != nil {
			return err
		}
		key := stays.KeyOf(&e)
		if alike == n && n < len(o.entries) && stays.KeyOf(&o.entries[n]) == key {
			alike++
		}
		n++
		if of[key]&was != 0 {
			continue
		}
		if of[key] == is {
			both++
		} else {
			d.removed++
			if !d.list.Has(&e) {
				lost[list.FirstKey(&e)] = true
			}
		}
		of[key] |= was
	}
	d.added = d.distinct - both
	c.offered.entries, c.offered.addresses = d.list.Entries, d.list.Addresses
	if c.lost = len(lost); c.held.isBundled() {
		c.lost = c.held.addresses - d.list.Addresses
	}
	// It lacks an entry, not only repetitions, and is the beginning of the list held, up to its last entry if that may
	// have been cut itself.
	m := len(o.entries)
	cut := d.removed > 0 && (alike == m || alike == m-1 && d.added == 1 && m < n)
	c.cut, c.counted = cut && o.rev.OpenEnded, true
	return nil
}
