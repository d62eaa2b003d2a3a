package screening

import (
	"cmp"
	"slices"

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

// sortFormer sorts listings that have ended. It drops the listings on lists that have the account again, by a label that
// is of more than its key, and keeps one for each entity.
func sortFormer(all []Former, labels []Label) (sorted []Former) {
	if all == nil {
		return nil
	}
	all = slices.DeleteFunc(all, func(f Former) bool {
		return slices.ContainsFunc(labels, func(l Label) bool { return l.Source == f.Source && l.Match != score.Key })
	})
	slices.SortFunc(all, func(a, b Former) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Ref, b.Ref), a.Since.Compare(b.Since), cmp.Compare(a.Listed, b.Listed))
	})
	for _, f := range all {
		n := len(sorted)
		if n == 0 || sorted[n-1].Source != f.Source || sorted[n-1].Ref != f.Ref {
			sorted = append(sorted, f)
		} else if f.Until.After(sorted[n-1].Until) {
			sorted[n-1].Until = f.Until
		}
	}
	return sorted
}

// A heldList is a list as questions see it.
type heldList struct {
	list   *list.List
	source string // the id
}

// addMatches adds to r what the listings that are found under the key k, with the hash h, say of
// its address, which has the given account; without an account, of the very text. A listing that has
// ended is one of its own account only.
func (held *heldList) addMatches(r *Result, table *score.Table, h uint64, k, account *index.ID) {
	var buf [8]uint32
	rows := held.list.Index().AppendTagged(buf[:0], h, k, 0)
	for _, row := range rows {
		l := held.list.Listing(row, k)
		match := score.Literal
		if account != nil {
			match = l.Match(k, &r.Address, account)
		}
		e := &l.Entry
		switch until := e.Until; {
		case match == 0 || match == score.Key && !until.IsZero():
			continue
		case !until.IsZero():
			r.Formerly = append(r.Formerly, Former{Source: held.source, Ref: e.Ref, Name: e.Name, Listed: l.Text(k, &r.Address, account), Since: e.FirstSeen, Until: until})
			continue
		}
		if r.Labels == nil {
			r.Labels = make([]Label, 0, len(rows))
		}
		points, _ := table.Points(e.Kind, match) // known: the kinds of each list were checked
		r.Labels = append(r.Labels, Label{
			Kind: e.Kind, Source: held.source, Ref: e.Ref, AddedAt: l.AddedAt(), Name: e.Name, Match: match, Listed: l.Text(k, &r.Address, account),
			NotListedOn: e.NotListedOn, EntityListedAt: e.EntityListedAt, Points: points,
		})
	}
}
