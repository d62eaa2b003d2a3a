package address

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/address/internal/crc16"
)

// mayBeMistyped reports whether text contains characters that could be a secret
// with a few typing errors, or broken into pieces: a long word, or a group of
// words with digits or capitals within, that does not resemble an address.
// tokens are the words of text.
//
// It does not know the secret, so it looks for what is left when all that
// resembles addresses, numbers and words of a language is taken away.
func mayBeMistyped(text string, tokens []token) bool {
	for len(tokens) > 0 {
		group := nextGroup(text, tokens)
		if group.resemblesSecret(text, tokens[:group.tokens]) {
			return true
		}
		tokens = tokens[group.tokens:]
	}
	return false
}

const (
	maxGap    = 6  // characters between the pieces of a secret
	minSecret = 20 // the shortest secret, a mini private key, less a few characters
	minPieces = 36 // of a secret in pieces
	maxGroup  = 128
)

// A group is a sequence of words that could be the pieces of a secret.
type group struct {
	tokens int // number of words
	joined [maxGroup]byte
	n      int  // length of joined
	codes  int  // number of words that are unlike those of a language
	whole  bool // all the words are in joined
}

// nextGroup returns the group at the beginning of tokens, which may be a single
// word of a language.
func nextGroup(text string, tokens []token) (g group) {
	g.whole = true
	near := false // the word before is a piece
	for i, t := range tokens {
		word := text[t.start:t.end]
		piece := isCodeLike(word, t)
		code := piece
		if i > 0 {
			gap := text[tokens[i-1].end:t.start]
			if len(gap) > maxGap || strings.IndexByte(gap, ':') >= 0 || isEVMLike(word) || i == 1 && isEVMLike(text[tokens[0].start:tokens[0].end]) || !piece && len(word) > 4 && t.any&classDigit == 0 && (strings.IndexByte(gap, ' ') >= 0 || !near) {
				return g
			}
			piece = piece || t.any&classDigit != 0 || near && len(gap) == 1 && strings.IndexByte("-_/+", gap[0]) >= 0
		}
		g.tokens, near = i+1, piece
		if code {
			g.codes++
		}
		if !piece {
			continue
		}
		if g.n+len(word) > maxGroup {
			g.whole = false
			continue
		}
		g.n += copy(g.joined[g.n:], word)
	}
	return g
}

// resemblesSecret reports whether the words of g, tokens, could be a secret, or
// the pieces of one.
func (g *group) resemblesSecret(text string, tokens []token) bool {
	if g.whole && g.n < minSecret {
		return false
	}
	joined := string(g.joined[:g.n])
	c := countOf(joined)
	switch {
	case g.codes > 1 && g.whole && isBroken(joined, c) && !hasLongSecret(text, tokens):
		return false
	case g.tokens > 1 && g.whole && isBrokenMiniKey(joined, c):
		return true
	}
	pieces, ok := secretPieces(text, tokens)
	return ok || pieces > 0 && g.tokens > 1 && g.n >= 49 && c.base58 >= g.n-2 && !c.isOneCase() && isBase58Secret(joined)
}

// hasLongSecret reports whether a token that is too long for a piece of a broken
// address resembles a secret.
func hasLongSecret(text string, tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool {
		return t.end-t.start > 26 && resemblesSecret(text, t, text[t.start:t.end])
	})
}

// isBrokenMiniKey reports whether joined, which c counts, resembles a mini
// private key: Base58 digits in both letter cases, too few for an address or, if
// an S is among the first two, as many as in one.
func isBrokenMiniKey(joined string, c count) bool {
	n := len(joined)
	return 24 <= n && (n <= 31 || n <= 33 && strings.ContainsAny(joined[:2], "sS")) && c.base58 >= n-1 && !c.isOneCase()
}

// secretPieces reports whether a word of a group, two adjacent words, or several
// words together could be a secret, where tokens are the words of the group. If
// not, it returns the number of words that could be pieces of one.
func secretPieces(text string, tokens []token) (pieces int, ok bool) {
	sum, chunkEnd, explained := 0, 0, false
	for i, t := range tokens {
		word := text[t.start:t.end]
		if t.start >= chunkEnd {
			chunkEnd = t.start + strings.IndexAny(text[t.start:]+" ", " \t\r\n\"'`,;<>()[]{}?&=")
			explained = isAddressChunk(text[t.start:chunkEnd])
		}
		if explained {
			continue
		}
		if len(word) >= minSecret && isCodeLike(word, t) && resemblesSecret(text, t, word) {
			return pieces, true
		}
		like := len(word) >= 32 && isAddressLike(word)
		if i > 0 && endsPair(text, tokens[i-1], t, like) {
			return pieces, true
		}
		if like || !isCodeLike(word, t) && (t.any&classDigit == 0 || pieces == 0) {
			continue
		}
		sum, pieces = sum+len(word), pieces+1
		if sum >= minPieces && (pieces > 1 || t.end-tokens[0].start > len(word)+8 || tokens[len(tokens)-1].end-t.end > 8) {
			return pieces, true
		}
	}
	return pieces, false
}

