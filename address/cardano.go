package address

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// cardano is the format of Cardano: Shelley addresses in Bech32 (addr1, stake1)
// without the length limit of BIP-173, and Byron addresses in Base58 (Ae2…,
// DdzFF…), which are CBOR with a CRC-32.
//
// See CIP-19 for the bytes of Shelley addresses, CIP-5 for the human-readable
// parts, and the CDDL in CIP-19 for Byron addresses.
type cardano struct{}

const (
	formShelley form = iota
	formStake
	formByron
)

// maxShelley is the maximum number of bytes of a Shelley address: a header, and
// two hashes or one hash and three numbers.
const maxShelley = 1 + 28 + max(28, 3*maxVarint)

// maxVarint is the maximum number of bytes of a number in a pointer. The ledger
// accepts numbers of at most 32, 16 and 16 bits.
const maxVarint = 5

func (cardano) parse(s string, tolerant bool) (string, form, fault) {
	f, hrp, network := formShelley, "addr", byte(1)
	switch {
	case hasHRP(s, "addr"):
	case hasHRP(s, "stake"):
		f, hrp = formStake, "stake"
	case hasHRP(s, "addr_test"):
		hrp, network = "addr_test", 0
	case hasHRP(s, "stake_test"):
		f, hrp, network = formStake, "stake_test", 0
	default:
		return parseByron(s)
	}
	var buf [maxShelley]byte
	n, bad := decodeShelley(&buf, hrp, s)
	if bad.err != nil {
		return "", 0, bad
	}
	if bad := checkShelley(buf[:n], f, network); bad.err != nil {
		return "", 0, bad
	}
	if network == 0 {
		return "", 0, badNetwork
	}
	return strings.ToLower(s), f, fault{}
}

// decodeShelley decodes s, which begins with hrp, into buf.
func decodeShelley(buf *[maxShelley]byte, hrp, s string) (int, fault) {
	data, bad := bech32Data(hrp, "", bech32.Bech32, s)
	if bad.err != nil {
		return 0, bad
	}
	switch n := bech32.Size(data); {
	case n < 0:
		return 0, badSyntax
	case n < 1+28, n > maxShelley:
		return 0, badLength
	}
	return bech32.Read(buf[:], data), fault{}
}

// checkShelley checks the header of b, its network, and the length that its
// type requires.
func checkShelley(b []byte, f form, network byte) fault {
	kind, id := b[0]>>4, b[0]&15
	if id != network {
		return badSyntax // the header contradicts the human-readable part
	}
	if (f == formStake) != (kind == 14 || kind == 15) || kind >= 8 && f != formStake {
		return badSyntax
	}
	switch {
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
	default: // payment or stake credential
		if len(b) != 1+28 {
			return badLength
		}
	}
	return fault{}
}

// varintLen returns the length of the number at the beginning of b, encoded
// with seven bits in each byte, most significant first. It returns 0 if there
// is not a number.
func varintLen(b []byte) int {
	for i := range min(len(b), maxVarint) {
		if b[i] < 0x80 {
			return i + 1
		}
	}
	return 0
}

func (cardano) canonical(text string, f form) (string, form) { return text, f }

func (cardano) account(text string, f form) (words, tag) {
	if f == formByron {
		// Base58 has one spelling, so the text identifies the account
		// as well as its bytes.
		var buf [base58.MaxLen]byte
		return hashedKey(identity.Class(formByron), buf[:copy(buf[:], text)])
	}
	var buf [maxShelley]byte
	n, _ := decodeShelley(&buf, shelleyHRP(f), text)
	if n <= 32 {
		return makeKey(identity.Class(f), buf[:n])
	}
	return hashedKey(identity.Class(f), buf[:n])
}

func shelleyHRP(f form) string {
	if f == formStake {
		return "stake"
	}
	return "addr"
}

// keys returns the payment and the stake credential. Bits 4 and 5 of the header
// tell which of them is the hash of a script.
func (cardano) keys(text string, f form) keys {
	if f == formByron {
		return keys{}
	}
	var buf [maxShelley]byte
	decodeShelley(&buf, shelleyHRP(f), text)
	kind := buf[0] >> 4
	first := buf[1 : 1+28]
	if f == formStake {
		return keys{newKey(makeKey(identity.StakeKeyHash+identity.Class(kind&1), first))}
	}
	payment := newKey(makeKey(identity.PaymentKeyHash+identity.Class(kind&1), first))
	if kind > 3 {
		return keys{payment}
	}
	return keys{payment, newKey(makeKey(identity.StakeKeyHash+identity.Class(kind>>1), buf[1+28:1+28+28]))}
}

func (c cardano) key(text string, f form) (words, tag) {
	k := c.keys(text, f)[0]
	return k.words, k.tag
}

func (cardano) proves(form) bool { return true }

// parseByron parses s as a Byron address: the Base58 of an array of the
// address, in a tagged byte string, and its CRC-32. The address is an array of
// a root of 28 bytes, a map of attributes, and a type: 0 for a public key, 2
// for a redemption. (Type 1, for scripts, never occurred on the chain, and the
// ledger no longer reads it.) Attribute 1 holds a derivation path in a nested
// byte string. Attribute 2 holds the magic number of a test network; the main
// network omits it.
func parseByron(s string) (string, form, fault) {
	var buf [base58.MaxLen]byte
	n, at := base58.Bitcoin.Decode(buf[:], s)
	if at >= 0 {
		return "", 0, badChar(at)
	}
	if n < 0 {
		return "", 0, badLength
	}
	outer := cbor{b: buf[:n]}
	outer.want(0x82, 0xd8, 24) // array of 2, tag 24: CBOR in a byte string
	payload := outer.bytes()
	sum := outer.uint(0)
	if outer.failed || len(outer.b) != 0 {
		return "", 0, badSyntax
	}
	if sum != uint64(crc32IEEE(payload)) {
		return "", 0, badChecksum
	}
	test, wrong := false, false
	inner := cbor{b: payload}
	inner.want(0x83) // array of 3
	root := inner.bytes()
	attributes := inner.uint(5)
	if attributes > 16 {
		return "", 0, badSyntax
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
	if inner.failed || len(inner.b) != 0 || wrong || len(root) != 28 || kind != 0 && kind != 2 {
		return "", 0, badSyntax
	}
	if test {
		return "", 0, badNetwork
	}
	return s, formByron, fault{}
}

// A cbor reads the few types of CBOR (RFC 8949) in Byron addresses. After an
// unexpected byte it has failed and returns zero values. It is written by hand because it
// reads only a few types, and only in their shortest form.
type cbor struct {
	b      []byte
	failed bool
}

// want reads exactly the given bytes.
func (c *cbor) want(head ...byte) {
	if c.failed || !bytes.HasPrefix(c.b, head) {
		c.failed = true
		return
	}
	c.b = c.b[len(head):]
}

// uint reads the head of an item of the given major type and returns its
// number: the value for type 0, the length for others. It accepts only the
// shortest form.
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

// bytes reads a byte string of definite length.
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
