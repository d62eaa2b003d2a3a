package address

import (
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// stacks is "S", a character for the version, and 20 bytes followed by the first
// 4 bytes of sha256(sha256(version, bytes)), as a number in Crockford's Base32. A
// leading zero byte is one "0", as in Base58. "SP" is the hash160 of a key, "SM"
// the hash160 of a script; "ST" and "SN" are the same on test networks.
// Lower-case letters and the look-alikes that Crockford permits ("O" for zero,
// "I" and "L" for one) are not accepted.
//
// See SIP-005, "Blocks and transactions: address formats".
func stacks() codecs {
	with := func(version string, kind uint8, key identity.Class) codec {
		return codec{enc: c32{}, prefix: version, size: 20, kind: kind, key: key}
	}
	return all(codecs{with("SP", 0, identity.Hash160), with("SM", 1, identity.ScriptHash)}, test(codecs{with("ST", 0, 0), with("SN", 1, 0)}))
}

type c32 struct{}

const crockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var crockford = base32.New(crockfordDigits)

func (c32) read(r *reader, c *codec) fault {
	s := r.s
	if len(s) < 2+24 || len(s) > 2+39 {
		return badLength
	}
	if s[:2] != c.prefix {
		return badLead(s, c.prefix)
	}
	r.claimed = true
	var raw [1 + 20 + 4]byte
	raw[0] = crockford.Value(s[1])
	if bad := decodeC32(raw[1:], s[2:]); bad >= 0 {
		return badChar(2 + bad)
	} else if bad < -1 {
		return badLength
	}
	if !sha256d.verifies(raw[:]) {
		return badChecksum
	}
	r.set(raw[1:21])
	r.normal = true
	return fault{}
}

// decodeC32 decodes the number s into dst. Each leading "0" of s is a leading
// zero byte. It returns -1 on success, the index of the first character that is
// not a digit, or -2 if the number does not have the length of dst.
func decodeC32(dst []byte, s string) int {
	zeros := 0
	for zeros < len(s) && s[zeros] == '0' {
		zeros++
	}
	for i := range len(s) {
		if crockford.Value(s[i]) == base32.None {
			return i
		}
	}
	var acc uint32
	bits, n := 0, len(dst)
	for i := len(s) - 1; i >= zeros; i-- {
		acc |= uint32(crockford.Value(s[i])) << bits
		if bits += 5; bits >= 8 {
			if n == 0 {
				return -2
			}
			n--
			dst[n] = byte(acc)
			acc >>= 8
			bits -= 8
		}
	}
	if acc != 0 {
		if n == 0 {
			return -2
		}
		n--
		dst[n] = byte(acc)
	}
	for n < len(dst) && dst[n] == 0 { // zero bits that complete a byte
		n++
	}
	if n != zeros {
		return -2
	}
	return -1
}

func (c32) write(dst []byte, c *codec, payload []byte) []byte {
	b := append([]byte{crockford.Value(c.prefix[1])}, payload...)
	sum := sha256d.sum(b)
	b = append(b[1:], sum[:]...)
	dst = append(dst, c.prefix...)
	zeros := 0
	for zeros < len(b) && b[zeros] == 0 {
		zeros++
		dst = append(dst, '0')
	}
	var digits []byte // least significant first
	var acc uint32
	bits := 0
	for i := len(b) - 1; i >= zeros; i-- {
		for acc, bits = acc|uint32(b[i])<<bits, bits+8; bits >= 5; bits -= 5 {
			digits = append(digits, crockfordDigits[acc&31])
			acc >>= 5
		}
	}
	if acc != 0 {
		digits = append(digits, crockfordDigits[acc])
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	slices.Reverse(digits)
	return append(dst, digits...)
}

func (c32) proves() bool { return true }

func (c32) bounds(c *codec) bounds {
	return bounds{2 + 24, 2 + 39, classBase32 | classAddress, strings.ToLower(c.prefix)}
}
