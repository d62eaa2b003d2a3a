package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/cashaddr"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// A cashAddr is the format of Bitcoin Cash and eCash: CashAddr, whose checksum
// covers the prefix even if it is omitted, and Bitcoin's Base58Check. The
// normal form of CashAddr is lower case and has the prefix; that of Base58 is
// the text itself. The canonical form is CashAddr without the mark that the
// owner can receive tokens.
//
// parse accepts only payloads that have a locking script: 20 bytes, and for
// P2SH on Bitcoin Cash also 32, though CashAddr permits more.
//
// See spec/cashaddr.md of bitcoincash.org, and CHIP-2022-02 "CashTokens" and
// CHIP-2022-05 "P2SH32" of Bitcoin Cash.
type cashAddr struct {
	utxo
	prefix string
	tests  string // prefixes of the test networks, separated by spaces
	tokens bool   // types 2 and 3, and P2SH of 32 bytes
}

// The forms of cashAddr in addition to those of utxo.
const (
	formCashPKH = lastUTXOForm + iota
	formCashSH
	formCashTokenPKH
	formCashTokenSH
)

// The types of CashAddr: bits 3 to 6 of the version byte, and so the value of
// the first character. Bits 0 to 2 encode the length of the hash.
const (
	cashPKH = iota
	cashSH
	cashTokenPKH
	cashTokenSH

	cashSize20 = 0
	cashSize32 = 3
)

// minPrefixless is the minimum length at which parse reads a text without a
// colon as CashAddr rather than Base58.
const minPrefixless = 36

func (c *cashAddr) parse(s string, tolerant bool) (string, form, fault) {
	bare, ok := strings.CutPrefix(s, c.prefix)
	if ok && bare != "" && bare[0] == ':' {
		f, isUpper, bad := c.parseBody(c.prefix, bare[1:])
		switch {
		case bad.err != nil:
			return "", 0, bad.after(len(c.prefix) + 1)
		case isUpper: // but the prefix is lower case
			return "", 0, badChar(len(c.prefix) + 1)
		}
		return s, f, fault{}
	}
	if i := strings.IndexByte(s, ':'); i >= 0 || len(s) >= minPrefixless {
		return c.parseSlowly(s, i)
	}
	return c.utxo.parse(s, tolerant)
}

// parseSlowly parses CashAddr that is not in normal form. Its colon is at i; i
// is negative if there is no colon.
func (c *cashAddr) parseSlowly(s string, i int) (string, form, fault) {
	f, isUpper, bad := c.parseBody(c.prefix, s[i+1:])
	if bad.err == ErrChecksum || i >= 0 {
		for test := range strings.FieldsSeq(c.tests) {
			if i >= 0 && !strings.EqualFold(s[:i], test) {
				continue
			}
			if _, _, f := cashaddr.Bitcoin.Verify(test, s[i+1:]); f == cashaddr.OK {
				return "", 0, badNetwork
			}
		}
	}
	if i >= 0 {
		prefix := c.prefix
		if s[0] < 'a' {
			prefix = strings.ToUpper(prefix)
		}
		if at := firstDifference(s[:i+1], prefix+":"); at >= 0 {
			return "", 0, badChar(at)
		}
		if bad.err == nil && !isUpper { // only the prefix is in upper case
			return "", 0, badChar(i + 1)
		}
	}
	if bad.err != nil {
		if _, _, other := c.utxo.parse(s, false); other.err == ErrSecret {
			return "", 0, badSyntax
		}
		return "", 0, bad.after(i + 1)
	}
	return c.prefix + ":" + strings.ToLower(s[i+1:]), f, fault{}
}

// parseBody parses the text after the prefix.
func (c *cashAddr) parseBody(prefix, body string) (f form, isUpper bool, bad fault) {
	const chars20, chars32 = 34, 53 // including the version byte, excluding the checksum
	n := len(body) - cashaddr.ChecksumLen
	isUpper, at, why := cashaddr.Bitcoin.Verify(prefix, body)
	switch {
	case why == cashaddr.Charset:
		return 0, false, badChar(at)
	case n != chars20 && n != chars32:
		return 0, false, badLength
	case why == cashaddr.Checksum:
		return 0, false, badChecksum
	}
	var version [1]byte
	cashaddr.Bitcoin.Read(version[:], body[:2])
	if n = cashaddr.Bitcoin.Size(body[:n]) - 1; n < 0 {
		return 0, false, badSyntax
	}
	typ, size := version[0]>>3, version[0]&7
	if typ > cashTokenSH || typ > cashSH && !c.tokens {
		return 0, false, badChar(0)
	}
	switch isSH := typ == cashSH || typ == cashTokenSH; {
	case n == 20 && size == cashSize20:
	case n == 32 && size == cashSize32 && isSH && c.tokens:
	default:
		return 0, false, badLength
	}
	return formCashPKH + form(typ), isUpper, fault{}
}

func (c *cashAddr) canonical(text string, f form) (string, form) {
	typ := byte(cashPKH)
	switch f {
	case formCashPKH, formCashSH:
		return text, f
	case formSH, formCashTokenSH:
		typ = cashSH
	}
	k := newKey(c.account(text, f))
	var b [1 + 32]byte
	b[0] = typ << 3
	if k.tag.len() == 32 {
		b[0] |= cashSize32
	}
	n := len(k.AppendBytes(b[:1]))
	return cashaddr.Bitcoin.Encode(c.prefix, b[:n]), formCashPKH + form(typ)
}

func (c *cashAddr) account(text string, f form) (words, tag) {
	switch f {
	case formCashPKH, formCashTokenPKH:
		return c.hashKey(kindPKH, text)
	case formCashSH, formCashTokenSH:
		return c.hashKey(kindSH, text)
	}
	return c.utxo.account(text, f)
}

func (c *cashAddr) key(text string, f form) (words, tag) {
	switch f {
	case formCashPKH, formCashTokenPKH:
		return c.hashKey(identity.Hash160, text)
	case formCashSH, formCashTokenSH:
		return c.hashKey(identity.ScriptHash, text)
	}
	return c.utxo.key(text, f)
}

// hashKey returns the Key of class kind with the hash in text, which must be
// CashAddr in normal form.
func (c *cashAddr) hashKey(kind identity.Class, text string) (words, tag) {
	return cashKey(kind, cashaddr.Bitcoin, text[len(c.prefix)+1:])
}

// cashKey returns the Key of class c with at most 32 bytes that follow the
// version byte of body, which must be valid.
func cashKey(c identity.Class, a *cashaddr.Alphabet, body string) (words, tag) {
	var b [1 + 33]byte
	n := a.Read(b[:], body[:len(body)-cashaddr.ChecksumLen])
	return makeKey(c, b[1:min(n, 1+32)])
}
