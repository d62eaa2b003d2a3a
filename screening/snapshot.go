package screening

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A snapshot is the lists as they stood at one instant, and the index over
// them. It is built aside and never changed after it was stored.
type snapshot struct {
	table  *score.Table
	status []SourceStatus
	digest string
	lists  []list // what the index was built of

	notLoaded error     // wraps ErrNotLoaded; nil if every required source is loaded
	oldest    time.Time // the oldest LastUpdated of a required source

	listings []listing
	index    *index.Index        // listed accounts, and what controls them, to the numbers of listings
	literals map[string][]uint32 // listed strings that are no address, to the same
}

// A listing is an entry as the index holds it.
type listing struct {
	label   Label         // but for Match and Points
	chain   address.Chain // for which it was listed; "" for a literal
	account address.Key   // zero for a literal
}

// build makes a snapshot of lists that are held. It takes the index of prev
// if none of them has changed.
func (s *Screener) build(prev *snapshot, held []list) (*snapshot, error) {
	snap := &snapshot{table: s.table, lists: held}
	var missing []string
	for i, l := range held {
		snap.status = append(snap.status, l.status(s.infos[i], s.required[i]))
		if !s.required[i] {
			continue
		}
		if l.revision.IsZero() {
			missing = append(missing, s.infos[i].ID)
		} else if snap.oldest.IsZero() || l.updated.Before(snap.oldest) {
			snap.oldest = l.updated
		}
	}
	if missing != nil {
		snap.notLoaded = fmt.Errorf("%w: %s", ErrNotLoaded, strings.Join(missing, ", "))
	}
	if prev != nil && slices.EqualFunc(prev.lists, snap.lists, sameEntries) {
		snap.digest, snap.listings, snap.index, snap.literals = prev.digest, prev.listings, prev.index, prev.literals
		return snap, nil
	}
	if err := snap.fill(s.infos); err != nil {
		return nil, fmt.Errorf("screening: %w", err)
	}
	return snap, nil
}

// sameEntries reports whether two lists share their entries. Entries are never
// changed in place, so it is enough that they lie at the same place.
func sameEntries(a, b list) bool {
	return len(a.entries) == len(b.entries) && (len(a.entries) == 0 || &a.entries[0] == &b.entries[0])
}

// fill makes the listings, the index over them, and the digest.
func (snap *snapshot) fill(infos []sources.Info) error {
	var b index.Builder
	snap.literals = make(map[string][]uint32)
	var lines []string
	for i, l := range snap.lists {
		for _, e := range l.entries {
			lines = append(lines, digestLine(infos[i].ID, e))
			snap.add(&b, infos[i].ID, e)
		}
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range slices.Compact(lines) {
		h.Write([]byte(line))
	}
	snap.digest = hex.EncodeToString(h.Sum(nil))
	var err error
	snap.index, err = b.Build()
	return err
}

// digestLine returns what the digest covers of an entry: all but the time at
// which it was first seen, which differs between machines.
func digestLine(source string, e sources.Entry) string {
	var listed string
	if !e.ListedAt.IsZero() {
		listed = e.ListedAt.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%q\t%q\t%q\t%q\t%s\n", source, e.Kind, e.Address, e.Text(), e.Asset, e.Ref, e.Name, listed)
}

// add files an entry under its account, under what controls it, and under its
// very string if that is no address.
func (snap *snapshot) add(b *index.Builder, source string, e sources.Entry) {
	at := e.ListedAt
	if at.IsZero() {
		at = e.FirstSeen
	}
	l := listing{
		label:   Label{Kind: e.Kind, Source: source, Ref: e.Ref, Name: e.Name, Listed: e.Text(), AddedAt: at.UTC()},
		chain:   e.Address.Chain(),
		account: e.Address.Account(),
	}
	n := uint32(len(snap.listings))
	snap.listings = append(snap.listings, l)
	if e.Address.IsValid() {
		b.Add(indexKey(l.account), n)
		for _, k := range listedKeys(e.Address) {
			b.Add(indexKey(k), n)
		}
		return
	}
	text := literalKey(e.Listed)
	snap.literals[text] = append(snap.literals[text], n)
	for _, a := range address.Detect(text) {
		b.Add(indexKey(a.Account()), n)
	}
}

// indexKey returns k as the index has it. Accounts and what controls them are of
// different classes, so that one index can hold both.
func indexKey(k address.Key) index.Key {
	w0, w1, w2, w3, n := k.Words()
	return index.KeyOfWords(uint16(k.Class()), w0, w1, w2, w3, n)
}

// listedKeys returns all under which a listed address is to be found by key:
// what controls it, and what follows from that.
func listedKeys(a address.Address) []address.Key {
	keys := a.AppendKeys(nil)
	for _, k := range keys {
		if w, ok := k.WrappedWitness(); ok {
			keys = append(keys, w)
		}
	}
	return keys
}

// literalKey returns the string under which a listed string that is no address
// is found: itself without outer blanks, and hex digits in lower case, for their
// case says nothing.
func literalKey(listed string) string {
	text := sources.TrimListed(listed)
	for _, c := range []byte(strings.TrimPrefix(text, "0x")) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return text
		}
	}
	return strings.ToLower(text)
}

