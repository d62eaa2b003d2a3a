package address

import (
	"bytes"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// nano is "nano_", or formerly "xrb_", and 60 characters of Base32 in a special alphabet. They
// encode 4 zero bits, an ed25519 public key (with BLAKE2b in place of SHA-512), and the reversed
// BLAKE2b-40 hash of the key. Normalize also reads a hyphen for the underscore, as the node does.
//
// See the Nano documentation, "Account public key and address".
func nano() codecs {
	with := func(lead string) codecs { // with four more zeros in front, the digits encode whole bytes
		enc := summed32{alphabet: nanoAlphabet, lead: lead, implied: "1111", sumLen: 5, sum: func(b []byte) (sum [32]byte) {
			f4jumble.Blake2b(sum[:5], b[len(nanoZeros):], [16]byte{})
			slices.Reverse(sum[:5])
			return sum
		}}
		return codecs{{enc: enc, prefix: nanoZeros, size: 32, key: identity.Ed25519Blake2b}}
	}
	return all(with("nano_"), with("nano-").only(tolerated), with("xrb_"), with("xrb-").only(tolerated))
}

const nanoZeros = "\x00\x00\x00"

var nanoAlphabet = base32.New("13456789abcdefghijkmnopqrstuwxyz")

// nimiq is "NQ", two check digits, and 20 bytes in 32 characters of Base32 without the letters I,
// O, W and Z. The check digits are computed as in an IBAN, modulo 97. Wallets write a space after
// every fourth character. Normalize also reads spaces anywhere, as the node does.
//
// See the Nimiq documentation, "User-friendly addresses", and ISO 13616.
func nimiq() codecs {
	return codecs{{enc: iban{}, size: 20}, {enc: iban{loose: true}, size: 20, use: tolerated}, {enc: iban{groups: true}, size: 20}}
}

// iban is in one piece, in groups of four, or has spaces anywhere.
type iban struct{ groups, loose bool }

const nimiqLen = 36

var nimiqAlphabet = base32.New("0123456789ABCDEFGHJKLMNPQRSTUVXY")

func (e iban) read(r *reader, c *codec) fault {
	s := r.s
	r.normal = true
	if e.loose {
		var buf [128]byte
		if _, bad := ungroup(buf[:0], s[:min(len(s), len(buf))], 4, ' '); len(s) > len(buf) || bad < 0 || strings.IndexByte(s, ' ') < 0 {
			return badLength
		}
		s = strings.ReplaceAll(s, " ", "")
	}
	every := nimiqLen
	if e.groups {
		every = 4
	}
	if len(s) != nimiqLen+(nimiqLen-1)/every {
		return badLength
	}
	var buf [nimiqLen]byte
	text, bad := ungroup(buf[:0], s, every, ' ')
	if bad >= 0 {
		return badChar(bad)
	}
	for i, ch := range text {
		ok := nimiqAlphabet.Value(ch) != base32.None
		switch i {
		case 0, 1:
			ok = ch == "NQ"[i]
		case 2, 3:
			ok = '0' <= ch && ch <= '9'
		}
		if !ok {
			return badChar(i + i/every)
		}
	}
	r.claimed = true
	if ibanCheck(text[4:]) != uint32(text[2]-'0')*10+uint32(text[3]-'0') {
		return badChecksum
	}
	base32.Decode(nimiqAlphabet, r.buf[:20], text[4:])
	r.n = 20
	return fault{}
}

// ibanCheck returns the check digits of text. The first four characters are
// checked as if they were last. Several numbers can leave the remainder 1, such
// as 02 and 99; only 02 to 98 are valid, so that an account has one spelling.
func ibanCheck(text []byte) uint32 {
	return 98 - ibanSum(ibanSum(0, text), []byte("NQ00"))
}

// ibanSum returns the remainder modulo 97 of sum with the characters of text
// appended as decimal digits, where A is 10 and Z is 35.
func ibanSum(sum uint32, text []byte) uint32 {
	for _, c := range text {
		if c <= '9' {
			sum = sum*10 + uint32(c-'0')
		} else {
			sum = sum*100 + uint32(c-'A'+10)
		}
		sum %= 97
	}
	return sum
}

func (e iban) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [36]byte
	digits := nimiqAlphabet.Append(buf[:0], payload)
	check := ibanCheck(digits)
	from := len(dst)
	dst = append(dst, 'N', 'Q', '0'+byte(check/10), '0'+byte(check%10))
	dst = append(dst, digits...)
	if e.groups {
		dst = group(dst, from, 4, ' ')
	}
	return dst
}

func (e iban) bounds(*codec) bounds { return bounds{36, 128, 0, "nq", false} }

// stacks is "S", a character for the version, and 20 bytes followed by the first 4 bytes of
// sha256(sha256(version, bytes)), as a number in Crockford's Base32. A leading zero byte is one
// "0", as in Base58. "SP" is the hash160 of a key, "SM" the hash160 of a script; "ST" and "SN" are
// the same on test networks. Lower-case letters and the look-alikes that Crockford permits ("O" for
// zero, "I" and "L" for one) are not accepted.
//
// See SIP-005, "Blocks and transactions: address formats".
func stacks() codecs {
	with := func(version string, kind uint8, key identity.Class) codec {
		return codec{enc: c32{}, prefix: version, size: 20, kind: kind, key: key}
	}
	return all(codecs{with("SP", 0, identity.Hash160), with("SM", 1, identity.ScriptHash)}, test(codecs{with("ST", 0, 0), with("SN", 1, 0)}))
}

type c32 struct{}

var crockford = base32.New("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

func (c32) read(r *reader, c *codec) fault {
	s := r.s
	if len(s) < 2+24 || len(s) > 2+39 {
		return badLength
	}
	if s[:2] != c.prefix {
		return badLead(s, c.prefix)
	}
	r.claimed = true
	// A number of 25 bytes has 40 digits. The first byte must be zero, and becomes the version.
	var text [40]byte
	at := copy(text[:], crockfordZeros[len(s)-2:])
	copy(text[at:], s[2:])
	var raw [1 + 20 + 4]byte
	bad := base32.Decode(crockford, raw[:], text[:])
	zeros := len(s[2:]) - len(strings.TrimLeft(s[2:], "0"))
	switch {
	case bad >= 0:
		return badChar(2 + bad - at)
	case raw[0] != 0 || zeroBytes(raw[1:]) != zeros:
		return badLength
	}
	if raw[0] = crockford.Value(s[1]); !sha256d.verifies(raw[:]) {
		return badChecksum
	}
	r.set(raw[1:21])
	r.normal = true
	return fault{}
}

const crockfordZeros = "0000000000000000000000000000000000000000"

func zeroBytes(b []byte) int { return len(b) - len(bytes.TrimLeft(b, "\x00")) }

func (c32) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [1 + 20 + 4]byte
	b := append(append(buf[:0], crockford.Value(c.prefix[1])), payload...)
	sum := sha256d.sum(b)
	b = append(b, sum[:]...)
	b[0] = 0
	var text [40]byte
	digits := bytes.TrimLeft(crockford.Append(text[:0], b), "0")
	return append(append(append(dst, c.prefix...), crockfordZeros[:zeroBytes(b[1:])]...), digits...)
}

func (c32) bounds(c *codec) bounds {
	return bounds{2 + 24, 2 + 39, classBase32 | classAddress, strings.ToLower(c.prefix), true}
}
