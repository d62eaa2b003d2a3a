package address

import (
	"bytes"
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
	// A number of 25 bytes has 40 digits. The first byte must be zero, and becomes the
	// version.
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

// zeroBytes returns the number of zeros at the beginning of b.
func zeroBytes(b []byte) (n int) {
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

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
