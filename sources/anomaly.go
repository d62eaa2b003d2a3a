package sources

import (
	"errors"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/pace"
)

// An Anomaly is something in a list that people should look at. None makes an
// entry be left out: what decodes to nothing is matched by its very string, and
// what stands under a wrong ticker is found where it belongs.
type Anomaly struct {
	Kind  AnomalyKind
	Entry Entry
}

// An AnomalyKind says what is odd about an entry.
type AnomalyKind string

// The kinds of anomalies. An entry can have several.
const (
	// Undecodable: the string is no address that is known.
	Undecodable AnomalyKind = "undecodable"
	// BadChecksum: the string has the form of an address on a chain of its ticker,
	// but its checksum is wrong, so it is likely mistyped; or it is one, with
	// capitals that do not verify, which leave the account not in doubt.
	BadChecksum AnomalyKind = "bad_checksum"
	// WrongTicker: the address is of a chain on which the asset does not live.
	WrongTicker AnomalyKind = "wrong_ticker"
	// UnknownAsset: no chain is known on which the asset lives.
	UnknownAsset AnomalyKind = "unknown_asset"
	// Duplicate: an entry before this one says the same. See [Entry.Identity].
	Duplicate AnomalyKind = "duplicate"
)

// Anomalies are what is odd about the entries of a list.
type Anomalies struct {
	// Counts are how many there are of each kind.
	Counts map[AnomalyKind]int
	// First are the first of each kind, at most a hundred, in the order of the
	// list.
	First []Anomaly
}

// Total returns how many there are.
func (a Anomalies) Total() int {
	n := 0
	for _, c := range a.Counts {
		n += c
	}
	return n
}

// Inspect returns what is odd about the entries of a list.
func Inspect(entries []Entry) Anomalies {
	a := Anomalies{Counts: make(map[AnomalyKind]int)}
	note := func(k AnomalyKind, e Entry) {
		if a.Counts[k]++; a.Counts[k] <= 100 {
			a.First = append(a.First, Anomaly{k, e})
		}
	}
	seen := duplicates{seed: maphash.MakeSeed(), first: make(map[uint64]int32), entries: entries}
	for i, e := range entries {
		chains := tickerChains()[strings.ToUpper(e.Asset)]
		switch {
		case e.Asset == "":
		case chains == nil:
			note(UnknownAsset, e)
		case e.Address.IsValid() && !slices.Contains(chains, e.Address.Chain()):
			note(WrongTicker, e)
		}
		if mistyped(e, chains) {
			note(BadChecksum, e)
		} else if !e.Address.IsValid() {
			note(Undecodable, e)
		}
		if seen.has(i) {
			note(Duplicate, e)
		}
		pace.Step(i)
	}
	return a
}

// mistyped reports whether e has a checksum that is wrong.
func mistyped(e Entry, chains []address.Chain) bool {
	text := TrimListed(e.Listed)
	if e.Address.IsValid() {
		if text == "" || text == e.Address.Normalized() {
			return false
		}
		_, err := address.Parse(e.Address.Chain(), text)
		return errors.Is(err, address.ErrChecksum)
	}
	return slices.ContainsFunc(chains, func(c address.Chain) bool {
		_, err := address.Normalize(c, text)
		return errors.Is(err, address.ErrChecksum)
	})
}

// duplicates finds entries by their Identity. It holds hashes and indexes only:
// lists may have millions of entries.
type duplicates struct {
	seed    maphash.Seed
	first   map[uint64]int32 // hash of an Identity to the first entry that has it
	entries []Entry
}

// has reports whether an entry before i, of those that it was asked about, has
// the Identity of entry i.
func (d *duplicates) has(i int) bool {
	id := d.entries[i].Identity()
	for h := maphash.Comparable(d.seed, id); ; h++ { // the next hash, where another Identity has this one
		j, ok := d.first[h]
		if !ok {
			d.first[h] = int32(i)
			return false
		}
		if d.entries[j].Identity() == id {
			return true
		}
	}
}
