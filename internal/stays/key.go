package stays

import (
	"hash/maphash"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// A Key stands for an entry in a map, where entries themselves would need much memory. It is another one in each
// process, so that nobody can choose two entries of one key.
type Key [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// KeyOf returns the Key of the Canonical entry of e.
func KeyOf(e *sources.Entry) Key {
	c := e.Canonical()
	return Key{maphash.Comparable(seeds[0], c), maphash.Comparable(seeds[1], c)}
}

// Normal returns e as a file has it: Listed is "" if it is the normal form of the address, and times
// are in UTC.
func Normal(e sources.Entry) sources.Entry {
	if e.Listed == e.Address.Normalized() {
		e.Listed = ""
	}
	for _, t := range []*time.Time{&e.ListedAt, &e.FirstSeen, &e.EntityListedAt, &e.NotListedOn, &e.Until} {
		if t.IsZero() {
			*t = time.Time{}
		} else {
			*t = t.UTC().Round(0)
		}
	}
	return e
}
