package address

import (
	"slices"
	"strings"
)

// The limits of the pieces of an address.
const (
	maxBlanks = 128 // the length of the text between two of them
	maxGroup  = 16  // the length of one of more than three, unless they are hex digits
)

// join searches for an address in pieces, with gaps between them, whose last piece is the
// first word of the chunk at start to end, or more of the chunk.
func (f *finder) join(start, end int) {
	if !f.isNew(start - 2*maxJoin) {
		return
	}
	word, last := skip(classAlnum, f.text[:end], start), f.lastWord(start, end)
	f.joinTo(start, word)
	if last > word {
		f.joinTo(start, last)
	}
	if end > max(word, last) && strings.IndexByte("-_+/", f.text[end-1]) >= 0 { // as addresses of ton end
		f.joinTo(start, end)
	}
}

// pieces are a part of the text without the gaps in it. They grow to the left.
type pieces struct {
	start, end int
	buf        [maxJoin]byte // ends with their text
	n          int           // the length of their text

	inner  int    // the number of pieces between the first and the last
	size   int    // the length of the first of these
	groups bool   // they are words of this length, and the last is not longer
	behind string // the gap between the last and another word of this length, if there is one
	hex    bool   // they are hex digits, and the last "0x" is as far from the end as in an address
}

func (p *pieces) text() []byte { return p.buf[maxJoin-p.n:] }

// joinTo searches for addresses whose last piece is at start to end. It goes from piece to
// piece to the left, and tries each beginning of a word. Between the first piece and the
// last are at most one other, or any number of groups, or of hex digits.
func (f *finder) joinTo(start, end int) {
	if start == end || end-start > maxJoin {
		return
	}
	p := pieces{start: start, end: end, n: end - start, groups: true, hex: f.sinceHex+end-start == evmLen}
	copy(p.text(), f.text[start:end])
	right := end // of the piece at p.start
	for ; p.inner < 2 || p.groups || p.hex && p.n < evmLen; p.inner++ {
		piece := f.text[p.start:right]
		if right = f.gapBefore(p.start); right == p.start {
			return
		}
		gap := f.text[right:p.start]
		p.hex = p.hex && isHex(piece) && (strings.Contains(gap, "\n") || hexOf(piece) >= 3)
		if p.start = right; !f.grow(&p, right) {
			return
		}
		n := right - p.start
		if p.inner == 0 {
			p.size, p.groups = n, n <= maxGroup && len(piece) <= n
			if word, to := f.wordBehind(end); len(word) == n && len(piece) == n {
				p.behind = f.text[end : to-n]
			}
		}
		p.groups = p.groups && n == p.size && p.behind != gap && isOf(classAlnum, f.text[p.start:right])
	}
}

// grow adds the piece that ends at end to the left of p, and searches for addresses. It
// reports whether all has room.
func (f *finder) grow(p *pieces, end int) bool {
	for i := end - 1; i >= 0 && charClass[f.text[i]]&classAddress != 0; i-- {
		if p.n == maxJoin {
			return false
		}
		p.n++
		p.buf[maxJoin-p.n] = f.text[i]
		p.start = i
		if p.n >= minGlued && mayProve(f.text[i], p.n) && f.begins(i, end) && f.isNew(i) && mayJoin(p.text()) {
			f.tryJoined(p)
		}
	}
	return true
}

// tryJoined adds p if it is an address. 40 hex digits are one if their capitals match EIP-55, or if
// they are in groups or hardly anything else.
func (f *finder) tryJoined(p *pieces) {
	s := string(p.text())
	groups := p.groups && p.inner >= 2
	if len(s) == evmLen && hasHexPrefix(s) && isHex(s[2:]) {
		kind, _ := hexCase(s[2:])
		hasSum := kind == hasLower|hasUpper
		var a Address
		if (groups || hasSum && eip55.matches(s[2:]) || !hasSum && p.hex) && (hasSum || !f.isHash(p.end)) && a.parseRow(ethereumRow, s, true).err == nil {
			f.add(a, p.start, p.end)
		}
	} else if a, ok := f.proven(s); ok {
		f.add(a, p.start, p.end)
	}
}

// isHash reports whether the 40 hex digits that end at end are the beginning of 64.
func (f *finder) isHash(end int) bool {
	n := 40
	for n < 64 {
		word, to := f.wordBehind(end)
		if word == "" || !isHex(word) {
			return false
		}
		n, end = n+len(word), to
	}
	return n == 64
}

// wordBehind returns the word behind the gap that begins at start, and its end, or "".
func (f *finder) wordBehind(start int) (word string, end int) {
	rest := f.text[start:min(len(f.text), start+maxBlanks)]
	text := strings.TrimLeft(rest, " \t\r\n")
	if !isGap(rest[:len(rest)-len(text)]) {
		return "", start
	}
	word = text[:skip(classAlnum, text, 0)]
	return word, start + len(rest) - len(text) + len(word)
}

// gapBefore returns where the gap begins that ends at end, or end if there is none, or if
// what stands before it is no piece of an address.
func (f *finder) gapBefore(end int) int {
	start := end - 1
	if end < 2 || f.text[start] != ' ' && f.text[start] != '\n' || charClass[f.text[start-1]]&classAddress == 0 { // else it is one character, as most are
		for start = end; start > 0 && end-start < maxBlanks && (isPadding(f.text[start-1]) || f.text[start-1] == '\n'); {
			start--
		}
		if !isGap(f.text[start:end]) {
			return end
		}
	}
	if f.isWhole(start) {
		return end
	}
	return start
}

// isWhole reports whether the word that ends at end is an address that the last chunk showed, of
// a length at which checksums have 24 bits or more. Nothing is behind such an address: it is no
// piece of another one.
func (f *finder) isWhole(end int) bool {
	if len(f.found) == 0 {
		return false
	}
	last := f.found[len(f.found)-1]
	return last.End == end && minGlued <= end-last.Start && end-last.Start <= evmLen && isOf(classAlnum, f.text[last.Start:end]) && (last.Start == 0 || !f.isAlnum(last.Start-1))
}

// isGap reports whether gap, which is white space, may be between two pieces: one or two blanks or
// tabs, or one or two line breaks, possibly with blanks around them.
func isGap(gap string) bool {
	breaks := strings.Count(gap, "\n")
	return breaks <= 2 && gap != "" && (breaks > 0 || len(gap) <= 2)
}

// begins reports whether an address may begin at start, in a piece that ends at end.
func (f *finder) begins(start, end int) bool {
	if start > 0 && f.isAlnum(start-1) { // within a word
		return hasHexPrefix(f.text[start:end]) && charClass[f.text[start-1]]&classHex == 0
	}
	return f.isAlnum(start) && mayBegin(f.text[start:end])
}

// mayJoin reports false if b is certainly not an address, so that most texts are not copied to a
// string.
func mayJoin(b []byte) bool {
	all := classesOf(b)
	return slices.ContainsFunc(provenLooks[b[0]], func(l *look) bool { return fits(b, all, l) })
}

// marks returns the number of digits and of capitals behind small letters, which hardly occur
// in words of a language.
func marks(s string) (n int) {
	for i := range len(s) {
		if c := charClass[s[i]]; c&classDigit != 0 || c&classUpper != 0 && i > 0 && charClass[s[i-1]]&classLower != 0 {
			n++
		}
	}
	return n
}
