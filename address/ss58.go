package address

import (
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// ss58 is the Base58 of a prefix of one or two bytes for the chain, a 32-byte
// account id, and the first two bytes of a BLAKE2b hash. Normalize also reads
// the generic prefix 42.
//
// See "SS58 address format" in the Polkadot documentation, and the SS58
// registry.
func ss58(prefix uint16) codecs {
	with := func(prefix uint16) codecs {
		version := string([]byte{byte(prefix)})
		if prefix >= 0x40 { // the low byte's upper bits come first
			version = string([]byte{0x40 | byte(prefix>>2)&0x3f, byte(prefix>>8) | byte(prefix&3)<<6})
		}
		return codecs{{enc: ss58Text{}, prefix: version, size: 32, key: identity.Substrate}}
	}
	if prefix == 42 {
		return with(42)
	}
	return all(with(prefix), with(42).only(tolerated))
}

type ss58Text struct{}

func (ss58Text) read(r *reader, c *codec) fault {
	if len(r.s) < 35 || len(r.s) > 50 {
		return badLength
	}
	b, bad := r.decode58(base58.Bitcoin, 0)
	n := len(c.prefix) + 32 + 2
	switch {
	case bad.err != nil:
		return bad
	case len(b) != 1+32+2 && len(b) != 2+32+2:
		return badLength
	case !r.trusted && ss58Sum(b[:len(b)-2]) != [2]byte(b[len(b)-2:]):
		return badChecksum
	case len(b) == 1+32+2 && 0x40 <= b[0] && b[0] < 0x80: // the first byte of two
		return badLength
	case len(b) != n || !hasVersion(b, c.prefix):
		return badSyntax
	}
	r.set(b[len(c.prefix) : n-2])
	r.normal = true
	return fault{}
}

// ss58Sum returns the checksum of prefix and id.
func ss58Sum(b []byte) [2]byte {
	var buf [7 + 36]byte
	n := copy(buf[:], "SS58PRE")
	n += copy(buf[n:], b)
	sum := blake2b.Sum512(buf[:n])
	return [2]byte(sum[:])
}

func (ss58Text) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [36]byte
	b := append(append(buf[:0], c.prefix...), payload...)
	sum := ss58Sum(b)
	return base58.Bitcoin.Append(dst, append(b, sum[:]...))
}

// narrow knows the first digits that the prefix of the network leaves.
func (ss58Text) narrow(c *codec, l *look, n int) bool {
	return l.between(base58.Bitcoin, c.prefix, 32+2, n)
}

func (ss58Text) bounds(*codec) bounds { return bounds{35, 50, classBase58, "", true} }

// astar is ss58, whose accounts have an account on the EVM of the chain, unless their
// owner has claimed another one: the hash of "evm:" and the id.
//
// See pallet-unified-accounts in its repository, HashedDefaultMappings.
func astar() codecs {
	cs := ss58(5)
	for i := range cs {
		cs[i].also = func(ks *keys, r *reader, id []byte) {
			sum := blake2b.Sum256(append(append(r.tmp[:0], "evm:"...), id...))
			ks.add(identity.KeccakHash, sum[:20])
		}
	}
	return cs
}
