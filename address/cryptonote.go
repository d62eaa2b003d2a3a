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
	cs := all(twoKeys(standard, 0, 0, "account"), twoKeys(sub, 0, 1, "subaddress"), twoKeys(integrated, 8, 0, "integrated"))
	for _, tag := range tests {
		for _, size := range [...]int{keysLen, keysLen + 8} {
			cs = append(cs, codec{enc: cryptonoteText, prefix: tag, size: size, use: testers})
		}
	}
	return cs
}

// zano is cryptonote without subaddresses. The addresses of auditable wallets, and payment
// ids of other lengths than 8, are not read. The test network uses the same addresses.
//
// See CURRENCY_PUBLIC_ADDRESS_BASE58_PREFIX and CURRENCY_PUBLIC_INTEG_ADDRESS_BASE58_PREFIX
// in src/currency_core/currency_config.h of hyle-team/zano.
func zano() codecs {
	return all(twoKeys("\xc5\x01", 0, 0, "account"), twoKeys("\xf8\x6c", 8, 0, "integrated"))
}

const keysLen = 64

var cryptonoteText = base58Check{hash: keccak, alphabet: base58.CryptoNote}

// twoKeys is a tag, two keys, and more bytes that are not part of the account.
func twoKeys(tag string, more int, kind uint8, what string) codecs {
	return codecs{{enc: cryptonoteText, prefix: tag, size: keysLen + more, kind: kind, what: what,
		check: func(r *reader) fault {
			return unless(curve.IsEd25519((*[32]byte)(r.buf[:])) && curve.IsEd25519((*[32]byte)(r.buf[32:])))
		},
		core: func(r *reader) []byte { return r.payload()[:keysLen] },
		keys: func(r *reader, b []byte) {
			sum := sha256.Sum256(b)
			r.keys.add(identity.CryptoNote, sum[:])
		}}}
}
