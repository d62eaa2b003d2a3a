package address

import (
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// stellar is an account ("G…", 56 characters); an account with an 8-byte number by which its owner
// assigns payments ("M…", 69 characters); or a contract ("C…"). The other kinds of strkeys are not
// accounts. They are Base32 of a version byte, the payload, and a little-endian CRC-16. The upper
// five bits of a version encode the first letter; zero in the others means ed25519 or SHA-256.
//
// See SEP-23, "Strkeys".
func stellar() codecs {
	return codecs{
		{enc: strkey, prefix: "\x30", size: 32, key: identity.Ed25519, what: "account"},
		{enc: strkey, prefix: "\x60", size: 40, key: identity.Ed25519, what: "muxed", core: func(r *reader) []byte { return r.payload()[:32] }},
		{enc: strkey, prefix: "\x10", size: 32, kind: 1, what: "contract"},
	}
}

var strkey = summed32{alphabet: base32.Upper, sumLen: 2, sum: func(b []byte) (sum [32]byte) {
	binary.LittleEndian.PutUint16(sum[:], crc16(b))
	return sum
}}

// algorand is 58 upper-case characters of Base32 that encode an ed25519 public key and the last 4
// bytes of its SHA-512/256 hash. The last character contains two bits that must be zero.
//
// See the Algorand documentation, "Accounts: transformation of a public key to an address".
func algorand() codecs {
	return codecs{{enc: summed32{alphabet: base32.Upper, sumLen: 4, sum: func(b []byte) (sum [32]byte) {
		full := sha512.Sum512_256(b)
		copy(sum[:], full[28:])
		return sum
	}}, size: 32, key: identity.Ed25519}}
}

// summed32 is Base32 of version bytes, the payload, and a checksum of both.
type summed32 struct {
	alphabet *base32.Alphabet
	lead     string // stands in front
	implied  string // digits behind it that are not written
	sumLen   int
	sum      func(b []byte) [32]byte
	groups   bool // a dash stands between groups of groupLen characters
	caps     capsUse
}

const groupLen = 6

// A capsUse says who may write small letters where the normal form is in upper case.
type capsUse uint8

const (
	capsAlways capsUse = iota
	capsTolerated
	capsIgnored
)

// letters returns the number of digits that are written.
func (e summed32) letters(c *codec) int {
	return (8*(len(c.prefix)+c.size+e.sumLen)+4)/5 - len(e.implied)
}

func (e summed32) read(r *reader, c *codec) fault {
	if !strings.HasPrefix(r.s, e.lead) {
		return badLead(r.s, e.lead)
	}
	s, n, at := r.s[len(e.lead):], e.letters(c), len(e.lead)
	every := n
	if e.groups {
		every = groupLen
	}
	if len(s) != n+(n-1)/every {
		return badLength
	}
	r.claimed = e.lead != ""
	var buf [128]byte
	text, bad := ungroup(append(buf[:0], e.implied...), s, every, '-')
	if bad >= 0 {
		return badChar(at + bad)
	}
	digits := text[len(e.implied):]
	small := false
	for i, ch := range digits {
		if charClass[ch]&classLower != 0 && e.alphabet.Value(ch) == base32.None {
			if e.caps == capsAlways || e.caps == capsTolerated && !r.tolerant {
				return badChar(at + i + i/every)
			}
			small = true
			digits[i] -= 'a' - 'A'
		}
	}
	if c.prefix != "" {
		if e.alphabet.Value(text[0]) != c.prefix[0]>>3 {
			return badChar(at)
		}
		r.claimed = true
	}
	b := r.tmp[:len(text)*5/8] // not on the stack, because sum is a variable
	if bad := base32.Decode(e.alphabet, b, text); bad >= 0 {
		bad -= len(e.implied)
		return badChar(at + bad + bad/every)
	}
	body, sum := b[:len(b)-e.sumLen], b[len(b)-e.sumLen:]
	if string(body[:len(c.prefix)]) != c.prefix {
		return badChar(at + max(0, 1-len(e.implied)))
	}
	if want := e.sum(body); string(want[:e.sumLen]) != string(sum) {
		return badChecksum
	}
	r.set(body[len(c.prefix):])
	r.normal = !small
	return fault{}
}

func (e summed32) write(dst []byte, c *codec, payload []byte) []byte {
	from := len(dst)
	dst = append(append(dst, c.prefix...), payload...) // on the heap already, because sum is a variable
	sum := e.sum(dst[from:])
	var buf [72]byte
	b := append(append(buf[:0], dst[from:]...), sum[:e.sumLen]...)
	var text [128]byte
	dst = append(append(dst[:from], e.lead...), e.alphabet.Append(text[:0], b)[len(e.implied):]...)
	if e.groups {
		dst = group(dst, from, groupLen, '-')
	}
	return dst
}

// ungroup appends s without the separator that stands between groups of n characters to dst. bad is
// the offset of a character where a separator should be, or of a separator elsewhere, or -1.
func ungroup(dst []byte, s string, n int, separator byte) (text []byte, bad int) {
	for i := range len(s) {
		if between := i%(n+1) == n; between != (s[i] == separator) {
			return nil, i
		} else if !between {
			dst = append(dst, s[i])
		}
	}
	return dst, -1
}

// group inserts a separator between groups of n characters of dst, from an offset on.
func group(dst []byte, from, n int, separator byte) []byte {
	for i := from + n; i < len(dst); i += n + 1 {
		dst = slices.Insert(dst, i, separator)
	}
	return dst
}

func (e summed32) bounds(c *codec) bounds {
	n := e.letters(c)
	if e.groups {
		n += (n - 1) / groupLen
	}
	lead := e.lead
	if c.prefix != "" && lead == "" {
		lead = strings.ToLower(string(e.alphabet.Append(nil, []byte(c.prefix))[:1]))
	}
	n += len(e.lead)
	return bounds{n, n, classAddress, lead, true}
}

// nem is 40 characters of Base32 for a byte that identifies the network, 20 bytes, and the first 4
// bytes of their Keccak-256 hash. Wallets show them in groups of six with dashes between, and
// accept any letter case. "T…" and "M…" are addresses of test networks.
//
// See the NEM technical reference, section 3.1, "Addresses".
func nem() codecs {
	return both32(summed32{alphabet: base32.Upper, sumLen: 4, caps: capsIgnored, sum: keccak256}, "\x68", "\x98", "\x60")
}

// symbol is 39 characters of Base32 for a byte that identifies the network, 20 bytes, and the first
// 3 bytes of their SHA3-256 hash. Wallets also show groups of six with dashes between.
//
// See "Cryptography" in the documentation of Symbol, and RawAddress in its SDKs.
func symbol() codecs {
	return both32(summed32{alphabet: base32.Upper, sumLen: 3, caps: capsTolerated, sum: func(b []byte) [32]byte { return sha3.Sum256(b) }}, "\x68", "\x98")
}

// both32 is 20 bytes in the encoding e, in one piece or in groups.
func both32(e summed32, version string, tests ...string) codecs {
	grouped := e
	grouped.groups = true
	cs := codecs{{enc: e, prefix: version, size: 20}, {enc: grouped, prefix: version, size: 20}}
	for _, version := range tests {
		cs = append(cs, codec{enc: e, prefix: version, size: 20, use: testers}, codec{enc: grouped, prefix: version, size: 20, use: testers})
	}
	return cs
}
