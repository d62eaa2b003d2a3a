package address

import (
	"html"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// An edited text is a text without the parts that interrupt addresses and that no
// reader sees as a part of them: invisible characters, markup, escapes, and marks
// at the ends and beginnings of lines.
type edited struct {
	text   strings.Builder
	edits  []edit // in order
	equals bool   // there are escapes of quoted-printable among them
}

// An edit says that the byte at an offset in the edited text stands for size bytes from an offset
// in the original. The bytes up to the next edit stand for themselves.
type edit struct{ at, from, size int }

func (e *edited) add(text string, from, to, size int) {
	if from < to {
		e.edits = append(e.edits, edit{e.text.Len(), from, size})
		e.text.WriteString(text)
	}
}

// place returns where the byte at offset at is in the original.
func (e *edited) place(at int) (from, to int) {
	if len(e.edits) == 0 {
		return at, at + 1
	}
	d := e.edits[sort.Search(len(e.edits), func(i int) bool { return e.edits[i].at > at })-1]
	if at == d.at {
		return d.from, d.from + d.size
	}
	return d.from + d.size + at - d.at - 1, d.from + d.size + at - d.at
}

// A cleaning says what clean edits besides.
type cleaning uint8

const (
	onlyMarks    cleaning = iota
	andNumbers            // numbers of lines, which may also be the ends of addresses
	andLetters            // letters of other alphabets that look like Latin ones
	andStrangers          // these, and characters outside ASCII, which are left out

	noEquals cleaning = 1 << 7 // no escapes of quoted-printable: "=3F" is also a sign and the beginning of an address
)

// clean returns the edited text, or nil if there is nothing to edit.
func clean(text string, how cleaning) *edited {
	var e *edited
	done := 0
	for i := 0; i < len(text); {
		if !mayHide[text[i]] {
			i++
			continue
		}
		to, with := hidden(text, i, how)
		if to <= i {
			i = max(i+1, -to) // nothing up to -to
			continue
		}
		if e == nil {
			e = new(edited)
			e.text.Grow(len(text))
		}
		e.equals = e.equals || text[i] == '='
		e.add(text[done:i], done, i, 1)
		e.add(with, i, to, to-i)
		done, i = to, to
	}
	if e != nil {
		e.add(text[done:], done, len(text), 1)
	}
	return e
}

// withEquals returns the edited text with its escapes of quoted-printable as they were, or nil if
// there are none or nothing else is edited. e is what clean returned for text and how.
func (e *edited) withEquals(text string, how cleaning) *edited {
	if !e.equals {
		return nil
	}
	return clean(text, how|noEquals)
}

// mayHide tells the first bytes of what clean edits.
var mayHide = func() (t [256]bool) {
	for _, c := range []byte("<&\\%=-|\"'\n\r\f\v\x1b") {
		t[c] = true
	}
	for c := utf8.RuneSelf; c < len(t); c++ {
		t[c] = true
	}
	return t
}()

// hidden returns the end of what clean replaces at offset i, and with what. The end
// is 0 if there is nothing to replace, and the negative end of a character to keep.
func hidden(text string, i int, how cleaning) (end int, with string) {
	rest := text[i:]
	switch c := rest[0]; {
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(rest)
		seen, ok := seenAs(r, how&^noEquals)
		if !ok {
			return -(i + n), ""
		}
		if end, with = n, seen; (seen == "-" || seen == "|") && isLineEnd(rest[n:]) {
			with = ""
		}
	case strings.IndexByte(`-|\=`, c) >= 0 && isLineEnd(rest[1:]):
		end = lineEnd(text, i)
	case c == '\n':
		end, with = linePrefix(rest, how&^noEquals == andNumbers), "\n"
	case c == '\f', c == '\v', c == '\r' && len(rest) > 1 && rest[1] != '\n':
		end, with = 1, "\n"
	case c == '<':
		end, with = htmlTag(rest)
	case c == '\x1b':
		end = terminalCode(rest)
	case c == '"', c == '\'':
		end = concatenation(rest)
	case strings.IndexByte(`&\%`, c) >= 0 || c == '=' && how&noEquals == 0:
		end, with = escape(rest)
	}
	if end <= 0 {
		return 0, ""
	}
	return i + end, with
}

// seenAs returns what clean reads in a character that is not ASCII. ok is false if it is kept.
func seenAs(r rune, how cleaning) (s string, ok bool) {
	if s, ok = visible.Plain(r); !ok && how >= andLetters {
		s = visible.Latin(r)
		ok = s != "" || how == andStrangers
	}
	return s, ok
}

// lineEnd returns the length of the mark at offset i, the last of its line: a hyphen, the line
// behind a column, a backslash, or a soft break of quoted-printable, with the line break. It is
// 0 for a hyphen that belongs to an address, as between the groups of nem.
func lineEnd(text string, i int) int {
	switch c := text[i]; {
	case c == '=':
		return strings.IndexByte(text[i:], '\n') + 1
	case c == '-' && i > 6 && (text[i-6] == '-' || text[i-7] == '-') && text[i-1] != '-':
		return 0
	}
	return 1
}

func isPadding(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// isLineEnd reports whether only a few blanks are before the next line break.
func isLineEnd(s string) bool {
	for i := range min(len(s), 16) {
		if !isPadding(s[i]) {
			return s[i] == '\n'
		}
	}
	return false
}

// linePrefix returns the length of a line break and of the marks at the beginning of
// the line, such as the marks of quotations and comments, and the number of a line. It
// returns 0 if there are none.
func linePrefix(s string, numbers bool) int {
	marks := false
	for i := 1; i < min(len(s), 64); {
		n := lineMark(s[i:])
		if n == 0 && numbers {
			n = lineNumber(s[i:])
			numbers = n == 0
		}
		switch {
		case n > 0:
			i, marks = i+n, true
		case isPadding(s[i]):
			i++
		case marks:
			return i
		default:
			return 0
		}
	}
	return 0
}

// lineMark returns the length of a mark of a quotation, a comment or a column at the
// beginning of s, or 0.
func lineMark(s string) int {
	switch {
	case strings.IndexByte(">|#*;+", s[0]) >= 0:
		return 1
	case strings.HasPrefix(s, "//"):
		return len(s) - len(strings.TrimLeft(s, "/"))
	case s[0] >= utf8.RuneSelf: // perhaps a line that tables of a terminal have between their columns
		r, n := utf8.DecodeRuneInString(s)
		if seen, _ := visible.Plain(r); seen == "|" {
			return n
		}
	}
	return 0
}

// lineNumber returns the length of a number of at most six digits at the beginning of s, perhaps
// in brackets, that a blank follows, or a mark and a blank, or 0.
func lineNumber(s string) int {
	const maxDigits = 6
	from := 0
	if s[0] == '[' || s[0] == '(' {
		from = 1
	}
	n := skip(classDigit, s[:min(len(s), from+maxDigits)], from)
	if n == from {
		return 0
	}
	if n < len(s) && strings.IndexByte(".:)]|", s[n]) >= 0 {
		n++
	}
	if n+1 >= len(s) || s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// concatenation returns the length of what joins two parts of a text in source code,
// from the quote that ends one to the quote that begins the next.
func concatenation(s string) int {
	between, _, ok := strings.Cut(s[1:min(len(s), 64)], s[:1])
	if !ok || !strings.ContainsAny(between, "+.\n\\") || strings.Trim(between, "+.\n\\ \t\r") != "" {
		return 0
	}
	return 1 + len(between) + 1
}

// terminalCode returns the length of the control sequence of ECMA-48 at the beginning of s,
// as for a color, or 0.
func terminalCode(s string) int {
	s = s[:min(len(s), 32)]
	code, ok := strings.CutPrefix(s, "\x1b[")
	if code = strings.TrimLeft(code, "0123456789:;<=>?"); !ok || code == "" || code[0] < '@' || code[0] > '~' {
		return 0
	}
	return len(s) - len(code) + 1
}

// htmlTag returns the length of the HTML tag or comment at the beginning of s, and what
// a reader sees for it. It is 0 for tags that stand between texts.
func htmlTag(s string) (n int, seen string) {
	end := strings.IndexByte(s[:min(len(s), 256)], '>')
	if end < 0 {
		return 0, ""
	}
	name := s[1:end]
	if strings.HasPrefix(name, "!--") {
		return end + 1, ""
	}
	name = strings.ToLower(strings.TrimPrefix(name, "/"))
	if i := strings.IndexAny(name, " \t\r\n/"); i >= 0 {
		name = name[:i]
	}
	name, ofWord := strings.CutPrefix(name, "w:") // Office Open XML
	if slices.Contains([]string{"br", "p", "div", "li", "cr", "tab"}, name) {
		return end + 1, "\n"
	}
	if ofWord && name != "tc" && name != "tr" || slices.Contains([]string{"wbr", "span", "a", "b", "i", "u", "em", "strong", "font", "code", "tt", "kbd", "mark", "small", "nobr"}, name) {
		return end + 1, ""
	}
	return 0, ""
}

// escape returns the length of an escape at the beginning of s, or 0, and what a reader sees
// of the character that it means: an escape of HTML, of source code and JSON, of URLs, of
// quoted-printable, or a place where LaTeX may break a line.
func escape(s string) (n int, seen string) {
	for _, command := range []string{`\allowbreak{}`, `\allowbreak `, `\-`} { // of LaTeX
		if strings.HasPrefix(s, command) {
			return len(command), ""
		}
	}
	r, n := escaped(s)
	if seen, ok := visible.Plain(r); ok {
		return n, seen
	}
	return n, string(r)
}

// escaped returns the character that an escape means, and the length of the escape, or 0.
func escaped(s string) (rune, int) {
	switch s[0] {
	case '&':
		head := s[:min(len(s), 34)]
		if next := strings.IndexByte(head[1:], '&'); next >= 0 {
			head = head[:1+next]
		}
		text := html.UnescapeString(head)
		r, n := utf8.DecodeRuneInString(text)
		end := n + len(head) - len(text)
		if end > n && (s[end-1] == ';' || s[1] == '#') { // a number ends without a semicolon, too
			return r, end
		}
	case '\\':
		if head, _, ok := strings.Cut(s[:min(len(s), len(`\u{10ffff}`))], "}"); ok && strings.HasPrefix(head, `\u{`) {
			if r, err := strconv.ParseUint(head[3:], 16, 21); err == nil {
				return rune(r), len(head) + 1
			}
		}
		r, _, rest, err := strconv.UnquoteChar(s, 0)
		switch {
		case err != nil:
			return 0, 0
		case strings.ContainsRune("\r\f\v", r):
			r = '\n'
		case r == '\t':
			r = ' '
		}
		return r, len(s) - len(rest)
	case '%', '=':
		var b []byte
		for n := 0; len(b) < 4 && n < len(s) && s[n] == s[0]; n += 3 {
			v, err := strconv.ParseUint(s[n+1:min(len(s), n+3)], 16, 8)
			if err != nil || n+3 > len(s) {
				break
			}
			b = append(b, byte(v))
		}
		if r, n := utf8.DecodeRune(b); r != utf8.RuneError {
			return r, 3 * n
		}
	}
	return 0, 0
}
