// Package visible keeps characters that nobody sees out of what people and programs are
// shown. The text of lists and callers may have control characters, which a terminal obeys,
// bidirectional overrides, which reorder what stands beside them, and characters without a
// width, which make two names look equal.
package visible

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// hidden are the characters that are not shown.
var hidden = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// Hidden reports whether a character is not shown.
func Hidden(r rune) bool { return (r < ' ' || r > '~') && unicode.In(r, hidden...) }

// Text returns s without hidden characters. Those that separate words become spaces.
func Text(s string) string {
	if isPrinted(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !Hidden(r):
			return r
		case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
			return ' '
		}
		return -1
	}, s)
}

// isPrinted reports whether s consists of visible ASCII and blanks.
func isPrinted(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// Cell returns s as [Text] does, as the cell of a table that a spreadsheet program may open:
// one that it would run as a formula gets an apostrophe.
func Cell(s string) string {
	s = Text(s)
	start := strings.TrimLeftFunc(s, unicode.IsSpace)
	if r, _ := utf8.DecodeRuneInString(start); start != "" && strings.ContainsRune("=+-@＝＋－＠", r) {
		return "'" + s
	}
	return s
}

// JSON returns JSON with hidden characters escaped, which changes no value. It does not
// change text.
func JSON(text []byte) []byte {
	if !slices.ContainsFunc(text, func(c byte) bool { return c > '~' }) || !bytes.ContainsFunc(text, isEscaped) {
		return text
	}
	b := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch {
		case !isEscaped(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// isEscaped reports whether a character is escaped in JSON. Control characters of ASCII
// are escaped there already, or are blanks.
func isEscaped(r rune) bool { return r > '~' && Hidden(r) }
