package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
)

// writeTables writes filters, buckets and records, assuming that each item is a key of
// its own, and frees the items of each part that it has written. If a key is repeated it
// merges its items; then, and if a bucket is overfull or useless is not nil, the image
// cannot be used. It returns the reason after it has restored all items.
func (bd *build) writeTables(seed *seed, img image, at *sections, order *sequence, useless error) error {
	var repeated, overfull atomic.Bool
	for i := range bd.sides {
		s := &bd.sides[i]
		writers := make([]tableWriter, bd.workers)
		order.part = 0
		err := parallel(bd.workers, len(s.parts), func(worker, part int) error {
			w := &writers[worker]
			if w.itemSorter == nil {
				*w = tableWriter{itemSorter: newItemSorter(s, seed), sets: bd.sets}
			}
			err := w.sort(part)
			if w.repeated {
				repeated.Store(true)
			}
			wanted := false
			order.turn(part, func() {
				if wanted = err == nil && useless == nil && !repeated.Load() && !overfull.Load(); wanted {
					w.number(order)
				}
			})
			switch {
			case err != nil:
				return err
			case w.repeated:
				return w.merge()
			case !wanted:
				return nil
			}
			switch err := w.write(img, at, i, part); err {
			case nil:
				bd.forget(w.part)
				return nil
			case errOverfull:
				overfull.Store(true)
				return nil
			default:
				return err
			}
		})
		if err != nil {
			return err
		}
		for i := range writers {
			bd.sum.subtract(writers[i].twice)
		}
		if useless == nil {
			var last [headBytes]byte
			binary.LittleEndian.PutUint32(last[:], uint32(s.keys))
			if _, err := img.WriteAt(last[:], int64(at.heads[i].off+headBytes*s.buckets)); err != nil {
				return err
			}
		}
	}
	if repeated.Load() || overfull.Load() {
		for i := range bd.sides {
			if err := bd.recall(&bd.sides[i], img, at.records[i], order.sets); err != nil {
				return err
			}
		}
	}
	switch {
	case repeated.Load():
		return errRepeated
	case overfull.Load():
		return errOverfull
	}
	return useless
}

// forget frees the chunks of a part that is written, and the slabs that have no others.
func (bd *build) forget(p *part) {
	for _, c := range p.chunks {
		bd.pool.done(c.slab)
	}
	p.chunks = nil
	bd.pool.trim()
	if bd.held != nil {
		bd.held(bd.pool.total)
	}
}

// recall restores the items that forget freed, from the records written.
func (bd *build) recall(s *side, img image, records section, sets *mapfile.Words) error {
	size, stride := itemBytes(s.width), s.width+4
	scratch := make([][]byte, bd.workers)
	err := parallel(bd.workers, len(s.parts), func(w, i int) error {
		p := &s.parts[i]
		if p.chunks != nil || p.n == 0 {
			return nil
		}
		b, err := img.read(scratch[w], section{records.off + uint64(stride)*p.before, uint64(stride) * p.n})
		if err != nil {
			return err
		}
		scratch[w] = b
		var items pile
		for n := 0; len(b) > 0; n++ {
			if items.at == len(items.last.items) {
				if err := items.room(s.arenaOf(uint64(i)), size); err != nil {
					return err
				}
			}
			set := sets.At(int(binary.LittleEndian.Uint32(b[s.width:])))
			it := items.last.items[items.at : items.at+size]
			copy(it, b[:s.width])
			copy(it[s.width:], bd.sets.all.bytes(set)[:4]) // meta
			binary.LittleEndian.PutUint32(it[s.width+4:], set)
			items.at += size
			b = b[stride:]
			step(n)
		}
		items.push()
		p.chunks = items.chunks
		return nil
	})
	s.closeArenas()
	return err
}

// A tableWriter writes parts of a table, or merges their items. It must not be used
// concurrently.
type tableWriter struct {
	*itemSorter
	heads, filters, records []byte   // buffers for an image in a file
	places                  []uint32 // the place of the set of each sorted item

	sets   *sharedSets
	twice  sum    // of repeated items with equal values
	set    []byte // scratch
	values []uint32
}

// number looks up the places of the sets of the sorted items.
func (w *tableWriter) number(order *sequence) {
	w.places = slices.Grow(w.places[:0], len(w.sorted))
	for i, r := range w.sorted {
		w.places = append(w.places, order.place(binary.LittleEndian.Uint32(w.item(r.i)[w.size-4:])))
		step(i)
	}
}

