package list

import (
	"encoding/binary"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Listing is an entry of a list that is filed under a key. It is immutable.
type Listing struct {
	Entry sources.Entry // without an address if chain is set

	chain   address.Chain // the chain, if the address is hexOf its key; else ""
	account uint16        // with chain: the class of its account
	in      uint32        // the acceptance that brought it
	number  uint32        // the number of the text that holds it
	removed time.Time     // when the list dropped it; zero: still listed
}

// The first byte of the text of a listing: how it gives the address of its entry, and
// what follows.
const (
	noAddress   = iota // there is none: the listed string is not an address
	hexAddress         // it is hexOf the key under which it is filed, the only one
	textAddress        // a text
	addressMask = 3
	hasListed   = 4  // a text has the listed string, which is not the normal form
	isRemoved   = 8  // followed by Listing.removed
	isDated     = 16 // followed by the date of the entity, and NotListedOn
)

// AddedAt returns the date of the listing: the publisher's date of the address; else its date
// of the party, unless a copy of the list refutes that; else the time at which the entry was
// first seen.
func (l *Listing) AddedAt() time.Time {
	e := &l.Entry
	party := e.EntityListedAt
	switch {
	case !e.ListedAt.IsZero():
		return e.ListedAt
	case party.IsZero(), party.After(e.FirstSeen), party.Before(e.NotListedOn), party.Equal(e.NotListedOn) && party.Before(e.FirstSeen):
		return e.FirstSeen
	}
	return party
}

// Until returns when the list dropped the entry; zero if it is listed.
func (l *Listing) Until() time.Time { return l.removed }

// Match returns how l, which was found under k, matches the address with the given
// account; 0 if it does not. Keys are passed by pointer, because they do not
// fit into registers.
func (l *Listing) Match(k *index.ID, of *address.Address, account *index.ID) score.Match {
	chain := l.chain
	if chain == "" {
		if a := l.Entry.Address; !a.IsValid() || KeyOf(a.Account()) != *account {
			return l.matchKey(k, account)
		}
		chain = l.Entry.Address.Chain()
	} else if l.account != account.Class() || !account.SameBytes(k) {
		return score.Key
	}
	if chain == of.Chain() {
		return score.Exact
	}
	return score.Family
}

// matchKey is Match for another account than the listed one, or if there is none.
func (l *Listing) matchKey(k, account *index.ID) score.Match {
	if a := l.Entry.Address; a.IsValid() {
		if isProbe(a, k) {
			return score.Key
		}
		for _, a := range address.Detect(l.Entry.Text()) {
			if KeyOf(a.Account()) == *account {
				return score.Literal
			}
		}
		return 0
	}
	for _, a := range readings(l.Entry, literalText(l.Entry.Listed)) {
		if isProbe(a, k) {
			return score.Literal
		}
	}
	return 0
}

// Text returns the string that is listed for the address. k is the key under which l is filed.
// of, which may be nil, is the address that was asked about, and account is its account: if it
// is the listed one, it has the same text.
func (l *Listing) Text(k *index.ID, of *address.Address, account *index.ID) string {
	if l.Entry.Listed != "" || l.chain == "" {
		return l.Entry.Text()
	}
	if of != nil && of.Chain() == l.chain && k.SameBytes(account) {
		if normal := of.Normalized(); len(normal) == 2+2*k.Len() && normal[:2] == "0x" {
			return normal
		}
	}
	return hexOf(k)
}

// ownText returns the listed string of e, or "" if that is the normal form of its
// address.
func ownText(e *sources.Entry) string {
	if e.Listed == e.Address.Normalized() {
		return ""
	}
	return e.Listed
}

// A listingWriter writes listings as texts of a table. A listing refers to other texts
// by number, and most entries that differ in nothing but a hexAddress share one.
type listingWriter struct {
	index *index.Table
	text  []byte // scratch
	memos [5]memo

	last     stays.Stay // of lastText; long lists repeat themselves
	lastForm byte
	lastText uint32
	fresh    bool // a text that the listing refers to is new

	counted   bitset // the numbers of the texts of addresses
	hex       bitset // the first rows of keys that are addresses
	addresses int    // how many there are
}

// write returns the number of the text that lists e in the given form.
func (w *listingWriter) write(form byte, e *stays.Stay) uint32 {
	listed := ownText(&e.Entry)
	if listed != "" {
		form |= hasListed
	}
	if e.Out != 0 {
		form |= isRemoved
	}
	if !e.EntityListedAt.IsZero() || !e.NotListedOn.IsZero() {
		form |= isDated
	}
	if form&^(isRemoved|isDated) == hexAddress && form == w.lastForm && differInAddress(e, &w.last) {
		return w.lastText
	}
	w.fresh = false
	t := append(w.text[:0], form)
	for i, s := range [...]string{string(e.Kind), e.Ref, e.Name, e.Asset} {
		t = binary.AppendUvarint(t, uint64(w.intern(&w.memos[i], s)))
	}
	t = appendTime(appendTime(t, e.ListedAt), e.FirstSeen)
	if form&addressMask != noAddress {
		t = binary.AppendUvarint(t, uint64(w.intern(&w.memos[4], string(e.Address.Chain()))))
	}
	switch form & addressMask {
	case hexAddress:
		t = binary.AppendUvarint(t, uint64(KeyOf(e.Address.Account()).Class()))
	case textAddress:
		n := w.intern(nil, e.Address.Normalized())
		if !w.counted.add(n) {
			w.addresses++
		}
		t = binary.AppendUvarint(t, uint64(n))
	}
	if form&hasListed != 0 {
		t = binary.AppendUvarint(t, uint64(w.intern(nil, listed)))
	}
	if form&isRemoved != 0 {
		t = appendTime(t, e.Until)
	}
	if form&isDated != 0 {
		t = appendTime(appendTime(t, e.EntityListedAt), e.NotListedOn)
	}
	t = binary.AppendUvarint(t, uint64(e.In))
	w.text, w.last, w.lastForm = t, *e, form
	if w.fresh { // no listing refers to the new text
		w.lastText = w.index.AddText(t)
	} else {
		w.lastText, _ = w.index.Intern(string(t))
	}
	return w.lastText
}

// count counts a hexAddress or a listed string, by the row under its key and the first row there.
// Texts of addresses are counted when they are written.
func (w *listingWriter) count(form byte, row, first uint32) {
	switch form & addressMask {
	case hexAddress:
		if !w.hex.add(first) {
			w.addresses++
		}
	case noAddress:
		if row == first {
			w.addresses++
		}
	}
}

// A memo is the text that was interned last, and its number.
type memo struct {
	text   string
	number uint32
	known  bool
}

// intern returns the number of a text, which is often the text of m, if that is not nil.
func (w *listingWriter) intern(m *memo, text string) uint32 {
	if m != nil && m.known && m.text == text {
		return m.number
	}
	n, added := w.index.Intern(text)
	w.fresh = w.fresh || added
	if m != nil {
		*m = memo{text, n, true}
	}
	return n
}

// differInAddress reports whether a and b differ in nothing but their addresses, which
// are on one chain.
func differInAddress(a, b *stays.Stay) bool {
	return a.In == b.In && a.Kind == b.Kind && a.Ref == b.Ref && a.Name == b.Name && a.Asset == b.Asset &&
		a.ListedAt.Equal(b.ListedAt) && a.FirstSeen.Equal(b.FirstSeen) && a.Until.Equal(b.Until) &&
		a.EntityListedAt.Equal(b.EntityListedAt) && a.NotListedOn.Equal(b.NotListedOn) && a.Address.Chain() == b.Address.Chain()
}

// appendTime appends t, to the nanosecond, for listingReader.time.
func appendTime(b []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, t.Unix()), uint64(t.Nanosecond()))
}

