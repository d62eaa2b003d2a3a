package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// maxDiagnosed is how many bytes of its input an error keeps and diagnosis
// looks at. No address is longer.
const maxDiagnosed = 1024

// maxSecret is the length of the longest secret that is recognised by its
// beginning: a mnemonic of 25 words, or a Sapling extended spending key.
const maxSecret = 320

// holdsSecret reports whether a private key or a seed stands in s, of which it
// reads as much as an error would keep. r is the row of the chain that s was
// given for, or zero. It is asked only about what is not an address there, so it
// errs on the side of silence: what merely has the shape of a secret is one.
//
// Blanks, quotes and labels around the secret do not hide it, nor do a homoglyph
// or an invisible character in it.
func holdsSecret(r uint16, s string) bool {
	var buf [2 * (maxDiagnosed + maxSecret)]byte
	text := string(plain(buf[:0], s[:min(len(s), maxDiagnosed+maxSecret)]))
	if strings.ContainsAny(text, "-_ ") || len(text) >= minMarked {
		lower := strings.ToLower(text)
		for _, mark := range secretMarks {
			if strings.Contains(lower, mark) {
				return true
			}
		}
	}
	words, numbers := 0, 0
	for i := 0; i < len(text); {
		if charClass[text[i]]&classAlnum == 0 {
			i++
			continue
		}
		start := i
		var any, all uint16 = 0, ^uint16(0)
		for ; i < len(text) && charClass[text[i]]&classAlnum != 0; i++ {
			any |= charClass[text[i]]
			all &= charClass[text[i]]
		}
		token := text[start:i]
		switch {
		case any&classDigit == 0 && 3 <= len(token) && len(token) <= maxWord:
			words, numbers = words+1, 0
		case all&classDigit != 0 && len(token) <= 3:
			numbers++ // it may also number the words
		default:
			words, numbers = 0, 0
		}
		if words >= minWords || numbers >= minNumbers {
			return true
		}
		if isSecretToken(token, any, all) && (standsApart(text, start, i) || isSecretBytes(token)) {
			return true
		}
		if isSecretHex(token) && !isAccountOfNumber(text[:start]) && !hasHexAddress(r, token) {
			return true
		}
	}
	return false
}

// A mnemonic has at least twelve words (BIP-39; Monero, Algorand and TON have
// 24 or 25), none of them shorter than three letters in the word lists for
// English. A key as a list of the values of its bytes has at least 32.
const (
	minWords   = 12
	maxWord    = 12
	minNumbers = 32
)

// minMarked is the length of the shortest secret with a mark, but for those with
// separators: 32 bytes in Bech32.
const minMarked = len("suiprivkey1") + 52

// secretMarks, in lower case, stand in the spelling of secrets and nowhere else.
var secretMarks = [...]string{
	"secret-extended-key", "secret-spending-key", // zcash, pivx
	"privkey1",      // sui, iota
	"_sk1", "_xsk1", // cardano
	"pvt_k1_", "pvt_r1_", // antelope
	"ed25519-priv", "secp256k1-priv", // aptos
	"private key", // PEM
}

// standsApart reports whether the token at start to end of text is no piece of an
// address with a foreign character in it: what is next to it on either side is
// a separator or a quote, and nothing else in text is nearly as long.
func standsApart(text string, start, end int) bool {
	const separators = " \t\r\n\"'`:;,=()<>[]{}?&/."
	if start > 0 && strings.IndexByte(separators, text[start-1]) < 0 ||
		end < len(text) && strings.IndexByte(separators, text[end]) < 0 {
		return false
	}
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && charClass[text[i]]&classAlnum != 0 {
			i++
		}
		if i-from > 24 && text[from:i] != text[start:end] {
			return false
		}
	}
	return true
}

// isSecretToken reports whether token, a run of letters and digits whose bytes
// have together the classes any and in common the classes all, has the shape of
// a secret that is not written in hex.
func isSecretToken(token string, any, all uint16) bool {
	n := len(token)
	if all&classBase32 != 0 {
		return n == 56 && token[0] == 'S' // stellar, SEP-23
	}
	if all&classBase58 == 0 || any&(classUpper|classLower) != classUpper|classLower {
		return false
	}
	switch c := token[0]; {
	case n == 29 && c == 's' && (any&classDigit != 0 || isSecretBytes(token)), n == 31 && token[:3] == "sEd": // xrp family seeds
		return true
	case n == 51 && '5' <= c && c <= '8', n == 52 && ('K' <= c && c <= 'Z' || c == 'c'):
		return true // wallet import format; Sprout spending keys of zcash
	case n > 100 && n < 120 && (token[1:4] == "prv" || token[2:4] == "pv"): // BIP-32
		return true
	case 50 <= n && n <= 52 || n == 111:
		return isSecretBytes(token) // the same with other versions; BIP-32
	case n == 53 && token[:2] == "Pm": // decred
		return true
	case n == 58 && token[:2] == "6P": // BIP-38
		return true
	case n > 52 && (token[2:4] == "sk" || token[2:4] == "es"):
		switch token[:2] {
		case "ed", "sp", "p2", "BL": // tezos; es: encrypted
			return true
		}
	case 86 <= n && n <= 88: // 64 bytes: a seed and its public key, solana
		return true
	}
	return false
}

