package list

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// Skew is by how much clocks may differ. A time that is later than now by more is wrong.
const Skew = time.Minute

// Build returns the list of acceptance n of a file. An error of check ends it.
func Build(f *stays.File, n uint32, check func(sources.Entry) error) (*List, error) {
	b := builder{
		facts: Facts{Chains: make(map[address.Chain]int), Classes: make(map[string]int)},
		table: newTable(), ended: newTable(), texts: make(map[stays.Key]uint32),
	}
	for e, err := range f.At(n) {
		if err == nil && e.Until.IsZero() {
			err = check(e)
		}
		if err != nil {
			return nil, err
		}
		if e.Until.IsZero() {
			b.add(&e)
		} else {
			at := e.Until
			e.Until = time.Time{}
			f := b.ended.file(&e)
			f.form |= isRemoved
			b.ended.add(&e, f, noText, at)
			b.formerly++
		}
	}
	l, err := b.build()
	if err == nil {
		l.file, l.n = f, n
	}
	return l, err
}

// A builder makes a List.
type builder struct {
	facts    Facts
	table    *table
	ended    *table
	formerly int                  // how many entries have ended
	texts    map[stays.Key]uint32 // the last text of an entry
	hashes   hashes               // of what the entries say
	text     []byte               // scratch
}

// noText is the number of no text.
const noText = ^uint32(0)

// add adds an entry that is listed.
func (b *builder) add(e *sources.Entry) {
	facts := &b.facts
	facts.Entries++
	for _, kind := range e.Anomalies() {
		facts.note(kind, e)
	}
	key := stays.KeyOf(e)
	last, again := b.texts[key]
	if again {
		facts.note(sources.Duplicate, e)
	} else {
		last = noText
	}
	facts.Chains[e.Address.Chain()]++
	if !slices.Contains(facts.Kinds, e.Kind) {
		facts.Kinds = append(facts.Kinds, e.Kind)
	}
	if e.FirstSeen.After(facts.LatestSeen) {
		facts.LatestSeen = e.FirstSeen
	}
	b.text = appendSaid(b.text[:0], e)
	b.hashes.add(sha256.Sum256(b.text))
	b.texts[key] = b.table.add(e, b.table.file(e), last, time.Time{}) // of repetitions the label with the first date counts
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

func (b *builder) build() (*List, error) {
	addresses := b.table.write.addresses
	if err := b.table.seal(); err != nil {
		return nil, err
	}
	l := &List{Facts: b.facts, entries: b.table}
	l.Addresses, l.Bytes, l.Digest = addresses, l.entries.index.Size(), b.hashes.digest()
	for class, n := range l.entries.index.Classes() {
		if class == textClass {
			l.Classes["text"] = n
		} else {
			l.Classes[identity.Class(class).String()] += n
		}
	}
	if b.formerly > 0 {
		if err := b.ended.seal(); err != nil {
			return nil, err
		}
		l.past = &List{Facts: Facts{Entries: b.formerly}, entries: b.ended}
	}
	return l, nil
}

// Has reports whether the account of e, or its text, is on l.
func (l *List) Has(e *sources.Entry) bool {
	if l == nil {
		return false
	}
	return l.entries.index.AppendRows(nil, firstKey(e)) != nil
}

// FirstKey returns the key that every entry of the account of e has, or of its text.
func FirstKey(e *sources.Entry) index.ID { return firstKey(e) }

// Missing returns which entries are in other lists alone: those of l that other does not have, each once, in
// the order of l. Nothing follows an error. Either may be nil.
func Missing(l, other *List) func(func(sources.Entry, error) bool) {
	return func(yield func(sources.Entry, error) bool) {
		seen := make(map[stays.Key]bool)
		for e, err := range other.All() {
			if err != nil {
				yield(sources.Entry{}, fmt.Errorf("the list before: %w", err))
				return
			}
			seen[stays.KeyOf(&e)] = true
		}
		for e, err := range l.All() {
			key := stays.KeyOf(&e)
			if err == nil && seen[key] {
				continue
			}
			seen[key] = true
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
