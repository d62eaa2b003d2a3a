package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// parseBech32 parses s as Bech32 of variant v with the human-readable part hrp
// and either of two numbers of bytes. It returns the lower-case normal form and
// the number of bytes. test holds the human-readable parts of test networks,
// separated by spaces.
func parseBech32(hrp, test string, v bech32.Variant, size, other int, s string) (string, int, fault) {
	data, bad := bech32Data(hrp, test, v, s)
	n := bech32.Size(data)
	switch {
	case bad.err == ErrChecksum && n != size && n != other:
		return "", 0, badLength
	case bad.err != nil:
		return "", 0, bad
	case n < 0:
		return "", 0, badSyntax
	case n != size && n != other:
		return "", 0, badLength
	}
	return lowerBech32(s), n, fault{}
}

// bech32Data returns the characters of s that hold its data, if s is Bech32 of
// variant v with the human-readable part hrp. If only the checksum is wrong, it
// returns both the characters and a fault.
func bech32Data(hrp, test string, v bech32.Variant, s string) (string, fault) {
	got, at, f := bech32.Verify(hrp, s)
	switch {
	case f == bech32.OK && got == v:
		return s[len(hrp)+1 : len(s)-bech32.ChecksumLen], fault{}
	case f == bech32.OK, f == bech32.Checksum:
		return s[len(hrp)+1 : len(s)-bech32.ChecksumLen], badChecksum
	case f == bech32.Length:
		return "", badLength
	}
	for hrp := range strings.FieldsSeq(test) {
		if _, _, f := bech32.Verify(hrp, s); f == bech32.OK {
			return "", badNetwork
		}
	}
	return "", badChar(at)
}

// lowerBech32 returns s, which must be valid Bech32, in lower case. All letters
// of s have the same case, and the first character is a letter.
func lowerBech32(s string) string {
	if s[0] >= 'a' {
		return s
	}
	return strings.ToLower(s)
}

// bech32Key returns the Key of class c with the bytes, at most 32, encoded in
// text from offset start up to the checksum. text must be valid Bech32.
func bech32Key(c identity.Class, start int, text string) (words, tag) {
	var b [32]byte
	n := bech32.Read(b[:], text[start:len(text)-bech32.ChecksumLen])
	return paddedKey(c, &b, n)
}

// encodeBech32 encodes b in Bech32.
func encodeBech32(hrp string, b []byte, v bech32.Variant) string {
	var buf [128]byte
	return bech32.Encode(hrp, bech32.Unpack(buf[:0], b), v)
}

// encodeKey encodes the bytes of k in Bech32.
func encodeKey(hrp string, k Key) string {
	var buf [32]byte
	return encodeBech32(hrp, k.AppendBytes(buf[:0]), bech32.Bech32)
}

// bech32Bytes is the format of chains whose address is the Bech32 of a fixed
// number of bytes that do not reveal a key: chia (Bech32m of the hash of a
// puzzle) and oasis (a version and the end of the SHA-512/256 hash of a key and
// its context).
//
// See "Bech32m addresses" and "Staking addresses" in the documentation of the
// chains.
type bech32Bytes struct {
	hrp     string
	test    string // human-readable parts of the test networks
	variant bech32.Variant
	size    int
	kind    func(b [32]byte) string // returns the kind of the account, or "" if b is none; nil means that the bytes do not tell
}

func (b *bech32Bytes) parse(s string, tolerant bool) (string, form, fault) {
	text, _, bad := parseBech32(b.hrp, b.test, b.variant, b.size, b.size, s)
	if bad.err == nil && b.kind != nil && b.kindOf(text) == "" {
		return "", 0, badSyntax
	}
	return text, 0, bad
}

// kindOf returns the kind of the account in text, an address.
func (b *bech32Bytes) kindOf(text string) string {
	if b.kind == nil {
		return ""
	}
	var data [32]byte
	bech32.Read(data[:], text[len(b.hrp)+1:len(text)-bech32.ChecksumLen])
	return b.kind(data)
}

