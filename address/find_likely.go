package address

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// FindLikely returns the addresses that [FindAll] finds, and in the same order, with the zero
// Address, what looks like an address or a piece of one and proves nothing: with a typing error,
// with characters that were read as others that look like them, cut, shortened as in "0x57EC…1259",
// broken in a way that FindAll does not know, as over the lines of a column, or of Solana, whose
// addresses have no checksum. A person must look at these: they are neither clean nor listed.
func FindLikely(text string) []Found { return findLikely(text, false) }

// findLikely is FindLikely, for a text beside an address also with parts of longer names and of
// Base64, and with any word that is as long as an address and has a digit.
func findLikely(text string, beside bool) []Found {
	all, how := FindAll(text), andLetters
	if beside {
		how = andStrangers
	}
	if e := clean(text, how); e != nil {
		all = e.addLikely(all, e.text.String(), text, beside)
		if e = e.withEquals(text, how); e != nil {
			all = e.addLikely(all, e.text.String(), text, beside)
		}
	}
	return new(edited).addLikely(all, text, text, beside)
}

// addLikely adds to found what looks like an address in read, to which e edits text.
func (e *edited) addLikely(found []Found, read, text string, beside bool) []Found {
	all := slices.Clone(found)
	done := 0
	for t := range tokens(read) {
		n, isLead := t.end-t.start, t.end < len(read) && strings.IndexByte(":_", read[t.end]) >= 0
		isWord := t.any&classDigit == 0 && t.all&classLower != 0 && !isLead && !(beside && (n >= minGlued || ellipsis(read[t.end:]) > 0))
		if isWord || n > maxSpan && !beside || t.start < done {
			continue // most words
		}
		start, _ := e.place(t.start)
		end := likely(read, t, text, start, beside)
		if _, to := e.place(t.end - 1); end == 0 && read[t.start:t.end] != text[start:to] && isLikelyRead(read[t.start:t.end]) {
			end = t.end
		}
		if end = max(end, shortened(read, t.start, t.end, beside)); end == 0 {
			continue
		}
		_, to := e.place(end - 1)
		for len(found) > 0 && found[0].End <= start {
			found = found[1:]
		}
		if len(found) > 0 && found[0].Start < to {
			continue
		}
		all = append(all, Found{Start: start, End: to})
		done = end
	}
	slices.SortFunc(all, func(a, b Found) int { return a.Start - b.Start })
	return all
}

// likely returns the end of t if it looks like an address, or like the first piece of
// one that goes on in another line, or with the word below it. Otherwise it returns 0. The word
// is at start of the original text, which has the columns.
func likely(text string, t token, original string, start int, beside bool) int {
	word := text[t.start:t.end]
	if beside && isLongCode(word) {
		return t.end
	}
	if beside && visible.Digits(word) == "0" {
		return numberEnd(text, t.start)
	}
	found := isPiece(word, "", t.any) || isCutBase58(word, t.any, original[:start]) || goesOn(text, t, original, start)
	switch {
	case found && t.any&mixedCase == mixedCase && !hasHexPrefix(word):
		found = beside || isApart(text, t.start, t.end)
	case found:
	case 40 <= len(word) && len(word) <= evmLen && firstNonHex(text[t.end-40:t.end]) == 40:
		found = isZeroX(text[:t.end-40])
	case minGlued <= len(word) && (beside || t.any&classDigit != 0 && isApart(text, t.start, t.end)): // its only digit may be read as a letter
		found = slices.ContainsFunc(visible.Alike(word), isLikelyRead)
	}
	if !found {
		return 0
	}
	return t.end
}

// goesOn reports whether t looks like the first piece of an address that goes on in another line, or
// with the word below it; see likely.
func goesOn(text string, t token, original string, start int) bool {
	word := text[t.start:t.end]
	return mayBeginPiece(word, t.any) && (isPiece(word, nextLine(text, t.end), t.any) || isPiece(word, below(original, start), t.any))
}

// numberEnd returns the end of an account number of hedera at start, perhaps with a checksum, that is
// longer than most numbers of versions, or 0.
func numberEnd(text string, start int) int {
	const lead = "0.0."
	if visible.Digits(text[start:min(len(text), start+len(lead))]) != lead || start > 0 && text[start-1] == '.' {
		return 0
	}
	end := skip(classAlnum, text, start+len(lead))
	if !isOf(classDigit, visible.Digits(text[start+len(lead):end])) {
		return 0
	}
	if end > start+len(lead) && end < len(text) && text[end] == '-' {
		end = skip(classAlnum, text, end+1)
	}
	if end-start < minChunk {
		return 0
	}
	return end
}

// mixedCase are the classes that a word of Base58 has characters of.
const mixedCase = classUpper | classLower | classDigit

// isLikelyRead reports whether a word, in which characters were read as others, is an
// address, or looks like one.
func isLikelyRead(word string) bool {
	if isProven(word) {
		return true
	}
	any := uint16(0)
	for i := range len(word) {
		any |= charClass[word[i]]
	}
	return len(word) < evmLen && isPiece(word, "", any)
}

