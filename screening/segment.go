package screening

import (
	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// A segment is a list as questions see it.
type segment struct {
	*index.Table // of the list: a clean address needs nothing else
	list         *list.List
	source       string // the id
}

// addMatches adds to f what the listings that are found under the key k say of the address with the given chain and account; without an account, of the very text. A listing that
// has ended is one of its own account only.
func (seg *segment) addMatches(f *findings, table *score.Table, k *index.ID, on address.Chain, account *index.ID) {
	var buf [8]uint32
	rows := seg.AppendRows(buf[:0], *k)
	for _, row := range rows {
		l, filed := seg.list.Listing(row)
		match := score.Literal
		if account != nil {
			match = l.Match(k, on, account)
		}
		e := &l.Entry
		switch until := l.Until(); {
		case match == 0 || match == score.Key && !until.IsZero():
			continue
		case !until.IsZero():
			f.formerly = append(f.formerly, Former{Source: seg.source, Ref: e.Ref, Name: e.Name, Listed: l.Text(&filed), Since: e.FirstSeen, Until: until})
			continue
		case f.labels == nil:
			f.labels = make([]Label, 0, len(rows))
		}
		points, _ := table.Points(e.Kind, match) // known: the kinds of each list were checked
		f.labels = append(f.labels, Label{
			Kind: e.Kind, Match: match, Points: points, Source: seg.source, Ref: e.Ref, Name: e.Name, Listed: l.Text(&filed),
			AddedAt: l.AddedAt(), NotListedOn: e.NotListedOn, EntityListedAt: e.EntityListedAt,
		})
	}
}
