package sources

import (
	"errors"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// An Anomaly is something in a list that people should look at. None makes an
// entry be left out: what decodes to nothing is matched by its very string, and
// what stands under a wrong ticker is found where it belongs.
type Anomaly struct {
	Kind  AnomalyKind // what is odd,
	Entry Entry       // about which entry
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

// Inspect returns what is odd about the entries of a list, which are in its order.
func Inspect(entries []Entry) Anomalies {
	a := Anomalies{Counts: make(map[AnomalyKind]int)}
	seen := make(map[Entry]bool, len(entries))
	for _, e := range entries {
		id := e.Identity()
		a.Add(e, seen[id])
		seen[id] = true
	}
	return a
}

// Add adds what is odd about the next entry of a list, of which the caller knows
// whether it is a Duplicate.
func (a *Anomalies) Add(e Entry, duplicate bool) {
	if e.Asset != "" {
		chains := tickerChains()[strings.ToUpper(e.Asset)]
		if chains == nil {
			a.note(UnknownAsset, e)
		} else if e.Address.IsValid() && !slices.Contains(chains, e.Address.Chain()) {
			a.note(WrongTicker, e)
		}
	}
	if mistyped(e) {
		a.note(BadChecksum, e)
	} else if !e.Address.IsValid() {
		a.note(Undecodable, e)
	}
	if duplicate {
		a.note(Duplicate, e)
	}
}

// note counts an anomaly.
func (a *Anomalies) note(k AnomalyKind, e Entry) {
	if a.Counts == nil {
		a.Counts = make(map[AnomalyKind]int)
	}
	if a.Counts[k]++; a.Counts[k] <= 100 {
		a.First = append(a.First, Anomaly{k, e})
	}
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
