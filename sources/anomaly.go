package sources

import (
	"errors"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// An Anomaly is an entry of a list that people should look at. It is never dropped: a
// string that is not an address is matched as a string, and an address under a wrong ticker is
// matched as the account that it is.
type Anomaly struct {
	Kind  string // such as Undecodable
	Entry Entry
}

// The kinds of anomalies, which [AnomalyMeaning] explains. An entry can have several.
const (
	// Undecodable: the string is not a known address.
	Undecodable = "undecodable"
	// BadChecksum: the string has the form of an address on a chain of its ticker, but
	// the wrong checksum, so it is likely mistyped; or
	// [Repair] knows what it means, and it is found as the repaired account too; or its capitals do not verify, which leaves no doubt
	// about the account.
	BadChecksum = "bad_checksum"
	// WrongTicker: the address is on a chain where the asset does not live.
	WrongTicker = "wrong_ticker"
	// UnknownAsset: the asset lives on no known chain.
	UnknownAsset = "unknown_asset"
	// Duplicate: an earlier entry has the same [Entry.Canonical].
	Duplicate = "duplicate"
)

// AnomalyMeaning explains anomalies of a kind to an operator.
func AnomalyMeaning(kind string) string {
	switch kind {
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

// Anomalies returns the kinds of anomalies of e itself, all but [Duplicate].
func (e Entry) Anomalies() (kinds []string) {
	if e.Asset != "" {
		chains := tickerChains()[strings.ToUpper(e.Asset)]
		if chains == nil {
			kinds = append(kinds, UnknownAsset)
		} else if e.Address.IsValid() && !slices.Contains(chains, e.Address.Chain()) {
			kinds = append(kinds, WrongTicker)
		}
	}
	if mistyped(e) {
		kinds = append(kinds, BadChecksum)
	} else if !e.Address.IsValid() {
		kinds = append(kinds, Undecodable)
	}
	return kinds
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
	if len(Repair(e.Asset, text)) > 0 {
		return true
	}
	return slices.ContainsFunc(tickerChains()[strings.ToUpper(e.Asset)], func(c address.Chain) bool {
		_, err := address.Normalize(c, text)
		return errors.Is(err, address.ErrChecksum)
	})
}
