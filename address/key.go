package address

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// A Key is the identity of an account, or of what controls it, in a comparable
// form of fixed size: a class and at most 32 bytes. [Address.Account] and
// [Address.Key] return one. Keys of different classes are different even if
// their bytes are equal: the same 20 bytes are one key as the hash of an
// Ethereum key, and another as the hash160 of a Bitcoin key.
//
// The zero Key identifies nothing.
type Key struct {
	words words
	tag   tag
}

// words are the bytes of a Key, little-endian, filled up with zeros. Go keeps a
// struct of four words in registers, and one of five, such as a Key, in memory,
// where it is copied in pieces that wait for each other: some nanoseconds for
// each copy. So the formats return words and tag, two values, and a Key is made
// of them at the end.
type words struct{ w0, w1, w2, w3 uint64 }

// A tag is the class of a Key and, from bit 16 on, the number of its bytes. It
// is zero in the zero Key only.
type tag uint64

func makeTag(c Class, n int) tag { return tag(n)<<16 | tag(c) }

// len returns the number of the bytes.
func (t tag) len() int { return int(t >> 16) }

// newKey returns the Key that a format returns as two values.
func newKey(w words, t tag) Key { return Key{w, t} }

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
func (k Key) Class() Class { return Class(k.tag) }

// bytes returns the bytes, filled up with zeros.
func (w words) bytes() (b [32]byte) {
	binary.LittleEndian.PutUint64(b[0:], w.w0)
	binary.LittleEndian.PutUint64(b[8:], w.w1)
	binary.LittleEndian.PutUint64(b[16:], w.w2)
	binary.LittleEndian.PutUint64(b[24:], w.w3)
	return b
}

// AppendBytes appends the bytes of k, at most 32, to b.
func (k Key) AppendBytes(b []byte) []byte {
	bytes := k.words.bytes()
	return append(b, bytes[:k.tag.len()]...)
}

// Words returns the bytes of k as words, little-endian and filled up with
// zeros, and their number: what an index needs, without a way through memory.
// Keys are equal exactly if their words, numbers and classes are.
func (k Key) Words() (w0, w1, w2, w3 uint64, n int) {
	return k.words.w0, k.words.w1, k.words.w2, k.words.w3, k.tag.len()
}

// IsZero reports whether k identifies nothing.
func (k Key) IsZero() bool { return k.tag == 0 }

// String returns the class, a colon and the bytes in hex: "h160:751e…".
func (k Key) String() string {
	b := k.words.bytes()
	return k.Class().String() + ":" + hex.EncodeToString(b[:k.tag.len()])
}

// makeKey returns the Key of class c with the bytes of b, at most 32.
func makeKey(c Class, b []byte) (words, tag) {
	switch len(b) {
	case 20:
		return key20(c, (*[20]byte)(b))
	case 32:
		return key32(c, (*[32]byte)(b))
	}
	var padded [32]byte
	return paddedKey(c, &padded, copy(padded[:], b))
}

// textKey is makeKey for the bytes of a string.
func textKey(c Class, s string) (words, tag) {
	var padded [32]byte
	return paddedKey(c, &padded, copy(padded[:], s))
}

// paddedKey returns the Key of class c with the first n bytes of b. The others
// are zero.
func paddedKey(c Class, b *[32]byte, n int) (words, tag) {
	w, _ := key32(c, b)
	return w, makeTag(c, n)
}

// key20 returns the Key of class c with the bytes of b.
func key20(c Class, b *[20]byte) (words, tag) {
	w0, w1 := binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:])
	return words{w0, w1, uint64(binary.LittleEndian.Uint32(b[16:])), 0}, makeTag(c, 20)
}

// key32 returns the Key of class c with the bytes of b.
func key32(c Class, b *[32]byte) (words, tag) {
	w0, w1 := binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:])
	w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	return words{w0, w1, w2, w3}, makeTag(c, 32)
}

// hexKey returns the Key of class c with the 32 bytes in 64 valid hex digits.
func hexKey(c Class, digits string) (words, tag) {
	_ = digits[63]
	return words{
		unhex8(load8(digits, 0)) | unhex8(load8(digits, 8))<<32,
		unhex8(load8(digits, 16)) | unhex8(load8(digits, 24))<<32,
		unhex8(load8(digits, 32)) | unhex8(load8(digits, 40))<<32,
		unhex8(load8(digits, 48)) | unhex8(load8(digits, 56))<<32,
	}, makeTag(c, 32)
}

// idKey returns the Key of an account that is numbered.
func idKey(c Class, id uint64) (words, tag) {
	return words{w0: bits.ReverseBytes64(id)}, makeTag(c, 8)
}

// hashedKey returns the Key of class c with the SHA-256 of b.
func hashedKey(c Class, b []byte) (words, tag) {
	sum := sha256.Sum256(b)
	return key32(c, &sum)
}

