package address

import (
	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// The codecs of chains like Bitcoin. See BIP-13 (P2SH), and chainparams.cpp of
// the chain's node software for the version bytes.

// pkh is P2PKH with the given version bytes; the first are those in use.
func pkh(versions ...string) codecs {
	return codec{enc: base58Check{}, size: 20, kind: kindPKH, key: identity.Hash160, what: "p2pkh"}.with(versions...)
}

// sh is P2SH.
func sh(versions ...string) codecs {
	return codec{enc: base58Check{}, size: 20, kind: kindSH, key: identity.ScriptHash, what: "p2sh"}.with(versions...)
}

// hashed is Base58Check of a hash of 20 bytes that is an account of a kind of
// its own.
func hashed(version string, kind uint8, key identity.Class, what string) codecs {
	return codecs{{enc: base58Check{}, prefix: version, size: 20, kind: kind, key: key, what: what}}
}

// by returns cs with another hash for the checksum of Base58.
func (cs codecs) by(h checkHash) codecs {
	for i := range cs {
		if e, ok := cs[i].enc.(base58Check); ok {
			e.hash = h
			cs[i].enc = e
		}
	}
	return cs
}

// sprout is a shielded receiver of the first kind: horizen, zcash.
func sprout(version string) codecs {
	return codecs{{enc: base58Check{}, prefix: version, size: 64, kind: kindSprout, what: "shielded"}}
}

// The kinds of accounts of chains like Bitcoin.
const (
	kindPKH uint8 = iota
	kindSH
	kindSH32
	kindWPKH
	kindWSH
	kindTaproot
	kindWitness // any other witness program, with its version in front
	kindMWEB
	kindSapling
	kindSprout
	kindExchange
	kindStaking
	kindPubKey
	kindEdwards
	kindSchnorr
	kindUnified
)

// decredKeys are P2PK, and P2PKH for ed25519 and Schnorr signatures. Decred
// writes a public key as one byte and the 32 bytes of a coordinate. The byte
// holds the signature algorithm and, in the top bit, whether the other
// coordinate is odd. P2PK is a separate account, because coins paid to it are
// locked with the key, not with its hash.
//
// See dcrd, txscript/stdaddr.
func decred() codecs {
	b160 := func(cs codecs) codecs {
		for i := range cs {
			if cs[i].key == identity.Hash160 {
				cs[i].key = identity.Blake160
			}
		}
		return cs.by(blake256d)
	}
	p2pk := codec{enc: base58Check{}, size: 33, kind: kindPubKey, what: "p2pk",
		check: func(r *reader) fault { return unless(isDecredKey(r.payload())) },
		keys: func(r *reader, b []byte) {
			hash := decredKeyHash(b)
			r.keys.add(identity.Blake160, hash[:])
		}, also: func(ks *keys, r *reader, b []byte) {
			if b[0] == 1 {
				ks.add(identity.Ed25519, b[1:])
			} else {
				ks.add(identity.Secp256k1, b[1:])
			}
		}}
	return b160(all(pkh("\x07\x3f"), sh("\x07\x1a"), p2pk.with("\x13\x86"),
		hashed("\x07\x1f", kindEdwards, identity.Blake160, "p2pkh"), hashed("\x07\x01", kindSchnorr, identity.Blake160, "p2pkh"),
		test(pkh("\x0f\x21", "\x0e\xfc", "\x0f\x01", "\x0e\xe3", "\x0e\x91", "\x0e\x6c", "\x0e\x71", "\x0e\x53",
			"\x0e\x00", "\x0d\xdb", "\x0d\xe0", "\x0d\xc2"), p2pk.with("\x28\xf7", "\x27\x6f", "\x25\xe5"))))
}

// isDecredKey reports whether b is a key of decred.
func isDecredKey(b []byte) bool {
	switch b[0] {
	case 1: // ed25519
		return curve.IsEd25519((*[32]byte)(b[1:]))
	case 0, 0x80, 2, 0x82: // ECDSA, Schnorr
		key := [33]byte{2}
		copy(key[1:], b[1:])
		return isSecp256k1Key(key)
	}
	return false
}

// decredKeyHash returns the hash of the key b as in the P2PKH address of the
// key.
func decredKeyHash(b []byte) [20]byte {
	if b[0] == 1 {
		return blake160(b[1:])
	}
	key := [33]byte{}
	copy(key[:], b)
	key[0] = 2 + b[0]>>7
	return blake160(key[:])
}
