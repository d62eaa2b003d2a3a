package export

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"golang.org/x/crypto/blake2b"
)

// The writers below are referees of [address.Key.Spellings], written apart from it.

// A writer returns the spelling of a key. Package address checks every spelling
// that a writer returns, so an encoding here can be incomplete but not wrong.
type writer func(key []byte) string

// base58Check returns the writer of Base58Check with a version in hex. The
// first four bytes of sum are the checksum.
func base58Check(alphabet *base58.Alphabet, version string, sum func([]byte) [32]byte) writer {
	v, err := hex.DecodeString(version)
	if err != nil {
		panic(err) // a constant of this package
	}
	return func(key []byte) string {
		b := append(v[:len(v):len(v)], key...)
		s := sum(b)
		return alphabet.Encode(append(b, s[:4]...))
	}
}

// bitcoinCheck returns the writer of Bitcoin's Base58Check.
func bitcoinCheck(version string) writer { return base58Check(base58.Bitcoin, version, sha256d) }

func sha256d(b []byte) [32]byte {
	sum := sha256.Sum256(b)
	return sha256.Sum256(sum[:])
}

// suffixed returns a writer that appends bytes in hex to the key.
func suffixed(w writer, suffix string) writer {
	s, err := hex.DecodeString(suffix)
	if err != nil {
		panic(err) // a constant of this package
	}
	return func(key []byte) string { return w(append(key[:len(key):len(key)], s...)) }
}

// bech32Of returns the writer of Bech32 or Bech32m with the values in front of
// the bytes and the key that follows them.
func bech32Of(hrp string, v bech32.Variant, values, front string) writer {
	return func(key []byte) string {
		return bech32.Encode(hrp, bech32.Unpack([]byte(values), append([]byte(front), key...)), v)
	}
}

// ss58 returns the writer of a Substrate address with a prefix below 64.
func ss58(prefix byte) writer {
	return func(key []byte) string {
		b := append([]byte{prefix}, key...)
		sum := blake2b.Sum512(append([]byte("SS58PRE"), b...))
		return base58.Bitcoin.Encode(append(b, sum[:2]...))
	}
}

// cashAddr returns the writer of CashAddr: the checksum covers the prefix, and
// the version byte holds the type and the length of the hash.
func cashAddr(prefix string, version byte) writer {
	return func(key []byte) string {
		const digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
		first := version
		if len(key) == 32 && prefix != "kaspa" { // the version byte of kaspa has no length
			first |= 3
		}
		values := bech32.Unpack(nil, append([]byte{first}, key...))
		var all []byte
		for i := range len(prefix) {
			all = append(all, prefix[i]&31)
		}
		all = append(append(all, 0), values...)
		sum := cashSum(append(all, make([]byte, 8)...))
		for i := range 8 {
			values = append(values, byte(sum>>(35-5*i))&31)
		}
		text := make([]byte, len(values))
		for i, v := range values {
			text[i] = digits[v]
		}
		return string(text)
	}
}

// cashSum returns the checksum of CashAddr, see its specification.
func cashSum(values []byte) uint64 {
	c := uint64(1)
	for _, v := range values {
		top := c >> 35
		c = c&0x07ffffffff<<5 ^ uint64(v)
		for i, g := range [...]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470} {
			if top>>i&1 != 0 {
				c ^= g
			}
		}
	}
	return c ^ 1
}

var noPadding = base32.StdEncoding.WithPadding(base32.NoPadding)

// stellar writes an account id, version 6 << 3.
func stellar(key []byte) string {
	b := append([]byte{6 << 3}, key...)
	return noPadding.EncodeToString(binary.LittleEndian.AppendUint16(b, crc16(b)))
}

// crc16 is the CRC-16 of XMODEM.
func crc16(b []byte) (crc uint16) {
	for _, c := range b {
		crc ^= uint16(c) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
