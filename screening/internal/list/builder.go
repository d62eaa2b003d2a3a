package list

import (
	"crypto/sha256"
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// Skew is by how much clocks may differ. A time that is later than now by more is wrong.
const Skew = time.Minute

// A Builder makes a List of entries and compares it with the list before it. Besides the
// list that it makes it needs little memory.
type Builder struct {
	prev  *List
	now   time.Time
	held  finder // finds entries of prev
	fresh finder // finds entries that were added
	added int    // entries that prev did not have
	tidy  bool   // a FirstSeen was corrected

	gained  []sources.Entry // that prev did not have, or not with this name and these dates; without repetitions
	renamed []sources.Entry // the entries of gained as prev has them
	many    bool            // there are too many of them to be kept

	faithful bool // no time is corrected, and all has the entries already

	chain   address.Chain // of the last entries
	onChain int           // how many of them are not in facts.Chains yet

	n       int              // how many entries were added
	cursor  *revision.Cursor // goes through prev as entries are added; nil if they come in another order
	next    int              // the number of the entry after it
	missed  int              // how many entries it has not found
	misses  int              // how many of them are the last ones
	kept    bitset           // the numbers of the entries of prev that it has found
	matched int              // how many they are
	alike   int              // the first of the entries that are the first of prev
	follows bool             // these are all, and were only compared

	table    *table
	all      *revision.Entries // in the order of the list
	facts    Facts
	hashes   hashes // of what the entries say
	digest   string // of the list; "" before the hashes are sorted
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
		prev: prev, now: now, table: newTable(), all: new(revision.Entries),
		facts:  Facts{Chains: make(map[address.Chain]int), Classes: make(map[string]int)},
		places: make(map[[sha256.Size]byte]int),
	}
	b.fresh.table = b.table
	if prev != nil {
		b.held.table = prev.entries
	}
	return b
}

// Len returns how many entries were added.
func (b *Builder) Len() int { return b.n }

// add adds an entry to the list, and corrects its dates.
func (b *Builder) add(p *pending) {
	e := &p.entry
	p.filing = b.table.file(e)
	f := p.filing
	first := b.fresh.find(e, f)
	var old found
	if first.Listing == nil && !p.known {
		old = b.held.find(e, f)
	}
	if old.Listing != nil {
		p.known, p.firstSeen, p.notListedOn = true, old.Entry.FirstSeen, old.Entry.NotListedOn
	}
	repeated, copied := first.Listing != nil, b.plausible(e.FirstSeen)
	switch {
	case repeated:
		e.FirstSeen, e.NotListedOn = first.Entry.FirstSeen, first.Entry.NotListedOn
	case p.known:
		e.FirstSeen, e.NotListedOn = b.plausible(p.firstSeen), p.notListedOn
	default:
		b.addFresh(e, f)
	}
	b.date(e, copied)
	if !repeated {
		b.compare(p, old)
	}
	b.count(e, f, repeated)
}

// End adds an entry that the list no longer has, and that ended at its Until.
func (b *Builder) End(e sources.Entry) { b.ended = append(b.ended, e) }

// addFresh handles an entry that the list before did not have, and sets its FirstSeen.
func (b *Builder) addFresh(e *sources.Entry, f filing) {
	gone := b.pastOf().find(e, f)
	if gone.Listing != nil && !gone.Entry.FirstSeen.IsZero() { // it came back
		e.FirstSeen, e.NotListedOn = gone.Entry.FirstSeen, gone.Entry.NotListedOn
	} else {
		b.firstSeen(e, f)
	}
	e.FirstSeen = b.plausible(e.FirstSeen)
	b.added++
}

