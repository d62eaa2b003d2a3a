package xmlscan

import (
	"errors"
	"io"
	"unicode/utf8"
)

// fill reads until the buffer is full or the reader ends, and keeps the bytes that are not
// scanned yet. It makes room by moving them to the front or, if there is none, by doubling
// the buffer. It reports whether it read any bytes.
//
// Filling the whole buffer limits how often an unfinished tag is scanned again, however few
// bytes the reader returns at a time.
func (s *Scanner) fill() bool {
	if s.readErr != nil {
		return false
	}
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end])
		s.base += int64(s.pos)
		s.end -= s.pos
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= MaxToken {
			return false
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	had := s.end
	for idle := 0; s.end < len(s.buf) && s.readErr == nil; {
		n, err := s.r.Read(s.buf[s.end:])
		if n < 0 || n > len(s.buf)-s.end {
			n, err = 0, errors.New("reader returned an impossible count")
		}
		s.end += n
		s.readErr = err
		if n > 0 {
			idle = 0
		} else if idle++; idle == 100 && err == nil {
			s.readErr = io.ErrNoProgress
		}
	}
	return s.end > had
}

// need reports whether n bytes, a few, are available from pos.
func (s *Scanner) need(n int) bool {
	return s.end-s.pos >= n || s.fill() && s.end-s.pos >= n
}

// The classes of bytes.
const (
	nameByte  = 1 << iota // of a name, but ':'
	nameFirst             // at the beginning of a name
	blank
	textStop  // where skipping a text must stop to look
	keepStop  // where keeping one must stop, too
	valueStop // where an attribute value must be looked at
)

var class = classes()

func classes() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c == '\t' || c == '\n' || c == ' ':
			t[c] |= blank
		case c == '\r':
			t[c] |= blank | keepStop | valueStop
		case c < ' ' || c >= utf8.RuneSelf:
			t[c] |= textStop | keepStop | valueStop
		case c == '<' || c == '&':
			t[c] |= textStop | keepStop | valueStop
		case c == ']':
			t[c] |= textStop | keepStop
		case c == '"' || c == '\'':
			t[c] |= valueStop
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			t[c] |= nameByte | nameFirst
		case c >= '0' && c <= '9' || c == '-' || c == '.':
			t[c] |= nameByte
		}
	}
	return t
}
