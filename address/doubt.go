package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Doubt says why a text that can be read does not settle which account is
// meant. Its text is its name in JSON and in tables.
type Doubt string

const (
	// DoubtCapitals: the letter case of the text is a checksum that does not
	// verify, so a character may be wrong.
	DoubtCapitals Doubt = "capitals"
	// DoubtShort: digits of the address are missing; the leading ones, if a program cut zeros.
	DoubtShort Doubt = "short"
	// DoubtAmbiguous: several chains fit, none was named, and they do not agree; the text is a word
	// that can be an account's name on several; or there is another address in it.
	DoubtAmbiguous Doubt = "ambiguous"
	// DoubtUnscreenable: the text also pays somebody whom no list can name,
	// such as the payee of a Lightning invoice, or the master of a virtual address
	// of tempo, whose address only the chain knows.
	DoubtUnscreenable Doubt = "unscreenable"
	// DoubtWrongChain: the text is not an address of the chain that was named, or no such
	// chain is known. A Reading has an Err instead.
	DoubtWrongChain Doubt = "wrong_chain"
	// DoubtMalformed: the text as it stands is not an address, but there is one in it. A Reading
	// has an Err instead.
	DoubtMalformed Doubt = "malformed"
)

// Explain returns one sentence about d for people, without a full stop.
func (d Doubt) Explain() string {
	switch d {
	case DoubtCapitals:
		return "the capitals do not match the checksum of the address: compare it with the original"
	case DoubtShort:
		return "digits of the address are missing: compare it with the original"
	case DoubtAmbiguous:
		return "it could be an address of several chains, and nothing says which: name the chain"
	case DoubtUnscreenable:
		return "no list can name whom it pays, such as the payee of a Lightning invoice, or the master of a virtual address of tempo: ask for an address of theirs"
	case DoubtWrongChain:
		return "it is not an address of the chain that was named: check which chain is meant"
	case DoubtMalformed:
		return "the text as it stands is not an address, but there is one in it: compare it with the original"
	}
	return string(d)
}

// Doubt returns why a does not settle which account is meant, though [Parse] accepts it:
// [DoubtUnscreenable] for a virtual address of tempo, [DoubtAmbiguous] for an address without a checksum that has
// another one in it, or that is one without its full stops and hyphens, [DoubtShort] for one of
// starknet with fewer than 63 digits; otherwise, and for the zero Address, "".
func (a Address) Doubt() Doubt {
	if a.row == 0 {
		return ""
	}
	if !a.Proven() && a.hasOther() {
		return DoubtAmbiguous
	}
	return a.codec().doubt
}

// hasOther reports whether the text of a, which proves nothing, is another address with signs in
// it, or has one between its signs; or is a name with a part that looks like an address, or like one
// that is shortened. A part of hex digits in front of a dot is a hash.
func (a Address) hasOther() bool {
	if isGrouped(a.text) || a.codec().open && hasGlued(a.text) {
		return true
	}
	isName, dot := a.codec().what == "name", strings.IndexByte(a.text, '.') >= 0
	for t := range tokens(a.text) {
		part := a.text[t.start:t.end]
		switch {
		case !isName && len(part) >= minGlued && len(part) < len(a.text) && isProven(part),
			isName && isLongCode(part) && !(dot && isHex(part)),
			isName && hasHexPrefix(part) && len(part) >= minHexPart && isHex(part[2:]):
			return true
		}
	}
	return isName && dot && (strings.Contains(a.text, "..") || len(FindAll(a.text)) > 0)
}

// isGrouped reports whether s is another address with signs in it that names and ids of arweave
// have, too: between groups of equal length, the first and the last perhaps shorter, or anywhere
// behind the beginning of such an address.
func isGrouped(s string) bool {
	const signs = ".-_"
	first := strings.IndexAny(s, signs)
	if first < 0 || len(s) < minGlued {
		return false
	}
	n, size, groups := 0, 0, true
	for rest := s[first+1:]; ; n++ {
		next := strings.IndexAny(rest, signs)
		if next < 0 {
			break
		}
		size = max(size, next)
		groups = groups && next == size && next > 1
		rest = rest[next+1:]
	}
	one := strings.IndexByte(s[:first], '1')
	if begins := hasHexPrefix(s) || one > 0 && (one == 1 && s[0] == 'f' || len(leadRows[s[:one+1]]) > 0); !begins && !(groups && n > 1) {
		return false
	}
	joined := strings.NewReplacer(".", "", "-", "", "_", "").Replace(s)
	return isEVMText(joined) || isProven(joined) || groups && n > 1 && isLongCode(joined) // its letter case may be lost
}

// minHexPart is the length from which on "0x" and hex digits are no part of a name that somebody chose.
const minHexPart = 9

// squeezed returns s as clean leaves it, without anything but ASCII letters and digits, and the signs
// between the parameters of a URI.
func squeezed(s string) string {
	for e, depth := clean(s, andStrangers|noEquals), 0; e != nil && depth < maxDepth; e, depth = clean(s, andStrangers|noEquals), depth+1 {
		s = e.text.String()
	}
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && charClass[c]&classAlnum != 0 || strings.ContainsRune("=?&", c) {
			return c
		}
		return -1
	}, s)
}

// isSaid reports whether the word at a place of a text is in a parameter of a payment URI that is
// for the payee, and nothing there looks like an address to FindLikely: a memo or a note of text in
// Base64 (ZIP-321, ARC-26), or the payee's server (BIP-78). So is a reference of Solana Pay, a key
// by which the payee finds the payment.
func isSaid(text string, at int) bool {
	part := text[strings.LastIndexAny(text[:at], "?&")+1:]
	part, _, _ = strings.Cut(part, "&")
	name, value, _ := strings.Cut(part, "=")
	name, _, _ = strings.Cut(name, ".") // "memo.1" is of the second payee
	switch {
	case len(part) == len(text):
		return false
	case isOneOf(name, []string{"memo", "note"}):
		value = strings.TrimRight(unescape(value), "=")
		b := make([]byte, len(value))
		n, err := base64URL.Decode(b, []byte(value))
		if value = string(b[:n]); err != nil || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
			return false
		}
	case strings.EqualFold(name, "reference"):
		return isSolana(value)
	case !strings.EqualFold(name, "pj"):
		return false
	}
	return len(FindLikely(value)) == 0
}
