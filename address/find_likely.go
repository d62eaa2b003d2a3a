package address

import (
	"slices"
	"strings"
)

// FindLikely returns the addresses that [FindAll] finds, and in the same order, with
// the zero Address, what looks like an address or a piece of one and proves nothing:
// with a typing error, shortened as in "0x57EC…1259", broken in a way that FindAll does
// not know, or of Solana, whose addresses have no checksum. A person must look at
// these: they are neither clean nor listed.
func FindLikely(text string) []Found {
	found := FindAll(text)
	all := slices.Clone(found)
	done := 0
	for t := range tokens(text) {
		for len(found) > 0 && found[0].End <= t.start {
			found = found[1:]
		}
		if t.any&classDigit == 0 && t.all&classLower != 0 || t.end-t.start > maxSpan || t.start < done {
			continue // most words
		}
		end := max(likely(text, t), shortened(text, t.start, t.end))
		if end == 0 || len(found) > 0 && found[0].Start < end {
			continue
		}
		all = append(all, Found{Start: t.start, End: end})
		done = end
	}
	slices.SortFunc(all, func(a, b Found) int { return a.Start - b.Start })
	return all
}

// likely returns the end of t if it looks like an address, or like the first piece of
// one that goes on in another line. Otherwise it returns 0.
func likely(text string, t token) int {
	word := text[t.start:t.end]
	next := nextLine(text, t.end)
	const mixed = classUpper | classLower | classDigit
	var found bool
	switch {
	case hasHexPrefix(word) && firstNonHex(word[2:]) == len(word)-2:
		found = isHexPiece(len(word)-2, hexOf(next))
	case 40 <= len(word) && len(word) <= evmLen && firstNonHex(text[t.end-40:t.end]) == 40 && isZeroX(text[:t.end-40]):
		found = true
	case t.any&mixed == classLower|classDigit || t.any&mixed == classUpper|classDigit:
		one := strings.IndexByte(word, '1')
		found = one >= 2 && len(word) >= one+12 && len(hrpRows[strings.ToLower(word[:one])]) > 0 && isOf(classBech32, word[one+1:])
	case t.any&mixed == mixed && t.all&classBase58 != 0 && isApart(text, t.start, t.end):
		found = isBase58Piece(word, next)
	}
	if !found {
		return 0
	}
	return t.end
}

// isHexPiece reports whether "0x" and n hex digits look like an address with an error, or,
// with those that begin the next line, like a piece of one.
func isHexPiece(n, next int) bool {
	return 20 <= n && n <= 45 && n != 40 && n != 32 || 6 <= n && n < 40 && next >= 4 && n+next <= 40
}

// isBase58Piece reports whether a word of Base58 looks like an address, or, with the word
// that begins the next line, like a piece of one.
func isBase58Piece(word, next string) bool {
	switch n := len(word); {
	case 32 < n && n < 36:
		return strings.IndexByte("13TLDrtXA", word[0]) >= 0
	case 43 <= n && n <= 44:
		return word[:2] != "Qm"
	case 10 <= n && n < 33:
		return strings.IndexByte("13TLDr", word[0]) >= 0 && isCode(next) && n+len(next) <= 45
	}
	return false
}

// isZeroX reports whether a text ends with what reads as "0x": with a letter, a sign of
// multiplication or blanks in it.
func isZeroX(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-16):], " \u00a0")
	for _, x := range []string{"x", "X", "×"} {
		if zero, ok := strings.CutSuffix(text, x); ok {
			zero = strings.TrimRight(zero, " \u00a0")
			return zero != "" && strings.IndexByte("0Oo", zero[len(zero)-1]) >= 0
		}
	}
	return false
}

// shortened returns the end of an address that shows only its beginning, at start to
// end, and its last characters, or 0.
func shortened(text string, start, end int) int {
	word := text[start:end]
	if n := len(word); n < 4 || n > 20 || !isCode(word) {
		return 0
	}
	rest := strings.TrimLeft(text[end:min(len(text), end+16)], ".…*")
	dots := text[end : min(len(text), end+16)-len(rest)]
	n := skip(classAlnum, rest, 0)
	if n < 3 || dots != "…" && len(dots) < 2 || strings.HasPrefix(dots, "…") && len(dots) > 3 {
		return 0
	}
	one := strings.IndexByte(word, '1')
	switch {
	case hasHexPrefix(word) && firstNonHex(word[2:]) == len(word)-2 && hexOf(rest[:n]) == n:
	case one >= 2 && len(hrpRows[strings.ToLower(word[:one])]) > 0:
	case strings.IndexByte("13TLDrtXA", word[0]) >= 0 && isCode(rest[:n]):
	default:
		return 0
	}
	return end + len(dots) + n
}

// isApart reports whether no sign of Base64 or of a longer name is beside a word.
func isApart(text string, start, end int) bool {
	const signs = "+/=_-%"
	return (start == 0 || strings.IndexByte(signs, text[start-1]) < 0) && (end == len(text) || strings.IndexByte(signs, text[end]) < 0)
}

// nextLine returns the first word behind end if it begins the next line of text.
func nextLine(text string, end int) string {
	i := end
	for i < len(text) && i-end < 64 && (isPadding(text[i]) || text[i] == '\n' || text[i] == '-' || text[i] == '\f') {
		i++
	}
	to := skip(classAlnum, text[:min(len(text), i+maxSpan)], i)
	if !strings.ContainsAny(text[end:i], "\n\f\r") || to < len(text) && strings.IndexByte("+/=_", text[to]) >= 0 {
		return ""
	}
	return text[i:to]
}

// hexOf returns the length of word if it has hex digits only, one of them a digit,
// and otherwise 0.
func hexOf(word string) int {
	if firstNonHex(word) < len(word) || !strings.ContainsAny(word, "0123456789") {
		return 0
	}
	return len(word)
}

// isCode reports whether a word is unlike a word of a language or a number: it has
// letters, and a digit or a capital behind a small letter.
func isCode(word string) bool { return marks(word) > 0 && !isOf(classDigit, word) }
