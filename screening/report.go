package screening

import (
	"iter"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// keys returns the keys of all addresses that may have another verdict by r:
// those of every entry that was added or removed, and of all entries of a list
// that came from a store, or of all lists if there were no answers before. A key
// may come twice.
func (r *Report) keys() iter.Seq[index.Key] {
	return func(yield func(index.Key) bool) {
		var keys []address.Key
		each := func(entries []sources.Entry) bool {
			for _, e := range entries {
				keys = appendMatched(keys[:0], e)
				for _, k := range keys {
					if !yield(indexKey(k)) {
						return false
					}
				}
			}
			return true
		}
		answered := r.before.ready(0) == nil
		for i, s := range r.Sources {
			if answered && !r.before.lists[i].revision.IsZero() {
				if !each(s.Added) || !each(s.Removed) {
					return
				}
			} else if !each(r.after.lists[i].entries) {
				return
			}
		}
	}
}

// appendMatched appends accounts and keys of which every address that e matches
// has one at least, whichever of them is asked for.
func appendMatched(dst []address.Key, e sources.Entry) []address.Key {
	if e.Address.IsValid() {
		return append(append(dst, e.Address.Account()), listedKeys(e.Address)...)
	}
	for _, a := range address.Detect(literalKey(e.Listed)) {
		dst = a.AppendKeys(append(dst, a.Account()))
	}
	return dst
}

// screen returns what r has changed for a, and whether that is anything.
func (r *Report) screen(a address.Address) (c Change, changed bool, err error) {
	c.Address = a
	labels, err := r.after.match(a)
	if err != nil {
		return Change{}, false, err
	}
	c.After = r.after.result(a, labels)
	if r.before.ready(0) != nil {
		return c, len(labels) > 0, nil
	}
	if labels, err = r.before.match(a); err != nil {
		return Change{}, false, err
	}
	c.Before = r.before.result(a, labels)
	return c, !sameVerdict(c.Before, c.After), nil
}

// sameVerdict reports whether two results about one address say the same.
func sameVerdict(a, b Result) bool {
	if a.Score != b.Score || a.Level != b.Level || len(a.Labels) != len(b.Labels) {
		return false
	}
	for i, l := range a.Labels {
		m := b.Labels[i]
		l.Name, l.AddedAt = m.Name, m.AddedAt
		if l != m {
			return false
		}
	}
	return true
}