// ready returns the error with which every question to snap is to be answered.
func (snap *snapshot) ready(maxAge time.Duration) error {
	if snap.notLoaded != nil {
		return snap.notLoaded
	}
	if maxAge > 0 && time.Since(snap.oldest) > maxAge {
		return ErrStale
	}
	return nil
}

// result makes the answer about a of the labels that were found.
func (snap *snapshot) result(a address.Address, labels []Label) Result {
	r := Result{Address: a, Labels: labels, ScoringVersion: snap.table.Version(), snap: snap}
	if len(labels) > 0 {
		r.Score = labels[0].Points
	}
	r.Level = snap.table.Level(r.Score)
	return r
}

// match returns the labels of a, sorted; nil if it is clean. The clean path, one
// look-up for the account and one for what controls it, is all that happens for
// nearly every address.
func (snap *snapshot) match(a address.Address) ([]Label, error) {
	account, key, n, w0, w1, w2, w3, more := a.Identity()
	if _, hit := snap.index.Lookup(index.KeyOfWords(uint16(account), w0, w1, w2, w3, n)); hit || more {
		return snap.labels(a)
	}
	if key == 0 {
		return nil, nil
	}
	if _, hit := snap.index.Lookup(index.KeyOfWords(uint16(key), w0, w1, w2, w3, n)); hit {
		return snap.labels(a)
	}
	return nil, nil
}

// labels is match without haste.
func (snap *snapshot) labels(a address.Address) ([]Label, error) {
	account := a.Account()
	var labels []Label
	if found, hit := snap.index.Lookup(indexKey(account)); hit {
		err := snap.each(found, func(l *listing) {
			switch {
			case l.account.IsZero():
				labels = snap.append(labels, l, score.Literal)
			case l.chain == a.Chain():
				labels = snap.append(labels, l, score.Exact)
			default:
				labels = snap.append(labels, l, score.Family)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	var buf [4]address.Key
	for _, k := range a.AppendKeys(buf[:0]) {
		found, hit := snap.index.Lookup(indexKey(k))
		if !hit {
			continue
		}
		err := snap.each(found, func(l *listing) {
			if l.account != account {
				labels = snap.append(labels, l, score.Key)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return sortLabels(labels), nil
}

// each calls f for each listing of a set of the index. An error means that the
// index is damaged: then nothing can be said, least of all that there is none.
func (snap *snapshot) each(set index.Set, f func(*listing)) error {
	numbers, err := snap.index.AppendValues(nil, set)
	if err != nil {
		return fmt.Errorf("screening: %w", err)
	}
	for _, n := range numbers {
		f(&snap.listings[n])
	}
	return nil
}

// matchLiteral returns the labels of the very string text, sorted; nil if no
// list prints it.
func (snap *snapshot) matchLiteral(text string) []Label {
	if len(text) > 1024 {
		return nil
	}
	var found []Label
	for _, n := range snap.literals[literalKey(text)] {
		found = snap.append(found, &snap.listings[n], score.Literal)
	}
	return sortLabels(found)
}

// append appends the label of l, found by m.
func (snap *snapshot) append(labels []Label, l *listing, m score.Match) []Label {
	label := l.label
	label.Match = m
	label.Points, _ = snap.table.Points(label.Kind, m) // known: refresh has checked
	return append(labels, label)
}

// sortLabels sorts labels as a Result has them, and keeps of those that say the
// same of the same entity the one that says it most directly.
func sortLabels(labels []Label) []Label {
	if len(labels) == 0 {
		return nil
	}
	slices.SortFunc(labels, func(a, b Label) int {
		return cmp.Or(
			cmp.Compare(b.Points, a.Points),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ref, b.Ref),
			cmp.Compare(a.Match, b.Match), cmp.Compare(a.Listed, b.Listed),
			a.AddedAt.Compare(b.AddedAt), cmp.Compare(a.Name, b.Name),
		)
	})
	type said struct {
		source, ref string
		kind        score.Kind
	}
	seen := make(map[said]bool, len(labels))
	return slices.DeleteFunc(labels, func(l Label) bool {
		s := said{l.Source, l.Ref, l.Kind}
		dup := seen[s]
		seen[s] = true
		return dup
	})
}
