package address

import (
	"math/big"

	"filippo.io/edwards25519"
)

// Decred writes a public key as one byte, which is the signature algorithm and,
// in the top bit, whether the other coordinate is odd, and the 32 bytes of a
// coordinate. The address is an account of its own: coins paid to it are locked
// with the key, not with its hash. See dcrd, txscript/stdaddr.
const (
	decredECDSA = iota
	decredEd25519
	decredSchnorr
	decredOdd = 0x80
)

// isDecredKey reports whether b, the payload of a P2PK address, is a key.
func isDecredKey(b []byte) bool {
	switch b[0] {
	case decredEd25519:
		_, err := new(edwards25519.Point).SetBytes(b[1:])
		return err == nil
	case decredECDSA, decredECDSA | decredOdd, decredSchnorr, decredSchnorr | decredOdd:
		return isSecp256k1X(b[1:])
	}
	return false
}

// decredKeyHash returns the hash of the key b that the P2PKH address of the key
// shows.
func decredKeyHash(b []byte) []byte {
	if b[0] == decredEd25519 {
		return blake160(b[1:])
	}
	var key [33]byte
	copy(key[:], b)
	key[0] = 2 + b[0]>>7
	return blake160(key[:])
}

// secp256k1P is the order of the field of secp256k1, 2^256 - 2^32 - 977.
var secp256k1P = func() *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), 256)
	return p.Sub(p, big.NewInt(1<<32+977))
}()

// isSecp256k1X reports whether x is the first coordinate of a point: a field
// element for which x³ + 7 is a square. Unlike the rest of the package it
// allocates; addresses with a key in them are few.
func isSecp256k1X(x []byte) bool {
	n := new(big.Int).SetBytes(x)
	if n.Cmp(secp256k1P) >= 0 {
		return false
	}
	y2 := new(big.Int).Mul(n, n)
	y2.Mul(y2, n)
	y2.Add(y2, big.NewInt(7))
	return big.Jacobi(y2.Mod(y2, secp256k1P), secp256k1P) == 1
}

// decredVersions are the version bytes of decred that other chains do not have.
var decredVersions = []version{
	{"\x13\x86", formPubKey},
	{"\x07\x1f", formEdwards},
	{"\x07\x01", formSchnorr},
}

// decredTest are the version bytes of decred's test, simulation and regression
// test networks.
var decredTest = []string{
	"\x0f\x21", "\x0e\xfc", "\x28\xf7", "\x0f\x01", "\x0e\xe3",
	"\x0e\x91", "\x0e\x6c", "\x27\x6f", "\x0e\x71", "\x0e\x53",
	"\x0e\x00", "\x0d\xdb", "\x25\xe5", "\x0d\xe0", "\x0d\xc2",
}
