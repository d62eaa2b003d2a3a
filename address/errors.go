package address

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
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
