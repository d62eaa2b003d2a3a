package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// parseBech32 reads s, which should be Bech32 of variant v with the human-
// readable part hrp and either of two numbers of bytes. It returns its normal
// form, lower case, and the number. An address with one of the human-readable
// parts in test, which are separated by blanks, is one of a test network.
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

// bech32Data returns the characters of s that carry its data, if s is Bech32 of
// variant v with the human-readable part hrp. It returns them with the fault if
// the checksum alone is wrong.
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

// lowerBech32 returns s, which is valid Bech32, in lower case. Its letters are
// of one case, and the first character is one.
func lowerBech32(s string) string {
	if s[0] >= 'a' {
		return s
	}
	return strings.ToLower(s)
}

// bech32Key returns the Key of class c with the bytes, at most 32, that stand in
// text, which is valid Bech32, from offset start to the checksum.
func bech32Key(c identity.Class, start int, text string) (words, tag) {
	var b [32]byte
	n := bech32.Read(b[:], text[start:len(text)-bech32.ChecksumLen])
	return paddedKey(c, &b, n)
}

// encodeBech32 returns b in Bech32.
func encodeBech32(hrp string, b []byte, v bech32.Variant) string {
	var buf [128]byte
	return bech32.Encode(hrp, bech32.Unpack(buf[:0], b), v)
}

// encodeKey returns the bytes of k in Bech32.
func encodeKey(hrp string, k Key) string {
	var buf [32]byte
	return encodeBech32(hrp, k.AppendBytes(buf[:0]), bech32.Bech32)
}

// bech32Bytes is the format of the chains whose address is nothing but Bech32
// of a certain number of bytes, and does not say what controls the account:
// chia (BIP-350 and the hash of a puzzle), oasis (a version, and the end of a
// SHA-512/256 of a key and its context).
//
// See the documents of the chains: "Bech32m addresses" and "Staking addresses".
type bech32Bytes struct {
	hrp     string
	test    string // human-readable parts of the test networks
	variant bech32.Variant
	size    int
}

func (b *bech32Bytes) parse(s string, tolerant bool) (string, form, fault) {
	text, _, bad := parseBech32(b.hrp, b.test, b.variant, b.size, b.size, s)
	return text, 0, bad
}

func (b *bech32Bytes) canonical(text string, f form) (string, form) { return text, f }

func (b *bech32Bytes) account(text string, f form) (words, tag) {
	return bech32Key(0, len(b.hrp)+1, text)
}

func (b *bech32Bytes) key(text string, f form) (words, tag) { return words{}, 0 }

func (b *bech32Bytes) proves(form) bool { return true }

// multiversx is the format of MultiversX: Bech32 of the 32 bytes of an ed25519
// public key, or of a contract, which begins with eight zeros.
//
// See "Accounts, addresses" and "Smart contract addresses" of its documents.
type multiversx struct{}

const (
	multiversxHRP      = "erd"
	multiversxContract = "\x00\x00\x00\x00\x00\x00\x00\x00"
)

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
	if first, _, _, _ := identity.Load(w); first == 0 { // eight zeros: a contract
		return words{}, 0
	}
	return w, t
}

func (multiversx) proves(form) bool { return true }

// pactus is the format of Pactus: Bech32m of a type, which is one five-bit
// value, and 20 bytes, the hash of a key. The type decides which of three kinds
// of keys is hashed, and how; no other chain hashes keys the same way.
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
	return bech32Key(class, len(pactusHRP)+2, text) // the type stands after the 1
}

func (pactus) key(text string, f form) (words, tag) { return words{}, 0 }

func (pactus) proves(form) bool { return true }