// write writes the sorted part of table i, whose sets have places. It returns errOverfull
// if a bucket is overfull.
func (w *tableWriter) write(img image, at *sections, i, part int) error {
	first, n := w.side.bucketsOf(part)
	stride := uint64(w.size - 4)
	heads := section{at.heads[i].off + headBytes*first, headBytes * n}
	records := section{at.records[i].off + stride*w.part.before, stride * w.part.n}
	w.heads = img.bytes(w.heads, heads)
	w.records = img.bytes(w.records, records)
	filters, filter := section{at.filters[i].off + 8*first, 8 * n}, at.filters[i].n > 0
	if filter {
		w.filters = img.bytes(w.filters, filters)
	}
	rest, free, places := w.sorted, w.records, w.places
	for b := range n {
		size := w.ends[grains*b+grains-1] - uint32(len(w.sorted)-len(rest))
		if size > maxBucket {
			return errOverfull
		}
		head := w.heads[headBytes*b : headBytes*(b+1) : headBytes*(b+1)]
		clear(head)
		binary.LittleEndian.PutUint32(head, uint32(w.part.before)+uint32(len(w.sorted)-len(rest)))
		word, slot := uint64(0), 4
		for j, r := range rest[:size] {
			word |= filterBits(r.h)
			if slot < headBytes {
				binary.LittleEndian.PutUint16(head[slot:], uint16(fingerprint(r.h)))
				slot += 2
			}
			w0, w1, w2, w3, _, _ := getItem(w.item(r.i))
			set := places[j]
			rec := free[:stride:stride]
			free = free[stride:]
			binary.LittleEndian.PutUint64(rec, w0)
			binary.LittleEndian.PutUint64(rec[8:], w1)
			if len(rec) == narrowBytes+4 {
				binary.LittleEndian.PutUint64(rec[16:], uint64(set)<<32|w2)
			} else {
				binary.LittleEndian.PutUint64(rec[16:], w2)
				binary.LittleEndian.PutUint64(rec[24:], w3)
				binary.LittleEndian.PutUint32(rec[32:], set)
			}
		}
		rest, places = rest[size:], places[size:]
		if filter {
			binary.LittleEndian.PutUint64(w.filters[8*b:], word)
		}
		if b%goBuckets == goBuckets-1 {
			pace.Yield()
		}
	}
	err := cmp.Or(img.done(w.heads, heads), img.done(w.records, records))
	if err == nil && filter {
		err = img.done(w.filters, filters)
	}
	return err
}

// none is the number of the set of an item that was merged into another.
const none = 1<<32 - 1

// merge replaces the items of each key by one with the set of their values.
func (w *tableWriter) merge() error {
	for rest := w.sorted; len(rest) > 0; {
		first, n := w.item(rest[0].i), 1
		for n < len(rest) && rest[n].h == rest[0].h && bytes.Equal(w.item(rest[n].i)[:w.size-4], first[:w.size-4]) {
			n++
		}
		if n > 1 {
			set, err := w.union(rest[:n])
			if err != nil {
				return err
			}
			for _, r := range rest[1:n] {
				binary.LittleEndian.PutUint32(w.item(r.i)[w.size-4:], none)
			}
			binary.LittleEndian.PutUint32(first[w.size-4:], set)
		}
		rest = rest[n:]
	}
	w.part.n = 0
	for i := range w.part.chunks {
		c := w.part.chunks[i].items
		kept := c[:0]
		for ; len(c) > 0; c = c[w.size:] {
			if binary.LittleEndian.Uint32(c[w.size-4:]) != none {
				kept = append(kept, c[:w.size]...)
			}
		}
		w.part.chunks[i].items = kept
		w.part.n += uint64(len(kept) / w.size)
	}
	return nil
}

// union returns the number of the set of the values of items of one key.
func (w *tableWriter) union(items []ref) (uint32, error) {
	w0, w1, w2, w3, meta, _ := getItem(w.item(items[0].i))
	w.values = w.values[:0]
	for _, r := range items {
		set := binary.LittleEndian.Uint32(w.item(r.i)[w.size-4:])
		w.values = append(w.values, w.sets.value(set))
	}
	slices.Sort(w.values)
	for i := 1; i < len(w.values); i++ {
		if w.values[i] == w.values[i-1] {
			w.twice.add(w0, w1, w2, w3, meta, w.values[i])
		}
	}
	w.set = binary.LittleEndian.AppendUint32(w.set[:0], meta)
	for _, v := range slices.Compact(w.values) {
		w.set = binary.LittleEndian.AppendUint32(w.set, v)
	}
	return w.sets.intern(w.set)
}
