// Package address validates and normalizes wallet addresses, and reports which
// of them are the same account.
//
// [Interpret] reads text that a person typed or pasted, and reports any doubts about it:
// a wallet must not pay to an address in doubt. [Parse] reads an address of a given
// chain and is strict. [Normalize] reads what lists print. [Detect] reports on which
// chains a string is an address. [FindAll] finds the addresses in a text.
//
// They return [Address] values, small and comparable. Two Addresses can
// be spellings of one account: compare their [Address.Canonical] forms. Two
// accounts can be controlled by one key: compare their [Address.Key].
//
//	r := address.Interpret("ethereum", " 0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
//	if r.Err != nil {
//		return r.Err // a *ParseError: the reason, and where
//	}
//	if len(r.Doubts) > 0 {
//		return errors.New(r.Doubts[0].Explain()) // ask the person to compare
//	}
//	r.Addresses[0].Normalized() // "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
//
// A ParseError never holds the text, which may be a private key or a seed that
// was passed by mistake.
//
// The functions perform no I/O and are safe for concurrent use.
package address

import (
	"cmp"
	"encoding"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// An Address is a wallet address in the normal form of its chain. It is
// comparable and immutable, occupies 32 bytes, and works as a map key. Two
// Addresses are equal if their chains and their spellings are equal.
//
// The zero Address is not valid. Only this package makes valid ones: [Parse], [Normalize],
// [Detect], [FindAll], [Address.Canonical] and [Address.UnmarshalText].
type Address struct {
	text   string // the normal form
	number uint64 // of an EVM chain without a row, its chain id
	row    uint16 // of the chain, plus one
	form   form
}

var (
	_ encoding.TextAppender    = Address{}
	_ encoding.TextMarshaler   = Address{}
	_ encoding.TextUnmarshaler = (*Address)(nil)
)

// Parse parses s as an address on chain c. It is strict: s must be exactly an address of the
// chain's main network, without white space or a URI scheme. Hex digits in mixed case must match
// the chain's checksum: EIP-55, or the rule of rootstock, wanchain, zilliqa or starknet. The result
// keeps the encoding of s and has the chain's normal letter case.
//
// Some chains, such as solana and near, have addresses without a checksum.
// There, Parse rejects s if it is provably an address of another chain.
//
// c must be a slug; use [ParseChain] to read a chain's name from user input.
// Any error is a [*ParseError]; for an unknown c it wraps [ErrChain].
//
// Parse checks the length of s first, so its cost is bounded: typically a few hundred nanoseconds
// for a valid address, and twenty microseconds for the worst input.
func Parse(c Chain, s string) (Address, error) {
	var a Address
	r := rowOf(c)
	if r == 0 {
		return a, unsupported(c)
	}
	if f := a.parseRow(r, s, false); f.err != nil {
		return a, diagnose(c, r, s, s, 0, f)
	}
	if r == otherEVMRow {
		a.setNumber(c)
	}
	return a, nil
}

// Valid reports whether s is an address of chain c, as [Parse] reads it. If it is not, Valid
// does not look for the reason, so it takes a small part of the time that Parse takes.
func Valid(c Chain, s string) bool {
	r := rowOf(c)
	if r == 0 {
		return false
	}
	rd := newReader(s, false)
	defer rd.free()
	rd.quiet = true
	_, bad := chains[r-1].codecs.read(rd)
	return bad.err == nil
}

// parseRow sets a, which is zero, to s as an address of row r, as the format parses it.
func (a *Address) parseRow(r uint16, s string, tolerant bool) fault {
	if len(s) == evmLen && chains[r-1].codecs[0].evm && s[:2] == "0x" && isLowerHex(s[2:]) { // fast path
		a.text, a.row = s, r
		return fault{}
	}
	if chains[r-1].codecs[0].bare58 { // likewise
		var b [32]byte
		if n, _ := base58.Bitcoin.Decode(b[:], s); n == len(b) && !isLikeOther(s) {
			a.text, a.row = s, r
			return fault{}
		}
	}
	rd := newReader(s, tolerant)
	defer rd.free()
	form, bad := chains[r-1].codecs.read(rd)
	if bad.err == nil {
		*a = rd.address(r, form)
	}
	return bad
}

// address returns the address that the reader has read, in the given form of row r.
func (rd *reader) address(r uint16, f form) Address {
	cs := chains[r-1].codecs
	c := &cs[f]
	if c.use != tolerated {
		return Address{text: c.text(rd), row: r, form: f}
	}
	core := c.account(rd) // its normal form is the spelling before it
	for ; cs[f].use == tolerated; f-- {
	}
	rd.out = cs[f].enc.write(rd.out[:0], &cs[f], core)
	return Address{text: string(rd.out), row: r, form: f}
}

// codec returns the codec of a, which must be valid.
func (a *Address) codec() *codec { return &chains[a.row-1].codecs[a.form] }

// reader returns a reader with the payload of a, which must be valid. The caller frees it.
func (a *Address) reader() *reader {
	rd := newReader(a.text, false)
	rd.trusted = true
	a.codec().read(rd)
	return rd
}

// Normalize reads an address as lists and databases print it; for what a person typed, use
// [Interpret], which also reports doubts, such as capitals that do not verify. Normalize is like
// [Parse] but also accepts input that identifies the account without being strictly correct:
// surrounding white space, "0X" for "0x", EVM addresses whose capitals do not match EIP-55, URIs
// ("bitcoin:…?amount=1", "ethereum:…@1"), CAIP-10 account ids ("eip155:1:0x…"), and on some chains
// further spellings, such as the 42-digit hex form on tron. It rejects any input that could mean
// another account, and any input over 4096 bytes.
//
// Any error is a [*ParseError]. Its Offset counts from the beginning of s.
func Normalize(c Chain, s string) (Address, error) {
	var a Address
	r := rowOf(c)
	if r == 0 {
		return a, unsupported(c)
	}
	if f := a.normalize(c, r, s); f.bad.err != nil {
		return a, f.explain(c, r, s)
	}
	a.setNumber(c)
	return a, nil
}

// MustParse is like [Parse] but panics if s is not an address on c. It
// simplifies tests and tables of constants.
func MustParse(c Chain, s string) Address {
	a, err := Parse(c, s)
	if err != nil {
		panic(err)
	}
	return a
}

// IsValid reports whether a is not the zero Address.
func (a Address) IsValid() bool { return a.row != 0 }

// Chain returns the chain of a, or "" for the zero Address.
func (a Address) Chain() Chain {
	switch a.row {
	case 0:
		return ""
	case otherEVMRow:
		return Chain(eip155 + strconv.FormatUint(a.number, 10))
	}
	return chains[a.row-1].slug
}

// Normalized returns the address without its chain, in the chain's normal
// letter case: "0xab58…", "TJRab…" or "bc1q…". It keeps the encoding that was
// parsed. [Parse] accepts the result. For the zero Address it returns "".
func (a Address) Normalized() string { return a.text }

// Canonical returns the Address that represents the account of a across all encodings of its chain
// and across all EVM chains: a legacy bitcoin-cash address becomes CashAddr, an XRP X-address
// becomes classic, and an EVM address becomes one on ethereum. It drops everything that is not part
// of the account, such as a destination tag or a payment id. Canonical is idempotent, and returns
// zero for the zero Address.
//
// Use Canonical to compare accounts, and [Address.Normalized] to show them.
func (a Address) Canonical() Address {
	if a.row == 0 {
		return a
	}
	row, c := a.row, a.codec()
	if c.evm {
		row = ethereumRow
	}
	cs := chains[row-1].codecs
	form := cs.first(c.kind)
	if form != a.form || row != a.row {
		first := &cs[form]
		rd := a.reader()
		defer rd.free()
		rd.out = first.enc.write(rd.out[:0], first, first.payload(c.account(rd)))
		if string(rd.out) != a.text {
			a.text = string(rd.out)
		}
	}
	return Address{text: a.text, row: row, form: form}
}

// Compare orders Addresses by chain and then by spelling. It returns -1, 0 or
// +1; the result is 0 if and only if a == b. The zero Address sorts first.
func (a Address) Compare(b Address) int {
	return cmp.Or(strings.Compare(string(a.Chain()), string(b.Chain())), strings.Compare(a.text, b.text))
}

// String returns the chain, a colon and the normalized address, such as
// "ethereum:0xab58…". For the zero Address it returns "invalid address".
func (a Address) String() string {
	if a.row == 0 {
		return "invalid address"
	}
	var buf [128]byte
	b, _ := a.AppendText(buf[:0])
	return string(b)
}

// AppendText implements [encoding.TextAppender]. It never fails.
func (a Address) AppendText(b []byte) ([]byte, error) {
	if a.row == 0 {
		return b, nil
	}
	return append(append(append(b, a.Chain()...), ':'), a.text...), nil
}

// MarshalText implements [encoding.TextMarshaler]. It returns the same text as
// [Address.String], but no text for the zero Address. It never fails.
func (a Address) MarshalText() ([]byte, error) {
	return a.AppendText(nil)
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts a chain slug,
// a colon and an address that [Parse] accepts. Empty text yields the zero
// Address. On error, a [*ParseError], a is unchanged.
func (a *Address) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*a = Address{}
		return nil
	}
	slug, s, ok := strings.Cut(string(text), ":")
	if !ok {
		e := &ParseError{Offset: -1, Err: ErrSyntax, hint: `want "chain:address"`}
		if hint := secretIn(string(text)); hint != "" {
			e.Err, e.hint = ErrSecret, hint
		}
		return e
	}
	if slug == otherEVMSlug { // an otherEVM slug contains a colon
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

// Proven reports whether the spelling of a is unlikely to be anything but an address: it has a
// checksum that random text does not match, or is "0x" and 40 hex digits. An address without a
// checksum, such as one of solana, is not proven.
func (a Address) Proven() bool {
	return a.row != 0 && proofs[a.row-1][a.form]
}

// proofs tells by row and form what proves itself, without an allocation.
var proofs = func() (t [len(chains)][]bool) {
	for i := range chains {
		for j := range chains[i].codecs {
			t[i] = append(t[i], chains[i].codecs[j].bounds().proves)
		}
	}
	return t
}()

// Display returns a as wallets show it: on EVM chains with the capitals of
// EIP-55 (of ERC-1191 on rootstock, inverted on wanchain), otherwise as
// [Address.Normalized] does. [Parse] accepts the result.
func (a Address) Display() string {
	if a.row == 0 {
		return ""
	}
	if show := a.codec().show; show != nil {
		return show(a.text)
	}
	return a.text
}

// CAIP10 returns the CAIP-10 account id of a, such as "eip155:1:0xab58…", as [Address.Display] writes it. It reports false if the
// chain has no registered CAIP-2 id, or the address is longer than CAIP-10 allows or has other characters.
func (a Address) CAIP10() (string, bool) {
	id, text := a.Chain().CAIP2(), a.Display()
	if prefix, body, ok := strings.Cut(text, ":"); ok && len(prefix) > 1 && charClass[prefix[0]]&classLower != 0 {
		text = body // "bitcoincash:" and "cfx:" would repeat the chain
		if prefix == "ronin" {
			text = "0x" + body
		}
	}
	if id == "" || text == "" || len(text) > 128 || strings.ContainsAny(text, ":_/+= ") {
		return "", false
	}
	return id + ":" + text, true
}

// Kind returns the kind of the account as far as the address reveals it. On chains like Bitcoin it
// returns "p2pk", "p2pkh", "p2sh", "p2wpkh", "p2wsh", "p2tr", "witness", "shielded" or "unified";
// on others "account", "contract", "subaddress", "integrated", "tagged", "muxed" or "name". It
// returns "" if the address does not reveal the kind, as on EVM chains, where accounts and
// contracts look alike.
func (a Address) Kind() string {
	if a.row == 0 {
		return ""
	}
	return a.codec().what
}
