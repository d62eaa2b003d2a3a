// Package xmlscan reads XML documents of any length in a small, fixed memory.
//
// It is for documents from outside that must be whole to be believed. All of a
// document is checked, what nobody asks for as well: that tags nest and match,
// that names and attributes are well-formed and attributes unique, that there is
// one root element and nothing but blanks, comments and processing instructions
// around it, that text is valid UTF-8 of characters that XML allows, and that
// references name one of the five entities or such a character. A document that
// ends early is an error.
//
// It takes less than XML allows: UTF-8 only, names of ASCII letters, digits,
// '-', '.', '_' and one ':', no document type declaration (and so no entities
// that blow up), and the bounds below. Namespaces are not resolved; see
// [Scanner.Name]. Whatever it takes, the strict decoder of encoding/xml takes
// too, and reads the same.
//
// Errors are a [*sources.RecordError] with the offset, or those of the reader.
// That of a document which ends early wraps io.ErrUnexpectedEOF.
package xmlscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
)

// The bounds.
const (
	MaxToken = 1 << 20 // bytes of a tag, or of a text that is asked for
	MaxDepth = 128     // elements inside each other
	MaxAttrs = 64      // attributes of an element

	bufSize      = 64 << 10
	maxReference = 16 // bytes of "&…;"
)

// A Token is what [Scanner.Next] found.
type Token uint8

const (
	Start Token = 1 + iota // a start tag; an empty-element tag is Start, then End
	End                    // an end tag
)

// A Scanner reads one document. It does not allocate for a token, except to
// grow its buffers, and never goes back.
type Scanner struct {
	r       io.Reader
	readErr error // of r; acted on when the buffer is used up

	buf      []byte
	pos, end int   // buf[pos:end] was read and not yet scanned
	base     int64 // offset in the document of buf[0]

	names []byte // the names of the open elements, one after the other
	open  []elem
	last  elem // the element of the last tag
	attrs []attr
	value []byte // attribute values whose references were resolved
	text  []byte

	empty    bool // the last tag was an empty-element tag, whose End is due
	rootSeen bool
	marked   bool  // the document began with a byte order mark
	err      error // sticky
}

// An elem is a name in Scanner.names: its beginning, that of its local part, and
// its end.
type elem struct{ from, local, to int32 }

// An attr is a name and a raw value in Scanner.buf.
type attr struct {
	from, to           int32
	valueFrom, valueTo int32
	raw                bool // the value is not its raw text: it has a reference or a CR
}

// New returns a Scanner of the document in r.
func New(r io.Reader) *Scanner {
	return &Scanner{
		r:     r,
		buf:   make([]byte, bufSize),
		names: make([]byte, 0, 1024),
		open:  make([]elem, 0, MaxDepth),
		attrs: make([]attr, 0, 16),
	}
}

// Next moves to the next tag and says which kind it is. Text on the way is
// checked, and skipped. At the end of a document that was well-formed to its
// last byte it returns [io.EOF]. After an error it returns the same again.
func (s *Scanner) Next() (Token, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.empty {
		s.empty = false
		s.attrs = s.attrs[:0]
		s.pop()
		return End, nil
	}
	for {
		if err := s.toMarkup(false); err != nil {
			return 0, s.fail(err)
		}
		t, err := s.tag()
		if err != nil {
			return 0, s.fail(err)
		}
		if t != 0 {
			return t, nil
		}
	}
}

// Name returns the local name of the last tag, that is, without a prefix. It is
// valid until the next call of another method.
func (s *Scanner) Name() []byte { return s.names[s.last.local:s.last.to:s.last.to] }

// Depth returns how many elements are open. It counts that of a start tag that
// was just read, and does not count that of an end tag.
func (s *Scanner) Depth() int { return len(s.open) }

// Offset returns how many bytes of the document were scanned.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Attr returns the value of an attribute of the start tag that was just read,
// and false if it has none of this name. The name is the whole one, with its
// prefix. The value is valid until the next call of Next, Text, Content or Skip.
func (s *Scanner) Attr(name string) ([]byte, bool) {
	for i := range s.attrs {
		a := &s.attrs[i]
		if string(s.buf[a.from:a.to]) == name {
			return s.attrValue(a), true
		}
	}
	return nil, false
}