// radixKind returns the kind of an account of Radix: its first byte says that it
// was made by a transaction, or comes with a secp256k1 or an ed25519 key. Other
// entities have other human-readable parts.
//
// See entity_type.rs of radixdlt-scrypto.
func radixKind(b [32]byte) string {
	switch b[0] {
	case 0xc1, 0xd1, 0x51:
		return "account"
	}
	return ""
}

// namadaKind returns the kind of a transparent address of Namada: a number and
// 20 bytes, which are zero for the accounts of the protocol.
//
// See address/raw.rs of namada_core.
func namadaKind(b [32]byte) string {
	switch kind := b[0]; {
	case kind <= 1: // implicit, established
		return "account"
	case 11 <= kind && kind <= 13, // tokens
		kind <= 15 && [20]byte(b[1:]) == [20]byte{}:
		return "contract"
	}
	return ""
}

// midnightKind returns the kind of an unshielded address of Midnight. Shielded
// ones have another human-readable part.
func midnightKind([32]byte) string { return "account" }

func (b *bech32Bytes) canonical(text string, f form) (string, form) { return text, f }

func (b *bech32Bytes) account(text string, f form) (words, tag) {
	return bech32Key(0, len(b.hrp)+1, text)
}

func (b *bech32Bytes) key(text string, f form) (words, tag) { return words{}, 0 }

func (b *bech32Bytes) proves(form) bool { return true }

// multiversx is the format of MultiversX: the Bech32 of 32 bytes, which are an
// ed25519 public key or, if they begin with eight zeros, a contract.
//
// See "Accounts, addresses" and "Smart contract addresses" in its
// documentation.
type multiversx struct{}

const multiversxHRP = "erd"

func (multiversx) parse(s string, tolerant bool) (string, form, fault) {
	text, _, bad := parseBech32(multiversxHRP, "", bech32.Bech32, 32, 32, s)
	return text, 0, bad
}

func (multiversx) canonical(text string, f form) (string, form) { return text, f }

func (multiversx) account(text string, f form) (words, tag) {
	return bech32Key(0, len(multiversxHRP)+1, text)
}

func (multiversx) key(text string, f form) (words, tag) {
	w, t := bech32Key(identity.Ed25519, len(multiversxHRP)+1, text)
	if first, _, _, _ := identity.Load(w); first == 0 { // a contract begins with eight zeros
		return words{}, 0
	}
	return w, t
}

func (multiversx) proves(form) bool { return true }

// pactus is the format of Pactus: Bech32m of a type, one five-bit value, and 20
// bytes, the hash of a key. The type determines which of three kinds of keys is
// hashed, and how. No other chain hashes keys the same way.
//
// See crypto/address.go of its node.
type pactus struct{}

const (
	pactusHRP  = "pc"
	pactusTest = "tpc"
	// The types: validator, BLS account, Ed25519 account, secp256k1 account.
	pactusFirst, pactusLast = 1, 4
)

func (pactus) parse(s string, tolerant bool) (string, form, fault) {
	data, bad := bech32Data(pactusHRP, pactusTest, bech32.Bech32m, s)
	if bad.err != nil && bad.err != ErrChecksum {
		return "", 0, bad
	}
	switch {
	case len(data) != 1+32:
		return "", 0, badLength
	case bad.err != nil:
		return "", 0, bad
	}
	if t := bech32.Value(data[0]); t < pactusFirst || t > pactusLast {
		return "", 0, badChar(len(pactusHRP) + 1)
	}
	return lowerBech32(s), 0, fault{}
}

func (pactus) canonical(text string, f form) (string, form) { return text, f }

func (pactus) account(text string, f form) (words, tag) {
	class := identity.Class(bech32.Value(text[len(pactusHRP)+1]))
	return bech32Key(class, len(pactusHRP)+2, text) // the type follows the 1
}

func (pactus) key(text string, f form) (words, tag) { return words{}, 0 }

func (pactus) proves(form) bool { return true }
