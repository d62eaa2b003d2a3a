package address

import (
	"crypto/sha256"
	"slices"

	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// The ed25519 key of an address must be the public key of a secret to be a key:
// the canonical encoding, by RFC 8032, of a point on the curve that is not of
// small order. This holds for about half of all byte strings.

// solana is 32 bytes in Base58. There is no checksum, so typing errors are not detected. The bytes
// are an ed25519 public key or, for accounts of programs, not a point of the curve; both can
// receive coins. Text that is provably an address of another chain, such as a Bech32 address that
// happens to be Base58 of 32 bytes, is none.
func solana() codecs {
	return codecs{{enc: base58Check{hash: noHash}, size: 32,
		open: true, bare58: true,
		keys: func(r *reader, b []byte) {
			if isEd25519Key((*[32]byte)(b)) {
				r.keys.add(identity.Ed25519, b)
			}
		}}}
}

// isEd25519Key reports whether b can be the public key of a secret.
func isEd25519Key(b *[32]byte) bool {
	y := *b
	y[31] &= 0x7f // clear the sign of x
	for i := range smallOrder {
		if y == smallOrder[i] {
			return false
		}
	}
	return curve.IsEd25519(b)
}

// smallOrder holds the y coordinates of the points of order 1, 2, 4 and 8. They
// have no secret, but the system program of Solana is one of them.
var smallOrder = [...][32]byte{
	{},  // two points of order 4
	{1}, // the neutral element
	{0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, // order 2
	{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
		0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a}, // order 8
	{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05}, // order 8
}

// xrp is Base58Check with an alphabet of its own: a classic address (r…), or an X-address (X…),
// which includes a destination tag of four bytes behind a flag. The tag is not part of the account.
// Flag 0 means no tag; other flags than 0 and 1 are not in use.
//
// See "Base58 Encodings" in the documentation of the XRP Ledger, and XLS-5d.
func xrp() codecs {
	enc := base58Check{alphabet: base58.Ripple}
	x := codec{enc: enc, prefix: "\x05\x44", size: 20 + 1 + 8, key: identity.Hash160, what: "tagged",
		check: func(r *reader) fault {
			b := r.payload()
			noTag := string(b[21:25]) == "\x00\x00\x00\x00"
			return unless(string(b[25:29]) == "\x00\x00\x00\x00" && (b[20] == 1 || b[20] == 0 && noTag))
		},
		core: func(r *reader) []byte { return r.payload()[:20] }}
	testX := x
	testX.prefix = "\x04\x93"
	return all(codecs{{enc: enc, prefix: "\x00", size: 20, key: identity.Hash160, what: "account"}, x}, test(codecs{testX}))
}

// concordium is Base58Check of the version 1 and 32 bytes. The first 29 identify the
// account; each of the 2^24 values of the others is an alias of that account. The test network uses
// the same addresses.
//
// See "Account aliases" in the documentation of Concordium.
func concordium() codecs {
	alias := codec{enc: base58Check{}, prefix: "\x01", size: 32, what: "alias", core: func(r *reader) []byte { return r.payload()[:29] }}
	first := alias
	first.what = "account"
	first.check = func(r *reader) fault { return unless(string(r.payload()[29:]) == "\x00\x00\x00") }
	return codecs{first, alias}
}

// alephium is a byte for the type and 32 bytes in Base58: the hash of a key or of a script,
// or the id of a contract. There is no checksum. The test network uses the same addresses.
// Addresses of several keys, and those without a group, are not read.
//
// See packages/web3/src/address/address.ts of alephium-web3.
func alephium() codecs {
	with := func(prefix string, kind uint8, what string) codecs {
		return codecs{{enc: base58Check{hash: noHash}, prefix: prefix, size: 32, kind: kind, what: what, open: true}}
	}
	return all(with("\x00", 0, "account"), with("\x02", 1, "script"), with("\x03", 2, "contract"))
}

// ergo is a byte for network and type, and the content: a public key (P2PK), the
// first 24 bytes of the hash of a script (P2SH), or a script (P2S). A key must be
// a point of the curve, as Ergo's node requires.
//
// A P2S address can contain the very script that a P2PK or a P2SH address represents. That is the
// same account. The script of P2SH names a variable twice: 1 in older software, 126 in newer.
// Scripts that do not fit into base58.MaxLen characters are rejected, and scripts are not parsed.
//
// See "Address" in the Ergo documentation, and ErgoAddress.scala of sigmastate-interpreter.
func ergo() codecs {
	const script, rest = "\x00\xea\x02\xd1\x93\xb4\xcb\xe4\xe3", "\x0e\x04\x00\x04\x30\x0e\x18"
	key := codec{enc: base58Check{}, size: 33, kind: 0, check: secp256k1Payload, keys: secp256k1Keys}
	hash := codec{enc: base58Check{}, size: 24, kind: 1}
	in := func(c codec, prefix, tail string) codecs {
		c.prefix = prefix
		if tail != "" {
			c.size += len(tail)
			n := c.size - len(tail)
			c.check = func(r *reader) fault { return unless(string(r.payload()[n:]) == tail) }
			c.core = func(r *reader) []byte { return r.payload()[:n] }
			c.uncore = func(core []byte) [][]byte { return [][]byte{append(slices.Clone(core), tail...)} }
		}
		return codecs{c}
	}
	return all(in(key, "\x01", ""), in(hash, "\x02", ""),
		in(key, "\x03\x00\x08\xcd", ""), in(hash, "\x03"+script+"\x01"+rest, "\xd4\x08\x01"), in(hash, "\x03"+script+"\x7e"+rest, "\xd4\x08\x7e"),
		codecs{{enc: base58Check{}, prefix: "\x03", kind: 2}},
		test(in(key, "\x11", ""), in(hash, "\x12", ""), codecs{{enc: base58Check{}, prefix: "\x13", kind: 2}})).by(blake2b256)
}

func secp256k1Payload(r *reader) fault { return unless(isSecp256k1Key([33]byte(r.payload()))) }

// secp256k1Keys returns the x coordinate of a compressed secp256k1 key. The same secret controls
// both points with an x coordinate, and some chains reveal only x.
func secp256k1Keys(r *reader, compressed []byte) {
	r.keys.add(identity.Secp256k1, compressed[1:])
}

// fio is a public key, to which FIO pays: "FIO" and the Base58 of a compressed
// secp256k1 key and a checksum. The test network uses the same addresses. A FIO
// handle, "name@domain", is not an address; only the chain can resolve it.
//
// See "FIO public key" in the FIO documentation.
func fio() codecs {
	return codecs{{enc: base58Check{lead: "FIO", hash: ripemd}, size: 33, keys: secp256k1Keys,
		check: func(r *reader) fault { return unless(r.payload()[0]|1 == 3) }}}
}

// mina is Base58Check of a version byte, two bytes for the versions of the
// encoding of a key, the x coordinate of a point of Pallas, least significant
// byte first, and the parity of y. All networks share it.
//
// See Public_key.Compressed of the node, and base58_check.
func mina() codecs {
	return codecs{{enc: base58Check{}, prefix: "\xcb\x01\x01", size: 33, check: func(r *reader) fault {
		b := r.payload()
		return unless(b[32] <= 1 && curve.IsPallasX((*[32]byte)(b)))
	}}}
}

// ss58 is the Base58 of a prefix of one or two bytes for the chain, a 32-byte account id, and the
// first two bytes of a BLAKE2b hash. Normalize also reads the generic prefix 42.
//
// See "SS58 address format" in the Polkadot documentation, and the SS58 registry.
func ss58(prefix uint16) codecs {
	with := func(prefix uint16) codecs {
		version := string([]byte{byte(prefix)})
		if prefix >= 0x40 { // the low byte's upper bits come first
			version = string([]byte{0x40 | byte(prefix>>2)&0x3f, byte(prefix>>8) | byte(prefix&3)<<6})
		}
		return codecs{{enc: base58Check{hash: substrate}, prefix: version, size: 32, key: identity.Substrate}}
	}
	if prefix == 42 {
		return with(42)
	}
	return all(with(prefix), with(42).only(tolerated))
}

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

// cryptonote is block-wise Base58 of a tag, the public spend key, the public
// view key, an 8-byte payment id in an integrated address, and the first four
// bytes of the Keccak-256 hash of the others.
//
// Both keys must be canonical encodings of points of the curve, as the node requires; a string with
// other keys belongs to no wallet even if its checksum matches. The payment id is not part of the
// account. A subaddress is a separate account, which cannot be linked to its main address.
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

// helium is the format of Helium before the chain moved to Solana in 2023:
// Base58Check of the version 0, a byte for network and key type, and 32 bytes of
// the key. Key type 0 is the x coordinate of a P-256 key; 1 is an ed25519 key.
//
// See lib/crypto of helium-crypto-rs, public_key and network.
func helium() codecs {
	key := func(version string, kind uint8, key identity.Class) codecs {
		return codecs{{enc: base58Check{}, prefix: version, size: 32, kind: kind, key: key}}
	}
	return all(key("\x00\x00", 0, 0), key("\x00\x01", 1, identity.Ed25519), test(key("\x00\x10", 0, 0), key("\x00\x11", 1, 0)))
}
