package address

import (
	"errors"
	"slices"
	"strings"
)

// A Doubt says why a text that can be read does not settle which account is
// meant. Its text is its name in JSON and in tables.
type Doubt string

const (
	// DoubtCapitals: the letter case of the text is a checksum that does not
	// verify, so a character may be wrong.
	DoubtCapitals Doubt = "capitals"
	// DoubtShort: leading digits of the address are missing.
	DoubtShort Doubt = "short"
	// DoubtAmbiguous: several chains fit, none was named, and they do not
	// agree.
	DoubtAmbiguous Doubt = "ambiguous"
	// DoubtUnscreenable: the text also pays somebody whom no list can name,
	// such as the payee of a Lightning invoice.
	DoubtUnscreenable Doubt = "unscreenable"
)

// Explain returns one sentence about d for people, without a full stop.
func (d Doubt) Explain() string {
	switch d {
	case DoubtCapitals:
		return "the capitals do not match the checksum of the address: compare it with the original"
	case DoubtShort:
		return "leading digits of the address are missing: compare it with the original"
	case DoubtAmbiguous:
		return "it could be an address of several chains, and the lists do not say the same of all: name the chain"
	case DoubtUnscreenable:
		return "it also pays somebody whom no list can name, such as the payee of a Lightning invoice"
	}
	return string(d)
}

// A Reading is what a text means, as [Interpret] reads it.
type Reading struct {
	// Addresses are the accounts that the text can mean, most likely first. If
	// Several is true, the text pays each of them. If Err is not nil, they are
	// what the text would mean on other chains.
	Addresses []Address
	// Several reports whether the text pays several accounts, as the URIs of
	// BIP-321 can.
	Several bool
	// Doubts are sorted, each once; nil if there are none.
	Doubts []Doubt
	// Chain is the chain that the caller's name means, or "" if it names none.
	Chain Chain
	// Note says how the name of the chain was understood if it is not one, such
	// as a ticker; otherwise it is "".
	Note string
	// Err is why the text means nothing on the chain, a [*ParseError], or nil.
	Err error
}

// Interpret reads a text as a person, a cell or a URL gives it. chain is any name
// of a chain that [ParseChain] reads, a ticker or a token standard, which is only a
// hint, or "" if none is known.
//
// What [Parse] accepts has no doubt. Surrounding blanks, URI schemes, amounts and
// CAIP-10 are decoration. Interpret never guesses a character that was mistyped.
func Interpret(chain, text string) Reading {
	var r Reading
	if strings.TrimSpace(chain) != "" {
		c, err := ParseChain(chain)
		if err != nil {
			var p *ParseError
			if errors.As(err, &p) && p.Other != "" {
				r.Note, c = p.hint, p.Other
			} else {
				r.Err, r.Addresses = err, Detect(text)
				return r
			}
		}
		r.Chain = c
		a, err := Parse(c, text)
		if err == nil {
			r.Addresses = []Address{a}
			return r
		}
		if a, err = Normalize(c, text); err != nil {
			r.Err = err
			return r
		}
		r.Addresses = []Address{a}
		if p, _ := trimBlanks(text); true {
			if _, err := Parse(c, p); errors.Is(err, ErrChecksum) {
				r.addDoubt(DoubtCapitals)
			}
		}
		return r
	}
	bare, _ := trimBlanks(text)
	r.Addresses = Detect(bare)
	if len(r.Addresses) == 0 {
		_, r.Err = Parse("", bare)
	}
	return r
}

func (r *Reading) addDoubt(d Doubt) {
	if i, ok := slices.BinarySearch(r.Doubts, d); !ok {
		r.Doubts = slices.Insert(r.Doubts, i, d)
	}
}
