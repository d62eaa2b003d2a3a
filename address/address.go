// Package address validates and normalizes wallet addresses, and reports which
// of them are the same account.
//
// Three functions read an address. [Parse] is strict: it takes what a wallet
// should accept from a person. [Normalize] is tolerant where the account is
// not in doubt: outer blanks, a URI scheme, capitals of an EVM address that do
// not verify. [Detect] does not need to be told the chain. A fourth, [FindAll],
// finds the addresses in a text.
//
// All of them make an [Address], a small comparable value that cannot be wrong:
// only this package can make a valid one. Two Addresses may be different
// spellings of one account; compare their [Address.Canonical] forms. Two
// accounts may be controlled by one key; compare their [Address.Key].
//
//	a, err := address.Parse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
//	if err != nil {
//		return err // a *ParseError: what is wrong, and where
//	}
//	a.Normalized() // "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
//
// A failed call returns a [*ParseError], which says why. It recognizes a private
// key or a seed given instead of an address, and never quotes it.
//
// No function of this package does any I/O or changes any state but its
// caller's, and all may be called concurrently. None but [MustParse] panics,
// whatever it is given. Those that read one address bound its length before any
// other work: a valid one costs some hundred nanoseconds on most chains, and the
// worst input, with its error, tens of microseconds. The work of [FindAll] grows
// with the length of the text.
package address

