package export

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/decred/dcrd/crypto/blake256"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 FIO's checksum

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
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

func blake256d(b []byte) [32]byte {
	sum := blake256.Sum256(b)
	return blake256.Sum256(sum[:])
}

// suffixed returns a writer that appends bytes in hex to the key.
func suffixed(w writer, suffix string) writer {
	s, err := hex.DecodeString(suffix)
	if err != nil {
		panic(err) // a constant of this package
	}
	return func(key []byte) string { return w(append(key[:len(key):len(key)], s...)) }
}

// prefixed returns a writer that puts text before the spelling.
func prefixed(text string, w writer) writer {
	return func(key []byte) string { return text + w(key) }
}

// bech32Of returns the writer of Bech32 or Bech32m with the values in front of
// the key and the bytes in front of it.
func bech32Of(hrp string, v bech32.Variant, values, front string) writer {
	return func(key []byte) string {
		return bech32.Encode(hrp, bech32.Unpack([]byte(values), append([]byte(front), key...)), v)
	}
}

// hexOf writes the key in hex.
func hexOf(key []byte) string { return hex.EncodeToString(key) }

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

// c32Check returns the writer of Stacks with a version below 32.
func c32Check(version byte) writer {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	return func(key []byte) string {
		sum := sha256d(append([]byte{version}, key...))
		b := append(key[:len(key):len(key)], sum[:4]...)
		var text []byte // reversed
		acc, bits := uint(0), 0
		for i := len(b) - 1; i >= 0; i-- {
			acc |= uint(b[i]) << bits
			for bits += 8; bits >= 5; bits -= 5 {
				text = append(text, digits[acc&31])
				acc >>= 5
			}
		}
		text = append(text, digits[acc])
		for len(text) > 0 && text[len(text)-1] == '0' {
			text = text[:len(text)-1]
		}
		for i := 0; i < len(b) && b[i] == 0; i++ {
			text = append(text, '0')
		}
		for i, j := 0, len(text)-1; i < j; i, j = i+1, j-1 {
			text[i], text[j] = text[j], text[i]
		}
		return "S" + digits[version:version+1] + string(text)
	}
}

var noPadding = base32.StdEncoding.WithPadding(base32.NoPadding)

// algorand writes the key and the end of its SHA-512/256.
func algorand(key []byte) string {
	sum := sha512.Sum512_256(key)
	return noPadding.EncodeToString(append(key[:len(key):len(key)], sum[28:]...))
}

// stellar writes an account id, version 6 << 3.
func stellar(key []byte) string {
	b := append([]byte{6 << 3}, key...)
	return noPadding.EncodeToString(binary.LittleEndian.AppendUint16(b, crc16(b)))
}

// filecoin writes an address of protocol 4 in name space 10, that of Ethereum.
func filecoin(key []byte) string {
	h, _ := blake2b.New(4, nil) // a valid size
	h.Write([]byte{4, 10})
	h.Write(key)
	return "f410f" + strings.ToLower(noPadding.EncodeToString(h.Sum(key[:len(key):len(key)])))
}

var nanoDigits = base32.NewEncoding("13456789abcdefghijkmnopqrstuwxyz").WithPadding(base32.NoPadding)

// nano writes four zero bits and the key, then its BLAKE2b-40 backwards.
func nano(key []byte) string {
	h, _ := blake2b.New(5, nil) // a valid size
	h.Write(key)
	sum := h.Sum(nil)
	for i, j := 0, len(sum)-1; i < j; i, j = i+1, j-1 {
		sum[i], sum[j] = sum[j], sum[i]
	}
	text := nanoDigits.EncodeToString(append(make([]byte, 3), key...)) // 24 zero bits: four digits too many
	return text[4:] + nanoDigits.EncodeToString(sum)
}

// ton writes the user-friendly form of a raw address: a tag, the workchain, the
// hash and their checksum.
func ton(tag, workchain byte, hash []byte, encoding *base64.Encoding) string {
	b := append([]byte{tag, workchain}, hash...)
	return encoding.EncodeToString(binary.BigEndian.AppendUint16(b, crc16(b)))
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

// compressed returns a writer that puts the first byte of a compressed public
// key before its x coordinate.
func compressed(sign byte, w writer) writer {
	return func(key []byte) string { return w(append([]byte{sign}, key...)) }
}

// ergo writes a pay-to-public-key address.
func ergo(key []byte) string {
	b := append([]byte{1}, key...)
	sum := blake2b.Sum256(b)
	return base58.Bitcoin.Encode(append(b, sum[:4]...))
}

// fio writes a public key and the start of its RIPEMD-160.
func fio(key []byte) string {
	h := ripemd160.New()
	h.Write(key)
	return "FIO" + base58.Bitcoin.Encode(append(key[:len(key):len(key)], h.Sum(nil)[:4]...))
}

// hederaSum returns the five letters that check an account id on the main
// network, see HIP-15.
func hederaSum(id string) string {
	var even, odd, all int
	for i, c := range []byte(id) {
		d := 10 // the dot
		if c != '.' {
			d = int(c - '0')
		}
		if i%2 == 0 {
			even = (even + d) % 11
		} else {
			odd = (odd + d) % 11
		}
		all = (all*31 + d) % (26 * 26 * 26)
	}
	const letters = 26 * 26 * 26 * 26 * 26
	n := (((len(id)%5*11+even)*11+odd)*26*26*26 + all) % letters * 1000003 % letters
	var sum [5]byte
	for i := range sum {
		sum[len(sum)-1-i] = byte('a' + n%26)
		n /= 26
	}
	return string(sum[:])
}

// nervos returns the deprecated spellings of a full address, see RFC 21: with no
// hash type, and with the number of a code in the place of its hash. Most are of
// other accounts.
func nervos(text string) []string {
	_, data, ok := strings.Cut(text, "1")
	if !ok || len(data) < 6 {
		return nil
	}
	data = data[:len(data)-6]
	b := make([]byte, bech32.Size(data)+1)
	b = b[:bech32.Read(b, data)]
	if len(b) < 34 || b[0] != 0 {
		return nil
	}
	hash, args := b[1:33], b[34:]
	write := func(front []byte, back ...byte) string {
		return bech32.Encode("ckb", bech32.Unpack(nil, append(front, back...)), bech32.Bech32)
	}
	all := []string{write(append([]byte{2}, hash...), args...), write(append([]byte{4}, hash...), args...)}
	for code := range byte(3) {
		all = append(all, write([]byte{1, code}, args...))
	}
	return all
}

// scripts returns the key of the script that wraps the witness program of a key.
func scripts(k address.Key) []address.Key {
	if script, ok := k.Wrapped(); ok {
		return []address.Key{script}
	}
	return nil
}
