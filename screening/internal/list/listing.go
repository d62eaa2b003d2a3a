package list

import (
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Listing is an entry of a list that is found under a key. It is immutable.
type Listing struct {
	Entry sources.Entry // without an address if chain is set; with an Until if the list dropped it

	isHex   bool           // the address is hexOf the key; it is not in Entry
	chain   address.Chain  // with isHex: its chain
	account identity.Class // with isHex: the class of its account
	key     identity.Class // with isHex: the class of the key
	at      uint32         // the place of its stay; with isHex, of the label
}

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

// Match returns how l, which was found under k, matches the address with the given
// account; 0 if it does not. Keys are passed by pointer, because they do not
// fit into registers.
func (l *Listing) Match(k *index.ID, of *address.Address, account *index.ID) score.Match {
	chain := l.chain
	if !l.isHex {
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
		for _, a := range address.Detect(sources.TrimListed(l.Entry.Text())) {
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

// Text returns the string that is listed for the address. k is the key under which l is found.
// of, which may be nil, is the address that was asked about, and account is its account: if it
// is the listed one, it has the same text.
func (l *Listing) Text(k *index.ID, of *address.Address, account *index.ID) string {
	if !l.isHex {
		return l.Entry.Text()
	}
	if of != nil && of.Chain() == l.chain && k.SameBytes(account) {
		if normal := of.Normalized(); len(normal) == 2+2*k.Len() && normal[:2] == "0x" {
			return normal
		}
	}
	return hexOf(k)
}

// newListing returns the listing of r, without the address if isHex is true.
func newListing(r *stays.Record, at uint32, isHex bool) *Listing {
	var s stays.Stay
	r.Read(&s) // never fails: it was read before
	l := &Listing{Entry: s.Entry, at: at, isHex: isHex}
	if isHex {
		account, key := KeyOf(s.Address.Account()), firstProbe(s.Address)
		l.chain, l.account, l.key = s.Address.Chain(), account.Class(), key.Class()
		l.Entry.Address = address.Address{}
	}
	return l
}
