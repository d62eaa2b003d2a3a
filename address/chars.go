package address

import (
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// plain appends an ASCII approximation of s to dst, for the recognition of secrets. It drops
// invisible characters, narrows full-width characters, and replaces other letters by A, which is a
// digit in every alphabet of keys. An ideograph, which is a word of a Chinese mnemonic, becomes a
// word of three letters; a syllable of Japanese or Korean becomes two letters.
func plain(dst []byte, s string) []byte {
	for _, c := range s {
		seen, ok := visible.Plain(c)
		switch {
		case len(dst)+4 > cap(dst):
			return dst
		case c < utf8.RuneSelf:
			if c != 0 {
				dst = append(dst, byte(c))
			}
		case ok && seen != "-":
			dst = append(dst, seen...)
		case unicode.Is(unicode.Mn, c): // an accent
		case unicode.Is(unicode.Ideographic, c):
			dst = append(dst, "AAA "...)
		case unicode.In(c, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
			dst = append(dst, "AA"...)
		case unicode.IsLetter(c) || c == utf8.RuneError:
			dst = append(dst, 'A')
		default:
			dst = append(dst, ' ')
		}
	}
	return dst
}

// The classes of characters, as bits of charClass.
const (
	classUpper   uint16 = 1 << iota // A-Z
	classLower                      // a-z
	classDigit                      // 0-9
	classBase58                     // the digits of all Base58 alphabets
	classBase32                     // A-Z and 2-7
	classBech32                     // the digits of Bech32, in either case
	classHex                        // 0-9, a-f, A-F
	classAddress                    // occurs in addresses of some chain
	classLower32                    // a-z and 2-7
	classAlnum   = classUpper | classLower | classDigit
)

var charClass = func() (t [256]uint16) {
	for class, members := range map[uint16]string{
		classUpper:   "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		classLower:   "abcdefghijklmnopqrstuvwxyz",
		classDigit:   "0123456789",
		classBase58:  "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
		classBase32:  "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		classBech32:  "qpzry9x8gf2tvdw0s3jn54khce6mua7lQPZRYXGFTVDWSJNKHCEMUAL",
		classHex:     "0123456789abcdefABCDEF",
		classLower32: "abcdefghijklmnopqrstuvwxyz234567",
		classAddress: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.:/+=",
	} {
		for i := range len(members) {
			t[members[i]] |= class
		}
	}
	return t
}()

// skip returns the offset behind the bytes of a class that begin at offset i of s.
func skip[T string | []byte](class uint16, s T, i int) int {
	for i < len(s) && charClass[s[i]]&class != 0 {
		i++
	}
	return i
}

func isOf(class uint16, s string) bool { return skip(class, s, 0) == len(s) }

// lowerASCII returns s with A to Z in lower case. Unlike strings.ToLower, it keeps the
// offset of every byte: the lower case of a Kelvin sign is shorter.
func lowerASCII(s string) string {
	for i := range len(s) {
		if charClass[s[i]]&classUpper != 0 {
			b := []byte(s)
			for ; i < len(b); i++ {
				if charClass[b[i]]&classUpper != 0 {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
