package screening

import (
	"cmp"
	"slices"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// rankOf returns the rank of a list among those whose labels have the same points: official lists come first.
func rankOf(info sources.Info) int {
	switch info.Jurisdiction {
	case sources.Operator:
		return 1
	case sources.Community:
		return 2
	}
	return 0
}

// sortLabels sorts labels as in a Result; rank has the ranks of the lists by their ids. Of
// labels that say the same of the same entity, it keeps the most direct one.
func sortLabels(labels []Label, rank map[string]int) []Label {
	if len(labels) < 2 {
		return labels
	}
	slices.SortFunc(labels, func(a, b Label) int {
		return cmp.Or(
			cmp.Compare(b.Points, a.Points), cmp.Compare(rank[a.Source], rank[b.Source]),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ref, b.Ref),
			cmp.Compare(a.Match, b.Match), cmp.Compare(a.Listed, b.Listed),
			a.AddedAt.Compare(b.AddedAt), cmp.Compare(a.Name, b.Name),
		)
	})
	type entity struct {
		source, ref string
		kind        score.Kind
	}
	seen := make(map[entity]bool, len(labels))
	return slices.DeleteFunc(labels, func(l Label) bool {
		e := entity{l.Source, l.Ref, l.Kind}
		again := seen[e]
		seen[e] = true
		return again
	})
}

// findings are what the lists say of an account.
type findings struct {
	labels   []Label
	formerly []Former // the listings that have ended
}

// sort sorts f. Of the listings that have ended it drops the listings on lists that have the
// account again, and keeps one for each entity.
func (f *findings) sort(rank map[string]int) {
	f.labels = sortLabels(f.labels, rank)
	if f.formerly == nil {
		return
	}
	f.formerly = slices.DeleteFunc(f.formerly, func(g Former) bool {
		return slices.ContainsFunc(f.labels, func(l Label) bool { return l.Source == g.Source && l.Match != score.Key })
	})
	slices.SortFunc(f.formerly, func(a, b Former) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Ref, b.Ref), a.Since.Compare(b.Since), cmp.Compare(a.Listed, b.Listed))
	})
	all := f.formerly[:0]
	for _, g := range f.formerly {
		n := len(all)
		if n == 0 || all[n-1].Source != g.Source || all[n-1].Ref != g.Ref {
			all = append(all, g)
		} else if g.Until.After(all[n-1].Until) {
			all[n-1].Until = g.Until
		}
	}
	if f.formerly = all; len(all) == 0 {
		f.formerly = nil
	}
}

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
