package address

import (
	"bytes"
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// maxDiagnosed is the number of bytes of its input that an error keeps and
// diagnosis reads. No address is longer.
const maxDiagnosed = 1024

// maxSecret is the length of the longest secret that is recognized by its
// beginning: a mnemonic of 25 words, or a Sapling extended spending key.
const maxSecret = 320

// The hints of errors for strings that may be secrets.
const (
	couldBeKey   = "it could be a private key or a seed"
	mistypedKey  = "it could be a mistyped private key or seed"
	couldBeHex   = "32 bytes of hex: a transaction hash, an account of aptos, sui or starknet, or a private key"
	couldBeBytes = "32 or 64 bytes in Base64: a private key, or something public"
	couldBeWords = "it could be a seed phrase, or a private key in numbers"
)

// secretIn returns the hint for the kind of secret that s may contain, or "" if
// s does not look like one. It reads as much of s as an error would keep. r is
// the row of the chain that s was given for, or zero.
//
// In doubt, secretIn reports a secret, also one with a character missing, added
// or mistyped. Text that resembles a secret may still be an address of some chain
// with a matching checksum; diagnose checks for that.
//
// White space, quotation marks, labels, line breaks, homoglyphs and invisible
// characters in and around a secret do not hide it.
func secretIn(r uint16, s string) string {
	var buf [2 * (maxDiagnosed + maxSecret)]byte
	text := string(plain(buf[:0], s[:min(len(s), maxDiagnosed+maxSecret)]))
	if hasSecretMark(text) {
		return couldBeKey
	}
	tokens := tokensOf(text)
	switch {
	case hasMnemonic(text, tokens):
		return couldBeWords
	case hasSecretHex(r, text):
		return couldBeHex
	case hasSecretToken(text, tokens):
		return couldBeKey
	case hasSecretBase64(text):
		return couldBeBytes
	case mayBeMistyped(text, tokens):
		return mistypedKey
	}
	return ""
}

// secretMarks lists text, in lower case, that occurs only in secrets.
var secretMarks = [...]struct {
	mark string
	rest int // minimum number of letters, digits and separators that follow
}{
	{"secret-extended-key", 0}, {"secret-spending-key", 0}, // zcash, pivx
	{"secret-key", 0},           // age
	{"privkey", 20},             // sui, iota
	{"privatekey", 20},          // avalanche, PEM
	{"-----begin", 40},          // PEM
	{"_sk1", 20}, {"_xsk1", 20}, // cardano
	{"sk_", 20},           // aeternity
	{"xprv", 80},          // cardano, BIP-32
	{"nsec1", 40},         // nostr
	{"pvt_", 0},           // antelope
	{"ed25519-priv", 0},   // aptos
	{"secp256k1-priv", 0}, // aptos
}

// hasSecretMark reports whether text contains a mark of a secret, ignoring
// white space and the marks of quoted lines.
func hasSecretMark(text string) bool {
	if len(text) < 8 {
		return false
	}
	var buf [2 * (maxDiagnosed + maxSecret)]byte
	lower := buf[:0]
	for _, c := range []byte(text[:min(len(text), len(buf))]) {
		if c > ' ' && c != '>' { // which marks a quoted line
			if charClass[c]&classUpper != 0 {
				c |= 0x20
			}
			lower = append(lower, c)
		}
	}
	for i := range secretMarks {
		m := &secretMarks[i]
		at := bytes.Index(lower, []byte(m.mark))
		if at < 0 {
			continue
		}
		n := 0
		for _, c := range lower[at+len(m.mark):] {
			if charClass[c]&classAddress == 0 {
				break
			}
			n++
		}
		if n >= m.rest {
			return true
		}
	}
	return false
}

// A token is a run of letters and digits.
type token struct {
	start, end int
	any, all   uint16 // the union and the intersection of the classes of its bytes
}

func tokensOf(text string) []token {
	var tokens []token
	for i := 0; i < len(text); {
		if charClass[text[i]]&classAlnum == 0 {
			i++
			continue
		}
		t := token{start: i, all: ^uint16(0)}
		for ; i < len(text) && charClass[text[i]]&classAlnum != 0; i++ {
			t.any |= charClass[text[i]]
			t.all &= charClass[text[i]]
		}
		t.end = i
		tokens = append(tokens, t)
	}
	return tokens
}

// A mnemonic has at least twelve words (BIP-39; Monero, Algorand and TON use 24
// or 25). Words in the English word lists have at least three letters. A key as
// a list of byte values has at least 32 numbers. Two words or numbers may be
// missing.
const (
	minWords   = 10
	maxWord    = 16
	minNumbers = 30
)

// hasMnemonic reports whether text contains a sequence of enough words for a
// mnemonic, or of enough numbers for the bytes of a key. Up to four other
// tokens may interrupt it, such as a broken word or a number.
func hasMnemonic(text string, tokens []token) bool {
	words, others, numbers := 0, 0, 0
	for _, t := range tokens {
		n := t.end - t.start
		switch {
		case 2 <= n && (n <= maxWord || n <= 2*maxWord && text[t.start:t.start+4] == "AAAA") && isWord(text, t):
			words, numbers = words+1, 0
		case t.all&classDigit != 0 && n <= 3:
			numbers++ // it may also number the words
		case words+numbers == 0: // nothing is interrupted yet
		case others < 4:
			others++
		default:
			words, others, numbers = 0, 0, 0
		}
		if words >= minWords || numbers >= minNumbers {
			return true
		}
	}
	return false
}

// isWord reports whether t can be a word of a mnemonic: letters or, between
// white space, letters and a mistyped digit.
func isWord(text string, t token) bool {
	if t.any&classDigit == 0 {
		return t.end-t.start >= 3 || text[t.start:t.end] == "AA" // a syllable; see plain
	}
	digits := 0
	for _, c := range []byte(text[t.start:t.end]) {
		if charClass[c]&classDigit != 0 {
			digits++
		}
	}
	return digits == 1 && t.end-t.start >= 3 &&
		(t.start == 0 || text[t.start-1] <= ' ') && (t.end == len(text) || text[t.end] <= ' ')
}

// hasSecretToken reports whether a token, or several separated only by white
// space, has the form of a secret that is not in hex.
func hasSecretToken(text string, tokens []token) bool {
	for i, t := range tokens {
		word := text[t.start:t.end]
		if isSecretWord(word, t.any, t.all) && (standsApart(text, t.start, t.end) || isSecretBytes(word)) || isBrokenSecret(text, tokens[i:]) {
			return true
		}
	}
	return false
}

// maxBroken is the length of the longest secret that is recognized in pieces.
const maxBroken = 120

// isBrokenSecret reports whether the first tokens, joined, have the form of a
// secret. At least one of them must contain both letters and digits, unlike
// words of a sentence.
func isBrokenSecret(text string, tokens []token) bool {
	var buf [maxBroken]byte
	if tokens[0].end-tokens[0].start > maxBroken {
		return false
	}
	joined := append(buf[:0], text[tokens[0].start:tokens[0].end]...)
	any, all := tokens[0].any, tokens[0].all
	mixed := isMixed(tokens[0])
	for i, t := range tokens[1:] {
		if !isBlank(text[tokens[i].end:t.start]) || len(joined)+t.end-t.start > maxBroken {
			return false
		}
		joined = append(joined, text[t.start:t.end]...)
		any, all, mixed = any|t.any, all&t.all, mixed || isMixed(t)
		if mixed && isSecretWord(string(joined), any, all) {
			return true
		}
	}
	return false
}

// isBlank reports whether s consists of white space.
func isBlank(s string) bool { return strings.Trim(s, " \t\r\n") == "" }

// isMixed reports whether t contains letters and digits.
func isMixed(t token) bool { return t.any&classDigit != 0 && t.any&(classUpper|classLower) != 0 }

// standsApart reports whether the token at start to end of text is not part of
// an address that contains a foreign character: its neighbors are separators or
// quotation marks, and no other token is nearly as long.
func standsApart(text string, start, end int) bool {
	const separators = " \t\r\n\"'`:;,=()<>[]{}?&/._-"
	if start > 0 && strings.IndexByte(separators, text[start-1]) < 0 ||
		end < len(text) && strings.IndexByte(separators, text[end]) < 0 {
		return false
	}
	if start > 0 && (text[start-1] == '_' || text[start-1] == '-') && hasAnyPrefix(text, "ak_", "nano_", "xrb_") {
		return false
	}
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && charClass[text[i]]&classAlnum != 0 {
			i++
		}
		if i-from > 24 && text[from:i] != text[start:end] && strings.ContainsAny(text[from:i], "123456789") {
			return false
		}
	}
	return true
}