func (s *Scanner) attrValue(a *attr) []byte {
	raw := s.buf[a.valueFrom:a.valueTo:a.valueTo]
	if !a.raw {
		return raw
	}
	from := len(s.value)
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '&':
			c, n := reference(raw[i:])
			s.value = utf8.AppendRune(s.value, c)
			i += n
		case '\r':
			s.value = append(s.value, '\n')
			i++
			if i < len(raw) && raw[i] == '\n' {
				i++
			}
		default:
			s.value = append(s.value, raw[i])
			i++
		}
	}
	return s.value[from:len(s.value):len(s.value)]
}

// Text returns the text from here to the next tag: references resolved, line
// ends as "\n", and what stands around comments, processing instructions and the
// marks of CDATA sections joined. It is valid until the next call of Text or
// Content. It ends what Attr can answer.
func (s *Scanner) Text() ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	s.text = s.text[:0]
	if s.empty {
		return s.text, nil
	}
	s.attrs = s.attrs[:0]
	for {
		if err := s.toMarkup(true); err == io.EOF {
			return s.text, nil // Next says it again
		} else if err != nil {
			return nil, s.fail(err)
		}
		if !s.need(2) {
			return nil, s.fail(s.short())
		}
		if c := s.buf[s.pos+1]; c != '!' && c != '?' {
			return s.text, nil
		}
		if err := s.other(true); err != nil {
			return nil, s.fail(err)
		}
	}
}

// Content returns the text of the element whose start tag was just read, as Text
// does, and moves behind its end tag. An element inside is an error.
func (s *Scanner) Content() ([]byte, error) {
	text, err := s.Text()
	if err != nil {
		return nil, err
	}
	t, err := s.Next()
	if err != nil {
		return nil, err
	}
	if t != End {
		return nil, s.fail(s.errorf("element <%.64s> where only text may be", s.Name()))
	}
	return text, nil
}

// Skip moves behind the end tag of the element whose start tag was just read.
func (s *Scanner) Skip() error {
	for outer := len(s.open) - 1; ; {
		t, err := s.Next()
		if err != nil {
			return err
		}
		if t == End && len(s.open) == outer {
			return nil
		}
	}
}

// Children calls read for each child of the element whose start tag was just
// read, with its name, which is valid as that of [Scanner.Name] is. read must go
// behind the child's end tag.
func (s *Scanner) Children(read func(name []byte) error) error {
	for {
		t, err := s.Next()
		if err != nil || t == End {
			return err
		}
		if err := read(s.Name()); err != nil {
			return err
		}
	}
}

// Errorf makes an error at this place of the document, in the record ref, if it
// is not "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Byte: s.Offset(), Ref: ref, Err: fmt.Errorf(format, args...)}
}

// fail makes err the end of the scan.
func (s *Scanner) fail(err error) error {
	s.err = err
	return err
}

func (s *Scanner) errorf(format string, args ...any) error {
	return s.Errorf("", format, args...)
}

// short is the error of a document that ends where it may not.
func (s *Scanner) short() error {
	if s.readErr != nil && s.readErr != io.EOF {
		return s.readErr
	}
	return &sources.RecordError{Byte: s.base + int64(s.end), Err: io.ErrUnexpectedEOF}
}

// fill reads until the buffer is full or the reader ends, keeping what is not
// yet scanned. It makes room by moving that to the front, or, if there is none
// to make, by doubling the buffer. It reports whether it got any bytes.
//
// A full buffer at each call also bounds how often an unfinished tag is scanned
// again, however few bytes the reader gives at a time.
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

// need reports whether n bytes, a few, are at hand from pos on.
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

// toMarkup moves to the next '<', and keeps the text up to there if it is asked
// to. At the end of a whole document it returns io.EOF.
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

