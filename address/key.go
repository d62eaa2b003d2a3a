package address

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// A Key identifies an account, or what controls it: [Address.Account] and
// [Address.Key] return Keys. A Key has a fixed size and is comparable. It
// consists of a class and at most 32 bytes. Keys of different classes differ
// even if their bytes are equal: the hash of an Ethereum key and the hash160 of
// a Bitcoin key are never the same Key.
//
// The zero Key identifies nothing.
type Key struct {
	words words
	tag   tag
}

// words holds the bytes of a Key. Formats return words and a tag as two values,
// which stay in registers.
type words = identity.Words

// A tag holds the class of a Key and, from bit 16 on, its number of bytes. It
// is zero only in the zero Key.
type tag uint64

func makeTag(c identity.Class, n int) tag { return tag(n)<<16 | tag(c) }

// len returns the number of bytes.
func (t tag) len() int { return int(t >> 16) }

// newKey returns the Key of the two values that a format returns.
func newKey(w words, t tag) Key { return Key{w, t} }

// class returns the class of k.
func (k Key) class() identity.Class { return identity.Class(k.tag) }

// AppendBytes appends the bytes of k, at most 32, to b and returns the result.
func (k Key) AppendBytes(b []byte) []byte {
	bytes := identity.Bytes(k.words)
	return append(b, bytes[:k.tag.len()]...)
}

// Identity returns k in the form that the indexes of this module use.
func (k Key) Identity() (identity.Words, identity.Tag) {
	return k.words, identity.MakeTag(k.class(), 0, k.tag.len(), 0)
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.tag == 0 }

// String returns the class, a colon and the bytes in hex, such as "h160:751e…".
func (k Key) String() string {
	b := identity.Bytes(k.words)
	return k.class().String() + ":" + hex.EncodeToString(b[:k.tag.len()])
}

// makeKey returns the Key of class c with the bytes b, at most 32.
func makeKey(c identity.Class, b []byte) (words, tag) {
	switch len(b) {
	case 20:
		return key20(c, (*[20]byte)(b))
	case 32:
		return key32(c, (*[32]byte)(b))
	}
	var padded [32]byte
	return paddedKey(c, &padded, copy(padded[:], b))
}

// textKey is like makeKey for the bytes of a string.
func textKey(c identity.Class, s string) (words, tag) {
	var padded [32]byte
	return paddedKey(c, &padded, copy(padded[:], s))
}

// paddedKey returns the Key of class c with the first n bytes of b. The other
// bytes of b must be zero.
func paddedKey(c identity.Class, b *[32]byte, n int) (words, tag) {
	w, _ := key32(c, b)
	return w, makeTag(c, n)
}

// key20 returns the Key of class c with the bytes b.
func key20(c identity.Class, b *[20]byte) (words, tag) {
	w0, w1 := binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:])
	return identity.MakeWords(w0, w1, uint64(binary.LittleEndian.Uint32(b[16:])), 0), makeTag(c, 20)
}

// key32 returns the Key of class c with the bytes b.
func key32(c identity.Class, b *[32]byte) (words, tag) {
	w0, w1 := binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:])
	w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	return identity.MakeWords(w0, w1, w2, w3), makeTag(c, 32)
}

// hexKey returns the Key of class c with the 32 bytes that 64 valid hex digits
// spell.
func hexKey(c identity.Class, digits string) (words, tag) {
	_ = digits[63]
	return identity.MakeWords(
		unhex8(load8(digits, 0))|unhex8(load8(digits, 8))<<32,
		unhex8(load8(digits, 16))|unhex8(load8(digits, 24))<<32,
		unhex8(load8(digits, 32))|unhex8(load8(digits, 40))<<32,
		unhex8(load8(digits, 48))|unhex8(load8(digits, 56))<<32,
	), makeTag(c, 32)
}

// idKey returns the Key of a numbered account.
func idKey(c identity.Class, id uint64) (words, tag) {
	return identity.MakeWords(bits.ReverseBytes64(id), 0, 0, 0), makeTag(c, 8)
}

// hashedKey returns the Key of class c with the SHA-256 hash of b.
func hashedKey(c identity.Class, b []byte) (words, tag) {
	sum := sha256.Sum256(b)
	return key32(c, &sum)
}

// Account returns the identity of the account of a. Two Addresses have equal
// Accounts if and only if their [Address.Canonical] forms are equal, but
// Account is cheaper: it does not allocate. For the zero Address it returns the
// zero Key.
func (a Address) Account() Key { return newKey(a.account()) }

