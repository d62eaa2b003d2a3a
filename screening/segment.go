package screening

import (
	"sync/atomic"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// A segment is a list as questions see it.
type segment struct {
	*index.Index // of the list: a clean address needs nothing else
	list         *list.List
	source       string     // the id
	recent       recentSets // shared by the segments of this list in successive snapshots
}

// recentSets caches labelSets by number. They are never changed, so it needs no lock.
type recentSets []atomic.Pointer[labelSet]

// A labelSet is the labels of one set of an index. It refers to no memory of a list.
type labelSet struct {
	number index.Set
	labels []preparedLabel

	plain *preparedLabel // the only label, if it is plain, as most are
}

// A preparedLabel is the label of a listing, apart from what depends on the question:
// Match, Points and Listed.
type preparedLabel struct {
	*list.Listing
	label  Label
	points [score.Literal + 1]int // by match
	former *Former                // of a listing that has ended, in place of label; without Listed

	// Of a plain listing: the chain of its address, and the class of its account.
	chain address.Chain
	class identity.Class
}

const (
	maxRecentSets = 1024 // in a cache
	maxRecent     = 16   // labels of a set in a cache, or it could hold a list many times over
)

// newSegment returns the segment of a list. If the list was in use already, this is its
// segment in before, the segments of the previous snapshot.
func newSegment(l *list.List, source string, before []segment) segment {
	for _, seg := range before {
		if seg.list == l {
			return seg
		}
	}
	n := 1
	for n < min(l.Index().Sets(), maxRecentSets) {
		n *= 2 // so that a slot is found without a division
	}
	return segment{l.Index(), l, source, make(recentSets, n)}
}

// slot returns where the labels of a set are cached, if they are.
func (r recentSets) slot(set index.Set) *atomic.Pointer[labelSet] {
	if len(r) == 1 {
		return &r[0] // as below, but the processor need not wait for the set
	}
	return &r[int(set)&(len(r)-1)]
}

// labels returns the labels of a set, in the order of its listings.
func (seg *segment) labels(set index.Set, table *score.Table) (*labelSet, error) {
	slot := seg.recent.slot(set)
	if s := slot.Load(); s != nil && s.number == set {
		return s, nil
	}
	listings, err := seg.list.Listings(set)
	if err != nil {
		return nil, damagedList(seg.source, err)
	}
	s := &labelSet{number: set, labels: make([]preparedLabel, len(listings))}
	for i, l := range listings {
		p := &s.labels[i]
		p.Listing = l
		if until := l.Until(); !until.IsZero() {
			p.former = &Former{Source: seg.source, Ref: l.Entry.Ref, Name: l.Entry.Name, Since: l.Entry.FirstSeen, Until: until}
			continue
		}
		p.label = Label{Kind: l.Entry.Kind, Source: seg.source, Ref: l.Entry.Ref, Name: l.Entry.Name,
			AddedAt: l.AddedAt(), NotListedOn: l.Entry.NotListedOn, EntityListedAt: l.Entry.EntityListedAt}
		for m := score.Exact; m <= score.Literal; m++ {
			p.points[m], _ = table.Points(l.Entry.Kind, m) // known: the kinds of each list were checked
		}
	}
	if len(listings) == 1 && s.labels[0].former == nil {
		p := &s.labels[0]
		if on, class, ok := p.Plain(); ok {
			p.chain, p.class, s.plain = on, class, p
		}
	}
	if len(listings) <= maxRecent {
		slot.Store(s)
	}
	return s, nil
}

// addMatches adds the labels in s, which was found under the key k, of the address with the
// given chain and account.
func (s *labelSet) addMatches(f *findings, k *index.ID, on address.Chain, account *index.ID) {
	if f.labels == nil {
		f.labels = make([]Label, 0, len(s.labels))
	}
	for i := range s.labels {
		p := &s.labels[i]
		if m := p.Match(k, on, account); m != 0 {
			p.add(f, m, p.Text(k))
		}
	}
}

// match returns how a plain label, whose key has the bytes of the account, matches an
// account of the given class on a chain.
func (p *preparedLabel) match(on address.Chain, class identity.Class) score.Match {
	switch {
	case p.class != class:
		return score.Key
	case p.chain != on:
		return score.Family
	}
	return score.Exact
}

// alone returns the labels of a plain set, which matches by m and whose key is hex in hex.
func (p *preparedLabel) alone(m score.Match, hex string) []Label {
	labels := []Label{p.label}
	labels[0].Match, labels[0].Points, labels[0].Listed = m, p.points[m], hex
	return labels
}

// add adds the label of a listing that matches by m and prints the given string. A listing
// that has ended is one of its own account only.
func (p *preparedLabel) add(f *findings, m score.Match, listed string) {
	if p.former != nil {
		if m != score.Key {
			former := *p.former
			former.Listed = listed
			f.formerly = append(f.formerly, former)
		}
		return
	}
	f.labels = append(f.labels, p.label)
	l := &f.labels[len(f.labels)-1]
	l.Match, l.Points, l.Listed = m, p.points[m], listed
}
