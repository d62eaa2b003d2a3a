package address

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The reasons why a string is not an address. A [*ParseError] wraps one of
// them; test for it with [errors.Is]. ErrLength, ErrCharset, ErrOtherChain,
// ErrSecret, ErrName, ErrPaymentRequest and ErrInterop also match ErrSyntax.
var (
	// ErrChain means that the chain is not supported, or that a ticker was given instead of a slug.
	ErrChain = errors.New("unsupported chain")
	// ErrSyntax means that no address of the chain has this length, alphabet, prefix or structure.
	ErrSyntax = errors.New("not an address of this chain")
	// ErrLength means that the string is too short or too long.
	ErrLength = fmt.Errorf("%w: wrong length", ErrSyntax)
	// ErrCharset means that no address of the chain has this character at this place.
	ErrCharset = fmt.Errorf("%w: unexpected character", ErrSyntax)
	// ErrOtherChain means that the string is an address of another chain,
	// named in ParseError.Other.
	ErrOtherChain = fmt.Errorf("%w but of another", ErrSyntax)
	// ErrSecret means that the string has a private key or a seed in it: it has the prefix or the
	// checksum of one, is a seed phrase, or is 64 hex digits behind a word such as "key". Do not
	// show or log it. 64 hex digits alone can be many things, and are ErrSyntax.
	ErrSecret = fmt.Errorf("%w but a private key or seed", ErrSyntax)
	// ErrName means that the string is a name of a naming service, such as ENS or TON DNS, or one
	// like user@example.com. It must be resolved to an address first.
	ErrName = fmt.Errorf("%w but a name", ErrSyntax)
	// ErrPaymentRequest means that the string is a Lightning invoice (BOLT 11), an offer (BOLT 12),
	// an LNURL or a silent payment address (BIP-352). It shows no account.
	ErrPaymentRequest = fmt.Errorf("%w but a payment request", ErrSyntax)
	// ErrInterop means that the string is an interoperable address (ERC-7930
	// or ERC-7828), which holds an account and its chain. [Normalize] reads
	// it if it is an account of an EVM chain or of solana.
	ErrInterop = fmt.Errorf("%w but an interoperable address", ErrSyntax)
	// ErrSeveral means that the string pays several accounts, as the URIs of BIP-321 can, or has
	// several addresses in it; [Interpret] returns all of them.
	ErrSeveral = fmt.Errorf("%w but several", ErrSyntax)
	// ErrExtendedKey means that the string is an extended public key, such as
	// an xpub, which shows all addresses of a wallet. It also matches ErrLength.
	ErrExtendedKey = fmt.Errorf("%w, the length of an extended public key", ErrLength)
	// ErrChecksum means that the string has the form of an address but its
	// checksum does not match, most likely because of a typing error.
	ErrChecksum = errors.New("checksum mismatch: probably a typing error")
	// ErrNetwork means that the string is an address of a test network.
	ErrNetwork = errors.New("address of a test network")
)

// A ParseError describes why a string is not an address. It is the concrete type of the errors of
// [Parse], [Normalize], [Interpret], [ParseChain] and [Address.UnmarshalText].
//
// It neither holds nor prints the string: the caller has it, and it may be a private key. A caller
// that shows the string must not do so if the error wraps [ErrSecret].
type ParseError struct {
	// Chain is the chain as the caller gave it, or "" if it is too long for the name of a chain.
	Chain Chain
	// Offset is the byte offset in the caller's string of the first wrong character. It is -1 if
	// there is no such character, for example if a checksum does not match.
	Offset int
	// Err is one of the Err variables of this package.
	Err error
	// Other is the chain to use instead, or "" if unknown. With [ErrOtherChain], it is the chain
	// whose address the string is. With [ErrChain], it is the slug of the chain that was given by
	// its ticker or, to a function other than [ParseChain], by another name.
	Other Chain

	hint  string // advice; never contains the input
	char  string // the wrong character, in words
	place int    // its place in the caller's string, in characters, from 1
}

// Unwrap returns e.Err.
func (e *ParseError) Unwrap() error { return e.Err }

// Hint returns a short suggestion for correcting the input, such as "the
// lower-case form is 0x…" or "use the slug ethereum". It returns "" if there is
// no certain suggestion; a hint never guesses another account. It also says in words how
// many characters are missing or too many, and which one is wrong at which place.
func (e *ParseError) Hint() string {
	if e.hint == "" && e.char != "" && e.Err == ErrCharset && e.Offset >= 0 {
		return fmt.Sprintf("character %d is %s", e.place, e.char)
	}
	return e.hint
}

// locate names the character at e.Offset in text, the caller's string.
func (e *ParseError) locate(text string) {
	if e.Err == ErrCharset && e.Offset >= 0 && e.Offset < len(text) {
		e.char, e.place = nameChar(text[e.Offset:]), utf8.RuneCountInString(text[:e.Offset])+1
	}
}

// Error returns a one-line description.
func (e *ParseError) Error() string {
	var b strings.Builder
	text, name, of := "", "", ""
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Chain != "" {
		name = slugOrQuoted(e.Chain)
		of = " of " + name
	}
	switch {
	case e.Err == ErrOtherChain && e.Other != "":
		text = ErrSyntax.Error() + " but of " + slugOrQuoted(e.Other)
	case e.Err == ErrSyntax && e.Chain == "" && e.hint == "":
		of = " of any chain"
	}
	switch before, after, ok := strings.Cut(text, " of this chain"); {
	case ok:
		b.WriteString(before + of + after)
	case e.Err == ErrChain && e.Chain != "":
		b.WriteString("chain " + strconv.QuoteToASCII(string(e.Chain)) + ": " + text)
	case e.Err == ErrChain:
		b.WriteString(text)
	default:
		b.WriteString(strings.TrimLeft(name+" address: "+text, " "))
	}
	switch {
	case e.Offset < 0 || e.Err == nil:
	case e.char != "":
		fmt.Fprintf(&b, " %d: %s", e.place, e.char)
	case e.Err == ErrCharset:
		fmt.Fprintf(&b, " at offset %d", e.Offset)
	default:
		fmt.Fprintf(&b, " (see offset %d)", e.Offset)
	}
	switch {
	case e.hint != "":
		b.WriteString("; ")
		b.WriteString(e.hint)
	case e.Err == ErrChain:
		b.WriteString("; any EVM chain is eip155: and its number")
	}
	return b.String()
}

func slugOrQuoted(c Chain) string {
	if lookup(c) != 0 {
		return string(c)
	}
	return strconv.QuoteToASCII(string(c))
}

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
