package httpapi

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// readScreenRequest reads the body of a request to the screen path, or returns
// the problem with it.
func readScreenRequest(body []byte) (screenRequest, *problem) {
	if req, ok := readPlain(string(body)); ok {
		return req, nil
	}
	return readAny(body)
}

// readPlain is readAny for what nearly all bodies are: the two fields and nothing
// else, in strings of ASCII without an escape. It reports false for all others, be
// they right or wrong. The strings that it returns are parts of body.
func readPlain(body string) (req screenRequest, ok bool) {
	var address, chain string // in their quotes
	s := skipBlanks(body)
	for _, opening := range [2]byte{'{', ','} {
		var name, value string
		name, s = cutString(after(s, opening))
		value, s = cutString(after(s, ':'))
		switch {
		case name == `"address"` && address == "":
			address = value
		case name == `"chain"` && chain == "":
			chain = value
		default:
			return req, false
		}
	}
	if address == "" || chain == "" || s == "" || s[0] != '}' || skipBlanks(s[1:]) != "" {
		return req, false
	}
	return screenRequest{Address: address[1 : len(address)-1], Chain: chain[1 : len(chain)-1]}, true
}

// cutString cuts a plain string from the beginning of s, with its quotes, and the
// blanks after it. Both are "" if there is none.
func cutString(s string) (quoted, rest string) {
	if s == "" || s[0] != '"' {
		return "", ""
	}
	end := 1 + plain(s[1:])
	if end == len(s) || s[end] != '"' {
		return "", ""
	}
	return s[:end+1], skipBlanks(s[end+1:])
}

// after returns what follows the byte c at the beginning of s, and the blanks
// after it; "" if s begins with another.
func after(s string, c byte) string {
	if s == "" || s[0] != c {
		return ""
	}
	return skipBlanks(s[1:])
}

func skipBlanks(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t' || s[0] == '\n' || s[0] == '\r') {
		s = s[1:]
	}
	return s
}

// readAny reads any body, or returns the problem with it.
//
// It is stricter than encoding/json, which would read what a proxy or a log
// before it may have read otherwise: the names of the fields have their letter
// case, none stands twice in an object, the text is valid UTF-8, escapes are valid
// UTF-16, and nothing follows. Fields that are not ours are ignored, but for
// that.
func readAny(body []byte) (screenRequest, *problem) {
	r := jsonReader{data: body}
	var req screenRequest
	if len(body) == 0 {
		return req, &problem{Code: invalidJSON, Reason: "empty", Detail: "There is no body."}
	}
	if !utf8.Valid(body) {
		return req, &problem{Code: invalidJSON, Reason: "invalid_unicode", Detail: "The body is not valid UTF-8."}
	}
	address, chain := field{name: "address"}, field{name: "chain"}
	r.blanks()
	kind := r.peek()
	if kind == '{' {
		r.object(0, &address, &chain)
	} else {
		r.value(0)
	}
	r.blanks()
	if r.bad == nil && r.at < len(r.data) {
		r.fail("trailing_data", "something follows the JSON value")
	}
	if r.bad != nil {
		return req, r.bad
	}
	if kind != '{' {
		return req, &problem{Code: invalidType, Reason: jsonType(kind), Detail: "The body is not a JSON object, but " + article(jsonType(kind)) + "."}
	}
	for _, f := range []*field{&address, &chain} {
		if f.kind == 0 {
			return req, &problem{Code: missingField, Field: f.name, Reason: "absent", Detail: "The field " + f.name + " is required."}
		}
	}
	for _, f := range []*field{&address, &chain} {
		if f.kind != '"' {
			return req, &problem{Code: invalidType, Field: f.name, Reason: jsonType(f.kind), Detail: "The field " + f.name + " is not a string, but " + article(jsonType(f.kind)) + "."}
		}
	}
	req.Address, req.Chain = address.text, chain.text
	return req, nil
}

// A field is one that is looked for in an object.
type field struct {
	name string
	kind byte   // the first byte of its value, or 0
	text string // its value, if that is a string
}

// jsonType returns the name of the type whose values begin with c.
func jsonType(c byte) string {
	switch c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func article(noun string) string {
	switch noun {
	case "null":
		return noun
	case "array", "object":
		return "an " + noun
	}
	return "a " + noun
}

// maxDepth bounds how deep values may be nested in one another.
const maxDepth = 32

// A jsonReader reads JSON as RFC 8259 has it. After the first fault, in bad, it
// reads nothing more.
type jsonReader struct {
	data []byte
	at   int
	bad  *problem
}

// fail records the first fault, at the current place. The detail never quotes
// what is there.
func (r *jsonReader) fail(reason, what string) {
	if r.bad == nil {
		r.bad = &problem{Code: invalidJSON, Reason: reason, Detail: fmt.Sprintf("The JSON is refused at byte %d: %s.", r.at, what)}
	}
}

// syntax records that what is at the current place is against the grammar.
func (r *jsonReader) syntax() {
	if r.at >= len(r.data) {
		r.fail("syntax", "unexpected end")
	} else {
		r.fail("syntax", "unexpected character")
	}
}

// peek returns the byte at the current place, or 0 at the end and after a fault.
func (r *jsonReader) peek() byte {
	if r.bad != nil || r.at >= len(r.data) {
		return 0
	}
	return r.data[r.at]
}

// next steps over the byte c, which is not 0.
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

// value steps over a value that is depth values deep.
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

// object steps over an object, and fills in the fields that are wanted.
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
	names := make(map[string]bool)
	for {
		start := r.at
		name := r.string(true)
		r.blanks()
		r.next(':')
		r.blanks()
		f := find(wanted, name)
		switch {
		case r.bad != nil:
		case names[name] && f == nil:
			r.at = start
			r.fail("duplicate_key", "a field a second time")
		case names[name]:
			r.at = start
			r.fail("duplicate_key", "the field "+f.name+" a second time")
			r.bad.Field = f.name
		case f == nil:
			r.value(depth + 1)
		default:
			f.kind = r.peek()
			if f.kind == '"' {
				f.text = r.string(true)
			} else {
				r.value(depth + 1)
			}
		}
		names[name] = true
		r.blanks()
		if r.peek() != ',' {
			r.next('}')
			return
		}
		r.at++
		r.blanks()
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
		r.value(depth + 1)
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

// digits steps over one digit or more.
func (r *jsonReader) digits() {
	isDigit := func() bool { c := r.peek(); return '0' <= c && c <= '9' }
	if !isDigit() {
		r.syntax()
	}
	for isDigit() {
		r.at++
	}
}

// string steps over a string, and returns what it says if that is wanted.
func (r *jsonReader) string(wanted bool) string {
	if !r.next('"') {
		return ""
	}
	start := r.at
	var text []byte // what was unescaped, up to start
	for r.bad == nil {
		switch c := r.peek(); {
		case c == '"':
			plain := r.data[start:r.at]
			r.at++
			switch {
			case !wanted:
				return ""
			case text == nil:
				return string(plain)
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

// escape appends what the escape at the current place stands for.
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
