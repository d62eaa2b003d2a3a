package sources

import (
	"errors"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/lookalike"
)

// An Anomaly is something in a list that people should look at. It never drops an entry: a
// string that is no address is matched as a string, and an address under a wrong ticker is
// matched as the account that it is.
type Anomaly struct {
	Kind  AnomalyKind
	Entry Entry
}

// An AnomalyKind is a kind of anomaly. See [AnomalyKind.Meaning].
type AnomalyKind string

// The kinds of anomalies. An entry can have several.
const (
	// Undecodable: the string is no known address.
	Undecodable AnomalyKind = "undecodable"
	// BadChecksum: the string has the form of an address on a chain of its ticker, but
	// the wrong checksum, so it is likely mistyped; or its checksum is right once
	// look-alike characters are repaired (l and I for 1, 0 and O for o), and it is found
	// as the repaired account too; or its capitals do not verify, which leaves no doubt
	// about the account.
	BadChecksum AnomalyKind = "bad_checksum"
	// WrongTicker: the address is on a chain where the asset does not live.
	WrongTicker AnomalyKind = "wrong_ticker"
	// UnknownAsset: the asset lives on no known chain.
	UnknownAsset AnomalyKind = "unknown_asset"
	// Duplicate: an earlier entry has the same [Entry.Identity].
	Duplicate AnomalyKind = "duplicate"
)

// Meaning explains anomalies of the kind k to an operator.
func (k AnomalyKind) Meaning() string {
	switch k {
	case Undecodable:
		return "not an address of a known chain; only the same string matches: report it to the publisher"
	case BadChecksum:
		return "mistyped by the publisher, or capitals that do not verify: compare it with the publisher's notice"
	case WrongTicker:
		return "listed under the ticker of another chain; matched as the account that it is"
	case UnknownAsset:
		return "a ticker that this version does not know; the address is matched if its checksum proves it"
	case Duplicate:
		return "listed twice; counted once"
	}
	return ""
}

// Anomalies are the anomalies of a list.
type Anomalies struct {
	// Counts has the number of anomalies of each kind.
	Counts map[AnomalyKind]int
	// First has the first hundred anomalies of each kind, in the order of the list.
	First []Anomaly
}

// Total returns the number of anomalies.
func (a Anomalies) Total() int {
	n := 0
	for _, c := range a.Counts {
		n += c
	}
	return n
}

// Add adds the anomalies of the next entry of a list. duplicate says whether it is a
// Duplicate.
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

// mistyped reports whether e has a wrong checksum.
func mistyped(e Entry) bool {
	text := TrimListed(e.Listed)
	if e.Address.IsValid() {
		if text == "" || text == e.Address.Normalized() {
			return false
		}
		_, err := address.Parse(e.Address.Chain(), text)
		return errors.Is(err, address.ErrChecksum)
	}
	if len(lookalike.Repair(text)) > 0 {
		return true
	}
	return slices.ContainsFunc(tickerChains()[strings.ToUpper(e.Asset)], func(c address.Chain) bool {
		_, err := address.Normalize(c, text)
		return errors.Is(err, address.ErrChecksum)
	})
}
