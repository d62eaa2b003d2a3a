package list

import (
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// Add adds the next entry. As long as entries come as in prev, it does nothing but compare them.
func (b *Builder) Add(e sources.Entry) error {
	if b.n == 0 && b.prev != nil {
		b.cursor, b.follows = b.prev.all.Cursor(), b.mayFollow()
	}
	b.n++
	p := pending{entry: e}
	at := b.find(&p)
	if at == b.n-1 && at == b.alike {
		b.alike++
	}
	if b.follows {
		if b.alike == b.n && (e.FirstSeen.IsZero() || !e.FirstSeen.Before(p.firstSeen)) {
			return nil
		}
		if err := b.leave(b.n - 1); err != nil {
			return err
		}
	}
	b.keep(&p, at)
	return nil
}

// find returns the number of the entry of prev that is p, and sets the dates of p as there; -1 if the
// cursor does not find it.
func (b *Builder) find(p *pending) int {
	if b.cursor == nil {
		return -1
	}
	few := 8
	if b.misses&(b.misses-1) == 0 { // a power of two: many may have been dropped
		few = max(few, 32*b.misses)
	}
	skipped, ok := b.cursor.Find(&p.entry, few)
	if !ok {
		b.misses++
		if b.missed++; b.missed > 1000+b.n/8 {
			b.cursor = nil
		}
		return -1
	}
	b.misses = 0
	at := b.next + skipped
	b.next = at + 1
	p.firstSeen, p.notListedOn = b.cursor.Dates()
	p.known = !b.hadRepeated()
	return at
}

// hadRepeated reports whether prev has repeated entries. Then an entry of prev may be a repetition
// of another one, which has to be looked up to know what has changed.
func (b *Builder) hadRepeated() bool { return b.prev.AnomalyKinds[sources.Duplicate] > 0 }

// mayFollow reports whether entries that are as in prev need no more than a comparison. With a
// history they may get other dates.
func (b *Builder) mayFollow() bool {
	return len(b.bounds) == 0 && !b.prev.LatestSeen.After(b.now.Add(Skew))
}

// leave adds the first n entries of prev, if they were only compared so far.
func (b *Builder) leave(n int) error {
	if !b.follows {
		return nil
	}
	b.follows = false
	at := 0
	for e, err := range b.prev.All() {
		if at == n || err != nil {
			return err
		}
		p := pending{entry: e, known: !b.hadRepeated(), firstSeen: e.FirstSeen, notListedOn: e.NotListedOn}
		p.entry.FirstSeen, p.entry.NotListedOn = time.Time{}, time.Time{}
		b.keep(&p, at)
		at++
	}
	return nil
}

// keep adds p, which is the entry of prev with the given number; -1 if that is not known.
func (b *Builder) keep(p *pending, at int) {
	if at >= 0 {
		b.kept.add(uint32(at))
		b.matched++
	}
	b.add(p)
}

// A pending entry is one that is added to the list.
type pending struct {
	entry sources.Entry
	filing
	known                  bool // prev has it, with these dates
	firstSeen, notListedOn time.Time
}
