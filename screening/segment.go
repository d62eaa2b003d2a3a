package screening

import (
	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// A segment is a list as questions see it.
type segment struct {
	*index.Index // of the list: a clean address needs nothing else
	list         *list.List
	source       string // the id
}

// addMatches adds to f what the listings in a set, which was found under the key k, say of the
// address with the given chain and account; without an account, of the very text. A listing that
// has ended is one of its own account only.
func (seg *segment) addMatches(f *findings, set index.Set, table *score.Table, k *index.ID, on address.Chain, account *index.ID) error {
	var buf [8]uint32
	numbers, err := seg.AppendValues(buf[:0], set)
	if err != nil {
		return damagedList(seg.source, err)
	}
	for _, n := range numbers {
		l, err := seg.list.Listing(n)
		if err != nil {
			return damagedList(seg.source, err)
		}
		match := score.Literal
		if account != nil {
			match = l.Match(k, on, account)
		}
		e := &l.Entry
		switch until := l.Until(); {
		case match == 0 || match == score.Key && !until.IsZero():
			continue
		case !until.IsZero():
			f.formerly = append(f.formerly, Former{Source: seg.source, Ref: e.Ref, Name: e.Name, Listed: l.Text(k), Since: e.FirstSeen, Until: until})
			continue
		case f.labels == nil:
			f.labels = make([]Label, 0, len(numbers))
		}
		points, _ := table.Points(e.Kind, match) // known: the kinds of each list were checked
		f.labels = append(f.labels, Label{
			Kind: e.Kind, Match: match, Points: points, Source: seg.source, Ref: e.Ref, Name: e.Name, Listed: l.Text(k),
			AddedAt: l.AddedAt(), NotListedOn: e.NotListedOn, EntityListedAt: e.EntityListedAt,
		})
	}
	return nil
}
