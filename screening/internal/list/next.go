package list

import (
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// spare is how many more stays than entries may be followed by another one of the same entry,
// until a new file begins without them.
var spare = 100

// Changes say in what a List differs from the one before.
type Changes struct {
	Added, Removed int  // entries, each once, by [sources.Entry.Canonical]
	Lost           int  // accounts of the list before, or texts, that it lacks
	Stays          bool // a stay began or ended
}

// An Offer is what a list says that follows the list held.
type Offer struct {
	Entries *stays.File                      // in their order
	N       int                              // how many
	Ended   []sources.Entry                  // that it says it had, with their Until
	Until   func(e *sources.Entry) time.Time // says when an entry ended that is not listed any more
	Dates   *Dates
}

// Next returns the list of the acceptance h.Last that follows the list held, which may be nil.
func Next(h stays.Header, held *List, o *Offer) (*List, Changes, error) {
	size := o.Entries.Len() + 8*o.N // dates are added
	if held == nil {
		held = &List{}
	} else {
		size += held.file.EndedBytes()
	}
	n := next{builder: newBuilder(), held: held, to: h.Last, w: stays.NewWriter(size)}
	n.list.entries.index.Grow(o.N)
	for s, err := range o.Entries.All() {
		if err == nil && s.Out != 0 {
			break
		}
		if err == nil {
			err = n.offered(s, o.Dates)
		}
		if err != nil {
			return nil, Changes{}, err
		}
	}
	old := n.ended(o.Until)
	old = n.addEnded(old, o.Ended)
	n.changes.Stays = n.changes.Stays || len(old) > 0
	before, from := n.held.file, 0
	n.list.past, n.list.followed = n.held.past, n.held.followed+n.followed
	switch {
	case before == nil:
		h.First = n.to
	case n.list.followed > n.list.Entries+spare:
		var all []stays.Stay
		for s, err := range before.Ended(0) {
			if err != nil {
				return nil, Changes{}, err
			}
			all = append(all, s)
		}
		h.First, before, old = n.to, nil, n.last(append(all, old...))
		n.list.past, n.list.followed = nil, 0
	default:
		h.First, from = before.First, before.EndedBytes()
	}
	f, err := n.w.File(h, before, old)
	if err != nil {
		return nil, Changes{}, err
	}
	l, err := n.build(f)
	if err == nil && len(old) > 0 {
		err = l.addPast(len(old), from)
	}
	return l, n.changes, err
}

// A next makes the list that follows another one.
type next struct {
	*builder
	held     *List
	to       uint32
	w        *stays.Writer
	known    bitset // rows of held that have an entry that is offered
	lasts    bitset // rows of held that have a stay that lasts
	n        int    // how many stays last
	followed int    // how many stays of the past are followed by another one, besides the past of held
	changes  Changes
	buf, own [8]uint32
}

// offered adds an entry that is offered.
func (n *next) offered(s stays.Stay, dates *Dates) error {
	s.In = n.to
	f := n.list.entries.file(&s.Entry)
	first := &f.keys[0]
	again := n.list.entries.appendRows(n.own[:0], &s.Entry, first)
	was := n.held.entries.appendRows(n.buf[:0], &s.Entry, first)
	if len(again) > 0 {
		p := n.list.entries.parts(again[0])
		s.FirstSeen, s.NotListedOn = p.firstSeen, p.notListedOn
	} else {
		dates.date(&s.Entry, first, n.held, was)
		if len(was) == 0 {
			n.changes.Added++
		}
	}
	for _, row := range was {
		n.known.add(row)
		if p := n.held.entries.parts(row); p.says(&s.Entry) {
			if s.In = p.in; !n.lasts.add(row) {
				n.n++
			}
		}
	}
	if s.In == n.to {
		n.changes.Stays = true
		if len(again) == 0 && (len(was) > 0 || n.held.had(&s.Entry, first)) {
			n.followed++
		}
	}
	n.add(&s, f, again)
	return n.w.Add(&s)
}

// ended returns the stays that end because their entries are not offered as they were.
func (n *next) ended(until func(*sources.Entry) time.Time) (old []stays.Stay) {
	if n.n == n.held.stays {
		return nil
	}
	lost := make(map[index.ID]bool)
	for row := uint32(1); row <= n.held.entries.index.Rows(); row++ {
		if n.lasts.has(row) {
			continue
		}
		k, number := n.held.entries.index.Row(row)
		s := readListing(n.held.entries.index, number).stay(&k)
		if firstKey(&s.Entry) != k {
			continue // a further key
		}
		rows := n.held.entries.appendRows(n.buf[:0], &s.Entry, &k)
		if !n.known.has(row) {
			if n.changes.Removed++; !n.list.has(k) {
				lost[k] = true
			}
		}
		for _, row := range rows {
			n.known.add(row)
			if p := n.held.entries.parts(row); p.says(&s.Entry) {
				n.lasts.add(row) // it is repeated, and ends once
			}
		}
		s.Until, s.Out = until(&s.Entry).UTC().Round(0), n.to
		old = append(old, s)
	}
	n.changes.Lost = len(lost)
	return old
}

// addEnded adds the entries that a list says it had, unless they are known.
func (n *next) addEnded(old []stays.Stay, ended []sources.Entry) []stays.Stay {
	if len(ended) == 0 {
		return old
	}
	known := make(map[stays.Key]time.Time) // when they ended last
	for i := range old {
		if key := stays.KeyOf(&old[i].Entry); old[i].Until.After(known[key]) {
			known[key] = old[i].Until
		}
	}
	for i := range ended {
		e := stays.Normal(ended[i])
		first, last := firstKey(&e), known[stays.KeyOf(&e)]
		if last.IsZero() && n.list.had(&e, &first) {
			n.followed++
		}
		for _, p := range n.held.past {
			for _, row := range p.entries.appendRows(n.buf[:0], &e, &first) {
				if at := p.entries.parts(row).removed; at.After(last) {
					last = at
				}
			}
		}
		if e.Until.After(last) {
			if old = append(old, stays.Stay{Entry: e, In: n.to, Out: n.to}); !last.IsZero() {
				n.followed++
			}
		}
	}
	return old
}

// last returns the stays that no other one of the same entry follows.
func (n *next) last(old []stays.Stay) []stays.Stay {
	ends := make(map[stays.Key]uint32, len(old))
	for i := range old {
		key := stays.KeyOf(&old[i].Entry)
		ends[key] = max(ends[key], old[i].Out)
	}
	return slices.DeleteFunc(old, func(s stays.Stay) bool {
		first := firstKey(&s.Entry)
		return ends[stays.KeyOf(&s.Entry)] != s.Out || len(n.list.entries.appendRows(n.buf[:0], &s.Entry, &first)) > 0
	})
}

// addPast adds the last stays that have ended, count of them behind the first bytes, to the past. Those
// before are added again unless they are more, so that there are few lists, and a stay is seldom added.
func (l *List) addPast(count, from int) error {
	past := slices.Clone(l.past)
	for len(past) > 0 && past[len(past)-1].Entries <= count {
		last := past[len(past)-1]
		count, from, past = count+last.Entries, last.from, past[:len(past)-1]
	}
	p := &List{entries: newTable(), from: from}
	for s, err := range l.file.Ended(from) {
		if err != nil {
			return err
		}
		p.end(&s)
	}
	l.past = append(past, p)
	return p.entries.seal()
}