// isSecretWord reports whether word, which consists of letters and digits, has
// the form of a secret that is not in hex. any and all are the union and the
// intersection of the classes of its bytes.
func isSecretWord(word string, any, all uint16) bool {
	n := len(word)
	switch {
	case n < 21:
		return false
	case all&classBase58 == 0 || any&(classUpper|classLower) != classUpper|classLower:
		return 55 <= n && n <= 57 && word[0]|0x20 == 's' && (all&classBase32 != 0 || all&classLower32 != 0) // stellar, SEP-23
	case n > 32:
		return isWalletImport(word) || isTaggedSecret(word)
	case 27 <= n && word[0] == 's':
		return any&classDigit != 0 || isSecretBytes(word) // xrp family seeds
	}
	return n <= 31 && word[0] == 'S' && any&classDigit != 0 // mini private keys
}

// isWalletImport reports whether word looks like a private key in wallet import
// format, or like a Sprout spending key of zcash.
func isWalletImport(word string) bool {
	n, c := len(word), word[0]
	switch {
	case n < 50 || n > 52:
		return false
	case '5' <= c && c <= '8', n > 50 && ('K' <= c && c <= 'Z' || c == 'c'):
		return true
	}
	return isSecretBytes(word) // other versions
}

// isTaggedSecret reports whether the prefix and the length of word are those of a
// secret.
func isTaggedSecret(word string) bool {
	n := len(word)
	switch {
	case 52 <= n && n <= 54 && word[:2] == "Pm": // decred
		return true
	case 57 <= n && n <= 59 && word[:2] == "6P": // BIP-38
		return true
	case n > 48 && (word[2:4] == "sk" || word[2:4] == "es") && hasAnyPrefix(word, "ed", "sp", "p2", "BL"): // tezos; es: encrypted
		return true
	case 85 <= n && n <= 89: // 64 bytes: a seed and its public key, solana
		return true
	}
	return 109 <= n && n <= 113 && !strings.Contains(word[:5], "pub") // BIP-32
}

// isSecretBytes reports whether word has a correct Base58Check checksum and the
// value of a private key: a version and 32 bytes, optionally followed by the
// mark of a compressed key; an extended key of BIP-32; or a seed of xrp.
func isSecretBytes(word string) bool {
	var buf [base58.MaxLen]byte
	if n, _ := base58.Bitcoin.Decode(buf[:], word); n > sumLen && sha256d.verifies(buf[:n]) {
		return n == 37 && buf[0] != 0 || n == 38 && buf[0] != 0 && buf[33] == 1 || n == 82 && buf[45] == 0
	}
	n, _ := base58.Ripple.Decode(buf[:], word)
	return (n == 21 || n == 23) && word[0] == 's' && sha256d.verifies(buf[:n])
}

// isNameOfSecret reports whether s, on a chain whose accounts are names, is a
// secret rather than an account: hex digits, or a key in Bech32.
func isNameOfSecret(s string) bool {
	return len(s) >= 23 && (hasSecretMark(s) || len(s) >= minHex && isHex(s))
}

// wrongLength returns the fault of a string that has the length of no address,
// on a chain without addresses of 64 hex digits.
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
