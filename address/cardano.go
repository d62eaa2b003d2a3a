package address

import (
	"bytes"
	"encoding/binary"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// cardano is Shelley addresses in Bech32 (addr1, stake1), without the length limit of BIP-173, and
// Byron addresses in Base58 (Ae2…, DdzFF…), which are CBOR with a CRC-32.
//
// See CIP-19 for the bytes of Shelley addresses, CIP-5 for the human-readable
// parts, and the CDDL in CIP-19 for Byron addresses.
func cardano() codecs {
	with := func(hrp string, network byte, stake bool) codecs {
		kind := uint8(0)
		if stake {
			kind = 1
		}
		return codecs{{enc: bech32Text, prefix: hrp, kind: kind, keys: shelleyKeys,
			check: func(r *reader) fault { return checkShelley(r.payload(), stake, network) }}}
	}
	return all(with("addr", 1, false), with("stake", 1, true), codecs{{enc: base58Check{hash: noHash}, kind: 2, proven: true, check: checkByron}},
		test(with("addr_test", 0, false), with("stake_test", 0, true)))
}

// checkShelley checks the header of b, its network, and the length that its type requires.
func checkShelley(b []byte, stake bool, network byte) fault {
	if len(b) < 1+28 {
		return badLength
	}
	kind, id := b[0]>>4, b[0]&15
	switch {
	case id != network: // the header contradicts the human-readable part
		return badSyntax
	case stake != (kind == 14 || kind == 15) || kind >= 8 && !stake:
		return badSyntax
	case kind <= 3: // payment and stake credentials
		if len(b) != 1+28+28 {
			return badLength
		}
	case kind <= 5: // payment credential and pointer
		rest := b[1+28:]
		for range 3 {
			n := varintLen(rest)
			if n == 0 {
				return badSyntax
			}
			rest = rest[n:]
		}
		if len(rest) != 0 {
			return badLength
		}
	case len(b) != 1+28: // payment or stake credential
		return badLength
	}
	return fault{}
}

// varintLen returns the length of the number at the beginning of b, encoded with
// seven bits in each byte, most significant first. It returns 0 if there is not a
// number. The ledger accepts numbers of at most 32, 16 and 16 bits.
func varintLen(b []byte) int {
	for i := range min(len(b), 5) {
		if b[i] < 0x80 {
			return i + 1
		}
	}
	return 0
}

// shelleyKeys returns the payment and the stake credential. Bits 4 and 5 of the
// header tell which of them is the hash of a script.
func shelleyKeys(r *reader, b []byte) {
	kind := b[0] >> 4
	if kind >= 14 {
		r.keys.add(identity.StakeKeyHash+identity.Class(kind&1), b[1:29])
		return
	}
	r.keys.add(identity.PaymentKeyHash+identity.Class(kind&1), b[1:29])
	if kind <= 3 {
		r.keys.add(identity.StakeKeyHash+identity.Class(kind>>1), b[29:57])
	}
}

// checkByron checks the bytes of a Byron address of cardano: an array of the address, in a tagged
// byte string, and its CRC-32. The address is an array of a root of 28 bytes, a map of attributes,
// and a type: 0 for a public key, 2 for a redemption. (Type 1, for scripts, never occurred on the
// chain, and the ledger no longer reads it.) Attribute 1 holds a derivation path in a nested byte
// string. Attribute 2 holds the magic number of a test network; the main network omits it.
func checkByron(r *reader) fault {
	outer := cbor{b: r.payload()}
	outer.want(0x82, 0xd8, 24) // array of 2, tag 24: CBOR in a byte string
	payload := outer.bytes()
	sum := outer.uint(0)
	if outer.failed || len(outer.b) != 0 {
		return badSyntax
	}
	r.claimed = true
	if sum != uint64(crc32IEEE(payload)) {
		return badChecksum
	}
	test, wrong := false, false
	inner := cbor{b: payload}
	inner.want(0x83) // array of 3
	root := inner.bytes()
	attributes := inner.uint(5)
	if attributes > 16 {
		return badSyntax
	}
	last := -1
	for range attributes {
		key := inner.uint(0)
		value := cbor{b: inner.bytes()}
		wrong = wrong || key > 255 || int(key) <= last // keys are in ascending order
		last = int(key & 255)
		switch key {
		case 1:
			value.bytes()
			wrong = wrong || value.failed || len(value.b) != 0
		case 2:
			test = true
		}
	}
	kind := inner.uint(0)
	switch {
	case inner.failed || len(inner.b) != 0 || wrong || len(root) != 28 || kind != 0 && kind != 2:
		return badSyntax
	case test:
		return badNetwork
	}
	return fault{}
}

// A cbor reads the few types of CBOR (RFC 8949) in Byron addresses, in their
// shortest form. After an unexpected byte it has failed and returns zero values.
type cbor struct {
	b      []byte
	failed bool
}

func (c *cbor) want(head ...byte) {
	if c.failed || !bytes.HasPrefix(c.b, head) {
		c.failed = true
		return
	}
	c.b = c.b[len(head):]
}

// uint reads the head of an item of the given major type and returns its
// number: the value for type 0, the length for others.
func (c *cbor) uint(major byte) uint64 {
	if c.failed || len(c.b) == 0 || c.b[0]>>5 != major {
		c.failed = true
		return 0
	}
	info := c.b[0] & 31
	c.b = c.b[1:]
	if info < 24 {
		return uint64(info)
	}
	size := 1 << (info - 24)
	if info > 27 || size > len(c.b) {
		c.failed = true
		return 0
	}
	var wide [8]byte
	copy(wide[8-size:], c.b[:size])
	c.b = c.b[size:]
	v := binary.BigEndian.Uint64(wide[:])
	if shortest := [4]uint64{24, 1 << 8, 1 << 16, 1 << 32}; v < shortest[info-24] {
		c.failed = true
	}
	return v
}

func (c *cbor) bytes() []byte {
	n := c.uint(2)
	if c.failed || n > uint64(len(c.b)) {
		c.failed = true
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}
