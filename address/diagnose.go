package address

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// diagnose returns the error for s, which is not an address of row r because of
// bad. bare is the part of s, beginning at offset at, that was parsed. diagnose
// reports the first of these reasons that applies: s is an account of
// internet-computer, which has a checksum, unlike a private key; s is a payment
// request; s is an interoperable address; s contains a secret; s is a name of a
// naming service; a character occurs in no address; s is from a test network; s
// is an address of another chain; bad.
//
// It may take some microseconds, since errors are rare. It ignores everything
// after maxDiagnosed.
func diagnose(r uint16, s, bare string, at int, bad fault) *ParseError {
	return diagnoseOn(chains[r-1].slug, r, s, bare, at, bad)
}

// diagnoseOn is diagnose for a chain that need not have a row of its own.
func diagnoseOn(slug Chain, r uint16, s, bare string, at int, bad fault) *ParseError {
	c := &chains[r-1]
	e := &ParseError{Chain: slug, Offset: -1, Err: bad.err}
	// An account id of internet-computer is 64 hex digits whose first eight are
	// the CRC-32 of the others, unlike a private key.
	if a, ok := detectProven(s, r); ok && a.Chain() == "internet-computer" {
		e.Err, e.Other = ErrOtherChain, a.Chain()
		return e
	}
	if bad.err == ErrSeveral {
		e.hint = "screen each of them"
		return e
	}
	if bad.err == ErrPaymentRequest || isPaymentRequest(bare) {
		e.Err, e.hint = ErrPaymentRequest, "ask for the address that is paid"
		return e
	}
	if hint := secretIn(s); hint != "" {
		e.Err, e.hint = ErrSecret, hint
		return e
	}
	if i, ok := readInterop(bare); ok {
		i.explain(e, c)
		return e
	}
	if isExtendedKey(bare) {
		e.Err, e.hint = ErrExtendedKey, "it shows all addresses of a wallet: derive the address first"
		return e
	}
	if isServiceName(bare) || isMailName(bare) {
		e.Err, e.hint = ErrName, resolveFirst
		return e
	}
	if i := firstForeign(c, bare); i >= 0 {
		e.Offset, e.Err, e.hint = at+i, ErrCharset, nameChar(bare[i:])
		return e
	}
	if len(bare) == 0 || len(bare) > maxDiagnosed {
		e.Err = ErrLength
		return e
	}
	if bad.at >= 0 && bad.at < len(bare) {
		e.Offset = at + bad.at
	}
	if bad.err != ErrNetwork {
		e.explainAddress(r, bare, bad)
	}
	return e
}

// explainAddress completes e if bare is an address after all: in a form that
// only Normalize accepts, or of a chain that is not in row r.
func (e *ParseError) explainAddress(r uint16, bare string, bad fault) {
	c := &chains[r-1]
	if new(Address).parseRow(r, bare, true).err == nil {
		// Only Normalize accepts it, because the account is not in
		// doubt.
		if bad.err == ErrChecksum {
			e.hint = "compare it with the original; in lower case it has no checksum"
		} else {
			e.hint = "it is not in the normal form, which Normalize returns"
		}
		return
	}
	if !c.isEVM() && isEVMText(bare) && bad.err != ErrChecksum {
		e.Offset, e.Err, e.Other = -1, ErrOtherChain, chains[ethereumRow-1].slug
		return
	}
	shape, _ := shapeOf(strings.ToLower(bare))
	if c.isEVM() && shape == chains[ethereumRow-1].slug {
		e.hint = addPrefix
		return
	}
	if a, ok := detectProven(bare, r); ok {
		e.Offset, e.Err, e.Other = -1, ErrOtherChain, a.Chain()
		if c.slug == "bitcoin-sv" && a.Chain() == "bitcoin-cash" {
			e.hint = "use the legacy form, which begins with 1 or 3"
		}
		return
	}
	switch {
	case c.hasKind("name") && shape != "":
		e.Offset, e.Err, e.Other = -1, ErrOtherChain, shape
	case shape == chains[ethereumRow-1].slug:
		e.hint = addPrefix
	}
}

