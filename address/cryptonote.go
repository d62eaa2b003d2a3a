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
	with := func(tag string, size int, kind uint8, what string) codecs {
		return codecs{{enc: blocks58{}, prefix: tag, size: size, kind: kind, what: what,
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
			c := codec{enc: blocks58{}, prefix: tag, size: size, use: testers}
			cs = append(cs, c)
		}
	}
	return cs
}

type blocks58 struct{}

func (blocks58) read(r *reader, c *codec) fault {
	if len(r.s) < 95 || len(r.s) > 108 {
		return badLength
	}
	n, bad := base58.Bitcoin.DecodeBlocks(r.raw58[:], r.s)
	r.of58 = nil
	switch {
	case bad >= 0:
		return badChar(bad)
	case base58.BlocksLen(len(r.s)) < 0:
		return badLength
	case n < 0:
		return badSyntax
	}
	b := r.raw58[:n-sumLen]
	if !r.trusted {
		sum := keccak256(b)
		if [sumLen]byte(sum[:]) != [sumLen]byte(r.raw58[n-sumLen:]) {
			return badChecksum
		}
	}
	switch {
	case len(b) < len(c.prefix) || string(b[:len(c.prefix)]) != c.prefix:
		return fault{err: ErrSyntax, at: -1, lead: true}
	case len(b) != len(c.prefix)+c.size:
		return badLength
	}
	r.set(b[len(c.prefix):])
	r.normal = true
	return fault{}
}

func (blocks58) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [base58.MaxLen]byte
	b := append(append(buf[:0], c.prefix...), payload...)
	sum := keccak256(b)
	return append(dst, base58.Bitcoin.EncodeBlocks(append(b, sum[:sumLen]...))...)
}

func (blocks58) proves() bool { return true }

func (blocks58) bounds(*codec) bounds { return bounds{95, 108, classBase58, ""} }