// readListing reads listing n, which a listingWriter wrote.
func readListing(ix *index.Table, n uint32) *Listing {
	p := readParts(ix, n)
	l := &Listing{number: n, in: p.in, removed: p.removed, Entry: sources.Entry{
		Kind: score.Kind(p.kind), Ref: string(p.ref), Name: string(p.name), Asset: string(p.asset), Listed: string(p.listed),
		ListedAt: p.listedAt, FirstSeen: p.firstSeen, EntityListedAt: p.entityListedAt, NotListedOn: p.notListedOn,
	}}
	switch p.form & addressMask {
	case hexAddress:
		l.chain, l.account = address.Chain(p.chain), p.account
	case textAddress:
		l.Entry.Address, _ = address.Parse(address.Chain(p.chain), string(p.address)) // never fails: it was valid
	}
	return l
}

// stay returns the stay of l, which is filed under the key k.
func (l *Listing) stay(k *index.ID) stays.Stay {
	s := stays.Stay{Entry: l.Entry, In: l.in}
	if l.chain != "" {
		s.Address, _ = address.Parse(l.chain, hexOf(k)) // as in readListing
	}
	return s
}

// parts are a listing, in the memory of a table.
type parts struct {
	form                          byte
	kind, ref, name, asset, chain []byte
	address, listed               []byte
	account                       uint16
	listedAt, firstSeen, removed  time.Time
	entityListedAt, notListedOn   time.Time
	in                            uint32
}

