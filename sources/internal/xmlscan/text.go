package xmlscan

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// toMarkup moves to the next '<', and keeps the text before it if keep is set. At the end of
// a whole document it returns io.EOF.
func (s *Scanner) toMarkup(keep bool) error {
	stop := uint8(textStop)
	if keep {
		stop = keepStop
	}
	for {
		b := s.buf[:s.end]
		i := s.pos
		for i < len(b) && class[b[i]]&stop == 0 {
			i++
		}
		if len(s.open) == 0 {
			if n := skipBlanks(b[s.pos:i]); s.pos+n < i {
				s.pos += n
				return s.errorf("text outside of the root element")
			}
		}
		if keep {
			if err := s.keep(b[s.pos:i]); err != nil {
				return err
			}
		}
		s.pos = i
		if i == len(b) {
			if s.fill() {
				continue
			}
			if s.readErr == io.EOF && s.rootSeen && len(s.open) == 0 {
				return io.EOF
			}
			return s.short()
		}
		if b[i] == '<' {
			return nil
		}
		if err := s.special(keep, false); err != nil {
			return err
		}
	}
}

func skipBlanks(b []byte) int {
	i := 0
	for i < len(b) && class[b[i]]&blank != 0 {
		i++
	}
	return i
}

// keep appends to the text.
func (s *Scanner) keep(b []byte) error {
	if len(s.text)+len(b) > MaxToken {
		return s.errorf("text of more than %d bytes", MaxToken)
	}
	s.text = append(s.text, b...)
	return nil
}

// special reads one character of a text, or of a CDATA section, at which toMarkup or
// cdata stopped.
func (s *Scanner) special(keep, cdata bool) error {
	s.need(maxReference) // or less at the end
	b := s.buf[s.pos:s.end]
	n := 1
	switch c := b[0]; {
	case c == '\r':
		return s.lineEnd(b, keep)
	case c == ']':
		if !cdata && len(b) > 2 && b[1] == ']' && b[2] == '>' {
			return s.errorf("]]> outside of a CDATA section")
		}
	case c == '&' && !cdata:
		return s.textReference(b, keep)
	default:
		if n = character(b); n == 0 {
			if !utf8.FullRune(b) && c >= utf8.RuneSelf && len(b) < utf8.UTFMax {
				return s.short()
			}
			return s.errorf("invalid UTF-8, or a character that XML forbids")
		}
	}
	if len(s.open) == 0 {
		if s.base+int64(s.pos) == 0 && bytes.HasPrefix(b, byteOrderMark) {
			s.pos += len(byteOrderMark)
			s.marked = true
			return nil
		}
		return s.errorf("text outside of the root element")
	}
	if keep {
		if err := s.keep(b[:n]); err != nil {
			return err
		}
	}
	s.pos += n
	return nil
}

// lineEnd reads the CR or CR LF at the beginning of b, which counts as LF.
func (s *Scanner) lineEnd(b []byte, keep bool) error {
	n := 1
	if len(b) > 1 && b[1] == '\n' {
		n = 2
	}
	if len(s.open) > 0 && keep {
		if err := s.keep([]byte{'\n'}); err != nil {
			return err
		}
	}
	s.pos += n
	return nil
}

// textReference reads the reference at the beginning of b.
func (s *Scanner) textReference(b []byte, keep bool) error {
	r, size := reference(b)
	if size == 0 {
		if len(b) < maxReference && bytes.IndexByte(b, ';') < 0 {
			return s.short()
		}
		return s.errorf("unknown or malformed reference %.*q", maxReference, b[:min(len(b), maxReference)])
	}
	if len(s.open) == 0 {
		return s.errorf("text outside of the root element")
	}
	s.pos += size
	if keep {
		var char [utf8.UTFMax]byte
		return s.keep(utf8.AppendRune(char[:0], r))
	}
	return nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// character returns the length of the character at the beginning of b, and 0 if it is not
// UTF-8 or not allowed by XML (section 2.2, Char).
func character(b []byte) int {
	c, n := utf8.DecodeRune(b)
	if c == utf8.RuneError && n <= 1 || !isChar(c) {
		return 0
	}
	return n
}

func isChar(c rune) bool {
	return c == '\t' || c == '\n' || c == '\r' ||
		c >= ' ' && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000 && c <= utf8.MaxRune
}

// reference reads the reference at the beginning of b. It returns its character and its
// length, which is 0 if b begins with no reference.
func reference(b []byte) (rune, int) {
	end := bytes.IndexByte(b[:min(len(b), maxReference)], ';')
	if end < 2 {
		return 0, 0
	}
	switch name := b[1:end]; string(name) {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	default:
		if name[0] != '#' {
			return 0, 0
		}
		digits, base := name[1:], rune(10)
		if len(digits) > 0 && digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		if len(digits) == 0 {
			return 0, 0
		}
		var c rune
		for _, d := range digits {
			v := rune(99)
			switch {
			case d >= '0' && d <= '9':
				v = rune(d - '0')
			case d >= 'a' && d <= 'f':
				v = rune(d-'a') + 10
			case d >= 'A' && d <= 'F':
				v = rune(d-'A') + 10
			}
			if v >= base {
				return 0, 0
			}
			if c = c*base + v; c > utf8.MaxRune {
				return 0, 0
			}
		}
		if !isChar(c) {
			return 0, 0
		}
		return c, end + 1
	}
}