// firstSeen sets FirstSeen and NotListedOn of an entry that is new, as far as they are not known. If
// the list before had the account under another reference or ticker, they are as there.
func (b *Builder) firstSeen(e *sources.Entry, f filing) {
	if e.FirstSeen.IsZero() {
		e.FirstSeen = b.now
	}
	if b.prev == nil || b.absent.IsZero() {
		return
	}
	had := b.held.account(e, f)
	switch {
	case had == nil && b.absent.Before(e.FirstSeen) && b.absent.After(e.NotListedOn):
		e.NotListedOn = b.absent
	case had == nil:
	case had.Entry.FirstSeen.Before(e.FirstSeen):
		e.FirstSeen, e.NotListedOn = had.Entry.FirstSeen, had.Entry.NotListedOn
	}
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
func (b *Builder) count(e *sources.Entry, f filing, repeated bool) {
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
	b.text = appendSaid(b.text[:0], e)
	hash := sha256.Sum256(b.text)
	b.hashes.add(hash)
	if !repeated {
		b.fresh.added(f.keys[0], b.table.add(e, f, 0, time.Time{}))
		e.Listed = ownText(e)
		b.keepEntry(e)
		return
	}
	place, ok := b.places[hash]
	if !ok {
		place = len(b.repeated)
		b.places[hash] = place
		b.repeated = append(b.repeated, repetition{entry: normalized(*e)})
	}
	b.repeated[place].times++
	b.keepEntry(&b.repeated[place].entry)
}

// keepEntry appends e to the entries of the list.
func (b *Builder) keepEntry(e *sources.Entry) {
	if !b.faithful {
		b.all.Add(e)
	}
}

// Lost returns how many accounts of the list before are not in l, which b has built. It returns
// 0 if they are at most limit.
func (b *Builder) Lost(l *List, limit int) (int, error) {
	if b.prev == nil || b.prev.Entries-b.matched <= limit {
		return 0, nil
	}
	lost := make(map[index.ID]bool)
	for e, err := range b.gone(l) {
		if err != nil {
			return 0, err
		}
		id := firstKey(&e)
		if l.entries.index.AppendRows(nil, id) == nil {
			lost[id] = true
		}
	}
	if len(lost) <= limit {
		return 0, nil
	}
	return len(lost), nil
}

// gone returns the entries of the list before that l, which b has built, does not have, each once.
func (b *Builder) gone(l *List) iter.Seq2[sources.Entry, error] {
	return missing(b.prev, l, func(i int) bool { return b.kept.has(uint32(i)) })
}

// IsCut reports whether l, which b has built, may be the list before it without its end:
// it lacks an entry, not only repetitions, and is the beginning of that list, up to its last
// entry if that may have been cut itself.
func (b *Builder) IsCut(l *List) bool {
	if b.prev == nil || b.alike != b.n && (b.alike != b.n-1 || b.added != 1 || b.n >= b.prev.Entries) {
		return false
	}
	for _, err := range b.gone(l) {
		return err == nil
	}
	return false
}

// countChain counts the last entries in facts.Chains.
func (b *Builder) countChain() {
	if b.onChain > 0 {
		b.facts.Chains[b.chain] += b.onChain
		b.onChain = 0
	}
}

// sum makes the digest of the hashes, once.
func (b *Builder) sum() {
	if b.digest != "" {
		return
	}
	b.digest = b.hashes.digest()
	b.hashes = hashes{}
}

// Build makes the List. Then only IsCut and Compare may follow.
func (b *Builder) Build() (*List, error) {
	if err := b.leave(b.n); err != nil {
		return nil, err
	}
	b.sum()
	b.countChain()
	for i := range b.repeated {
		r := &b.repeated[i]
		f := b.table.file(&r.entry)
		f.form |= isRepeated
		b.table.add(&r.entry, f, r.times, time.Time{})
	}
	b.all.Seal()
	addresses := b.table.write.addresses
	if err := b.table.seal(); err != nil {
		return nil, err
	}
	l := &List{Facts: b.facts, entries: b.table, all: b.all}
	l.Addresses, l.Bytes, l.Digest = addresses, l.entries.index.Size(), b.digest
	for class, n := range l.entries.index.Classes() {
		if class == textClass {
			l.Classes["text"] = n
		} else {
			l.Classes[identity.Class(class).String()] += n
		}
	}
	b.table, b.all, b.fresh, b.places = nil, nil, finder{}, nil
	return l, nil
}

// Rebuild returns the list of entries that were accepted at the given time, with all
// their times as they are. An error of check ends it.
func Rebuild(entries *revision.Entries, check func(sources.Entry) error, accepted time.Time) (*List, error) {
	b := NewBuilder(nil, accepted)
	b.faithful, b.all = true, entries
	b.table.index.Grow(entries.Len())
	for e, err := range entries.All() {
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
	return b.Build()
}
