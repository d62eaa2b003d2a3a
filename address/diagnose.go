package address

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// diagnose returns the error for s, which is not an address of slug, in row r, because of bad. bare
// is the part of s, beginning at offset at, that was parsed. diagnose reports the first of these
// reasons that applies: s is an account of internet-computer, which has a checksum, unlike a
// private key; s is a payment request; s is an interoperable address; s contains a secret; s is a
// name of a naming service; a character occurs in no address; s is from a test network; s is an
// address of another chain; bad.
//
// It may take some microseconds, since errors are rare. It ignores everything after maxDiagnosed.
func diagnose(slug Chain, r uint16, s, bare string, at int, bad fault) *ParseError {
	c := &chains[r-1]
	e := &ParseError{Chain: slugOf(slug, r), Offset: -1, Err: bad.err}
	// An account id of internet-computer is 64 hex digits whose first eight are
	// the CRC-32 of the others, unlike a private key.
	if a, ok := detectProven(s, r); ok && a.Chain() == "internet-computer" {
		e.Err, e.Other = ErrOtherChain, a.Chain()
		return e
	}
	if bad.err == ErrSeveral {
		e.hint = "it pays several accounts: screen each of them"
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
		e.Offset, e.Err = at+i, ErrCharset
		e.locate(s)
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
	if e.Err == ErrLength && e.hint == "" {
		e.hint = c.lengthHint(bare)
	}
	e.locate(s)
	return e
}

// maxMissing is the number of characters up to which a text is called an address with
// some missing, or too many.
const maxMissing = 8

// lengthHint says how many characters s lacks, or has too many, to be an address of c
// that begins as s does, or "".
func (c *chain) lengthHint(s string) string {
	best := maxMissing + 1 // too many if positive
	for i := range c.codecs {
		b := c.codecs[i].bounds()
		if c.codecs[i].use != everybody || len(b.lead) > len(s) || !strings.EqualFold(s[:len(b.lead)], b.lead) {
			continue
		}
		if n := max(len(s)-b.max, min(len(s)-b.min, 0)); max(n, -n) < max(best, -best) {
			best = n
		}
	}
	switch n := max(best, -best); {
	case n == 0 || n > maxMissing:
		return ""
	case n == 1 && best < 0:
		return "one character is missing"
	case n == 1:
		return "there is one character too many"
	case best < 0:
		return fmt.Sprintf("%d characters are missing", n)
	default:
		return fmt.Sprintf("there are %d characters too many", n)
	}
}

// explainAddress completes e if bare is an address after all: in a form that
// only Normalize accepts, or of a chain that is not in row r.
func (e *ParseError) explainAddress(r uint16, bare string, bad fault) {
	c := &chains[r-1]
	if new(Address).parseRow(r, bare, true).err == nil {
		// Only Normalize accepts it, because the account is not in doubt.
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

// nameChar names the character at the beginning of s: by itself if it is plain ASCII, or
// else by its code point, and by what it is if people confuse it with another or overlook it.
func nameChar(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if c == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("the byte %#02x, which is not UTF-8", s[0])
	}
	if '!' <= c && c <= '~' {
		return strconv.Quote(s[:1])
	}
	for _, k := range charKinds {
		if unicode.Is(k.chars, c) {
			return fmt.Sprintf("%U, %s", c, k.name)
		}
	}
	return fmt.Sprintf("%U", c)
}

// charKinds are the kinds of characters that look like a Latin letter or a space, or are invisible.
var charKinds = [...]struct {
	name  string
	chars *unicode.RangeTable
}{
	{"a full-width character", &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0xff01, Hi: 0xff5e, Stride: 1}}}},
	{"a line break", &unicode.RangeTable{R16: []unicode.Range16{{Lo: '\n', Hi: '\r', Stride: 1}}, LatinOffset: 1}},
	{"a space", unicode.Zs}, {"a line break", unicode.Zl}, {"a line break", unicode.Zp},
	{"a control character", unicode.Cc}, {"an invisible character", unicode.Cf}, {"an invisible character", unicode.Mn},
	{"a hyphen or a dash", unicode.Pd}, {"a Cyrillic letter", unicode.Cyrillic}, {"a Greek letter", unicode.Greek},
	{"an Armenian letter", unicode.Armenian}, {"a Cherokee letter", unicode.Cherokee},
}

// withoutChain returns the error for text without a chain in front.
func withoutChain(text string) *ParseError {
	if hint := secretIn(text); hint != "" {
		return &ParseError{Offset: -1, Err: ErrSecret, hint: hint}
	}
	return &ParseError{Offset: -1, Err: ErrSyntax, hint: `want "chain:address"`}
}
