package address

import (
	"github.com/walletscreen/walletscreen/address/internal/curve"
)

// Decred writes a public key as one byte and the 32 bytes of a coordinate. The
// byte holds the signature algorithm and, in the top bit, whether the other
// coordinate is odd. Such an address is a separate account, because coins paid
// to it are locked with the key, not with its hash. See dcrd, txscript/stdaddr.
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
		return curve.IsEd25519((*[32]byte)(b[1:]))
	case decredECDSA, decredECDSA | decredOdd, decredSchnorr, decredSchnorr | decredOdd:
		return isSecp256k1X(b[1:])
	}
	return false
}

// decredKeyHash returns the hash of the key b as in the P2PKH address of the
// key.
func decredKeyHash(b []byte) []byte {
	if b[0] == decredEd25519 {
		return blake160(b[1:])
	}
	var key [33]byte
	copy(key[:], b)
	key[0] = 2 + b[0]>>7
	return blake160(key[:])
}

// isSecp256k1X reports whether x, 32 bytes, is the x coordinate of a point of
// secp256k1.
func isSecp256k1X(x []byte) bool {
	key := [33]byte{2}
	copy(key[1:], x)
	return isSecp256k1Key(key)
}

// decredVersions holds the version bytes that only decred uses.
var decredVersions = []version{
	{"\x13\x86", formPubKey},
	{"\x07\x1f", formEdwards},
	{"\x07\x01", formSchnorr},
}

// decredTest holds the version bytes of decred's test, simulation and
// regression test networks.
var decredTest = []string{
	"\x0f\x21", "\x0e\xfc", "\x28\xf7", "\x0f\x01", "\x0e\xe3",
	"\x0e\x91", "\x0e\x6c", "\x27\x6f", "\x0e\x71", "\x0e\x53",
	"\x0e\x00", "\x0d\xdb", "\x25\xe5", "\x0d\xe0", "\x0d\xc2",
}