func readParts(ix *index.Table, n uint32) (p parts) {
	r := listingReader{index: ix, rest: ix.Text(n)}
	p.form, r.rest = r.rest[0], r.rest[1:]
	p.kind, p.ref, p.name, p.asset, p.listedAt, p.firstSeen = r.text(), r.text(), r.text(), r.text(), r.time(), r.time()
	switch p.form & addressMask {
	case hexAddress:
		p.chain, p.account = r.text(), uint16(r.uvarint())
	case textAddress:
		p.chain, p.address = r.text(), r.text()
	}
	if p.form&hasListed != 0 {
		p.listed = r.text()
	}
	if p.form&isRemoved != 0 {
		p.removed = r.time()
	}
	if p.form&isDated != 0 {
		p.entityListedAt, p.notListedOn = r.time(), r.time()
	}
	p.in = uint32(r.uvarint())
	return p
}

// is reports whether p, which is filed under the first key of e, lists e, perhaps with another name and other
// dates: see [sources.Entry.Canonical].
func (p *parts) is(e *sources.Entry, key *index.ID) bool {
	if string(p.kind) != string(e.Kind) || string(p.ref) != e.Ref || string(p.asset) != e.Asset || string(p.chain) != string(e.Address.Chain()) || string(p.listed) != ownText(e) {
		return false
	}
	switch p.form & addressMask {
	case hexAddress:
		return isHexOf(e.Address, key)
	case textAddress:
		return string(p.address) == e.Address.Normalized()
	}
	return !e.Address.IsValid()
}

// says reports whether p, which is e, has the same name and dates.
func (p *parts) says(e *sources.Entry) bool {
	return string(p.name) == e.Name && p.listedAt.Equal(e.ListedAt) && p.firstSeen.Equal(e.FirstSeen) &&
		p.entityListedAt.Equal(e.EntityListedAt) && p.notListedOn.Equal(e.NotListedOn)
}

// A listingReader reads the text of a listing.
type listingReader struct {
	index *index.Table
	rest  []byte
}

func (r *listingReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return v
}

// text reads the number of a text, and returns the text.
func (r *listingReader) text() []byte { return r.index.Text(uint32(r.uvarint())) }

// time reads a time that appendTime appended.
func (r *listingReader) time() time.Time {
	seconds, n := binary.Varint(r.rest)
	r.rest = r.rest[n:]
	return time.Unix(seconds, int64(r.uvarint())).UTC()
}
