// Package identity is the inside of an address: what package address decodes,
// and what the indexes of this module look up. Package address returns the
// types of this package, and only packages of this module can read them.
//
// An identity is a class and at most 32 bytes, held as [Words]. A [Tag] says
// what the words identify; [Account], [Key] and [Len] read it.
package identity

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 Bitcoin's hash160 needs it
)

// A Class says how the bytes of an identity were made. Equal classes and equal
// bytes mean the same key, the same script, or the same account.
type Class uint16

// The classes of what controls an account. The classes of accounts have the bit
// [AccountBit] and may change between versions of this module.
const (
	Hash160        Class = 1 + iota // ripemd160(sha256(compressed secp256k1 key)): Bitcoin and most similar chains, Cosmos, XRP, …
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
	Principal                       // an Internet Computer principal, at most 29 bytes
	MoveAccount                     // 32 bytes derived from a key by the rule of Aptos: aptos, movement
	Taproot                         // the output key of a P2TR output
	HederaNumber                    // the number of an account of Hedera, 8 bytes
	FilecoinNumber                  // the number of an actor of Filecoin, 8 bytes
	CKBHash                         // the hash of a secp256k1 key in scripts of Nervos
	PartyKey                        // the SHA-256 fingerprint of the key of a namespace of Canton
	Classes                         // the number of classes
)

// AccountBit marks the classes of accounts.
const AccountBit Class = 1 << 15

var names = [Classes]string{
	Hash160: "h160", KeccakHash: "h20", Ed25519: "ed25519", Substrate: "ss58",
	ScriptHash: "script", WitnessScript: "wsh", Blake160: "b160", Ed25519Blake2b: "ed25519-blake2b",
	CryptoNote: "cn", PaymentKeyHash: "cardano-payment", PaymentScript: "cardano-payment-script",
	StakeKeyHash: "cardano-stake", StakeScript: "cardano-stake-script", Sapling: "sapling",
	Orchard: "orchard", Blake2b160: "hs", Secp256k1: "secp256k1", LedgerAccount: "icpacc", Principal: "icp-principal",
	MoveAccount: "aptos", Taproot: "p2tr", HederaNumber: "hedera", FilecoinNumber: "filecoin", CKBHash: "ckb160", PartyKey: "canton",
}

// String returns the short name of the class, such as "h160".
func (c Class) String() string {
	if c > 0 && c < Classes {
		return names[c]
	}
	if c&AccountBit != 0 {
		return "account"
	}
	return "none"
}

// ParseClass returns the class of a key with the given short name.
func ParseClass(name string) (Class, bool) {
	c := slices.Index(names[1:], name) + 1
	return Class(c), c > 0
}

// Words are the bytes of an identity as little-endian words, filled up with zeros. The compiler
// keeps four words in registers, and a larger struct in memory, where each copy costs some
// nanoseconds; hence Words and Tag are two values.
type Words struct{ W0, W1, W2, W3 uint64 }

// Bytes returns the bytes of w, filled up with zeros.
func Bytes(w Words) (b [32]byte) {
	binary.LittleEndian.PutUint64(b[0:], w.W0)
	binary.LittleEndian.PutUint64(b[8:], w.W1)
	binary.LittleEndian.PutUint64(b[16:], w.W2)
	binary.LittleEndian.PutUint64(b[24:], w.W3)
	return b
}

// FromBytes returns the Words whose bytes are b.
func FromBytes(b *[32]byte) Words {
	return Words{binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])}
}

// AppendHex appends "0x" and the first n bytes of w, at most 32, in lower-case hex digits to b.
func AppendHex(b []byte, w Words, n int) []byte {
	bytes := Bytes(w)
	return hex.AppendEncode(append(b, "0x"...), bytes[:n])
}

// A Tag says what [Words] identify. It holds the class of the account, the class of its only key
// where that key has the same bytes, and their number. The zero Tag identifies nothing.
type Tag struct{ bits uint64 }

// Bits of a Tag above the two classes and the length.
const (
	// MoreKeys says that the account may have keys that its Words do not hold.
	MoreKeys uint64 = 1 << (48 + iota)
	// OnlyScripts says that these keys are all of the class [ScriptHash].
	OnlyScripts
)

// MakeTag returns the Tag of n bytes that identify an account of one class, and
// a key of the other class unless that is 0. The flags are MoreKeys and OnlyScripts.
func MakeTag(account, key Class, n int, flags uint64) Tag {
	return Tag{uint64(account) | uint64(key)<<16 | uint64(n)<<32 | flags}
}

// Account returns the class of the account, or of the key if t is the Tag of a key alone.
func Account(t Tag) Class { return Class(t.bits) }

// Key returns the class of the only key of the account, or 0 if the Words are
// not its bytes, or if there are several.
func Key(t Tag) Class { return Class(t.bits >> 16) }

// Len returns the number of bytes.
func Len(t Tag) int { return int(t.bits >> 32 & 0xff) }

// HasMore reports whether the account may have keys that the Words do not hold.
func HasMore(t Tag) bool { return t.bits&MoreKeys != 0 }

// HasOnlyScripts reports whether the keys that the Words do not hold are all of
// scripts, so that they matter only where a script is listed.
func HasOnlyScripts(t Tag) bool { return t.bits&OnlyScripts != 0 }

// Wrap returns the [ScriptHash], 20 bytes, of the P2SH output that wraps the
// witness program of a key: of a [Hash160], or of a [WitnessScript]. It reports
// false for other classes. The way back does not exist.
//
// See BIP-141, "P2WPKH nested in BIP16 P2SH".
func Wrap(c Class, w Words) (Words, bool) {
	var script [2 + 32]byte // version 0, the length, the program
	n := 32
	switch c {
	case Hash160:
		n = 20
	case WitnessScript:
	default:
		return Words{}, false
	}
	script[1] = byte(n)
	program := Bytes(w)
	copy(script[2:], program[:n])
	sum := sha256.Sum256(script[:2+n])
	h := ripemd160.New()
	h.Write(sum[:])
	var hash [32]byte
	h.Sum(hash[:0])
	return FromBytes(&hash), true
}

// EVMAccount returns the [Substrate] account that holds what an Ethereum account, the 20 bytes
// of w, has on a Substrate chain whose EVM hashes addresses. The way back does not exist.
//
// See pallet-evm of Frontier, HashedAddressMapping, with BlakeTwo256.
func EVMAccount(w Words) Words {
	var text [4 + 20]byte
	address := Bytes(w)
	copy(text[copy(text[:], "evm:"):], address[:])
	sum := blake2b.Sum256(text[:])
	return FromBytes(&sum)
}