import (
	"cmp"
	"encoding"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// An Address is a wallet address in the normal form of its chain. It is
// comparable, immutable and 24 bytes small, and works as a map key. Equal
// Addresses have equal chains and equal spellings.
//
// The zero Address is not valid. [Parse], [Normalize], [Detect], [FindAll],
// [Address.Canonical] and [Address.UnmarshalText] make valid ones.
type Address struct {
	text string
	row  uint16 // of chains, plus one; zero in the zero Address
	form form   // which of the chain's encodings; decided by row and text alone
}

var (
	_ encoding.TextAppender    = Address{}
	_ encoding.TextMarshaler   = Address{}
	_ encoding.TextUnmarshaler = (*Address)(nil)
)

// Parse returns the Address that s spells on chain c. It is strict: s must be
// exactly an address of the chain's main network, without blanks or a URI
// scheme, and mixed letter case in hex digits must be the checksum that it is on
// the chain: EIP-55, and what rootstock, wanchain, zilliqa and starknet have of
// their own. The letter case of the result is the chain's normal one; its
// encoding is that of s.
//
// On chains whose addresses hold no checksum, as solana and near, s is refused if
// it proves to be an address of another chain, in bech32 for one.
//
// c is a slug; [ParseChain] makes one of what somebody has typed. An error is a
// [*ParseError], with [ErrChain] for any other c.
func Parse(c Chain, s string) (Address, error) {
	r := lookup(c)
	if r == 0 || r == otherEVMRow {
		return parseOther(c, s, false)
	}
	format := chains[r-1].format
	if _, ok := format.(evm); ok && isPlainEVM(s) { // most questions, spared the call
		return Address{s, r, formEVM}, nil
	}
	text, form, f := format.parse(s, false)
	if f.err != nil {
		return Address{}, diagnose(r, s, s, 0, f)
	}
	return Address{text, r, form}, nil
}

// Normalize is Parse for input whose account is not in doubt though its
// spelling is not strictly right. Besides all that Parse takes, it takes blanks
// around the address, "0X" for "0x", capitals of an EVM address that do not
// verify, a URI ("bitcoin:…?amount=1", "ethereum:…@1"), a CAIP-10 account id
// ("eip155:1:0x…"), and on some chains further spellings of an account, such
// as the 41-hex form on tron. It never takes what could be another account, nor
// more than 4096 bytes.
//
// c is a slug, as for Parse. An error is a [*ParseError]. Its Offset counts from the
// beginning of s.
func Normalize(c Chain, s string) (Address, error) {
	r := lookup(c)
	if r == 0 || r == otherEVMRow {
		return parseOther(c, s, true)
	}
	format := chains[r-1].format
	if _, ok := format.(evm); ok && isPlainEVM(s) { // most questions, spared the call
		return Address{s, r, formEVM}, nil
	}
	text, form, f := format.parse(s, true)
	if f.err != nil {
		return normalize(r, s, f)
	}
	return Address{text, r, form}, nil
}

// Identify is [Normalize] and [Address.Identity] in one for an address of an EVM
// chain in normal form, as most questions are. The words are those of 20 bytes of
// [identity.KeccakHash]. It is made for the indexes of this module, and saves a
// third of the time. If it reports false, it says nothing about s.
func (c Chain) Identify(s string) (Address, identity.Words, bool) {
	r := ethereumRow
	if c != "ethereum" { // most questions, decided by one comparison
		if r = lookup(c); r == 0 {
			return Address{}, identity.Words{}, false
		}
		if _, ok := chains[r-1].format.(evm); !ok {
			return Address{}, identity.Words{}, false
		}
	}
	if len(s) != evmLen || s[:2] != "0x" {
		return Address{}, identity.Words{}, false
	}
	n0, bad := digits8(load8(s, 2), badDigits{})
	n1, bad := digits8(load8(s, 10), bad)
	n2, bad := digits8(load8(s, 18), bad)
	n3, bad := digits8(load8(s, 26), bad)
	n4, bad := digits8(load8(s, 34), bad)
	if bad.any() {
		return Address{}, identity.Words{}, false
	}
	return Address{s, r, formEVM}, identity.MakeWords(pack8(n0)|pack8(n1)<<32, pack8(n2)|pack8(n3)<<32, pack8(n4), 0), true
}

// MustParse is Parse for tests and tables of constants. It panics if s is not
// an address of c.
func MustParse(c Chain, s string) Address {
	a, err := Parse(c, s)
	if err != nil {
		panic(err)
	}
	return a
}

// IsValid reports whether a is an address, that is, not the zero Address.
func (a Address) IsValid() bool { return a.row != 0 }

// Chain returns the chain of a, and "" for the zero Address.
func (a Address) Chain() Chain {
	if a.row == 0 {
		return ""
	}
	if a.row == otherEVMRow {
		return Chain(a.text[:len(a.text)-evmLen-1])
	}
	return chains[a.row-1].slug
}

// Normalized returns the bare spelling of a as its chain writes it, such as
// "0xab58…", "TJRab…" or "bc1q…", and "" for the zero Address. It is the
// encoding that was parsed, in its normal letter case; Parse takes it back.
func (a Address) Normalized() string {
	if a.row == otherEVMRow {
		return a.text[len(a.text)-evmLen:]
	}
	return a.text
}

// Canonical returns the one Address that stands for the account of a, over all
// encodings of its chain and over all EVM chains: a legacy bitcoin-cash address
// becomes CashAddr, an XRP X-address classic, and an EVM address one on
// ethereum. What is not part of the account, such as a destination tag or a
// payment id, is left out. It is idempotent, and zero for the zero Address.
//
// Use it to compare accounts; show people [Address.Normalized].
func (a Address) Canonical() Address {
	if a.row == 0 {
		return Address{}
	}
	c := &chains[a.row-1]
	text, form := c.format.canonical(a.text, a.form)
	if a.isEVM() {
		return Address{text, ethereumRow, formEVM}
	}
	return Address{text, a.row, form}
}

// isEVM reports whether a, which is valid, is an account of the EVM, and so the
// same account on all EVM chains.
func (a Address) isEVM() bool {
	switch chains[a.row-1].format.(type) {
	case evmFamily:
		return true
	case *sei:
		return a.form == formSeiEVM
	}
	return false
}

// Compare returns -1, 0 or +1: Addresses are ordered by chain, then spelling,
// the zero Address first. It is 0 exactly when a == b.
func (a Address) Compare(b Address) int {
	return cmp.Or(strings.Compare(string(a.Chain()), string(b.Chain())), strings.Compare(a.Normalized(), b.Normalized()))
}

// String returns the chain, a colon and the normalized address, such as
// "ethereum:0xab58…", and "invalid address" for the zero Address.
func (a Address) String() string {
	if a.row == 0 {
		return "invalid address"
	}
	return string(a.Chain()) + ":" + a.Normalized()
}

// AppendText appends the text that MarshalText returns to b. It never fails.
func (a Address) AppendText(b []byte) ([]byte, error) {
	if a.row == 0 {
		return b, nil
	}
	b = append(b, a.Chain()...)
	b = append(b, ':')
	return append(b, a.Normalized()...), nil
}

// MarshalText returns what String returns, and no text for the zero Address.
// It never fails.
func (a Address) MarshalText() ([]byte, error) {
	return a.AppendText(nil)
}

// UnmarshalText reads the text that MarshalText writes: a chain slug, a colon
// and an address that [Parse] takes. Empty text gives the zero Address. On an
// error, a [*ParseError], a is left as it was.
func (a *Address) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*a = Address{}
		return nil
	}
	slug, s, ok := strings.Cut(string(text), ":")
	if !ok {
		return withoutChain(string(text))
	}
	if slug == otherEVMSlug { // the id of a chain has a colon
		number, rest, _ := strings.Cut(s, ":")
		slug, s = eip155+number, rest
	}
	parsed, err := Parse(Chain(slug), s)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Proven reports whether the spelling of a proves itself by a checksum that
// chance does not meet, or is "0x" and 40 hex digits. An address that does not,
// such as one of solana, may be other text as well.
func (a Address) Proven() bool {
	return a.row != 0 && chains[a.row-1].format.proves(a.form)
}
