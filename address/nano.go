package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// nano is "nano_", or formerly "xrb_", and 60 characters of Base32 in a special
// alphabet. They encode 4 zero bits, an ed25519 public key (with BLAKE2b in place
// of SHA-512), and the reversed BLAKE2b-40 hash of the key. Normalize also reads
// a hyphen for the underscore, as the node does.
//
// See the Nano documentation, "Account public key and address".
func nano() codecs {
	with := func(lead string) codec {
		return codec{enc: nanoText{}, prefix: lead, size: 32, key: identity.Ed25519Blake2b}
	}
	return codecs{with("nano_"), with("xrb_")}
}

type nanoText struct{}

const nanoDigits = 60

var nanoAlphabet = base32.New("13456789abcdefghijkmnopqrstuwxyz")

func (nanoText) read(r *reader, c *codec) fault {
	s, n := r.s, len(c.prefix)
	last := n - 1
	switch {
	case !strings.HasPrefix(s, c.prefix[:last]):
		return badLead(s, c.prefix[:last])
	case len(s) != n+nanoDigits:
		return badLength
	}
	r.claimed = true
	if s[last] != '_' && !(r.tolerant && s[last] == '-') {
		return badChar(last)
	}
	// The first four digits encode four zero bits and two bytes; the others
	// encode whole bytes.
	digits := s[n:]
	var head uint32
	for i := range 4 {
		v := nanoAlphabet.Value(digits[i])
		if v == base32.None || i == 0 && v > 1 {
			return badChar(n + i)
		}
		head = head<<5 | uint32(v)
	}
	var rest [35]byte
	if bad := base32.Decode(nanoAlphabet, rest[:], digits[4:]); bad >= 0 {
		return badChar(n + 4 + bad)
	}
	var key [32]byte
	key[0], key[1] = byte(head>>8), byte(head)
	copy(key[2:], rest[:30])
	if nanoSum(key[:]) != [5]byte(rest[30:]) {
		return badChecksum
	}
	r.set(key[:])
	r.normal = s[last] == '_'
	return fault{}
}

// nanoSum returns the checksum of key in the order in which addresses encode it.
func nanoSum(key []byte) (sum [5]byte) {
	sumBlake(blakePool5, sum[:], key)
	sum[0], sum[1], sum[3], sum[4] = sum[4], sum[3], sum[1], sum[0]
	return sum
}

func (nanoText) write(dst []byte, c *codec, payload []byte) []byte {
	const digits = "13456789abcdefghijkmnopqrstuwxyz"
	dst = append(dst, c.prefix...)
	head := uint32(payload[0])<<8 | uint32(payload[1])
	for shift := 15; shift >= 0; shift -= 5 {
		dst = append(dst, digits[head>>shift&31])
	}
	var b [35]byte
	sum := nanoSum(payload)
	copy(b[copy(b[:], payload[2:]):], sum[:])
	return nanoAlphabet.Append(dst, b[:])
}

func (nanoText) proves() bool { return true }

func (nanoText) bounds(c *codec) bounds {
	n := len(c.prefix) + nanoDigits
	return bounds{n, n, classAddress, c.prefix}
}
