package address

import (
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"slices"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/address/internal/crc16"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// strkey is Base32 of a version byte, the payload, and a little-endian CRC-16,
// in upper case.
//
// See SEP-23, "Strkeys".
type strkey struct{}

// stellar is an account ("G…", 56 characters); an account with an 8-byte number
// by which its owner assigns payments ("M…", 69 characters); or a contract
// ("C…"). The other kinds of strkeys are not accounts. The upper five bits of a
// version encode the first letter; zero in the others means ed25519 or SHA-256.
func stellar() codecs {
	return codecs{
		{enc: strkey{}, prefix: "\x30", size: 32, key: identity.Ed25519, what: "account"},
		{enc: strkey{}, prefix: "\x60", size: 40, key: identity.Ed25519, what: "muxed", core: func(r *reader) []byte { return r.payload()[:32] }},
		{enc: strkey{}, prefix: "\x10", size: 32, kind: 1, what: "contract"},
	}
}

func (strkey) read(r *reader, c *codec) fault {
	s := r.s
	n := 1 + c.size + 2
	letters := (8*n + 4) / 5
	switch {
	case len(s) != letters:
		return badLength
	case s[0] != 'A'+c.prefix[0]>>3:
		return badChar(0)
	}
	r.claimed = true
	var b [64]byte
	if bad := base32.Decode(base32.Upper, b[:len(s)*5/8], s); bad >= 0 {
		return badChar(bad)
	}
	switch {
	case b[0] != c.prefix[0]:
		return badChar(1)
	case crc16.XModem(b[:n-2]) != binary.LittleEndian.Uint16(b[n-2:]):
		return badChecksum
	}
	r.set(b[1 : n-2])
	r.normal = true
	return fault{}
}

func (strkey) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [64]byte
	b := append(append(buf[:0], c.prefix...), payload...)
	return base32.Upper.Append(dst, binary.LittleEndian.AppendUint16(b, crc16.XModem(b)))
}

func (strkey) proves() bool { return true }

func (strkey) bounds(c *codec) bounds {
	n := (8*(1+c.size+2) + 4) / 5
	return bounds{n, n, classBase32, string('a' + rune(c.prefix[0]>>3))}
}

// algorand is 58 upper-case characters of Base32 that encode an ed25519 public
// key and the last 4 bytes of its SHA-512/256 hash. The last character contains
// two bits that must be zero.
//
// See the Algorand documentation, "Accounts: transformation of a public key to
// an address".
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
	sumLen   int
	sum      func(b []byte) [32]byte
	groups   bool // a dash follows each six characters
	caps     capsUse
}

// A capsUse says who may write small letters where the normal form is in upper
// case.
type capsUse uint8

const (
	capsAlways capsUse = iota
	capsTolerated
	capsIgnored
)

func (e summed32) letters(c *codec) int { return (8*(len(c.prefix)+c.size+e.sumLen) + 4) / 5 }

func (e summed32) read(r *reader, c *codec) fault {
	s, n := r.s, e.letters(c)
	size := n
	if e.groups {
		size = n + (n-1)/6
	}
	if len(s) != size {
		return badLength
	}
	var text [128]byte
	small, k := false, 0
	for i := range len(s) {
		ch := s[i]
		if dash := e.groups && i%7 == 6; dash != (ch == '-') {
			return badChar(i)
		} else if dash {
			continue
		}
		if 'a' <= ch && ch <= 'z' {
			if e.caps == capsAlways || e.caps == capsTolerated && !r.tolerant {
				return badChar(i)
			}
			small = true
			ch -= 'a' - 'A'
		}
		text[k] = ch
		k++
	}
	at := func(i int) int { // the offset of a letter
		if e.groups {
			return i + i/6
		}
		return i
	}
	b := r.tmp[:72] // not on the stack, because sum is a variable
	total := len(c.prefix) + c.size + e.sumLen
	k = (n + 7) / 8 * 8 // complete a group with zero bits
	for i := n; i < k; i++ {
		text[i] = 'A'
	}
	whole := b[:k*5/8]
	if bad := base32.Decode(e.alphabet, whole, text[:k]); bad >= 0 {
		return badChar(at(min(bad, n-1)))
	}
	for _, rest := range whole[total:] {
		if rest != 0 {
			return badChar(at(n - 1))
		}
	}
	body := b[:total-e.sumLen]
	if string(body[:len(c.prefix)]) != c.prefix {
		return badChar(0)
	}
	if sum := e.sum(body); string(sum[:e.sumLen]) != string(b[total-e.sumLen:total]) {
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
	dst = e.alphabet.Append(dst[:from], b)
	if e.groups {
		for i := from + 6; i < len(dst); i += 7 {
			dst = slices.Insert(dst, i, '-')
		}
	}
	return dst
}

func (summed32) proves() bool { return true }

func (e summed32) bounds(c *codec) bounds {
	n := e.letters(c)
	if e.groups {
		n += (n - 1) / 6
	}
	return bounds{n, n, classAddress, ""}
}

// nem is 40 characters of Base32 for a byte that identifies the network, 20
// bytes, and the first 4 bytes of their Keccak-256 hash. Wallets show them in
// groups of six with dashes between, and accept any letter case. "T…" and "M…"
// are addresses of test networks.
//
// See the NEM technical reference, section 3.1, "Addresses".
func nem() codecs {
	return both32(summed32{alphabet: base32.Upper, sumLen: 4, caps: capsIgnored, sum: keccak256}, "\x68", "\x98", "\x60")
}

// symbol is 39 characters of Base32 for a byte that identifies the network, 20
// bytes, and the first 3 bytes of their SHA3-256 hash. Wallets also show groups
// of six with dashes between.
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
