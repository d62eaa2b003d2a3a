package xmlscan

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
)

// other reads the comment, processing instruction or CDATA section at pos, and keeps the
// text of the latter if keep is set. It refuses other markup.
func (s *Scanner) other(keep bool) error {
	s.attrs = s.attrs[:0]
	switch {
	case s.buf[s.pos+1] == '?':
		return s.instruction()
	case s.hasPrefix("<!--"):
		s.pos += len("<!--")
		if err := s.skipTo("--"); err != nil {
			return err
		}
		if !s.need(1) {
			return s.short()
		}
		if s.buf[s.pos] != '>' {
			return s.errorf("-- inside of a comment")
		}
		s.pos++
		return nil
	case s.hasPrefix("<![CDATA["):
		if len(s.open) == 0 {
			return s.errorf("text outside of the root element")
		}
		s.pos += len("<![CDATA[")
		return s.cdata(keep)
	case s.hasPrefix("<!DOCTYPE"):
		return s.errorf("document type declaration")
	case s.readErr != nil && s.end-s.pos < len("<![CDATA["):
		return s.short()
	}
	return s.errorf("unknown markup after <!")
}

func (s *Scanner) hasPrefix(p string) bool {
	return s.need(len(p)) && string(s.buf[s.pos:s.pos+len(p)]) == p
}

// skipTo moves behind the next mark, checking the characters before it.
func (s *Scanner) skipTo(mark string) error {
	for {
		if s.hasPrefix(mark) {
			s.pos += len(mark)
			return nil
		}
		if !s.need(1) {
			return s.short()
		}
		s.need(utf8.UTFMax)
		n := character(s.buf[s.pos:s.end])
		if n == 0 {
			return s.errorf("invalid UTF-8, or a character that XML forbids")
		}
		s.pos += n
	}
}

// cdata reads the rest of a CDATA section.
func (s *Scanner) cdata(keep bool) error {
	for {
		b := s.buf[:s.end]
		i := s.pos
		for i < len(b) && (class[b[i]]&keepStop == 0 || b[i] == '<' || b[i] == '&') {
			i++
		}
		if keep {
			if err := s.keep(b[s.pos:i]); err != nil {
				return err
			}
		}
		s.pos = i
		if i == len(b) {
			if !s.fill() {
				return s.short()
			}
			continue
		}
		if b[i] == ']' && s.hasPrefix("]]>") {
			s.pos += len("]]>")
			return nil
		}
		if err := s.special(keep, true); err != nil {
			return err
		}
	}
}

// instruction reads a processing instruction. The XML declaration has that form, and must
// begin the document.
func (s *Scanner) instruction() error {
	first := s.Offset() == 0 || s.marked && s.Offset() == int64(len(byteOrderMark))
	for {
		b := s.buf[s.pos+2 : s.end]
		n := bytes.Index(b, []byte("?>"))
		if n < 0 {
			if !s.fill() {
				return s.cut("processing instruction")
			}
			continue
		}
		body := b[:n]
		_, end, ok := name(body, 0)
		if !ok || end == 0 || end < len(body) && class[body[end]]&blank == 0 {
			return s.errorf("malformed processing instruction")
		}
		for i := 0; i < len(body); {
			size := character(body[i:])
			if size == 0 {
				return s.errorf("invalid UTF-8, or a character that XML forbids")
			}
			i += size
		}
		if target := body[:end]; bytes.EqualFold(target, []byte("xml")) {
			if !first || string(target) != "xml" {
				return s.errorf("XML declaration inside of the document")
			}
			if err := declaration(body[end:]); err != nil {
				return &sources.RecordError{Byte: s.Offset(), Err: err}
			}
		}
		s.pos += n + 4
		return nil
	}
}

// declaration checks the text behind "<?xml": section 2.8, XMLDecl.
func declaration(b []byte) error {
	var seen []string
	for {
		n := skipBlanks(b)
		if n == len(b) {
			break
		}
		if n == 0 {
			return errors.New("malformed XML declaration")
		}
		b = b[n:]
		key, rest, ok := bytes.Cut(b, []byte("="))
		key = bytes.TrimRight(key, " \t\r\n")
		rest = rest[skipBlanks(rest):]
		if !ok || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
			return errors.New("malformed XML declaration")
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return errors.New("malformed XML declaration")
		}
		value := string(rest[1 : 1+end])
		b = rest[2+end:]
		switch k := string(key); {
		case k == "version" && len(seen) == 0:
			if value != "1.0" {
				return fmt.Errorf("XML version %.16q, not 1.0", value)
			}
		case k == "encoding" && len(seen) == 1:
			if !bytes.EqualFold([]byte(value), []byte("utf-8")) {
				return fmt.Errorf("encoding %.32q, not UTF-8", value)
			}
		case k == "standalone" && len(seen) > 0 && !slices.Contains(seen, k):
			if value != "yes" && value != "no" {
				return errors.New("malformed XML declaration")
			}
		default:
			return errors.New("malformed XML declaration")
		}
		seen = append(seen, string(key))
	}
	if len(seen) == 0 {
		return errors.New("XML declaration without a version")
	}
	return nil
}