// special takes one character of a text, or of a CDATA section, that is not an
// ordinary one.
func (s *Scanner) special(keep, cdata bool) error {
	s.need(maxReference) // or less at the end
	b := s.buf[s.pos:s.end]
	n := 1
	switch c := b[0]; {
	case c == '\r':
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
	case c == ']':
		if !cdata && len(b) > 2 && b[1] == ']' && b[2] == '>' {
			return s.errorf("]]> outside of a CDATA section")
		}
	case c == '&' && !cdata:
		r, size := reference(b)
		if size == 0 {
			if len(b) < maxReference && bytes.IndexByte(b, ';') < 0 {
				return s.short()
			}
			return s.errorf("unknown or malformed reference %.*q", maxReference, b[:min(len(b), maxReference)])
		}
		if len(s.open) == 0 {
			break
		}
		s.pos += size
		if keep {
			var char [utf8.UTFMax]byte
			return s.keep(utf8.AppendRune(char[:0], r))
		}
		return nil
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

var byteOrderMark = []byte("\xef\xbb\xbf")

// character returns the length of the character at the beginning of b, and 0 if
// it is none that XML allows (section 2.2, Char) or not UTF-8.
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

// reference reads the reference at the beginning of b: what it stands for, and
// its length, 0 if it is none.
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

// tag takes the markup at pos, where a '<' is. It returns 0 for one that is no
// tag.
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

// cut is the error of markup whose end is not in the buffer, which cannot be
// filled any more.
func (s *Scanner) cut(what string) error {
	if s.readErr == nil {
		return s.errorf("%s of more than %d bytes", what, MaxToken)
	}
	return s.short()
}

// startTag takes the start tag at pos. It returns false if its end is not in the
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
		for i < len(b) && class[b[i]]&blank != 0 {
			i++
		}
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
		a := attr{from: int32(i)}
		if int(a.from) == sep {
			return false, s.errorf("no blank before an attribute")
		}
		if _, i, ok = name(b, i); !ok {
			return false, s.errorf("attribute name expected in a start tag")
		}
		a.to = int32(i)
		for i < len(b) && class[b[i]]&blank != 0 {
			i++
		}
		if i == len(b) {
			return false, nil
		}
		if b[i] != '=' {
			return false, s.errorf("attribute without a value")
		}
		i++
		for i < len(b) && class[b[i]]&blank != 0 {
			i++
		}
		if i == len(b) {
			return false, nil
		}
		quote := b[i]
		if quote != '"' && quote != '\'' {
			return false, s.errorf("attribute value without quotes")
		}
		i++
		a.valueFrom = int32(i)
	value:
		for {
			for i < len(b) && class[b[i]]&valueStop == 0 {
				i++
			}
			if i == len(b) {
				return false, nil
			}
			switch c := b[i]; {
			case c == quote:
				break value
			case c == '"' || c == '\'':
				i++
			case c == '\r':
				a.raw = true
				i++
			case c == '&':
				_, n := reference(b[i:])
				if n == 0 {
					if len(b)-i < maxReference && bytes.IndexByte(b[i:], ';') < 0 {
						return false, nil
					}
					return false, s.errorf("unknown or malformed reference in an attribute")
				}
				a.raw = true
				i += n
			case c == '<':
				return false, s.errorf("< inside of an attribute")
			default:
				n := character(b[i:])
				if n == 0 {
					if c >= utf8.RuneSelf && !utf8.FullRune(b[i:]) {
						return false, nil
					}
					return false, s.errorf("invalid UTF-8, or a character that XML forbids, in an attribute")
				}
				i += n
			}
		}
		a.valueTo = int32(i)
		i++
		n := a.to - a.from
		for _, other := range s.attrs {
			if other.to-other.from == n && string(b[other.from:other.to]) == string(b[a.from:a.to]) {
				return false, s.errorf("attribute %.64s twice", b[a.from:a.to])
			}
		}
		if len(s.attrs) == MaxAttrs {
			return false, s.errorf("more than %d attributes", MaxAttrs)
		}
		s.attrs = append(s.attrs, a)
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

// name scans the name at b[i]. It returns where its local part begins and where
// it ends, and false if there is none. A name that runs up to the end of b may
// be unfinished; what follows a name always tells.
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

// endTag takes the end tag at pos.
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

// other takes the comment, processing instruction or CDATA section at pos, and
// keeps the text of the latter if it is asked to. Anything else that begins so
// is refused.
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

// cdata takes the rest of a CDATA section.
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

// instruction takes a processing instruction. The XML declaration is one in
// form, and must be the first thing of the document.
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

// declaration checks what stands after "<?xml": section 2.8, XMLDecl.
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
