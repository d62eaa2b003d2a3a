package address

import (
	"crypto/sha256"

	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// cryptonote is block-wise Base58 of a tag, the public spend key, the public
// view key, an 8-byte payment id in an integrated address, and the first four
// bytes of the Keccak-256 hash of the others.
//
// Both keys must be canonical encodings of points of the curve, as the node
// requires; a string with other keys belongs to no wallet even if its checksum
// matches. The payment id is not part of the account. A subaddress is a separate
// account, which cannot be linked to its main address.
//
// See src/common/base58.cpp, src/cryptonote_basic/cryptonote_basic_impl.cpp and
// src/cryptonote_config.h of Monero.
func cryptonote(standard, integrated, sub string, tests ...string) codecs {
	const keysLen = 64
	enc := base58Check{hash: keccak, alphabet: base58.CryptoNote}
	with := func(tag string, size int, kind uint8, what string) codecs {
		return codecs{{enc: enc, prefix: tag, size: size, kind: kind, what: what,
			check: func(r *reader) fault {
				return unless(curve.IsEd25519((*[32]byte)(r.buf[:])) && curve.IsEd25519((*[32]byte)(r.buf[32:])))
			},
			core: func(r *reader) []byte { return r.payload()[:keysLen] },
			keys: func(r *reader, b []byte) {
				sum := sha256.Sum256(b)
				r.keys.add(identity.CryptoNote, sum[:])
			}}}
	}
	cs := all(with(standard, keysLen, 0, "account"), with(sub, keysLen, 1, "subaddress"), with(integrated, keysLen+8, 0, "integrated"))
	for _, tag := range tests {
		for _, size := range [...]int{keysLen, keysLen + 8} {
			cs = append(cs, codec{enc: enc, prefix: tag, size: size, use: testers})
		}
	}
	return cs
}