// endsPair reports whether t and the token before it, b, could be a secret that
// is broken in two. like tells whether t resembles an address; two addresses are
// no secret, unless they are as long as one of 64 bytes.
func endsPair(text string, b, t token, like bool) bool {
	before := text[b.start:b.end]
	adjacent := t.start-b.end == 1 && strings.IndexByte("-_/+", text[b.end]) >= 0
	n := len(before) + t.end - t.start
	return (adjacent || b.any&classDigit != 0 || len(before) < 5 || isCodeLike(before, b)) &&
		(!like || len(before) < 32 || !isAddressLike(before) || 84 <= n && n <= 91) &&
		isPair(before, text[t.start:t.end], adjacent)
}

// isPair reports whether two adjacent words, a and b, could be a secret that is
// broken in two. Very short pieces count only if they are adjacent to the others.
func isPair(a, b string, adjacent bool) bool {
	n := len(a) + len(b)
	if n < 38 || n > 120 || min(len(a), len(b)) < 3 && (n < 49 || !adjacent) {
		return false
	}
	c := countOf(a + b)
	switch {
	case n >= 60 && n <= 70 && c.hex >= n-4 && min(len(a), len(b)) >= 4:
		return c.upper+c.lower >= 6
	case c.isOneCase():
		return false
	case n < 49:
		return true
	}
	return c.base58 >= n-2 && isBase58Secret(a+b)
}

// isEVMLike reports whether word resembles "0x" and 40 hex digits.
func isEVMLike(word string) bool {
	return len(word) >= 38 && len(word) <= 46 && hasHexPrefix(word) && countOf(word).hex >= len(word)-3
}

// isBroken reports whether joined resembles an address.
func isBroken(joined string, c count) bool {
	n := len(joined)
	switch {
	case c.isOneCase():
		return strings.IndexByte(joined, '1') > 0 && 38 <= n && n <= 66 && hasKnownPrefix(joined, c)
	case c.base58 >= n-1:
		return 32 <= n && n <= 36 && (n > 33 || joined[0] != 's' && joined[0] != 'S')
	}
	return hasHexPrefix(joined) && n <= 46
}

// isAddressLike reports whether word, of 32 characters or more, resembles an
// address rather than a piece of a secret.
func isAddressLike(word string) bool {
	n, c := len(word), countOf(word)
	switch {
	case isEVMLike(word), 38 <= n && n <= 42 && c.hex >= n-2:
		return true
	case c.isOneCase():
		return hasKnownPrefix(word, c) || n == 32 && c.hex == n // a UUID, or half a key
	}
	return c.base58 >= n-1 && n <= 48
}

// isCodeLike reports whether word is unlike a word of a language: it has letters
// and digits, small letters and a capital that is not the first letter, or more
// letters than words have.
func isCodeLike(word string, t token) bool {
	if isMixed(t) || len(word) > 20 && t.all&classDigit == 0 {
		return true
	}
	if t.any&classUpper == 0 || t.any&classLower == 0 {
		return false
	}
	for i := 1; i < len(word); i++ {
		if charClass[word[i]]&classUpper != 0 {
			return true
		}
	}
	return false
}

// A count is the number of characters of each class in a word.
type count struct{ upper, lower, digit, hex, base58 int }

func countOf(word string) (n count) {
	for i := range len(word) {
		c := charClass[word[i]]
		n.upper += int(c & classUpper / classUpper)
		n.lower += int(c & classLower / classLower)
		n.digit += int(c & classDigit / classDigit)
		n.hex += int(c & classHex / classHex)
		n.base58 += int(c & classBase58 / classBase58)
	}
	return n
}

// isOneCase reports whether the letters are in one case, except for
// three.
func (n count) isOneCase() bool { return min(n.upper, n.lower) <= 3 }

// isAddressChunk reports whether text, which has no white space, resembles an
// address with separators, or one with a foreign character.
func isAddressChunk(text string) bool {
	var c chunk
	if !c.read(text) {
		return false
	}
	n := countOf(string(c.letters[:c.n]))
	switch c.prefix() {
	case "nano", "xrb", "kaspa", "bitcoincash", "ecash", "x", "p", "cfx":
		return n.isOneCase() && c.n-c.first <= 68
	case "ak":
		return text[0] == 'a' && c.n-c.first <= 51 // a look-alike could stand for the s of a key
	}
	return c.isBase58(n) || c.isGrouped(n) ||
		len(text) == 48 && (text[0] == 'E' || text[0] == 'U') // ton
}

// A chunk is a piece of text without white space that has at least one separator:
// a character other than a letter or a digit.
type chunk struct {
	text    string
	letters [maxSpan]byte // the letters and digits of text
	n       int           // length of letters
	first   int           // offset of the first separator in text
	short   bool          // at most five letters and digits follow each other
}

