package screening

import (
	"sync/atomic"

	"github.com/walletscreen/walletscreen/address"
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
}

// A preparedLabel is the label of a listing, apart from what depends on the question:
// Match, Points and Listed.
type preparedLabel struct {
	*list.Listing
	label  Label
	points [score.Literal + 1]int // by match
}

const (
	maxRecentSets = 1024 // in a cache
	maxRecent     = 16   // labels of a set in a cache, or it could hold a list many times over
)

// newSegment returns the segment of a list: that of before, the segments of the snapshot
// before, if the list was in use already.
func newSegment(l *list.List, source string, before []segment) segment {
	for _, seg := range before {
		if seg.list == l {
			return seg
		}
	}
	return segment{l.Index(), l, source, make(recentSets, min(max(1, l.Index().Sets()), maxRecentSets))}
}

// labels returns the labels of a set, in the order of its listings.
func (seg *segment) labels(set index.Set, table *score.Table) (*labelSet, error) {
	slot := &seg.recent[uint32(set)%uint32(len(seg.recent))]
	if s := slot.Load(); s != nil && s.number == set {
		return s, nil
	}
	listings, err := seg.list.Listings(set)
	if err != nil {
		return nil, damagedList(seg.source, err)
	}
	s := &labelSet{set, make([]preparedLabel, len(listings))}
	for i, l := range listings {
		p := &s.labels[i]
		p.Listing = l
		p.label = Label{Kind: l.Kind(), Source: seg.source, Ref: l.Ref(), Name: l.Name(), AddedAt: l.AddedAt()}
		for m := score.Exact; m <= score.Literal; m++ {
			p.points[m], _ = table.Points(l.Kind(), m) // known: the kinds of each list were checked
		}
	}
	if len(listings) <= maxRecent {
		slot.Store(s)
	}
	return s, nil
}

// appendMatches appends the labels in s, which was found under the key k, of the address
// with the given chain and account, which the caller spelled as asked, or "".
func (s *labelSet) appendMatches(labels []Label, k *index.ID, on address.Chain, account *index.ID, asked string) []Label {
	if labels == nil {
		if len(s.labels) == 1 {
			labels = new([1]Label)[:0] // faster than make
		} else {
			labels = make([]Label, 0, len(s.labels))
		}
	}
	for i := range s.labels {
		p := &s.labels[i]
		if m := p.Match(k, on, account); m != 0 {
			labels = p.append(labels, m, p.Text(k, asked))
		}
	}
	return labels
}

// append appends the label of a listing that matches by m and prints the given string.
func (p *preparedLabel) append(labels []Label, m score.Match, listed string) []Label {
	labels = append(labels, p.label)
	l := &labels[len(labels)-1]
	l.Match, l.Points, l.Listed = m, p.points[m], listed
	return labels
}
