package screening

import (
	"slices"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// A heldList is a list as questions see it.
type heldList struct {
	*index.Table // of the list: a clean address needs nothing else
	list         *list.List
	source       string // the id
}

// addMatches adds to f what the listings that are found under the key k, with the hash h, say of
// the address a with the given account; without an account, of the very text. A listing that has
// ended is one of its own account only.
func (held *heldList) addMatches(f *findings, table *score.Table, h uint64, k *index.ID, a *address.Address, account *index.ID) {
	var buf [8]uint32
	rows := held.AppendRowsOf(buf[:0], h, k)
	for _, row := range rows {
		l, filed := held.list.Listing(row)
		match := score.Literal
		if account != nil {
			match = l.Match(k, a, account)
		}
		e := &l.Entry
		switch until := l.Until(); {
		case match == 0 || match == score.Key && !until.IsZero():
			continue
		case !until.IsZero():
			f.formerly = append(f.formerly, Former{Source: held.source, Ref: e.Ref, Name: e.Name, Listed: l.Text(&filed, a, account), Since: e.FirstSeen, Until: until})
			continue
		}
		f.labels = slices.Grow(f.labels, len(rows))[:len(f.labels)+1]
		label := &f.labels[len(f.labels)-1]
		label.Points, _ = table.Points(e.Kind, match) // known: the kinds of each list were checked
		label.Kind, label.Match, label.Source, label.Ref, label.Name, label.Listed = e.Kind, match, held.source, e.Ref, e.Name, l.Text(&filed, a, account)
		label.AddedAt, label.NotListedOn, label.EntityListedAt = l.AddedAt(), e.NotListedOn, e.EntityListedAt
	}
}
