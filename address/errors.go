package address

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The reasons for which a string is not an address. A [*ParseError] wraps one
// of them; test with [errors.Is]. ErrLength, ErrCharset, ErrOtherChain and
// ErrSecret are kinds of ErrSyntax.
var (
	// ErrChain: the chain is not supported, or a ticker was given for its slug.
	ErrChain = errors.New("unsupported chain")
	// ErrSyntax: not an address of this chain, by its length, alphabet, prefix
	// or structure.
	ErrSyntax = errors.New("not an address of this chain")
	// ErrLength: too short or too long.
	ErrLength = fmt.Errorf("%w: wrong length", ErrSyntax)
	// ErrCharset: a character that no address of the chain has at this place.
	ErrCharset = fmt.Errorf("%w: unexpected character", ErrSyntax)
	// ErrOtherChain: an address, but of the chain in ParseError.Other.
	ErrOtherChain = fmt.Errorf("%w but of another", ErrSyntax)
	// ErrSecret: possibly a private key or a seed. The error does not hold it.
	ErrSecret = fmt.Errorf("%w, and possibly a private key or seed", ErrSyntax)
	// ErrChecksum: the right shape, but likely a typing error.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrNetwork: an address of a test network.
	ErrNetwork = errors.New("address of a test network")
)

// A ParseError says why a string is not an address. The errors that [Parse],
// [Normalize], [ParseChain] and [Address.UnmarshalText] return have this
// concrete type.
type ParseError struct {
	// Chain is the chain that was asked for, as given, cut after 64 bytes.
	Chain Chain
	// Input is the string as given, cut after 1024 bytes. It is empty if a
	// private key or a seed stands in it, whatever Err is, so that the secret
	// reaches no log.
	Input string
	// Offset is the byte offset, in the string as given, of the first character
	// that is wrong, or -1 if none can be named, as for a failed checksum or a
	// length.
	Offset int
	// Err is the reason: one of the Err variables of this package.
	Err error
	// Other is the chain to use instead, where one can be told: with
	// [ErrOtherChain] the chain whose address Input is, with [ErrChain] the slug
	// of the chain that was given by its ticker, or to another function than
	// [ParseChain] by another name. Otherwise it is "".
	Other Chain

	hint string // more to say; never holds the input
}

// Unwrap returns e.Err.
func (e *ParseError) Unwrap() error { return e.Err }

// Hint says in a few words how the input can be mended, such as "the lower-case
// form is 0x…" or "use the slug ethereum". It is empty where nothing certain
// can be said: a hint never guesses at another account.
func (e *ParseError) Hint() string { return e.hint }

// Error describes the error in one line. It quotes the input, cut after 128
// bytes; it is safe to show and to log as far as an address is.
func (e *ParseError) Error() string {
	var b strings.Builder
	if e.Err == ErrChain {
		b.WriteString("chain ")
		b.WriteString(quote(string(e.Chain)))
	} else {
		if e.Chain != "" {
			b.WriteString(slugOrQuoted(e.Chain))
			b.WriteString(" ")
		}
		b.WriteString("address")
		if e.Input != "" {
			b.WriteString(" ")
			b.WriteString(quote(e.Input))
		}
	}
	b.WriteString(": ")
	switch {
	case e.Err == ErrOtherChain && e.Other != "":
		b.WriteString(ErrSyntax.Error())
		b.WriteString(" but of ")
		b.WriteString(slugOrQuoted(e.Other))
	case e.Err != nil:
		b.WriteString(e.Err.Error())
	}
	switch {
	case e.Offset < 0 || e.Offset >= len(e.Input):
	case e.Err == ErrCharset:
		fmt.Fprintf(&b, " at offset %d", e.Offset)
	default:
		fmt.Fprintf(&b, " (see offset %d)", e.Offset)
	}
	if e.hint != "" {
		b.WriteString("; ")
		b.WriteString(e.hint)
	}
	return b.String()
}

// slugOrQuoted returns c as it is if it is a slug of ours, else quoted.
func slugOrQuoted(c Chain) string {
	if lookup(c) != 0 {
		return string(c)
	}
	return quote(string(c))
}

// quote quotes s, which came from a stranger, cut to a bounded length.
func quote(s string) string {
	const max = 128
	if len(s) > max {
		return strconv.QuoteToASCII(s[:max]) + "…"
	}
	return strconv.QuoteToASCII(s)
}