// mayBeginPiece reports false if isPiece is false of a word, whatever follows.
func mayBeginPiece(word string, any uint16) bool {
	return any&classDigit != 0 && (word[0] == 'G' || len(word) >= 7 && (hasHexPrefix(word) || any&mixedCase == mixedCase || strings.IndexByte(word, '1') >= 2))
}

// isPiece reports whether a word, whose characters have the classes any, looks like an address,
// or, with the word next, at which it may go on, like a piece of one.
func isPiece(word, next string, any uint16) bool {
	n := len(word)
	one := strings.IndexByte(word, '1')
	switch {
	case hasHexPrefix(word):
		return firstNonHex(word[2:]) == n-2 && isHexPiece(n-2, hexOf(next)) || n == evmLen && strays(classHex, word[2:]) <= 2
	case any&mixedCase == mixedCase && isOf(classBase58, word):
		return isBase58Piece(word, next)
	case word[0] == 'G' && isOf(classBase32, next) && 54 < n+len(next) && n+len(next) < 58: // stellar
		return any&classDigit != 0 && strays(classBase32, word) <= 1
	case any&classDigit != 0 && one >= 2 && n > one+1 && len(rowsBy(word[:one+1])) > 0:
		return bech32Shape(word) != "" || any&mixedCase != mixedCase && isBech32Piece(word, next, one)
	}
	return false
}

// isBech32Piece reports whether a word, whose separator is at one, looks like an address in Bech32,
// or, with the word at which it may go on, like a piece of one.
func isBech32Piece(word, next string, one int) bool {
	n := len(word)
	goesOn := len(next) >= 4 && isCode(next) && isOf(classBech32, next)
	return isOf(classBech32, word[one+1:]) && (n >= one+12 || goesOn && (n >= one+5 || n+len(next) > one+minBech32Like))
}

// isHexPiece reports whether "0x" and n hex digits look like an address with an error, or,
// with those that begin the next line, like a piece of one.
func isHexPiece(n, next int) bool {
	return 20 <= n && n <= 45 && n != 40 && n != 32 || 6 <= n && n < 40 && next >= 4 && n+next <= 40
}

// isBase58Piece reports whether a word of Base58 looks like an address, or, with the word
// at which it may go on, like a piece of one.
func isBase58Piece(word, next string) bool {
	switch n := len(word); {
	case 32 < n && n < 36:
		return strings.IndexByte("13TLDrtXA", word[0]) >= 0
	case 43 <= n && n <= 44:
		return word[:2] != "Qm"
	case n+len(next) >= 43 && isSolana(word+next):
		return true
	case 7 <= n && n < 33:
		return strings.IndexByte("13TLDr", word[0]) >= 0 && hasMark(word) && isCode(next) && isOf(classBase58, next) && n+len(next) <= 45 &&
			(n >= 10 || n == len(next) && hasMark(next))
	}
	return false
}

// isCutBase58 reports whether a word looks like an address in Base58Check without its end, as a
// narrow column shows it. before is the original text before the word, in which it must not go on: in
// "=1A1zP1…", "=1A" is no character of quoted-printable.
func isCutBase58(word string, any uint16, before string) bool {
	n := len(word)
	if before != "" && charClass[before[len(before)-1]]&classAlnum != 0 {
		return false
	}
	return minTextLike <= n && n < 33 && any&mixedCase == mixedCase && strings.IndexByte("13TLDr", word[0]) >= 0 && isOf(classBase58, word) && 4*marks(word) >= n
}

func isSolana(s string) bool {
	var a Address
	return len(s) <= 44 && a.parseRow(lookup("solana"), s, false).err == nil
}

// hasMark reports whether a word has a digit other than in a number at its end, which names
// may have.
func hasMark(word string) bool {
	return strings.ContainsAny(strings.TrimRight(word, "0123456789"), "0123456789")
}

// isZeroX reports whether a text ends with what reads as "0x": with a letter, a sign of
// multiplication or blanks in it.
func isZeroX(text string) bool {
	text = strings.NewReplacer(" ", "", "\u00a0", "").Replace(text[max(0, len(text)-16):])
	x, n := utf8.DecodeLastRuneInString(text)
	zero := text[:len(text)-n]
	return strings.ContainsRune("xX×", x) && zero != "" && strings.IndexByte("0Oo", zero[len(zero)-1]) >= 0
}