func (a Address) account() (words, tag) {
	if a.shape.row() == 0 {
		return words{}, 0
	}
	if a.shape.packing() != unpacked {
		return a.words, a.packedAccount()
	}
	w, t := chains[a.shape.row()-1].format.account(a.text, a.shape.form())
	if t&tag(identity.AccountBit) == 0 {
		t |= tag(accountClasses[a.shape.row()-1])
	}
	return w, t
}

// ethereumAccount is the class of the accounts of all EVM chains.
var ethereumAccount = accountClasses[ethereumRow-1]

// evmTag is what [Address.Identity] returns for each "0x" and 40 hex digits.
var evmTag = identity.MakeTag(ethereumAccount|evmKind, identity.KeccakHash, 20, 0)

// accountClasses holds the class of the accounts of each row. Formats add the
// kind.
var accountClasses = func() (classes [len(chains)]identity.Class) {
	for i := range chains {
		row := uint16(i + 1)
		if _, ok := chains[i].format.(evmFamily); ok {
			row = ethereumRow
		}
		classes[i] = identity.AccountBit | identity.Class(row-1)<<5
	}
	return classes
}()

// Key returns the public key that controls the account of a, or its hash, in a
// form that is comparable across chains and encodings. It reports false if the
// address does not reveal the key, or for the zero Address. If an address has
// several keys, Key returns the first that [Address.AppendKeys] appends.
func (a Address) Key() (Key, bool) {
	w, t := a.key()
	return Key{w, t}, t != 0
}

func (a Address) key() (words, tag) {
	if a.shape.row() == 0 {
		return words{}, 0
	}
	if a.shape.packing() != unpacked {
		return a.packedKey()
	}
	return chains[a.shape.row()-1].format.key(a.text, a.shape.form())
}

// AppendKeys appends all keys that the address reveals to dst and returns the
// result. Most addresses have one key or none. A Cardano base address has two,
// the payment and the stake credential; a Zcash unified address has one for
// each receiver.
func (a Address) AppendKeys(dst []Key) []Key {
	if a.shape.row() == 0 {
		return dst
	}
	var ks keys
	switch format := chains[a.shape.row()-1].format.(type) {
	case cardano:
		ks = format.keys(a.text, a.shape.form())
	case *zcash:
		ks = format.keys(a.text, a.shape.form())
	case icp:
		ks = format.keys(a.text, a.shape.form())
	case *cosmos:
		ks = format.allKeys(a.text, a.shape.form())
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

// Identity returns [Address.Account] and [Address.Key] in the form that the
// indexes of this module use, and a as [SetSpelled] reads it.
func (a Address) Identity() (identity.Spelling, identity.Words, identity.Tag) {
	if a.shape.packing() == packHex { // fast path for the most common input
		return identity.MakeSpelling(a.text, uint64(a.shape)), a.words, evmTag
	}
	w, t := a.identity()
	return identity.MakeSpelling(a.text, uint64(a.shape)), w, t
}

// identity is Identity without the fast path for EVM chains.
func (a Address) identity() (identity.Words, identity.Tag) {
	if a.shape.row() == 0 {
		return identity.Words{}, identity.Tag{}
	}
	w, t := a.account()
	var kw words
	var kt tag
	if _, ok := chains[a.shape.row()-1].format.(hedera); ok && a.shape.form() == formHederaSecp256k1 {
		kw, kt = w, makeTag(identity.KeccakHash, t.len()) // which takes long to compute again
	} else {
		kw, kt = a.key()
	}
	key, flags := identity.Class(kt), segWitFlags[a.shape.row()-1]
	if kt != 0 && (kw != w || kt.len() != t.len() || a.hasSeveralKeys()) {
		key, flags = 0, flags|identity.MoreKeys
	}
	return w, identity.MakeTag(identity.Class(t), key, t.len(), flags)
}

// segWitFlags holds [identity.SegWit] for the rows of chains with SegWit, else
// 0.
var segWitFlags = func() (flags [len(chains)]uint64) {
	for i := range chains {
		switch f := chains[i].format.(type) {
		case *utxo:
			if f.hrp != "" {
				flags[i] = identity.SegWit
			}
		case *liquid:
			flags[i] = identity.SegWit
		}
	}
	return flags
}()

// hasSeveralKeys reports whether a, which must be valid, can have several keys.
func (a Address) hasSeveralKeys() bool {
	switch format := chains[a.shape.row()-1].format.(type) {
	case cardano:
		return a.shape.form() == formShelley
	case *zcash:
		return a.shape.form() == formUnified
	case icp:
		return a.shape.form() != formICPLedger
	case *cosmos:
		return format.keys == bothKeys && a.shape.form() == formCosmos
	}
	return false
}