// addPrefix is the advice for 40 hex digits alone.
const addPrefix = "an address of an EVM chain begins with 0x: add it"

// isEVMText reports whether s is "0x" and 40 hex digits, in any letter case.
func isEVMText(s string) bool {
	return len(s) == evmLen && s[0] == '0' && s[1] == 'x' && isHex(s[2:])
}

// firstForeign returns the offset of the first character in s that occurs in no
// address, or -1. Only nimiq permits spaces within an address.
func firstForeign(c *chain, s string) int {
	s = s[:min(len(s), maxDiagnosed)]
	for i := range len(s) {
		if charClass[s[i]]&classAddress == 0 && !(s[i] == ' ' && c.slug == "nimiq") {
			return i
		}
	}
	return -1
}

// nameChar returns the code point and name of the character at the beginning of
// s if people confuse it with another or overlook it. For plain ASCII it
// returns "".
func nameChar(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if c == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("the byte %#02x is not UTF-8", s[0])
	}
	name := charNames[c]
	switch {
	case name != "":
	case '!' <= c && c <= '~':
		return ""
	case c < ' ' || c == 0x7f:
		name = "control character"
	case 0xff10 <= c && c <= 0xff19:
		name = "FULLWIDTH DIGIT " + digitNames[c-0xff10]
	case 0xff21 <= c && c <= 0xff3a:
		name = "FULLWIDTH LATIN CAPITAL LETTER " + string('A'+c-0xff21)
	case 0xff41 <= c && c <= 0xff5a:
		name = "FULLWIDTH LATIN SMALL LETTER " + string('A'+c-0xff41)
	default:
		return fmt.Sprintf("it is %U", c)
	}
	return fmt.Sprintf("it is %U %s", c, name)
}

var digitNames = [10]string{"ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"}

