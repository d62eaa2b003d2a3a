package xmlscan

import (
	"bytes"
	"unicode/utf8"
)

// tag reads the markup at pos, where a '<' is. It returns 0 if that is not a tag.
func (s *Scanner) tag() (Token, error) {
	if !s.need(2) {
		return 0, s.short()
	}
	switch s.buf[s.pos+1] {
	case '/':
		return End, s.endTag()
	case '!', '?':
		return 0, s.other(false)
	}
	if len(s.open) == 0 && s.rootSeen {
		return 0, s.errorf("second root element")
	}
	if len(s.open) == MaxDepth {
		return 0, s.errorf("elements nested deeper than %d", MaxDepth)
	}
	for {
		ok, err := s.startTag()
		if ok || err != nil {
			return Start, err
		}
		if !s.fill() {
			return 0, s.cut("tag")
		}
	}
}

// cut returns the error of markup that does not end in the buffer, which cannot grow.
func (s *Scanner) cut(what string) error {
	if s.readErr == nil {
		return s.errorf("%s of more than %d bytes", what, MaxToken)
	}
	return s.short()
}

// startTag reads the start tag at pos. It returns false if its end is not in the
// buffer.
func (s *Scanner) startTag() (bool, error) {
	b := s.buf[:s.end]
	s.attrs, s.value = s.attrs[:0], s.value[:0]
	from := s.pos + 1
	local, i, ok := name(b, from)
	if !ok {
		return false, s.errorf("element name expected after <")
	}
	to := i
	for {
		sep := i
		i += skipBlanks(b[i:])
		if i == len(b) {
			return false, nil
		}
		if b[i] == '>' {
			i++
			break
		}
		if b[i] == '/' {
			if i+1 == len(b) {
				return false, nil
			}
			if b[i+1] != '>' {
				return false, s.errorf("/ without > in a start tag")
			}
			s.empty = true
			i += 2
			break
		}
		if i == sep {
			return false, s.errorf("no blank before an attribute")
		}
		next, err := s.attribute(b, i)
		if next == 0 || err != nil {
			return false, err
		}
		i = next
	}
	at := int32(0)
	if n := len(s.open); n > 0 {
		at = s.open[n-1].to
	}
	s.names = append(s.names[:at], b[from:to]...)
	s.last = elem{at, at + int32(local-from), int32(len(s.names))}
	s.open = append(s.open, s.last)
	s.rootSeen = true
	s.pos = i
	return true, nil
}

// attribute reads the attribute at b[i] and returns the offset behind it, or 0 if its
// end is not in b.
func (s *Scanner) attribute(b []byte, i int) (int, error) {
	a := attr{from: int32(i)}
	_, i, ok := name(b, i)
	if !ok {
		return 0, s.errorf("attribute name expected in a start tag")
	}
	a.to = int32(i)
	i += skipBlanks(b[i:])
	if i == len(b) {
		return 0, nil
	}
	if b[i] != '=' {
		return 0, s.errorf("attribute without a value")
	}
	i++
	i += skipBlanks(b[i:])
	if i == len(b) {
		return 0, nil
	}
	quote := b[i]
	if quote != '"' && quote != '\'' {
		return 0, s.errorf("attribute value without quotes")
	}
	i++
	a.valueFrom = int32(i)
	i, err := s.attributeValue(b, i, quote, &a)
	if i == 0 || err != nil {
		return 0, err
	}
	a.valueTo = int32(i)
	i++
	n := a.to - a.from
	for _, other := range s.attrs {
		if other.to-other.from == n && string(b[other.from:other.to]) == string(b[a.from:a.to]) {
			return 0, s.errorf("attribute %.64s twice", b[a.from:a.to])
		}
	}
	if len(s.attrs) == MaxAttrs {
		return 0, s.errorf("more than %d attributes", MaxAttrs)
	}
	s.attrs = append(s.attrs, a)
	return i, nil
}

// attributeValue checks the value at b[i] and returns the offset of its closing quote,
// or 0 if that is not in b. It sets a.raw if the value is not its raw text.
func (s *Scanner) attributeValue(b []byte, i int, quote byte, a *attr) (int, error) {
	for {
		for i < len(b) && class[b[i]]&valueStop == 0 {
			i++
		}
		if i == len(b) {
			return 0, nil
		}
		switch c := b[i]; {
		case c == quote:
			return i, nil
		case c == '"' || c == '\'':
			i++
		case c == '\r':
			a.raw = true
			i++
		case c == '&':
			_, n := reference(b[i:])
			if n == 0 {
				if len(b)-i < maxReference && bytes.IndexByte(b[i:], ';') < 0 {
					return 0, nil
				}
				return 0, s.errorf("unknown or malformed reference in an attribute")
			}
			a.raw = true
			i += n
		case c == '<':
			return 0, s.errorf("< inside of an attribute")
		default:
			n := character(b[i:])
			if n == 0 {
				if c >= utf8.RuneSelf && !utf8.FullRune(b[i:]) {
					return 0, nil
				}
				return 0, s.errorf("invalid UTF-8, or a character that XML forbids, in an attribute")
			}
			i += n
		}
	}
}

// name scans the name at b[i]. It returns where its local part begins and where it ends, and
// false if there is none. A name that reaches the end of b may be unfinished.
func name(b []byte, i int) (local, end int, ok bool) {
	for prefixed := false; ; prefixed = true {
		local = i
		if i == len(b) {
			return local, i, true
		}
		if class[b[i]]&nameFirst == 0 {
			return 0, 0, false
		}
		i++
		for i < len(b) && class[b[i]]&nameByte != 0 {
			i++
		}
		if i == len(b) || b[i] != ':' {
			return local, i, true
		}
		if prefixed {
			return 0, 0, false
		}
		i++
	}
}

// pop closes the innermost element.
func (s *Scanner) pop() {
	n := len(s.open) - 1
	s.last = s.open[n]
	s.open = s.open[:n]
}

// endTag reads the end tag at pos.
func (s *Scanner) endTag() error {
	s.attrs = s.attrs[:0]
	if len(s.open) == 0 {
		return s.errorf("end tag without a start tag")
	}
	e := s.open[len(s.open)-1]
	want := s.names[e.from:e.to]
	n := 2 + len(want)
	if !s.need(n + 1) {
		return s.cut("tag")
	}
	b := s.buf[s.pos:s.end]
	if !bytes.Equal(b[2:n], want) || class[b[n]]&nameByte != 0 || b[n] == ':' {
		return s.errorf("end tag does not match <%.64s>", want)
	}
	for {
		n += skipBlanks(b[n:])
		if n < len(b) {
			break
		}
		if !s.fill() {
			return s.cut("tag")
		}
		b = s.buf[s.pos:s.end]
	}
	if b[n] != '>' {
		return s.errorf("> expected at the end of </%.64s", want)
	}
	s.pos += n + 1
	s.pop()
	return nil
}
