package list

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// Skew is by how much clocks may differ. A time that is later than now by more is wrong.
const Skew = time.Minute

// Build returns the list of the last acceptance of a file. An error of check ends it.
func Build(f *stays.File, check func(sources.Entry) error) (*List, error) {
	n := len(f.Lasts()) / stays.MinBytes
	b := newBuilder(n)
	b.digest.Grow(n / 2) // many records are longer than the shortest
	b.list.entries.section = f.Lasts()
	for r, err := range f.Records(false) {
		if err == nil {
			err = b.read(r)
		}
		if err == nil && !b.alike {
			err = check(b.stay.Entry)
		}
		if err != nil {
			return nil, err
		}
		b.find(r)
		b.add(r.At)
	}
	if err := b.list.entries.index.Seal(); err != nil {
		return nil, err
	}
	return b.build(f)
}

// had reports whether what r lists is in l, perhaps with another name and other dates, or was.
func (l *List) had(r *stays.Record, first *index.ID) bool {
	if l == nil {
		return false
	}
	if l.has(*first) {
		var buf [8]uint32
		if v := l.view(); len(v.appendRows(buf[:0], r, first)) > 0 {
			return true
		}
	}
	return l.past.had(r, first)
}

// A builder makes a List. It takes one record after the other: read, find, add.
type builder struct {
	list   *List
	digest stays.Digest

	stay    stays.Stay // of the record; if it is alike, with the address of another one
	keys    []index.ID // under which it is found; the first one identifies it
	alike   bool       // it is the one before with other hex digits, and so is all that follows from it
	plain   bool       // a record may be alike
	again   []uint32   // the rows of its entry, so far
	rows    []uint32   // the rows of its first key, so far
	tag     uint32     // of the record
	derived uint32     // of its first key, see index.Table.Add; 0: it is not known
	isNew   bool       // no entry so far has its address
	said    []byte     // what the digest covers of the record
	hex     int        // if it is plain: where the digits are in said
}

// newBuilder returns the builder of a list with about n entries.
func newBuilder(n int) *builder {
	b := &builder{list: &List{entries: newTable(evmAccount)}}
	b.list.entries.index.Grow(n)
	return b
}

// read reads a record, and finds out under which keys it is found.
func (b *builder) read(r *stays.Record) error {
	b.tag = r.Tag()
	raw := r.Hex()
	var k index.ID
	if raw != nil {
		k = hexKey(raw)
	}
	if b.alike = raw != nil && b.plain && !r.New && !isVirtual(k); b.alike {
		b.keys[0] = k
		digits := b.said[b.hex : b.hex+2*len(raw)]
		hex.Encode(digits, raw)
		copy(b.said[b.hex+len(digits)+3:], digits) // again, behind a length and 0x
		b.stay.FirstSeen, b.stay.NotListedOn, b.stay.In = r.FirstSeen, r.NotListedOn, r.In
		return nil
	}
	err := r.Read(&b.stay)
	if err == nil {
		e := &b.stay.Entry
		b.keys = appendKeys(b.keys[:0], e)
		b.plain = raw != nil && len(b.keys) == 1 && b.keys[0] == k && e.Anomalies() == nil
		b.said = stays.AppendDigested(b.said[:0], e)
		b.hex = bytes.Index(b.said, []byte("0x")) + 2
	}
	return err
}

// whole reads the record that was read, if the stay has the address of another one.
func (b *builder) whole(r *stays.Record) {
	if b.alike {
		r.Read(&b.stay) // never fails: the address is hex
	}
}

// first returns the key that identifies the entry that was read.
func (b *builder) first() *index.ID { return &b.keys[0] }

// find finds the rows of the entry that was read, which r lists, and whether no entry before has its address. It returns how
// many rows are found under its first key.
func (b *builder) find(r *stays.Record) int {
	b.rows, b.again = b.list.entries.index.AppendRows(b.rows[:0], *b.first()), b.again[:0]
	if b.isNew = len(b.rows) == 0; b.isNew { // like most entries
		return 0
	}
	b.whole(r)
	v := b.list.view()
	b.again = v.appendRows(b.again, r, b.first())
	b.isNew = len(b.again) == 0 && !slices.ContainsFunc(b.rows, func(row uint32) bool {
		k := v.index.Key(row)
		return k == *b.first() && r.SameAddress(v.row(row))
	})
	return len(b.rows)
}

// add adds the stay, which lasts and was read and found, and is at the given place.
func (b *builder) add(at uint32) {
	l, s, e := b.list, &b.stay, &b.stay.Entry
	l.Entries++
	if b.isNew {
		l.Addresses++
	}
	if !b.plain {
		for _, kind := range e.Anomalies() {
			l.note(kind, e)
		}
		l.Scripts = l.Scripts || slices.ContainsFunc(b.keys, func(k index.ID) bool { return k.Class() == identity.ScriptHash })
	}
	if e.FirstSeen.After(l.LatestSeen) {
		l.LatestSeen = e.FirstSeen
	}
	b.digest.Add(b.said)
	if n := len(b.again); n > 0 {
		l.note(sources.Duplicate, e)
		v := l.view()
		if r := v.row(b.again[n-1]); r.In == s.In && r.Says(s) {
			return // of repetitions the label with the first date counts
		}
	}
	l.entries.add(at, b.keys, b.tag, b.derived)
	l.stays++
}

// note adds an anomaly.
func (l *List) note(kind string, e *sources.Entry) {
	if l.AnomalyKinds == nil {
		l.AnomalyKinds = make(map[string]int)
	}
	if l.AnomalyKinds[kind]++; l.AnomalyKinds[kind] <= 100 {
		l.Anomalies = append(l.Anomalies, sources.Anomaly{Kind: kind, Entry: *e})
	}
}

// build returns the list, whose file is f, and whose index is sealed.
func (b *builder) build(f *stays.File) (*List, error) {
	l := b.list
	l.file, l.entries.section = f, f.Lasts()
	l.Bytes, l.Digest = l.entries.index.Size(), b.digest.Sum()
	past := &List{entries: newTable(nil)} // a listing that ended is not found by another account
	past.entries.section = f.Ended()
	for r, err := range f.Records(true) {
		if err == nil {
			err = b.read(r)
		}
		if err != nil {
			return nil, err
		}
		if l.had(r, b.first()) || past.had(r, b.first()) {
			l.followed++
		}
		past.entries.add(r.At, b.keys, b.tag, 0)
		past.Entries++
	}
	err := past.entries.index.Seal()
	if past.Entries > 0 {
		l.past = past
		l.Bytes += past.entries.index.Size()
	}
	return l, err
}

// has reports whether the account of an entry with the given first key, or its text, is on l.
func (l *List) has(first index.ID) bool {
	var buf [8]uint32
	return l.entries != nil && len(l.entries.index.AppendRows(buf[:0], first)) > 0
}

// Missing returns which entries are in l and not in other, each once, in
// the order of l. Nothing follows an error. Either may be nil.
func Missing(l, other *List) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		if l == nil {
			return
		}
		var buf [8]uint32
		var s stays.Stay
		own, v := l.view(), other.view()
		for r, err := range l.file.Records(false) {
			if err == nil {
				err = r.Read(&s)
			}
			if err == nil {
				first := firstKey(&s.Entry)
				if len(v.appendRows(buf[:0], r, &first)) > 0 {
					continue
				}
				if own.index.Value(own.appendRows(buf[:0], r, &first)[0]) != r.At {
					continue // it is repeated
				}
			} else {
				err = fmt.Errorf("a list in memory: %w", err)
			}
			if !yield(s.Entry, err) || err != nil {
				return
			}
		}
	}
}