// charNames holds the Unicode names of characters that look like a Latin letter
// or a space, or are invisible.
var charNames = map[rune]string{
	0x0000: "NULL", 0x0009: "TAB", 0x000a: "LINE FEED", 0x000d: "CARRIAGE RETURN", 0x0020: "SPACE",
	0x00a0: "NO-BREAK SPACE", 0x00ad: "SOFT HYPHEN", 0x034f: "COMBINING GRAPHEME JOINER",
	0x2002: "EN SPACE", 0x2003: "EM SPACE", 0x2009: "THIN SPACE", 0x200a: "HAIR SPACE",
	0x200b: "ZERO WIDTH SPACE", 0x200c: "ZERO WIDTH NON-JOINER", 0x200d: "ZERO WIDTH JOINER",
	0x200e: "LEFT-TO-RIGHT MARK", 0x200f: "RIGHT-TO-LEFT MARK",
	0x2010: "HYPHEN", 0x2011: "NON-BREAKING HYPHEN", 0x2013: "EN DASH", 0x2014: "EM DASH",
	0x2028: "LINE SEPARATOR", 0x2029: "PARAGRAPH SEPARATOR",
	0x202a: "LEFT-TO-RIGHT EMBEDDING", 0x202b: "RIGHT-TO-LEFT EMBEDDING", 0x202c: "POP DIRECTIONAL FORMATTING",
	0x202d: "LEFT-TO-RIGHT OVERRIDE", 0x202e: "RIGHT-TO-LEFT OVERRIDE", 0x202f: "NARROW NO-BREAK SPACE",
	0x2060: "WORD JOINER", 0x2066: "LEFT-TO-RIGHT ISOLATE", 0x2067: "RIGHT-TO-LEFT ISOLATE",
	0x2068: "FIRST STRONG ISOLATE", 0x2069: "POP DIRECTIONAL ISOLATE",
	0x3000: "IDEOGRAPHIC SPACE", 0xfeff: "ZERO WIDTH NO-BREAK SPACE",

	0x0405: "CYRILLIC CAPITAL LETTER DZE", 0x0406: "CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I",
	0x0408: "CYRILLIC CAPITAL LETTER JE", 0x0410: "CYRILLIC CAPITAL LETTER A",
	0x0412: "CYRILLIC CAPITAL LETTER VE", 0x0415: "CYRILLIC CAPITAL LETTER IE",
	0x0417: "CYRILLIC CAPITAL LETTER ZE", 0x041a: "CYRILLIC CAPITAL LETTER KA",
	0x041c: "CYRILLIC CAPITAL LETTER EM", 0x041d: "CYRILLIC CAPITAL LETTER EN",
	0x041e: "CYRILLIC CAPITAL LETTER O", 0x0420: "CYRILLIC CAPITAL LETTER ER",
	0x0421: "CYRILLIC CAPITAL LETTER ES", 0x0422: "CYRILLIC CAPITAL LETTER TE",
	0x0423: "CYRILLIC CAPITAL LETTER U", 0x0425: "CYRILLIC CAPITAL LETTER HA",
	0x0430: "CYRILLIC SMALL LETTER A", 0x0432: "CYRILLIC SMALL LETTER VE",
	0x0435: "CYRILLIC SMALL LETTER IE", 0x043a: "CYRILLIC SMALL LETTER KA",
	0x043e: "CYRILLIC SMALL LETTER O", 0x043f: "CYRILLIC SMALL LETTER PE",
	0x0440: "CYRILLIC SMALL LETTER ER", 0x0441: "CYRILLIC SMALL LETTER ES",
	0x0443: "CYRILLIC SMALL LETTER U", 0x0445: "CYRILLIC SMALL LETTER HA",
	0x0455: "CYRILLIC SMALL LETTER DZE", 0x0456: "CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I",
	0x0458: "CYRILLIC SMALL LETTER JE", 0x0501: "CYRILLIC SMALL LETTER KOMI DE",
	0x051b: "CYRILLIC SMALL LETTER QA", 0x051d: "CYRILLIC SMALL LETTER WE",

	0x0391: "GREEK CAPITAL LETTER ALPHA", 0x0392: "GREEK CAPITAL LETTER BETA",
	0x0395: "GREEK CAPITAL LETTER EPSILON", 0x0396: "GREEK CAPITAL LETTER ZETA",
	0x0397: "GREEK CAPITAL LETTER ETA", 0x0399: "GREEK CAPITAL LETTER IOTA",
	0x039a: "GREEK CAPITAL LETTER KAPPA", 0x039c: "GREEK CAPITAL LETTER MU",
	0x039d: "GREEK CAPITAL LETTER NU", 0x039f: "GREEK CAPITAL LETTER OMICRON",
	0x03a1: "GREEK CAPITAL LETTER RHO", 0x03a4: "GREEK CAPITAL LETTER TAU",
	0x03a5: "GREEK CAPITAL LETTER UPSILON", 0x03a7: "GREEK CAPITAL LETTER CHI",
	0x03b1: "GREEK SMALL LETTER ALPHA", 0x03b3: "GREEK SMALL LETTER GAMMA",
	0x03b9: "GREEK SMALL LETTER IOTA", 0x03ba: "GREEK SMALL LETTER KAPPA",
	0x03bd: "GREEK SMALL LETTER NU", 0x03bf: "GREEK SMALL LETTER OMICRON",
	0x03c1: "GREEK SMALL LETTER RHO", 0x03c5: "GREEK SMALL LETTER UPSILON",
	0x03c7: "GREEK SMALL LETTER CHI",
}

// withoutChain returns the error for text without a chain in front.
func withoutChain(text string) *ParseError {
	if hint := secretIn(text); hint != "" {
		return &ParseError{Offset: -1, Err: ErrSecret, hint: hint}
	}
	return &ParseError{Offset: -1, Err: ErrSyntax, hint: `want "chain:address"`}
}
