// Package xmlscan reads XML documents of any length in a small, fixed memory. [New] makes a
// [Scanner]. It is written by hand because it is 14 times as fast as encoding/xml on
// sdn_advanced.xml and holds 64 KiB.
//
// The Scanner checks the whole document, also the parts that the caller skips: that tags
// nest and match, that names are well-formed and attributes unique, that there is one root
// element with only blanks, comments and processing instructions around it, that text is
// valid UTF-8 of characters that XML allows, and that references name such a character or
// one of the five entities. A document that ends early is an error.
//
// It accepts less than XML allows: only UTF-8, names of ASCII letters, digits, '-', '.',
// '_' and one ':', no document type declaration (so no entity expansion), and the limits
// below. It does not resolve namespaces; see [Scanner.Name]. The strict decoder of
// encoding/xml reads each accepted document the same way.
//
// Errors are a [*sources.RecordError] with the offset, or those of the reader. The error of
// a document that ends early wraps io.ErrUnexpectedEOF.
package xmlscan

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
)

// The limits.
const (
	MaxToken = 1 << 20 // bytes of a tag, or of a text that is read
	MaxDepth = 128     // nested elements
	MaxAttrs = 64      // attributes of an element

	bufSize      = 64 << 10
	maxReference = 16 // bytes of "&…;"
)

// A Token is the result of [Scanner.Next].
type Token uint8

const (
	Start Token = 1 + iota // a start tag; an empty-element tag is Start, then End
	End                    // an end tag
)

// A Scanner reads one document. It allocates only to grow its buffers.
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

// Next moves to the next tag and returns its kind. It checks and skips text on the way. At
// the end of a well-formed document it returns [io.EOF]. After an error it returns the same
// error again.
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

// Name returns the local name of the last tag, without a prefix. It is valid until the next
// call of another method.
func (s *Scanner) Name() []byte { return s.names[s.last.local:s.last.to:s.last.to] }

// Offset returns the number of bytes scanned.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Attr returns the value of an attribute of the start tag that was just read, and false if
// it has none. name includes the prefix. The value is valid until the next call of Next,
// Text, Content or Skip.
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

// Text returns the text up to the next tag, with references resolved, line ends as "\n",
// and without comments, processing instructions and the marks of CDATA sections. It is valid
// until the next call of Text or Content. After Text, Attr finds nothing.
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

// Content returns the text of the element whose start tag was just read, like Text, and
// moves behind its end tag. A child element is an error.
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

// Children calls read for each child of the element whose start tag was just read, with its
// name, which is valid like that of [Scanner.Name]. read must move behind the child's end
// tag.
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

// Errorf returns an error at this place of the document, in the record ref, or "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Byte: s.Offset(), Ref: ref, Err: fmt.Errorf(format, args...)}
}

// fail ends the scan with err.
func (s *Scanner) fail(err error) error {
	s.err = err
	return err
}

func (s *Scanner) errorf(format string, args ...any) error {
	return s.Errorf("", format, args...)
}

// short returns the error of a document that ends too early.
func (s *Scanner) short() error {
	if s.readErr != nil && s.readErr != io.EOF {
		return s.readErr
	}
	return &sources.RecordError{Byte: s.base + int64(s.end), Err: io.ErrUnexpectedEOF}
}
