package address

import (
	"crypto/sha256"
	"encoding/hex"
)

// A Key is the identity of an account, or of what controls it, in a comparable
// form of fixed size: a class and at most 32 bytes. [Address.Account] and
// [Address.Key] return one. Keys of different classes are different even if
// their bytes are equal: the same 20 bytes are one key as the hash of an
// Ethereum key, and another as the hash160 of a Bitcoin key.
//
// The zero Key identifies nothing.
type Key struct {
	class Class
	n     uint8
	data  [32]byte
}

// A Class says how the bytes of a [Key] were made. Equal classes and equal
// bytes mean the same key, or the same script.
type Class uint16

// The classes of what [Address.Key] returns. [Address.Account] returns classes
// of its own, which are not listed and may change between versions of this
// package.
const (
	Hash160        Class = 1 + iota // ripemd160(sha256(compressed secp256k1 key)): Bitcoin and most of its kin, Cosmos, XRP, …
	KeccakHash                      // last 20 bytes of keccak256(secp256k1 key): every EVM chain, tron, injective, …
	Ed25519                         // an ed25519 public key: solana, stellar, algorand, …
	Substrate                       // a 32-byte account id of any Substrate chain
	ScriptHash                      // hash of a script, 20 or 32 bytes: P2SH and P2SH32
	WitnessScript                   // SHA-256 of a witness script: P2WSH
	Blake160                        // ripemd160(blake256(key)): decred
	Ed25519Blake2b                  // an ed25519 public key used with BLAKE2b: nano
	CryptoNote                      // SHA-256 of a spend key and a view key: monero, oxen
	PaymentKeyHash                  // a Cardano payment key hash, 28 bytes
	PaymentScript                   // a Cardano payment script hash, 28 bytes
	StakeKeyHash                    // a Cardano stake key hash, 28 bytes
	StakeScript                     // a Cardano stake script hash, 28 bytes
	Sapling                         // SHA-256 of a Sapling receiver: zcash, pivx
	Orchard                         // SHA-256 of an Orchard receiver: zcash
	Blake2b160                      // blake2b-160(key): handshake
	Secp256k1                       // the x coordinate of a secp256k1 public key: ergo, fio, kaspa; a secret fits both keys that have it
	LedgerAccount                   // an Internet Computer account identifier
	lastClass
)

var classNames = [lastClass]string{
	Hash160: "h160", KeccakHash: "h20", Ed25519: "ed25519", Substrate: "ss58",
	ScriptHash: "script", WitnessScript: "wsh", Blake160: "b160", Ed25519Blake2b: "ed25519-blake2b",
	CryptoNote: "cn", PaymentKeyHash: "cardano-payment", PaymentScript: "cardano-payment-script",
	StakeKeyHash: "cardano-stake", StakeScript: "cardano-stake-script", Sapling: "sapling",
	Orchard: "orchard", Blake2b160: "hs", Secp256k1: "secp256k1", LedgerAccount: "icpacc",
}

// String returns the short name of the class, such as "h160".
func (c Class) String() string {
	if c > 0 && c < lastClass {
		return classNames[c]
	}
	if c&accountClass != 0 {
		return "account"
	}
	return "none"
}

// accountClass marks the classes of [Address.Account]: the row of the chain and
// the kind of account follow in the lower bits.
const accountClass Class = 1 << 15

// Class returns how the bytes of k were made.
func (k Key) Class() Class { return k.class }

// AppendBytes appends the bytes of k, at most 32, to b.
func (k Key) AppendBytes(b []byte) []byte { return append(b, k.data[:k.n]...) }

// IsZero reports whether k identifies nothing.
func (k Key) IsZero() bool { return k == Key{} }

// String returns the class, a colon and the bytes in hex: "h160:751e…".
func (k Key) String() string {
	return k.class.String() + ":" + hex.EncodeToString(k.data[:k.n])
}

// makeKey returns the Key of class c with the bytes of b, at most 32.
func makeKey[B string | []byte](c Class, b B) Key {
	k := Key{class: c, n: uint8(len(b))}
	copy(k.data[:], b)
	return k
}

// hashedKey returns the Key of class c with the SHA-256 of b.
func hashedKey(c Class, b []byte) Key {
	return Key{c, sha256.Size, sha256.Sum256(b)}
}

// Account returns the identity of the account of a: two Addresses have equal
// Accounts exactly when their [Address.Canonical] forms are equal. It is made
// for indexes: it is of fixed size and costs no allocation. It is the zero Key
// for the zero Address.
func (a Address) Account() Key {
	if a.row == 0 {
		return Key{}
	}
	c := &chains[a.row-1]
	k := c.format.account(a.text, a.form)
	k.class = accountClass | Class(canonicalRow(a.row, c)-1)<<5 | k.class
	return k
}

// Key returns what controls the account of a, the public key or its hash, where
// the address shows it; comparable across chains and encodings. It reports
// false where the address does not show it, or for the zero Address. Of an
// address with several keys it is the first of [Address.AppendKeys].
func (a Address) Key() (Key, bool) {
	if a.row == 0 {
		return Key{}, false
	}
	ks := chains[a.row-1].format.keys(a.text, a.form)
	return ks[0], !ks[0].IsZero()
}

// AppendKeys appends all that controls the account of a to dst: nothing for
// most kinds of hashes, one Key for most addresses, several where an address
// names several, as a Cardano base address (payment and stake credential) or a
// Zcash unified address (one for each receiver) does.
func (a Address) AppendKeys(dst []Key) []Key {
	if a.row == 0 {
		return dst
	}
	ks := chains[a.row-1].format.keys(a.text, a.form)
	for _, k := range ks {
		if k.IsZero() {
			break
		}
		dst = append(dst, k)
	}
	return dst
}

// WrappedWitness returns the Key of the P2SH address that wraps the P2WPKH or
// P2WSH output of k: the "3…" account that the key or the script behind k also
// controls. It reports false for a k of another class. The way back, from the
// "3…" address to what it wraps, does not exist.
//
// See BIP-141, "P2WPKH nested in BIP16 P2SH".
func (k Key) WrappedWitness() (Key, bool) {
	if k.class != Hash160 && k.class != WitnessScript {
		return Key{}, false
	}
	script := append([]byte{0, k.n}, k.data[:k.n]...)
	return makeKey(ScriptHash, hash160(script)), true
}