// read reads text into c, which is empty. It reports false if text has no
// separator, or more letters and digits than an address.
func (c *chunk) read(text string) bool {
	c.text, c.first, c.short = text, -1, true
	run := 0
	for i := range len(text) {
		if charClass[text[i]]&classAlnum == 0 {
			if c.first < 0 {
				c.first = i
			}
			run = 0
			continue
		}
		if c.n == len(c.letters) {
			return false
		}
		c.letters[c.n] = text[i]
		c.n++
		if run++; run > 5 {
			c.short = false
		}
	}
	return c.first >= 0
}

// prefix returns the text before the first separator, in lower case, if that
// separator can end the prefix of an address.
func (c *chunk) prefix() string {
	switch c.text[c.first] {
	case '_', '-', ':':
		return strings.ToLower(c.text[:c.first])
	}
	return ""
}

// isBase58 reports whether c, whose letters and digits are counted by n,
// resembles an address in Base58 with a foreign character.
func (c *chunk) isBase58(n count) bool {
	return 32 <= c.n && c.n <= 46 && (c.n > 33 || c.letters[0] != 's' && c.letters[0] != 'S') &&
		len(c.text) == c.n+1 && !n.isOneCase() && n.base58 >= c.n-1 && charClass[c.text[c.first]]&classAddress == 0
}

// isGrouped reports whether c, whose letters and digits are counted by n,
// resembles an address in short groups: a principal of internet-computer, or an
// address of nimiq.
func (c *chunk) isGrouped(n count) bool {
	return c.short && (c.text[c.first] == '-' && c.first == 5 && n.upper == 0 || n.lower == 0 && hasAnyPrefix(c.text, "NQ"))
}

// resemblesSecret reports whether word, which is the token t of text and at
// least minSecret long, resembles no address but, by its length and characters,
// a secret with up to two typing errors.
func resemblesSecret(text string, t token, word string) bool {
	n, c := len(word), countOf(word)
	switch {
	case isEVMLike(word), 38 <= n && n <= 42 && c.hex >= n-2, hasAnyPrefix(word, "xdc") && n <= 45:
		return false // EVM addresses
	case c.isOneCase():
		return n >= 48 && c.hex < n && !hasKnownPrefix(word, c)
	case c.base58 >= n-1, c.base58 >= n-2 && (n < 40 || n > 46):
		return isBase58Secret(word) || 46 <= n && n <= 48 && t.start > 0 && strings.IndexByte("-_/+", text[t.start-1]) >= 0
	}
	return n >= 40
}

// hasKnownPrefix reports whether word, which c counts, resembles an address in
// one letter case of more than 40 characters: in Bech32 or Base32.
func hasKnownPrefix(word string, c count) bool {
	var lower [maxHRP]byte
	for i := range min(len(word), maxHRP+1) {
		if word[i] == '1' && i > 0 && len(hrpRows[string(lower[:i])]) > 0 {
			bad := 0
			for j := range word[i+1:] {
				if charClass[word[i+1+j]]&classBech32 == 0 {
					bad++
				}
			}
			return bad <= 3
		}
		if i < maxHRP {
			lower[i] = word[i]
			if charClass[word[i]]&classUpper != 0 {
				lower[i] |= 0x20
			}
		}
	}
	n := len(word)
	if c.lower > 2 || n < 54 || n > 71 {
		return hasAnyPrefix(word, "f1", "f3")
	}
	base32 := 0
	for i := range n {
		base32 += int(charClass[word[i]] & classBase32 / classBase32)
	}
	switch {
	case base32 < n-2:
		return false
	case strings.IndexByte("GMC", word[0]) >= 0:
		return !isMistypedSeed(word) // stellar
	}
	return 58 <= n && n <= 59 && word[0] != 'S' && charClass[word[0]]&classLower == 0 // algorand
}

// isMistypedSeed reports whether word is a seed of stellar in which only the
// first character is wrong.
func isMistypedSeed(word string) bool {
	var raw [strkeyMaxBytes]byte
	b := raw[:strkeyLen*5/8]
	return len(word) == strkeyLen && base32.Decode(base32.Upper, b, "S"+word[1:]) < 0 &&
		crc16.XModem(b[:len(b)-2]) == binary.LittleEndian.Uint16(b[len(b)-2:])
}

// isBase58Secret reports whether a word of Base58 digits in both letter cases,
// with up to two other characters, has the length of a secret, or nearly so.
func isBase58Secret(word string) bool {
	switch n := len(word); {
	case n <= 31, n <= 33 && strings.ContainsAny(word[:2], "sS"):
		return true
	case n <= 48:
		return false
	case n <= 64:
		return !hasAnyPrefix(word, "EOS", "FIO", "Ae2", "B62", "Dk")
	case 84 <= n && n <= 91, n == 98, n == 99:
		return true
	}
	return len(word) >= 107 && !strings.Contains(word[:5], "pub")
}