// shortened returns the end of an address that shows only its beginning, with the word at start to
// end, and its last characters, or 0. Beside an address, it may be of any chain.
func shortened(text string, start, end int, beside bool) int {
	if end == len(text) || strings.IndexByte(":_.*#~[(\xc2\xe2", text[end]) < 0 {
		return 0 // most words
	}
	word, shows := text[start:end], leadEnd(text, start, end)
	if shows > end {
		end = skip(classAlnum, text[:min(len(text), shows+20)], shows)
	}
	rest := text[end:min(len(text), end+16)]
	dots := ellipsis(rest)
	last := rest[dots:skip(classAlnum, rest, dots)]
	if n := len(last); dots == 0 || len(word) > 20 || n < 3 || max(n, end-start) < 4 {
		return 0
	}
	switch {
	case hasHexPrefix(word) && isHex(word[2:]) && isHex(last):
	case shows > start && !hasHexPrefix(word):
	case isRange(word, rest[:dots], last):
		return 0
	case beside && (hasMark(word) || hasMark(last)):
	case (beside || strings.IndexByte("13TLDrtXA", word[0]) >= 0) && areEnds(word, last):
	default:
		return 0
	}
	return end + dots + len(last)
}

// isRange reports whether a sign between two numbers, perhaps with units, means up to, as in 100k~200k.
func isRange(word, sign, last string) bool {
	isAmount := func(s string) bool {
		unit := skip(classDigit, s, 0)
		return unit > 0 && isOf(classUpper|classLower, s[unit:])
	}
	return sign == "~" && isAmount(word) && isAmount(last)
}

// areEnds reports whether word and last are unlike words of a language, as the two ends of an address are.
func areEnds(word, last string) bool { return len(word) >= 4 && isCode(word) && isCode(last) }

// ellipsis returns the length of the signs at the beginning of s that stand for characters left out,
// perhaps in brackets, or 0: one of …, ⋯, ‥ and ~, or several of a kind.
func ellipsis(s string) int {
	signs := s[:len(s)-len(strings.TrimLeft(s, ".*#~…⋯‥•·[]()"))]
	dots := strings.Trim(signs, "[]()")
	sign, n := utf8.DecodeRuneInString(dots)
	if n == 0 || strings.Trim(dots, string(sign)) != "" || n == len(dots) && !strings.ContainsRune("…⋯‥~", sign) {
		return 0
	}
	return len(signs)
}

// leadEnd returns the end of what addresses of a chain begin with, such as "0x", "bc1", "nano_" and
// "kaspa:", if the word at start to end begins with it, or a separator follows. Otherwise it returns start.
func leadEnd(text string, start, end int) int {
	if hasHexPrefix(text[start:end]) {
		return start + len("0x")
	}
	to := end
	if one := strings.IndexByte(text[start:end], '1'); one >= 0 {
		to = start + one
	}
	if to-start < 2 || to == len(text) || len(rowsBy(text[start:to+1])) == 0 {
		return start
	}
	return to + 1
}

// isApart reports whether no sign of Base64 or of longer names is beside a word. Base64 has no "="
// before one.
func isApart(text string, start, end int) bool {
	const signs = "+/=_-%"
	return (start == 0 || text[start-1] == '=' || strings.IndexByte(signs, text[start-1]) < 0) && (end == len(text) || strings.IndexByte(signs, text[end]) < 0)
}

// nextLine returns the first word behind end if it begins the next line of text, or stands
// behind the line's number.
func nextLine(text string, end int) string {
	rest := text[end:]
	word := strings.TrimLeft(rest[:min(len(rest), 64)], " \t\r\n\f-")
	gap := rest[:min(len(rest), 64)-len(word)]
	if rest = rest[len(gap):]; !strings.ContainsAny(gap, "\n\f\r") || rest == "" {
		return ""
	}
	rest = strings.TrimLeft(rest[lineNumber(rest):], " \t\r|")
	n := skip(classAlnum, rest[:min(len(rest), maxSpan)], 0)
	if n < len(rest) && strings.IndexByte("+/=_", rest[n]) >= 0 {
		return ""
	}
	return rest[:n]
}

const maxLine = 512

// below returns the word that begins on the line below the word at start, in the same column:
// behind as many tabs, or else as many characters. It returns "" if there is none.
func below(text string, start int) string {
	from := max(0, start-maxLine)
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	} else if from > 0 {
		return ""
	}
	_, line, _ := strings.Cut(text[start:min(len(text), start+2*maxLine)], "\n")
	line, _, _ = strings.Cut(line, "\n")
	head := text[from:start]
	if tabs := strings.Count(head, "\t"); tabs > 0 {
		for range tabs {
			_, line, _ = strings.Cut(line, "\t")
		}
	} else {
		column := utf8.RuneCountInString(head)
		for column > 0 && line != "" {
			_, n := utf8.DecodeRuneInString(line)
			if column--; column == 0 && charClass[line[0]]&classAlnum != 0 {
				return "" // within a word
			}
			line = line[n:]
		}
	}
	return line[:skip(classAlnum, line[:min(len(line), maxSpan)], 0)]
}

// hexOf returns the length of word if it has hex digits only, one of them a digit, and otherwise 0.
func hexOf(word string) int {
	if !isHex(word) || isOf(classUpper|classLower, word) {
		return 0
	}
	return len(word)
}

// isCode reports whether a word is unlike a word of a language or a number: it has
// letters, and a digit or a capital behind a small letter.
func isCode(word string) bool { return marks(word) > 0 && !isOf(classDigit, word) }
