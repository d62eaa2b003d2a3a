package revision

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"

	"github.com/walletscreen/walletscreen/sources"
)

// A Delta is the difference between two revisions of a list. Repetitions count.
type Delta struct {
	Dropped []sources.Entry // that only the first one has
	Gained  []sources.Entry // that only the second one has
	Removed []Removal       // entries that are no longer listed, whatever they were listed as
}

// Append appends d to b, for ParseDelta: of each field, in order, the number of elements and
// the elements, as in a file. The error says that an entry cannot be read back.
func (d *Delta) Append(b []byte) ([]byte, error) {
	c := newEncoder()
	c.buf = b
	for _, entries := range [][]sources.Entry{d.Dropped, d.Gained} {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(entries)))
		for i := range entries {
			if err := c.entry(&entries[i]); err != nil {
				return b, err
			}
		}
	}
	c.buf = binary.AppendUvarint(c.buf, uint64(len(d.Removed)))
	for i := range d.Removed {
		if err := c.removal(&d.Removed[i]); err != nil {
			return b, err
		}
	}
	return c.buf, nil
}

// ParseDelta returns the Delta in data. The error wraps [ErrDamaged]. An address whose chain is
// no longer known is an error, but not in Removed: there, it is the Address that
// [sources.Decode] finds, or none.
func ParseDelta(data []byte) (d Delta, err error) {
	r := decoder{rest: data}
	for _, entries := range []*[]sources.Entry{&d.Dropped, &d.Gained} {
		for range r.number() {
			e, err := r.entry()
			if err != nil {
				return Delta{}, fmt.Errorf("a change: %w", err)
			}
			*entries = append(*entries, e)
		}
	}
	for range r.number() {
		removal, err := r.removal()
		if err != nil {
			return Delta{}, fmt.Errorf("a removal: %w", err)
		}
		d.Removed = append(d.Removed, removal)
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes after the removals", len(r.rest))
	}
	return d, r.err
}

// A Patch is the sum of several changes to a list.
type Patch struct {
	more map[sources.Entry]int // how many more of each; never 0
	last []sources.Entry       // those with more, in order of their additions
}

// Add adds a change from entries without gained to entries without dropped.
func (p *Patch) Add(dropped, gained []sources.Entry) {
	if p.more == nil {
		p.more = make(map[sources.Entry]int)
	}
	add := func(e sources.Entry, by int) {
		if p.more[e] += by; p.more[e] == 0 {
			delete(p.more, e)
		}
	}
	for _, e := range dropped {
		add(e, -1)
	}
	for _, e := range gained {
		add(e, 1)
	}
	p.last = append(p.last, gained...)
}

// Apply writes the file of h, with the entries of f as p changes them. The error wraps
// [ErrDamaged] if f lacks an entry that p drops.
func (p *Patch) Apply(to io.Writer, h Header, f *File) error {
	w, err := NewWriter(to, h)
	if err != nil {
		return err
	}
	more := maps.Clone(p.more)
	for e, err := range f.Entries() {
		if err != nil {
			return err
		}
		if more[e] < 0 {
			more[e]++
			continue
		}
		if err := w.Entry(e); err != nil {
			return err
		}
	}
	for _, e := range p.last {
		for ; more[e] > 0; more[e]-- {
			if err := w.Entry(e); err != nil {
				return err
			}
		}
	}
	for e, n := range more {
		if n < 0 {
			return fmt.Errorf("%w: an entry of %.80q is not in the file", ErrDamaged, e.Text())
		}
	}
	return w.Close()
}
