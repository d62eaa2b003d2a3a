package httpapi

import (
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// A field is a wanted member of an object.
type field struct {
	name string
	kind byte   // the first byte of its value, or 0 if it is absent
	text string // its value, if that is a string
	each func() // steps over each value of an array; nil: nobody wants them
}

// A nameSet is a set of the names of an object.
type nameSet struct {
	few  [8]string
	n    int // in few
	more map[string]bool
}

// add adds a name, and reports whether s had it already.
func (s *nameSet) add(name string) (had bool) {
	if slices.Contains(s.few[:s.n], name) || s.more[name] {
		return true
	}
	switch {
	case s.n < len(s.few):
		s.few[s.n] = name
		s.n++
	case s.more == nil:
		s.more = map[string]bool{name: true}
	default:
		s.more[name] = true
	}
	return false
}

// maxDepth is the greatest number of levels to which values may be nested.
const maxDepth = 32

// A jsonReader reads JSON (RFC 8259). It stops at the first fault, which it records
// in bad.
type jsonReader struct {
	data string
	at   int
	bad  *problem
}

// fail records the first fault, at the current position. The detail never quotes the
// input.
func (r *jsonReader) fail(reason, what string) {
	if r.bad == nil {
		r.bad = &problem{Code: invalidJSON, Reason: reason, Detail: fmt.Sprintf("The JSON is refused at byte %d: %s.", r.at, what)}
	}
}

// syntax records a syntax error at the current position.
func (r *jsonReader) syntax() {
	if r.at >= len(r.data) {
		r.fail("syntax", "unexpected end")
	} else {
		r.fail("syntax", "unexpected character")
	}
}

// peek returns the byte at the current position, or 0 at the end and after a fault.
func (r *jsonReader) peek() byte {
	if r.bad != nil || r.at >= len(r.data) {
		return 0
	}
	return r.data[r.at]
}

// next steps over the byte c, which must not be 0.
func (r *jsonReader) next(c byte) bool {
	if r.peek() != c {
		r.syntax()
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) blanks() {
	for {
		switch r.peek() {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// value steps over a value inside depth others.
func (r *jsonReader) value(depth int) {
	switch c := r.peek(); {
	case c == '{':
		r.object(depth)
	case c == '[':
		r.array(depth)
	case c == '"':
		r.string(false)
	case c == '-', '0' <= c && c <= '9':
		r.number()
	case c == 't':
		r.word("true")
	case c == 'f':
		r.word("false")
	case c == 'n':
		r.word("null")
	default:
		r.syntax()
	}
}

// object steps over an object and fills in the wanted fields.
func (r *jsonReader) object(depth int, wanted ...*field) {
	if depth >= maxDepth {
		r.fail("too_deep", "nested too deep")
		return
	}
	r.next('{')
	r.blanks()
	if r.peek() == '}' {
		r.at++
		return
	}
	var names nameSet
	for {
		start := r.at
		name := r.string(true)
		r.blanks()
		r.next(':')
		r.blanks()
		f := find(wanted, name)
		had := names.add(name)
		switch {
		case r.bad != nil:
		case had && f == nil:
			r.at = start
			r.fail("duplicate_key", "a field a second time")
		case had:
			r.at = start
			r.fail("duplicate_key", "the field "+f.name+" a second time")
			r.bad.Field = f.name
		case f == nil:
			r.value(depth + 1)
		default:
			r.field(f, depth+1)
		}
		r.blanks()
		if r.peek() != ',' {
			r.next('}')
			return
		}
		r.at++
		r.blanks()
	}
}

// field reads the value of a wanted member inside depth others.
func (r *jsonReader) field(f *field, depth int) {
	f.kind = r.peek()
	switch {
	case f.kind == '"':
		f.text = r.string(true)
	case f.kind == '[' && f.each != nil:
		r.elements(depth, f.each)
	default:
		r.value(depth)
	}
}

func find(fields []*field, name string) *field {
	for _, f := range fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// array steps over an array.
func (r *jsonReader) array(depth int) {
	r.elements(depth, func() { r.value(depth + 1) })
}

// elements steps over an array with a function that steps over one element.
func (r *jsonReader) elements(depth int, each func()) {
	if depth >= maxDepth {
		r.fail("too_deep", "nested too deep")
		return
	}
	r.next('[')
	r.blanks()
	if r.peek() == ']' {
		r.at++
		return
	}
	for {
		each()
		r.blanks()
		if r.peek() != ',' {
			r.next(']')
			return
		}
		r.at++
		r.blanks()
	}
}

// word steps over a literal name.
func (r *jsonReader) word(w string) {
	for i := range len(w) {
		if !r.next(w[i]) {
			return
		}
	}
}

// number steps over a number.
func (r *jsonReader) number() {
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else {
		r.digits()
	}
	if r.peek() == '.' {
		r.at++
		r.digits()
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		r.digits()
	}
}

// digits steps over one or more digits.
func (r *jsonReader) digits() {
	isDigit := func() bool { c := r.peek(); return '0' <= c && c <= '9' }
	if !isDigit() {
		r.syntax()
	}
	for isDigit() {
		r.at++
	}
}

// string steps over a string, and returns its value if wanted.
func (r *jsonReader) string(wanted bool) string {
	if !r.next('"') {
		return ""
	}
	start := r.at
	var text []byte // the unescaped text up to start
	for r.bad == nil {
		switch c := r.peek(); {
		case c == '"':
			plain := r.data[start:r.at]
			r.at++
			switch {
			case !wanted:
				return ""
			case text == nil:
				return plain
			}
			return string(append(text, plain...))
		case c < ' ':
			r.syntax() // the end, too
		case c == '\\':
			text = append(text, r.data[start:r.at]...)
			text = r.escape(text)
			start = r.at
		default:
			r.at++
		}
	}
	return ""
}

// escape appends the character for the escape sequence at the current position.
func (r *jsonReader) escape(text []byte) []byte {
	start := r.at
	r.at++ // the backslash
	c := r.peek()
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r.at++
		u := r.hex4()
		if utf16.IsSurrogate(u) {
			low := rune(-1)
			if r.peek() == '\\' && r.at+1 < len(r.data) && r.data[r.at+1] == 'u' {
				r.at += 2
				low = r.hex4()
			}
			if u = utf16.DecodeRune(u, low); u == utf8.RuneError {
				r.at = start
				r.fail("invalid_unicode", "half a surrogate pair")
				return text
			}
		}
		return utf8.AppendRune(text, u)
	default:
		r.syntax()
		return text
	}
	r.at++
	return append(text, c)
}

// hex4 steps over four hex digits and returns their value.
func (r *jsonReader) hex4() (u rune) {
	for range 4 {
		c := r.peek()
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			r.syntax()
			return 0
		}
		u = u<<4 | rune(c)
		r.at++
	}
	return u
}
