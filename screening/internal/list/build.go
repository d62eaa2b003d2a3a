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
	past := &List{entries: newTable()}
	var own [8]uint32
	for s, err := range f.All() {
		if err == nil && s.Out == 0 {
			err = check(s.Entry)
		}
		switch {
		case err != nil:
			return nil, err
		case s.Out != 0:
			if first := firstKey(&s.Entry); b.list.had(&s.Entry, &first) || past.had(&s.Entry, &first) {
				b.list.followed++
			}
			past.end(&s)
		default:
			filing := b.list.entries.file(&s.Entry)
			b.add(&s, filing, b.list.entries.appendRows(own[:0], &s.Entry, &filing.keys[0]))
		}
	}
	l, err := b.build(f)
	if err == nil && past.Entries > 0 {
		l.past, err = []*List{past}, past.entries.seal()
	}
	return l, err
}

// had reports whether e is in l, perhaps with another name and other dates, or was.
func (l *List) had(e *sources.Entry, first *index.ID) bool {
	if l == nil {
		return false
	}
	var buf [8]uint32
	return len(l.entries.appendRows(buf[:0], e, first)) > 0 || slices.ContainsFunc(l.past, func(p *List) bool { return p.had(e, first) })
}

// end adds a stay that has ended to a past.
func (l *List) end(s *stays.Stay) {
	l.entries.add(s, l.entries.file(&s.Entry), 0)
	l.Entries++
}

// A builder makes a List.
type builder struct {
	list   *List
	hashes hashes // of what the entries say
	text   []byte // scratch
}

func newBuilder() *builder {
	return &builder{list: &List{entries: newTable()}}
}

// add adds a stay that lasts. again are the rows that the list has of its entry.
func (b *builder) add(s *stays.Stay, f filing, again []uint32) {
	facts, e, before := &b.list.Facts, &s.Entry, uint32(0)
	facts.Entries++
	for _, kind := range e.Anomalies() {
		facts.note(kind, e)
	}
	if len(again) > 0 {
		facts.note(sources.Duplicate, e)
		before = again[len(again)-1]
	}
	facts.Scripts = facts.Scripts || slices.ContainsFunc(f.keys, func(k index.ID) bool { return k.Class() == uint16(identity.ScriptHash) })
	if !slices.Contains(facts.Kinds, e.Kind) {
		facts.Kinds = append(facts.Kinds, e.Kind)
	}
	if e.FirstSeen.After(facts.LatestSeen) {
		facts.LatestSeen = e.FirstSeen
	}
	b.text = appendSaid(b.text[:0], e)
	b.hashes.add(sha256.Sum256(b.text))
	if b.list.entries.add(s, f, before) { // of repetitions the label with the first date counts
		b.list.stays++
	}
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
	l.Addresses = l.entries.write.addresses
	if err := l.entries.seal(); err != nil {
		return nil, err
	}
	l.file, l.Bytes, l.Digest = f, l.entries.index.Size(), b.hashes.digest()
	return l, nil
}

// has reports whether the account of an entry with the given first key, or its text, is on l.
func (l *List) has(first index.ID) bool { return l.entries.index.AppendRows(nil, first) != nil }

// Missing returns which entries are in l and not in other, each once, in
// the order of l. Nothing follows an error. Either may be nil.
func Missing(l, other *List) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		seen := make(map[stays.Key]bool)
		var buf [8]uint32
		for e, err := range l.All() {
			if err == nil && other != nil {
				if first := firstKey(&e); len(other.entries.appendRows(buf[:0], &e, &first)) > 0 {
					continue
				}
			}
			if key := stays.KeyOf(&e); err == nil && seen[key] {
				continue
			} else {
				seen[key] = true
			}
			if err != nil {
				err = fmt.Errorf("a list in memory: %w", err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
