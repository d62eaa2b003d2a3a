// Package score turns the labels of an address into points from 0 to 100 and a level.
// Begin with [Latest], [Table.Points] and [Table.Level].
//
// Scoring is deterministic: the same kinds and matches under the same table give the
// same answer on every machine, forever. It uses no clock, no environment and no
// state. Each label has the points of its kind and match, a result has the points of
// its highest label, and its level is the band that contains these points.
package score

import "errors"

// A Kind is a kind of risk signal. A table knows the kinds that it has points for.
type Kind string

// The kinds. The first three are official: only a government's or a supranational
// body's list may emit them. Only an operator's own list may emit Blocked.
const (
	Sanctioned         Kind = "SANCTIONED"          // on an official sanctions list
	TerroristFinancing Kind = "TERRORIST_FINANCING" // named or seized for terrorist financing by an authority
	Seized             Kind = "SEIZED"              // named for seizure or forfeiture by an authority
	Ransomware         Kind = "RANSOMWARE"          // received ransom payments
	StolenFunds        Kind = "STOLEN_FUNDS"        // holds or moved the proceeds of a theft
	Phishing           Kind = "PHISHING"            // used by a site or message that poses as another
	Scam               Kind = "SCAM"                // any other fraud
	Mixer              Kind = "MIXER"               // part of a service that hides the origin of funds
	CommunityReport    Kind = "COMMUNITY_REPORT"    // reported without a category
	Blocked            Kind = "BLOCKED"             // blocked by the operator's own list
)

// Official reports whether only official lists may emit k.
func (k Kind) Official() bool { return k == Sanctioned || k == TerroristFinancing || k == Seized }

// A Match says how a screened address relates to the listed one. The zero Match is
// invalid.
type Match uint8

const (
	// Exact: the listed account, in any encoding, on a chain for which it was listed.
	Exact Match = 1 + iota
	// Family: the same account identifier on a sister chain, as one EVM address
	// on ethereum and on polygon.
	Family
	// Key: another account that the same key or the same script controls.
	Key
	// Literal: the same string as in the list, where it is not a valid address.
	Literal

	lastMatch
)

// String returns "exact", "family", "key" or "literal", and "" for an invalid m.
func (m Match) String() string {
	switch m {
	case Exact:
		return "exact"
	case Family:
		return "family"
	case Key:
		return "key"
	case Literal:
		return "literal"
	}
	return ""
}

// MarshalText returns the bytes of String.
func (m Match) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the match that String writes as text. An empty text is the
// zero Match.
func (m *Match) UnmarshalText(text []byte) error {
	for v := Match(0); v < lastMatch; v++ {
		if v.String() == string(text) {
			*m = v
			return nil
		}
	}
	return errors.New("unknown match: want exact, family, key or literal")
}

// A Level is a band of points.
type Level string

// The levels, from low to high.
const (
	CleanNoMatch Level = "CLEAN_NO_MATCH"
	Low          Level = "LOW" // reserved: no row of a table lands there
	Medium       Level = "MEDIUM"
	High         Level = "HIGH"
	Critical     Level = "CRITICAL"
)
