// Package score turns what was found about an address into points from 0 to
// 100 and a level. It is the whole of the judgement, and it is deterministic:
// the same kinds and matches under the same table give the same answer, on every
// machine, for ever. There is no clock, no weight from the environment and no
// state.
//
// The rule of every table so far, in words: each label has the points of its
// kind and match, a result has the points of its highest label, and its level is
// the band in which these points lie.
package score

// A Kind is a kind of risk signal. The kinds that exist are those the tables
// have points for.
type Kind string

// The kinds. The first two are official: only a government's or a supranational
// body's list may emit them. Only an operator's own list may emit Blocked.
const (
	Sanctioned         Kind = "SANCTIONED"          // on an official sanctions list
	TerroristFinancing Kind = "TERRORIST_FINANCING" // named or seized for terrorist financing by an authority
	Ransomware         Kind = "RANSOMWARE"          // received ransom payments
	StolenFunds        Kind = "STOLEN_FUNDS"        // holds or moved the proceeds of a theft
	Phishing           Kind = "PHISHING"            // used by a site or message that poses as another
	Scam               Kind = "SCAM"                // any other fraud
	Mixer              Kind = "MIXER"               // part of a service that hides the origin of funds
	CommunityReport    Kind = "COMMUNITY_REPORT"    // reported without a category
	Blocked            Kind = "BLOCKED"             // blocked by the operator's own list
)

// Official reports whether only official lists may emit k.
func (k Kind) Official() bool { return k == Sanctioned || k == TerroristFinancing }

// A Match says how the address that was screened is the one that is listed. The
// zero Match is none of them.
type Match uint8

const (
	// Exact: the listed account, whatever its encoding, on a chain for which it
	// was listed.
	Exact Match = 1 + iota
	// Family: the same account identifier on a sister chain, as one EVM address
	// on ethereum and on polygon.
	Family
	// Key: another account that the same key or the same script controls.
	Key
	// Literal: the very string that the list prints, though it is no valid
	// address.
	Literal

	lastMatch
)

// String returns "exact", "family", "key" or "literal", and "" for anything
// else.
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

// A Level is the band in which points lie.
type Level string

// The levels, from 0 points upwards.
const (
	CleanNoMatch Level = "CLEAN_NO_MATCH"
	Low          Level = "LOW" // reserved: no row of a table lands there
	Medium       Level = "MEDIUM"
	High         Level = "HIGH"
	Critical     Level = "CRITICAL"
)
