package list

import (
	"time"

	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

// Add adds the next entry. As long as entries come as in prev, it does nothing but compare them.
func (b *Builder) Add(e sources.Entry) error {
	if b.n == 0 && b.prev != nil {
		b.cursor, b.follows = b.prev.all.Cursor(), b.mayFollow()
		if err := b.fresh.slots.Grow(b.prev.Entries + b.prev.Entries/64); err != nil { // it is about as long
			return err
		}
	}
	b.n++
	if b.n%256 == 0 { // each takes about a microsecond
		pace.Yield()
	}
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
	return b.enqueue(&p, at)
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

// leave enqueues the first n entries of prev, if they were only compared so far.
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
		if err := b.enqueue(&p, at); err != nil {
			return err
		}
		at++
	}
	return nil
}

// end adds all entries that were only compared or enqueued so far.
func (b *Builder) end() error {
	if err := b.leave(b.n); err != nil {
		return err
	}
	return b.addBatch()
}

// enqueue adds p soon, which is the entry of prev with the given number; -1 if that is not known.
func (b *Builder) enqueue(p *pending, at int) error {
	if at >= 0 {
		b.kept.add(uint32(at))
		b.matched++
	}
	to := &b.batch[b.waiting]
	p.keys = to.keys // to be used again
	*to = *p
	if b.waiting++; b.waiting < len(b.batch) {
		return nil
	}
	return b.addBatch()
}

// A pending entry is one whose look-ups wait for memory.
type pending struct {
	entry sources.Entry
	filing
	hash                   uint64
	known                  bool // prev has it, with these dates
	firstSeen, notListedOn time.Time
}

// addBatch adds the entries that are enqueued. In a long list, most of the time would be spent
// waiting for memory, once for each entry, so it prefetches what the look-ups of all of them read.
func (b *Builder) addBatch() error {
	batch := b.batch[:b.waiting]
	b.waiting = 0
	for i := range batch {
		p := &batch[i]
		p.keys, p.form = AppendFilings(p.keys[:0], &p.entry)
		p.hash = b.fresh.hashOf(&p.entry, p.filing)
	}
	for i := range batch {
		b.touched ^= b.fresh.slots.Prefetch(batch[i].hash)
	}
	for i := range batch {
		e := &batch[i].entry
		for _, text := range [...]string{e.Ref, e.Name} {
			if text != "" {
				b.touched ^= b.table.index.PrefetchText(text)
			}
		}
		if batch[i].form == textAddress {
			b.touched ^= b.table.index.PrefetchText(e.Address.Normalized())
		}
	}
	for i := range batch {
		if err := b.add(&batch[i]); err != nil {
			return err
		}
	}
	return nil
}
