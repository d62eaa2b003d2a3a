package sources

import (
	"errors"
	"hash/maphash"
	"maps"
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
	var in Inspector
	for i, e := range entries {
		in.Add(e)
		pace.Step(i)
	}
	return in.Anomalies()
}

// An Inspector is Inspect for entries that come one by one. The zero Inspector is
// ready for use, by one goroutine at a time. It holds eight bytes of each entry, for
// lists may have millions.
type Inspector struct {
	found Anomalies
	seed  maphash.Seed
	seen  map[uint64]struct{} // hashes of Identities, so many bits that no two have one
}

// Add looks at the next entry, and reports whether it is a Duplicate.
func (in *Inspector) Add(e Entry) (duplicate bool) {
	if in.seen == nil {
		in.seed, in.seen = maphash.MakeSeed(), make(map[uint64]struct{})
	}
	if e.Asset != "" {
		chains := tickerChains()[strings.ToUpper(e.Asset)]
		if chains == nil {
			in.note(UnknownAsset, e)
		} else if e.Address.IsValid() && !slices.Contains(chains, e.Address.Chain()) {
			in.note(WrongTicker, e)
		}
	}
	if mistyped(e) {
		in.note(BadChecksum, e)
	} else if !e.Address.IsValid() {
		in.note(Undecodable, e)
	}
	n := len(in.seen)
	in.seen[maphash.Comparable(in.seed, e.Identity())] = struct{}{}
	if duplicate = len(in.seen) == n; duplicate {
		in.note(Duplicate, e)
	}
	return duplicate
}

// note counts an anomaly.
func (in *Inspector) note(k AnomalyKind, e Entry) {
	if in.found.Counts == nil {
		in.found.Counts = make(map[AnomalyKind]int)
	}
	if in.found.Counts[k]++; in.found.Counts[k] <= 100 {
		in.found.First = append(in.found.First, Anomaly{k, e})
	}
}

// Anomalies returns what was odd about the entries until now.
func (in *Inspector) Anomalies() Anomalies {
	a := Anomalies{Counts: maps.Clone(in.found.Counts), First: slices.Clone(in.found.First)}
	if a.Counts == nil {
		a.Counts = make(map[AnomalyKind]int)
	}
	return a
}

// mistyped reports whether e has a checksum that is wrong.
func mistyped(e Entry) bool {
	text := TrimListed(e.Listed)
	if e.Address.IsValid() {
		if text == "" || text == e.Address.Normalized() {
			return false
		}
		_, err := address.Parse(e.Address.Chain(), text)
		return errors.Is(err, address.ErrChecksum)
	}
	return slices.ContainsFunc(tickerChains()[strings.ToUpper(e.Asset)], func(c address.Chain) bool {
		_, err := address.Normalize(c, text)
		return errors.Is(err, address.ErrChecksum)
	})
}
