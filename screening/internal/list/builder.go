package list

import (
	"bytes"
	"crypto/sha256"
	"iter"
	"runtime"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// Skew is by how much clocks may differ. A time that is later than now by more is wrong.
const Skew = time.Minute

// A Builder makes a List of entries and compares it with the list before it. Besides the
// list that it makes it needs little memory: it keeps no entries but repeated ones.
type Builder struct {
	prev  *List
	now   time.Time
	held  finder // finds entries of prev
	kept  marks  // on them
	again int    // how many have a mark
	fresh newcomers
	added int  // entries that prev did not have
	tidy  bool // a FirstSeen was corrected

	gained  []sources.Entry // that prev did not have, or not with this name and these dates; without repetitions
	renamed []sources.Entry // the entries of gained as prev has them
	many    bool            // there are too many of them to be kept

	faithful bool // no time is corrected

	chain   address.Chain // of the last entries
	onChain int           // how many of them are not in facts.Chains yet

	n        int // how many entries were added
	sequence sequencer
	follows  bool           // the entries so far are the first of prev, in its order, and in spool only
	spool    revision.Spool // these entries

	table    *tableBuilder
	facts    Facts
	hashes   mapfile.Array // of what the entries say, in the order of the list until digest sorts them
	order    []byte        // the first 4 bytes of each hash in the order of the list, once they are sorted
	digest   string        // of the list; "" before the hashes are sorted
	repeated []repetition
	places   map[[sha256.Size]byte]int // index in repeated, by the hash of the entry
	text     []byte                    // what the entry says that is being added

	ended  []sources.Entry // that the list says it had, with their Until
	absent time.Time       // the date of prev; zero: unknown
	bounds map[index.ID][]bound
}

// A repetition is an entry with the Canonical entry of an earlier one, and the number of its repetitions.
type repetition struct {
	entry sources.Entry
	times int
}

// NewBuilder returns a Builder of a list that follows prev, which may be nil. now is
// the FirstSeen of entries that were never seen before, and of those whose FirstSeen
// is in the future.
func NewBuilder(prev *List, now time.Time) *Builder {
	b := &Builder{
		prev: prev, now: now, table: newTableBuilder(),
		facts:  Facts{Chains: make(map[address.Chain]int), Classes: make(map[string]int)},
		places: make(map[[sha256.Size]byte]int),
	}
	b.fresh.table = b.table
	if prev != nil {
		b.held.table = prev.entries
	}
	return b
}

// rest lets others run now and then. A long computation calls it after each step of about a
// microsecond, with the number of the step.
func rest(i int) {
	if i%256 == 255 {
		pace.Yield()
	}
}

// Len returns how many entries were added.
func (b *Builder) Len() int { return b.n }

// Add adds the next entry.
func (b *Builder) Add(e sources.Entry) error {
	if b.n == 0 {
		b.follows = b.mayFollow()
	}
	b.n++
	rest(b.n)
	b.text = appendSaid(b.text[:0], &e)
	b.sequence.add(b.text)
	if b.follows {
		if b.sequence.isLike(b.prev.Sequence) && b.spool.Add(&e) == nil {
			return nil
		}
		if err := b.leave(); err != nil {
			return err
		}
	}
	return b.add(e)
}

// mayFollow reports whether the entries are worth a comparison with the entries of prev, in their
// order, before anything else is done with them. With a history they may get other dates.
func (b *Builder) mayFollow() bool {
	return b.prev != nil && len(b.prev.Sequence) > 0 && len(b.bounds) == 0 && !b.prev.LatestSeen.After(b.now.Add(Skew))
}

// leave adds the entries that were only compared so far.
func (b *Builder) leave() error {
	b.follows = false
	text := b.text // of the entry that Add is adding
	b.text = nil
	for e, err := range b.spool.Drain() {
		if err == nil {
			b.text = appendSaid(b.text[:0], &e)
			err = b.add(e)
		}
		if err != nil {
			return err
		}
	}
	b.text = text
	return nil
}

// Free frees memory early.
func (b *Builder) Free() { b.spool.Free() }

// add adds an entry to the list. What it says is in b.text.
func (b *Builder) add(e sources.Entry) error {
	f := b.table.file(&e)
	old, err := b.held.find(&e, f)
	if err != nil {
		return err
	}
	repeated, copied := false, b.plausible(e.FirstSeen)
	if old.Listing != nil {
		e.FirstSeen, e.NotListedOn = b.plausible(old.Entry.FirstSeen), old.Entry.NotListedOn
		if repeated = !b.kept.add(old); !repeated {
			b.again++
		}
	} else if repeated, err = b.addFresh(&e, f); err != nil {
		return err
	}
	b.date(&e, copied)
	if old.Listing != nil && !(e.FirstSeen.Equal(old.Entry.FirstSeen) && e.NotListedOn.Equal(old.Entry.NotListedOn)) {
		b.tidy = true
	}
	if !repeated {
		if err := b.compare(&e, old, f); err != nil {
			return err
		}
	}
	return b.count(&e, f, repeated)
}

// End adds an entry that the list no longer has, and that ended at its Until.
func (b *Builder) End(e sources.Entry) { b.ended = append(b.ended, e) }

// addFresh handles an entry that the list before did not have, and sets its FirstSeen. It
// reports whether the entry is repeated.
func (b *Builder) addFresh(e *sources.Entry, f filing) (repeated bool, err error) {
	if first, err := b.fresh.find(e, f); err != nil || first != nil {
		if first != nil {
			e.FirstSeen, e.NotListedOn = first.Entry.FirstSeen, first.Entry.NotListedOn
		}
		return true, err
	}
	gone, err := b.pastOf().find(e, f)
	if err != nil {
		return false, err
	}
	if gone.Listing != nil && !gone.Entry.FirstSeen.IsZero() { // it came back
		e.FirstSeen, e.NotListedOn = gone.Entry.FirstSeen, gone.Entry.NotListedOn
	} else if err := b.firstSeen(e, f); err != nil {
		return false, err
	}
	e.FirstSeen = b.plausible(e.FirstSeen)
	b.added++
	return false, nil
}

// firstSeen sets FirstSeen and NotListedOn of an entry that is new, as far as they are not known. If
// the list before had the account under another reference or ticker, they are as there.
func (b *Builder) firstSeen(e *sources.Entry, f filing) error {
	if e.FirstSeen.IsZero() {
		e.FirstSeen = b.now
	}
	if b.prev == nil || b.absent.IsZero() {
		return nil
	}
	had, err := b.held.account(e, f)
	switch {
	case err != nil:
		return err
	case had == nil && b.absent.Before(e.FirstSeen) && b.absent.After(e.NotListedOn):
		e.NotListedOn = b.absent
	case had == nil:
	case had.Entry.FirstSeen.Before(e.FirstSeen):
		e.FirstSeen, e.NotListedOn = had.Entry.FirstSeen, had.Entry.NotListedOn
	}
	return nil
}

// plausible returns t, or now if t is in the future.
func (b *Builder) plausible(t time.Time) time.Time {
	if !b.faithful && t.After(b.now.Add(Skew)) {
		b.tidy = true
		return b.now
	}
	return t
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

// count adds e to the facts of the list, and to the table.
func (b *Builder) count(e *sources.Entry, f filing, repeated bool) error {
	facts := &b.facts
	facts.Entries++
	for _, kind := range e.Anomalies() {
		facts.note(kind, e)
	}
	if repeated {
		facts.note(sources.Duplicate, e)
	}
	if chain := e.Address.Chain(); b.onChain > 0 && chain == b.chain {
		b.onChain++
	} else {
		b.countChain()
		b.chain, b.onChain = chain, 1
	}
	if n := len(facts.Kinds); n == 0 || e.Kind != facts.Kinds[n-1] && !slices.Contains(facts.Kinds, e.Kind) {
		facts.Kinds = append(facts.Kinds, e.Kind)
	}
	if e.FirstSeen.After(facts.LatestSeen) {
		facts.LatestSeen = e.FirstSeen
	}
	hash := sha256.Sum256(b.text)
	at, err := b.hashes.Append(len(hash))
	if err != nil {
		return err
	}
	copy(at, hash[:])
	if !repeated {
		b.table.add(e, f, 0, time.Time{})
		return nil
	}
	place, ok := b.places[hash]
	if !ok {
		place = len(b.repeated)
		b.places[hash] = place
		b.repeated = append(b.repeated, repetition{entry: *e})
	}
	b.repeated[place].times++
	return nil
}

// Lost returns how many accounts of the list before are not in l, which b has built. It returns
// 0 if they are at most limit.
func (b *Builder) Lost(l *List, limit int) (int, error) {
	if b.gone() <= limit {
		return 0, nil
	}
	lost := make(map[index.ID]bool)
	for r, err := range b.prev.entries.unmarked(&b.kept) {
		if err != nil {
			return 0, err
		}
		id := firstKey(&r.entry)
		if _, _, ok := l.entries.index.Place(id); !ok {
			lost[id] = true
		}
	}
	return len(lost), nil
}

// gone returns how many entries of the list before were not added again, not counting
// repetitions.
func (b *Builder) gone() int {
	if b.prev == nil {
		return 0
	}
	return b.prev.Entries - b.prev.AnomalyKinds[sources.Duplicate] - b.again
}

// IsCut reports whether l, which b has built, may be the list before it without its end:
// it lacks an entry, not only repetitions, and is the beginning of that list, up to its last
// entry if that may have been cut itself; or a part of that list if its order was not
// kept. It reports false unless l was built with its order.
func (b *Builder) IsCut(l *List) bool {
	defer runtime.KeepAlive(b.prev) // its order may be in a file
	switch {
	case b.gone() == 0 || l.order == nil:
		return false
	case b.prev.order == nil:
		return b.added == 0
	}
	begins := l.order
	if b.added == 1 && len(l.order) < len(b.prev.order) {
		begins = l.order[:len(l.order)-4]
	}
	return bytes.HasPrefix(b.prev.order, begins)
}

// countChain counts the last entries in facts.Chains.
func (b *Builder) countChain() {
	if b.onChain > 0 {
		b.facts.Chains[b.chain] += b.onChain
		b.onChain = 0
	}
}

// sum makes the order and the digest of the hashes, once.
func (b *Builder) sum() {
	if b.digest != "" {
		return
	}
	b.fresh.slots.Free()
	b.order = make([]byte, 0, 4*b.hashes.Len())
	for i := range b.hashes.Len() {
		b.order = append(b.order, b.hashes.At(i)[:4]...)
	}
	b.digest = digestOf(&b.hashes)
	b.hashes.Free()
}

// Build makes the List. It keeps the order of the entries, for IsCut, if ordered is true.
// Then only IsCut and Compare may follow.
func (b *Builder) Build(ordered bool) (*List, error) {
	if err := b.leave(); err != nil {
		return nil, err
	}
	b.sum()
	b.countChain()
	for i := range b.repeated {
		r := &b.repeated[i]
		f := b.table.file(&r.entry)
		f.form |= isRepeated
		b.table.add(&r.entry, f, r.times, time.Time{})
		rest(i)
	}
	order := b.order
	if b.order = nil; !ordered {
		order = nil
	}
	t, err := b.table.build()
	if err != nil {
		return nil, err
	}
	l := &List{Facts: b.facts, entries: t, order: order}
	l.Addresses, l.Bytes = b.table.write.addresses, t.index.Size()
	l.Digest, l.Sequence = b.digest, b.sequence.end()
	err = l.countKeys(b.table.write.hex)
	b.table, b.fresh.table, b.places = nil, nil, nil
	return l, err
}

// countKeys counts the keys by class, and the addresses that are hexOf their keys, by listings
// whose numbers are in hex, or no addresses but texts.
func (l *List) countKeys(hex bitset) error {
	ix := l.entries.index
	byClass := make(map[uint16]int)
	var numbers []uint32
	i := 0
	for k, set := range ix.All() {
		rest(i)
		i++
		byClass[k.Class()]++
		var err error
		if numbers, err = ix.AppendValues(numbers[:0], set); err != nil {
			return err
		}
		if k.Class() == textClass || slices.ContainsFunc(numbers, hex.has) {
			l.Addresses++
		}
	}
	for class, n := range byClass {
		if class == textClass {
			l.Classes["text"] = n
		} else {
			l.Classes[identity.Class(class).String()] += n
		}
	}
	return nil
}

// Rebuild returns the list of entries that were accepted at the given time, with all
// their times as they are. An error of check ends it.
func Rebuild(entries iter.Seq2[sources.Entry, error], check func(sources.Entry) error, accepted time.Time, ordered bool) (*List, error) {
	b := NewBuilder(nil, accepted)
	b.faithful = true
	for e, err := range entries {
		if err == nil {
			err = check(e)
		}
		if err == nil {
			err = b.Add(e)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Build(ordered)
}
