package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
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
	// With four more zeros in front, the digits encode whole bytes.
	var text [4 + nanoDigits]byte
	copy(text[copy(text[:], "1111"):], s[n:])
	var raw [3 + 32 + 5]byte
	bad := base32.Decode(nanoAlphabet, raw[:], text[:])
	key := raw[3 : 3+32]
	switch {
	case bad >= 0:
		return badChar(n + bad - 4)
	case raw[2] != 0:
		return badChar(n)
	case nanoSum(key) != [5]byte(raw[3+32:]):
		return badChecksum
	}
	r.set(key)
	r.normal = s[last] == '_'
	return fault{}
}

// nanoSum returns the checksum of key in the order in which addresses encode it.
func nanoSum(key []byte) (sum [5]byte) {
	f4jumble.Blake2b(sum[:], key, [16]byte{})
	sum[0], sum[1], sum[3], sum[4] = sum[4], sum[3], sum[1], sum[0]
	return sum
}

func (nanoText) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [3 + 32 + 5]byte
	sum := nanoSum(payload)
	b := append(append(buf[:3], payload...), sum[:]...)
	var text [4 + nanoDigits]byte
	return append(append(dst, c.prefix...), nanoAlphabet.Append(text[:0], b)[4:]...)
}

func (nanoText) bounds(c *codec) bounds {
	n := len(c.prefix) + nanoDigits
	return bounds{n, n, classAddress, c.prefix, true}
}
