package list

import (
	"crypto/sha256"
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
	b := newBuilder()
	b.list.entries.section = f.Lasts()
	var s stays.Stay
	for r, err := range f.Records(false, 0) {
		if err == nil {
			err = r.Read(&s)
		}
		if err == nil {
			err = check(s.Entry)
		}
		if err != nil {
			return nil, err
		}
		b.file(&s.Entry)
		b.add(&s, b.find(r), r.At, r.New)
	}
	l, err := b.build(f)
	if err == nil && len(f.Ended()) > 0 {
		past, n, err := b.past(f, 0)
		if err != nil {
			return nil, err
		}
		l.past, l.followed = []*List{past}, n
	}
	return l, err
}

// past returns the stays of a file that have ended, from a byte of them on, and how many of them another one of the same
// entry follows.
func (b *builder) past(f *stays.File, from int) (past *List, followed int, err error) {
	past = &List{entries: newTable(), from: from}
	past.entries.section = f.Ended()
	var s stays.Stay
	for r, err := range f.Records(true, from) {
		if err == nil {
			err = r.Read(&s)
		}
		if err != nil {
			return nil, 0, err
		}
		b.file(&s.Entry)
		if b.list.had(r, b.first()) || past.had(r, b.first()) {
			followed++
		}
		past.entries.labeled(r.At, r.New)
		past.entries.add(r.At, b.keys)
		past.Entries++
	}
	return past, followed, past.entries.index.Seal()
}

// had reports whether what r lists is in l, perhaps with another name and other dates, or was.
func (l *List) had(r *stays.Record, first *index.ID) bool {
	if l == nil {
		return false
	}
	var buf [8]uint32
	v := l.entries.view()
	return len(v.appendRows(buf[:0], r, first)) > 0 || slices.ContainsFunc(l.past, func(p *List) bool { return p.had(r, first) })
}

// A builder makes a List.
type builder struct {
	list   *List
	hashes hashes     // of what the entries say
	keys   []index.ID // of the entry that is filed
	again  []uint32   // its rows, so far
	text   []byte     // scratch
}

func newBuilder() *builder {
	return &builder{list: &List{entries: newTable()}}
}

// file finds out under which keys an entry is filed.
func (b *builder) file(e *sources.Entry) { b.keys = appendFilings(b.keys[:0], e) }

// first returns the key that identifies the entry that is filed.
func (b *builder) first() *index.ID { return &b.keys[0] }

// find finds the rows of the entry that is filed, which r lists, and reports whether no entry before has its address.
func (b *builder) find(r *stays.Record) (isNew bool) {
	b.again = b.list.entries.index.AppendRows(b.again[:0], *b.first())
	if isNew = true; len(b.again) == 0 {
		return isNew
	}
	v := b.list.entries.view()
	b.again = slices.DeleteFunc(b.again, func(row uint32) bool {
		k, _ := v.index.Row(row)
		other := v.row(row)
		isNew = isNew && !(k == *b.first() && r.SameAddress(other))
		return k != *b.first() || !other.Lists(r)
	})
	return isNew
}

// add adds a stay that lasts, of the entry that is filed and found, which is at the given place. isNew says whether no entry before has
// its address, and isLabeled whether it has another label than the stay before.
func (b *builder) add(s *stays.Stay, isNew bool, at uint32, isLabeled bool) {
	l, e, facts := b.list, &s.Entry, &b.list.Facts
	facts.Entries++
	for _, kind := range e.Anomalies() {
		facts.note(kind, e)
	}
	if isNew {
		facts.Addresses++
	}
	facts.Scripts = facts.Scripts || slices.ContainsFunc(b.keys, func(k index.ID) bool { return k.Class() == uint16(identity.ScriptHash) })
	if !slices.Contains(facts.Kinds, e.Kind) {
		facts.Kinds = append(facts.Kinds, e.Kind)
	}
	if e.FirstSeen.After(facts.LatestSeen) {
		facts.LatestSeen = e.FirstSeen
	}
	b.text = appendSaid(b.text[:0], e)
	b.hashes.add(sha256.Sum256(b.text))
	l.entries.labeled(at, isLabeled)
	if n := len(b.again); n > 0 {
		facts.note(sources.Duplicate, e)
		v := l.entries.view()
		if r := v.row(b.again[n-1]); r.In == s.In && r.Says(s) {
			return // of repetitions the label with the first date counts
		}
	}
	l.entries.add(at, b.keys)
	l.stays++
}

// note adds an anomaly.
func (f *Facts) note(kind string, e *sources.Entry) {
	if f.AnomalyKinds == nil {
		f.AnomalyKinds = make(map[string]int)
	}
	if f.AnomalyKinds[kind]++; f.AnomalyKinds[kind] <= 100 {
		f.Anomalies = append(f.Anomalies, sources.Anomaly{Kind: kind, Entry: *e})
	}
}

// build returns the list, whose file is f, without its past.
func (b *builder) build(f *stays.File) (*List, error) {
	l := b.list
	l.file, l.entries.section = f, f.Lasts()
	err := l.entries.index.Seal()
	l.Bytes, l.Digest = l.entries.size(), b.hashes.digest()
	return l, err
}

// has reports whether the account of an entry with the given first key, or its text, is on l.
func (l *List) has(first index.ID) bool { return l.entries.index.AppendRows(nil, first) != nil }

// Missing returns which entries are in l and not in other, each once, in
// the order of l. Nothing follows an error. Either may be nil.
func Missing(l, other *List) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		if l == nil {
			return
		}
		seen := make(map[stays.Key]bool)
		var buf [8]uint32
		var v view
		if other != nil {
			v = other.entries.view()
		}
		var s stays.Stay
		for r, err := range l.file.Records(false, 0) {
			if err == nil {
				err = r.Read(&s)
			}
			if err == nil {
				if first := firstKey(&s.Entry); len(v.appendRows(buf[:0], r, &first)) > 0 {
					continue
				}
				if key := stays.KeyOf(&s.Entry); seen[key] {
					continue
				} else {
					seen[key] = true
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