// Account returns the identity of the account of a: two Addresses have equal
// Accounts exactly when their [Address.Canonical] forms are equal. It is made
// for indexes: it is of fixed size and costs no allocation. It is the zero Key
// for the zero Address.
func (a Address) Account() Key { return newKey(a.account()) }

func (a Address) account() (words, tag) {
	if a.row == 0 {
		return words{}, 0
	}
	class := accountClasses[a.row-1]
	if class == ethereumAccount && a.form == formEVM { // most questions, spared the call
		return evmKey(class|evmKind, a.text[2:])
	}
	w, t := chains[a.row-1].format.account(a.text, a.form)
	return w, t | tag(class)
}

// ethereumAccount is the class of the accounts of all EVM chains. Their formats
// have formEVM for nothing but "0x" and 40 digits.
var ethereumAccount = accountClasses[ethereumRow-1]

// accountClasses are the classes of the accounts of the rows, to which the
// formats add the kind.
var accountClasses = func() (classes [len(chains)]Class) {
	for i := range chains {
		row := canonicalRow(uint16(i+1), &chains[i])
		classes[i] = accountClass | Class(row-1)<<5
	}
	return classes
}()

// Key returns what controls the account of a, the public key or its hash, where
// the address shows it; comparable across chains and encodings. It reports
// false where the address does not show it, or for the zero Address. Of an
// address with several keys it is the first of [Address.AppendKeys].
func (a Address) Key() (Key, bool) {
	w, t := a.key()
	return Key{w, t}, t != 0
}

func (a Address) key() (words, tag) {
	if a.row == 0 {
		return words{}, 0
	}
	if accountClasses[a.row-1] == ethereumAccount && a.form == formEVM { // as in account
		return evmKey(KeccakHash, a.text[2:])
	}
	return chains[a.row-1].format.key(a.text, a.form)
}

// AppendKeys appends all that controls the account of a to dst: nothing for
// most kinds of hashes, one Key for most addresses, several where an address
// names several, as a Cardano base address (payment and stake credential) or a
// Zcash unified address (one for each receiver) does.
func (a Address) AppendKeys(dst []Key) []Key {
	if a.row == 0 {
		return dst
	}
	var ks keys
	switch format := chains[a.row-1].format.(type) {
	case cardano:
		ks = format.keys(a.text, a.form)
	case *zcash:
		ks = format.keys(a.text, a.form)
	default:
		if w, t := a.key(); t != 0 {
			dst = append(dst, Key{w, t})
		}
		return dst
	}
	for _, k := range ks {
		if k.IsZero() {
			break
		}
		dst = append(dst, k)
	}
	return dst
}

// Identity returns [Address.Account] and [Address.AppendKeys] in the form that
// costs an index the least: the class of the account, the number of its bytes,
// and the bytes as [Key.Words] returns them. On most chains, the bytes of the
// account are those of its only key; key is the class of that key then.
// Otherwise it is zero, and more reports whether there are keys that only
// AppendKeys returns. All is zero for the zero Address.
func (a Address) Identity() (account, key Class, n int, w0, w1, w2, w3 uint64, more bool) {
	if a.row == 0 {
		return 0, 0, 0, 0, 0, 0, 0, false
	}
	if class := accountClasses[a.row-1]; class == ethereumAccount && a.form == formEVM { // as in account
		digits := a.text[2:]
		_ = digits[39]
		return class | evmKind, KeccakHash, 20,
			unhex8(load8(digits, 0)) | unhex8(load8(digits, 8))<<32,
			unhex8(load8(digits, 16)) | unhex8(load8(digits, 24))<<32,
			unhex8(load8(digits, 32)), 0, false
	}
	return a.identity()
}

// identity is Identity without haste.
func (a Address) identity() (account, key Class, n int, w0, w1, w2, w3 uint64, more bool) {
	w, t := a.account()
	kw, kt := a.key()
	switch {
	case kt == 0:
	case kw != w, kt.len() != t.len(), a.hasSeveralKeys():
		more = true
	default:
		key = Class(kt)
	}
	return Class(t), key, t.len(), w.w0, w.w1, w.w2, w.w3, more
}

// hasSeveralKeys reports whether a, which is valid, can have more than one key.
func (a Address) hasSeveralKeys() bool {
	switch chains[a.row-1].format.(type) {
	case cardano:
		return a.form == formShelley
	case *zcash:
		return a.form == formUnified
	}
	return false
}

// WrappedWitness returns the Key of the P2SH address that wraps the P2WPKH or
// P2WSH output of k: the "3…" account that the key or the script behind k also
// controls. It reports false for a k of another class. The way back, from the
// "3…" address to what it wraps, does not exist.
//
// See BIP-141, "P2WPKH nested in BIP16 P2SH".
func (k Key) WrappedWitness() (Key, bool) {
	if c := k.Class(); c != Hash160 && c != WitnessScript {
		return Key{}, false
	}
	script := k.AppendBytes([]byte{0, byte(k.tag.len())})
	return newKey(makeKey(ScriptHash, hash160(script))), true
}