// isSecretBytes reports whether the Base58Check checksum of token is right, and
// its value one of a private key: 32 bytes after a version, or those and the
// mark of a compressed key; an extended key of BIP-32; a seed of xrp.
func isSecretBytes(token string) bool {
	var buf [base58.MaxLen]byte
	if n, _ := base58.Bitcoin.Decode(buf[:], token); n > sumLen && sha256d.verifies(buf[:n]) {
		return n == 37 && buf[0] != 0 || n == 38 && buf[0] != 0 && buf[33] == 1 || n == 82 && buf[45] == 0
	}
	n, _ := base58.Ripple.Decode(buf[:], token)
	return (n == 21 || n == 23) && token[0] == 's' && sha256d.verifies(buf[:n])
}

// isSecretHex reports whether token is 32 or 64 bytes in hex, with "0x" or
// without, or 32 bytes and the mark of a compressed key.
func isSecretHex(token string) bool {
	if hasHexPrefix(token) {
		token = token[2:]
	}
	switch len(token) {
	case 64, 128:
	case 66:
		if token[:2] == "02" || token[:2] == "03" || token[64:] != "01" {
			return false // a public key
		}
	default:
		return false
	}
	return isHex(token)
}

// isAccountOfNumber reports whether before ends with a digit and a colon, as in
// front of an address of TON: the workchain.
func isAccountOfNumber(before string) bool {
	n := len(before)
	return n >= 2 && before[n-1] == ':' && charClass[before[n-2]]&classDigit != 0
}

// hasHexAddress reports whether the chain of row r has addresses in the form of
// token, a number in hex, though not this one: in another letter case, or with
// another checksum.
func hasHexAddress(r uint16, token string) bool {
	if r == 0 {
		return false
	}
	_, _, bad := chains[r-1].format.parse(strings.ToLower(token), true)
	return bad.err == nil || bad.err == ErrChecksum
}

// wrongLength is the fault of a string that is not as long as any address of a
// chain that has none of 64 hex digits.
func wrongLength(s string) fault {
	if isHexKey(s) {
		return isSecret
	}
	return badLength
}

// hasAnyPrefix reports whether s begins with one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// plain appends s to dst as ASCII: without what is invisible, in half width, and
// with an A, which is a digit in all alphabets of keys, for every other letter.
// A letter that is a word of its own becomes three.
func plain(dst []byte, s string) []byte {
	for _, c := range s {
		switch {
		case len(dst)+3 > cap(dst):
			return dst
		case c < utf8.RuneSelf:
			if c != 0 {
				dst = append(dst, byte(c))
			}
		case 0xff01 <= c && c <= 0xff5e: // full width
			dst = append(dst, byte(c-0xff01+'!'))
		case unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Mn, c): // invisible, or an accent
		case unicode.Is(unicode.Ideographic, c):
			dst = append(dst, "AAA"...)
		case unicode.IsLetter(c) || c == utf8.RuneError:
			dst = append(dst, 'A')
		default:
			dst = append(dst, ' ')
		}
	}
	return dst
}

// The classes of characters, as sets of bits in charClass.
const (
	classUpper   uint16 = 1 << iota // A-Z
	classLower                      // a-z
	classDigit                      // 0-9
	classBase58                     // the digits of all Base58 alphabets
	classBase32                     // A-Z and 2-7
	classBech32                     // the digits of Bech32, in either case
	classHex                        // 0-9, a-f, A-F
	classAddress                    // what stands in addresses of any chain
	classAlnum   = classUpper | classLower | classDigit
)

// charClass has the classes of each byte.
var charClass = func() (t [256]uint16) {
	for class, members := range map[uint16]string{
		classUpper:   "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		classLower:   "abcdefghijklmnopqrstuvwxyz",
		classDigit:   "0123456789",
		classBase58:  "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
		classBase32:  "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		classBech32:  "qpzry9x8gf2tvdw0s3jn54khce6mua7lQPZRYXGFTVDWSJNKHCEMUAL",
		classHex:     "0123456789abcdefABCDEF",
		classAddress: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.:/+=",
	} {
		for i := range len(members) {
			t[members[i]] |= class
		}
	}
	return t
}()
