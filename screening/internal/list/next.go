package list

import (
	"fmt"
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
	Entries *stays.File     // in their order
	N       int             // how many
	Ended   []sources.Entry // that it says it had, with their Until
	History []sources.Entry // the known past of the list, see sources.History
	Checked time.Time       // when it was read
	Beside  *List           // matches beside the list held; nil: none does
	Absent  time.Time       // the date of the list held, which lacks the entries that are new; zero: not known
}

// Next returns the list of the acceptance h.Last, at the time h.Written, that follows the list held, which may be nil.
func Next(h stays.Header, held *List, o *Offer) (*List, Changes, error) {
	size := o.Entries.Len() + 8*o.N // dates are added
	if held == nil {
		held = &List{}
	} else {
		size += len(held.file.Ended())
	}
	n := next{
		builder: newBuilder(o.N), offer: o, now: h.Written, spans: spansOf(o.History),
		held: held, view: held.view(), to: h.Last, w: stays.NewWriter(size),
	}
	n.digest.Grow(o.N)
	if held.entries != nil {
		n.isUnique = held.Entries == held.Distinct()
		rows := held.entries.index.Rows() + 1
		n.wasDerived = held.entries.index.Derived()
		n.known, n.lasts = make([]bool, rows), make([]bool, rows)
	}
	for r, err := range o.Entries.Records(false) {
		if err == nil {
			err = n.offered(r)
		}
		if err != nil {
			return nil, Changes{}, err
		}
	}
	n.list.entries.section = n.w.Section()
	if err := n.list.entries.index.Seal(); err != nil {
		return nil, Changes{}, err
	}
	old := n.addEnded(n.ended())
	n.changes.Stays = n.changes.Stays || len(old) > 0
	before := n.held.file
	if before != nil && n.held.followed <= n.list.Entries+spare {
		h.First = before.First
	} else { // begin a new file without the stays that others follow
		var all []stays.Stay
		if before != nil {
			for s, err := range before.All() {
				if err != nil {
					return nil, Changes{}, err
				}
				if s.Out != 0 {
					all = append(all, s)
				}
			}
		}
		h.First, before, old = n.to, nil, n.last(append(all, old...))
	}
	f, err := n.w.File(h, before, old)
	if err != nil {
		return nil, Changes{}, err
	}
	l, err := n.build(f)
	return l, n.changes, err
}

// A next makes the list that follows another one.
type next struct {
	*builder
	offer      *Offer
	now        time.Time
	spans      map[index.ID][]span // by account: the history of the list
	held       *List
	view       view // of held
	isUnique   bool // no entry of held is repeated
	to         uint32
	w          *stays.Writer
	row        uint32   // of held: the last one that had an entry that is offered
	wasDerived []uint32 // by row of held
	known      []bool   // by row of held: it has an entry that is offered
	lasts      []bool   // by row of held: it has a stay that lasts
	n          int      // how many stays last
	changes    Changes
	buf        [8]uint32
}

// offered adds an entry that is offered.
func (n *next) offered(r *stays.Record) error {
	if err := n.read(r); err != nil {
		return err
	}
	n.list.entries.section = n.w.Section()
	if n.find(r) > maxAlike {
		return fmt.Errorf("more than %d entries of the address %.100q: say once what they have in common", maxAlike, n.stay.Text())
	}
	was := n.rowsOf(r)
	if len(was) == 0 && n.held.file != nil || len(n.spans) > 0 {
		n.whole(r)
	}
	s := &n.stay
	s.In = n.to
	if len(n.again) > 0 {
		v := n.list.view()
		o := v.row(n.again[0])
		s.FirstSeen, s.NotListedOn = o.FirstSeen, o.NotListedOn
	} else {
		n.date(&s.Entry, r, was)
		if len(was) == 0 {
			n.changes.Added++
		}
	}
	for _, row := range was {
		n.known[row] = true
		if o := n.view.row(row); o.Says(s) {
			if s.In = o.In; !n.lasts[row] {
				n.lasts[row] = true
				n.n++
			}
		}
	}
	if s.In == n.to {
		n.changes.Stays = true
	}
	at, err := n.w.AddAs(s, r)
	if n.derived = 0; len(was) > 0 {
		n.derived = n.wasDerived[was[0]]
	}
	n.add(at)
	return err
}

// rowsOf returns the rows of held that have what was read, which r lists. If nothing is repeated there, it is one at most,
// and in most lists the next one.
func (n *next) rowsOf(r *stays.Record) []uint32 {
	if n.isUnique {
		if row := n.row + 1; row <= n.view.index.Rows() && n.view.index.Key(row) == *n.first() && n.view.row(row).Lists(r) {
			n.row = row
			return append(n.buf[:0], row)
		}
	}
	rows := n.view.appendRows(n.buf[:0], r, n.first())
	if len(rows) > 0 {
		n.row = rows[0]
	}
	return rows
}

// ended returns the stays that end because their entries are not offered as they were.
func (n *next) ended() (old []stays.Stay) {
	if n.n == n.held.stays {
		return nil
	}
	said := make(map[stays.Key]time.Time)
	for i := range n.offer.Ended {
		said[stays.KeyOf(&n.offer.Ended[i])] = n.offer.Ended[i].Until
	}
	lost := make(map[index.ID]bool)
	v := n.held.view()
	var s stays.Stay
	for row := uint32(1); row <= n.held.entries.index.Rows(); row++ {
		if n.lasts[row] {
			continue
		}
		k := n.held.entries.index.Key(row)
		r := v.row(row)
		r.Read(&s) // never fails: it was read before
		if firstKey(&s.Entry) != k {
			continue // a further key
		}
		rows := n.view.appendRows(n.buf[:0], r, &k)
		if !n.known[row] {
			if n.changes.Removed++; !n.list.has(k) {
				lost[k] = true
			}
		}
		for _, row := range rows {
			n.known[row] = true
			if n.view.row(row).Says(&s) {
				n.lasts[row] = true // it is repeated, and ends once
			}
		}
		ok := false
		if s.Until, ok = said[stays.KeyOf(&s.Entry)]; !ok {
			s.Until = n.endOf(&s.Entry)
		}
		s.Until, s.Out = s.Until.UTC().Round(0), n.to
		old = append(old, s)
	}
	n.changes.Lost = len(lost)
	return old
}

// addEnded adds the entries that a list says it had, or that its history has, unless they are known.
func (n *next) addEnded(old []stays.Stay) []stays.Stay {
	ended := slices.Clip(n.offer.Ended)
	for _, e := range n.offer.History {
		if !e.Until.IsZero() {
			ended = append(ended, e)
		}
	}
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
		r, first, last := stays.RecordOf(&e), firstKey(&e), known[stays.KeyOf(&e)]
		v := n.held.past.view()
		for _, row := range v.appendRows(n.buf[:0], r, &first) {
			if at := v.row(row).Until; at.After(last) {
				last = at
			}
		}
		if e.Until.After(last) {
			old = append(old, stays.Stay{Entry: e, In: n.to, Out: n.to})
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
		return ends[stays.KeyOf(&s.Entry)] != s.Out || n.list.had(stays.RecordOf(&s.Entry), &first)
	})
}
