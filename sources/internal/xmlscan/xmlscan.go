// Package xmlscan reads XML documents of any length in bounded memory, record by record. [New]
// makes a [Scanner], whose Document reads one.
//
// It is encoding/xml behind a guard, which checks the whole document, also the parts that
// the caller skips: that tags match, that there is one root element with only blanks,
// comments and processing instructions around it, that attributes are unique, that the
// document is UTF-8, and that it ends. It accepts no document type declaration, and so no
// entities but the five of XML, and has the limits below. It does not resolve namespaces;
// see [Scanner.Name].
//
// Errors are a [*sources.RecordError] with the offset, or come from the reader. The error
// of a document that ends early wraps io.ErrUnexpectedEOF.
package xmlscan

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
)

// The limits.
const (
	MaxToken = 1 << 20  // bytes of a tag, of a comment, or of the text of an element
	MaxDepth = 128      // nested elements
	MaxAttrs = 64       // attributes of an element
	MaxNode  = 16 << 20 // bytes of a Node
	MaxField = 4096     // bytes of a text that Content returns

	bufSize = 64 << 10
)

// A Scanner reads one document.
type Scanner struct {
	in       *input
	xml      *xml.Decoder
	begun    bool // a token other than a byte order mark was read
	rootSeen bool
	open     []xml.Name // the open elements
	name     string     // the local name of the last tag
	attrs    []xml.Attr // of the last tag
	text     []byte     // of the Node that is read
	err      error      // sticky
}

// New returns a Scanner of the document in r.
func New(r io.Reader) *Scanner {
	in := &input{r: r}
	return &Scanner{in: in, xml: xml.NewDecoder(bufio.NewReaderSize(in, bufSize))}
}

// Document reads the document to its end. It calls open at the root element, whose name and
// attributes [Scanner.Name] and [Scanner.Attr] return then. open returns the functions that read the elements below the root,
// each by the name of the element; a name with a slash behind it stands for the elements in that
// element. Others are checked and skipped. After an error it returns the same error again.
func (s *Scanner) Document(open func() (map[string]func(*Node) error, error)) error {
	if _, err := s.next(); err != nil {
		return err
	}
	records, err := open()
	if err != nil {
		return err
	}
	read := func(read func(*Node) error) error {
		n, err := s.node(s.Offset())
		if err != nil {
			return err
		}
		return read(n)
	}
	err = s.children(func() error {
		if record := records[s.name]; record != nil {
			return read(record)
		}
		if record := records[s.name+"/"]; record != nil {
			return s.children(func() error { return read(record) })
		}
		return s.skip()
	})
	if err != nil {
		return err
	}
	if _, err := s.next(); err != io.EOF {
		return err // nothing but EOF follows the root
	}
	return nil
}

// next moves to the next tag, and reports whether it is a start tag; an empty-element tag is a
// start tag, then an end tag. It checks and skips text on the way. At the end of a well-formed
// document it returns [io.EOF].
func (s *Scanner) next() (start bool, err error) {
	for {
		t, err := s.token()
		if err != nil {
			return false, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			s.start(t)
			return true, nil
		case xml.EndElement:
			s.end(t)
			return false, nil
		}
	}
}

// start enters an element.
func (s *Scanner) start(t xml.StartElement) {
	s.name, s.attrs = t.Name.Local, t.Attr
	s.open = append(s.open, t.Name)
	s.rootSeen = true
}

// end leaves an element.
func (s *Scanner) end(t xml.EndElement) {
	s.name, s.attrs = t.Name.Local, nil
	s.open = s.open[:len(s.open)-1]
}

// Name returns the local name of the last tag, without a prefix.
func (s *Scanner) Name() string { return s.name }

// Offset returns the number of bytes scanned.
func (s *Scanner) Offset() int64 { return s.xml.InputOffset() }

// Attr returns the value of an attribute of the start tag that was just read, as
// [Node.Attr] does.
func (s *Scanner) Attr(name string) string { return (&Node{attrs: s.attrs}).Attr(name) }

// A Node is an element with all that is in it.
type Node struct {
	Name  string  // without a prefix
	Nodes []*Node // the elements in it
	attrs []xml.Attr
	text  string // before Nodes
	tail  string // after the element
}

// node reads the element whose start tag was just read, of a Node that began at an offset, and
// moves behind its end tag.
func (s *Scanner) node(begin int64) (*Node, error) {
	n := &Node{Name: s.name, attrs: s.attrs}
	s.text = s.text[:0]
	for text := &n.text; ; {
		t, err := s.token()
		if err != nil {
			return nil, err
		}
		if t, ok := t.(xml.CharData); ok {
			if s.text = append(s.text, t...); len(s.text) > MaxToken {
				return nil, s.fail("text of more than %d bytes", MaxToken)
			}
			continue
		}
		start, isStart := t.(xml.StartElement)
		end, isEnd := t.(xml.EndElement)
		if !isStart && !isEnd {
			continue // a comment or an instruction
		}
		if len(bytes.TrimSpace(s.text)) > 0 {
			*text = string(s.text)
		}
		if isEnd {
			s.end(end)
			return n, nil
		}
		s.start(start)
		if s.Offset()-begin > MaxNode {
			return nil, s.fail("element of more than %d bytes", MaxNode)
		}
		child, err := s.node(begin)
		if err != nil {
			return nil, err
		}
		s.text = s.text[:0]
		n.Nodes = append(n.Nodes, child)
		text = &child.tail
	}
}

// Text returns the text of n and of all elements in it, with a line feed for each tag
// between. References are resolved, line ends are "\n", and comments, processing
// instructions and the marks of CDATA sections are left out. A text of blanks is "".
func (n *Node) Text() string {
	if len(n.Nodes) == 0 {
		return n.text
	}
	var all strings.Builder
	all.WriteString(n.text)
	for _, c := range n.Nodes {
		all.WriteString("\n" + c.Text() + "\n" + c.tail)
	}
	return all.String()
}

// All returns the elements at a path of names below n, in order. "" stands for any name.
func (n *Node) All(path ...string) []*Node {
	at := []*Node{n}
	for _, name := range path {
		var below []*Node
		for _, n := range at {
			for _, c := range n.Nodes {
				if name == "" || c.Name == name {
					below = append(below, c)
				}
			}
		}
		at = below
	}
	return at
}

// Attr returns the value of an attribute, which has no prefix, or "" if n has none.
func (n *Node) Attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// Values returns the values of the attributes.
func (n *Node) Values() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range n.attrs {
			if !yield(a.Value) {
				return
			}
		}
	}
}

// Content returns the text of n without the blanks around it. An element in n, or a text of
// more than MaxField bytes, is an error.
func (s *Scanner) Content(n *Node) (string, error) {
	text := sources.TrimListed(n.text)
	switch {
	case len(n.Nodes) > 0:
		return "", s.fail("element <%.64s> where only text may be", n.Nodes[0].Name)
	case len(text) > MaxField:
		return "", s.fail("text of %d bytes in <%.64s>", len(text), n.Name)
	}
	return text, nil
}

// Fields returns the contents of the elements of these names in n, and "" for a name without
// an element. Two elements of a name are an error: the end of one record and the beginning of
// the next one may be missing between them.
func (s *Scanner) Fields(n *Node, names ...string) (texts []string, err error) {
	texts = make([]string, len(names))
	for i, name := range names {
		for k, field := range n.All(name) {
			if k > 0 {
				return nil, s.fail("<%.64s> with two <%s>: parts of the file are missing", n.Name, name)
			}
			if texts[i], err = s.Content(field); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

// skip moves behind the end tag of the element whose start tag was just read.
func (s *Scanner) skip() error {
	for outer := len(s.open) - 1; ; {
		start, err := s.next()
		if err != nil {
			return err
		}
		if !start && len(s.open) == outer {
			return nil
		}
	}
}

// children calls read at the start tag of each child of the element whose start tag was just read.
// read must move behind the child's end tag.
func (s *Scanner) children(read func() error) error {
	for {
		start, err := s.next()
		if err != nil || !start {
			return err
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// Errorf returns an error at this place of the document, in the record ref, or "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Byte: s.Offset(), Ref: ref, Err: fmt.Errorf(format, args...)}
}

// fail ends the scan with an error.
func (s *Scanner) fail(format string, args ...any) error {
	s.err = s.Errorf("", format, args...)
	return s.err
}

// token returns the next token after checking it. It returns a tag before next enters or
// leaves its element.
func (s *Scanner) token() (xml.Token, error) {
	if s.err != nil {
		return nil, s.err
	}
	s.in.token = 0
	t, err := s.xml.RawToken()
	if err != nil {
		s.err = s.explain(err)
		return nil, s.err
	}
	if err := s.check(t); err != nil {
		return nil, s.fail("%w", err)
	}
	return t, nil
}

// explain returns the error to report for one of encoding/xml.
func (s *Scanner) explain(err error) error {
	var syntax *xml.SyntaxError
	ended := s.in.err != nil && s.Offset() == s.in.total
	bad := errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "illegal character")
	switch {
	case err == io.EOF && s.rootSeen && len(s.open) == 0:
		return io.EOF
	case ended && s.in.err == io.EOF && !bad:
		err = io.ErrUnexpectedEOF // also of a character or a reference that is cut
	case ended && s.in.err != io.EOF && s.in.err != errToken:
		return s.in.err
	case syntax != nil:
		err = errors.New(syntax.Msg)
	case err == io.ErrNoProgress:
		return err
	}
	return s.Errorf("", "%w", err)
}

// check returns an error for a token that encoding/xml accepts and this package does not.
func (s *Scanner) check(t xml.Token) error {
	first := !s.begun
	s.begun = true
	switch t := t.(type) {
	case xml.CharData:
		if len(s.open) > 0 {
			return nil
		}
		if first {
			t = bytes.TrimPrefix(t, []byte("\ufeff"))
			s.begun = len(t) > 0
		}
		if len(bytes.Trim(t, " \t\r\n")) > 0 {
			return errors.New("text outside of the root element")
		}
	case xml.Comment:
		return checkText(t)
	case xml.Directive:
		return errors.New("document type declaration")
	case xml.ProcInst:
		if strings.EqualFold(t.Target, "xml") && (t.Target != "xml" || !first || !declaration.Match(t.Inst)) {
			return errors.New("XML declaration not of XML 1.0 in UTF-8, or not at the beginning")
		}
		return checkText(t.Inst)
	case xml.StartElement:
		return s.checkStart(t)
	case xml.EndElement:
		if n := len(s.open); n == 0 || s.open[n-1] != t.Name {
			return fmt.Errorf("end tag </%.64s> that matches no start tag", t.Name.Local)
		}
	}
	return nil
}

// declaration matches the text behind "<?xml " (section 2.8 of XML 1.0).
var declaration = regexp.MustCompile(`^version\s*=\s*['"]1\.0['"](\s+encoding\s*=\s*['"](?i:utf-8)['"])?(\s+standalone\s*=\s*['"](yes|no)['"])?\s*$`)

func (s *Scanner) checkStart(t xml.StartElement) error {
	switch {
	case len(s.open) == 0 && s.rootSeen:
		return errors.New("second root element")
	case len(s.open) == MaxDepth:
		return fmt.Errorf("elements nested deeper than %d", MaxDepth)
	case len(t.Attr) > MaxAttrs:
		return fmt.Errorf("more than %d attributes", MaxAttrs)
	case strings.Contains(t.Name.Local, ":"):
		return fmt.Errorf("element name %.64q", t.Name.Local)
	}
	for i, a := range t.Attr {
		if strings.Contains(a.Name.Local, ":") {
			return fmt.Errorf("attribute name %.64q", a.Name.Local)
		}
		for _, other := range t.Attr[:i] {
			if other.Name == a.Name {
				return fmt.Errorf("attribute %.64s twice", a.Name.Local)
			}
		}
	}
	return nil
}

// checkText checks the characters of a comment or an instruction; encoding/xml checks only
// the characters of text and attributes.
func checkText(b []byte) error {
	if !utf8.Valid(b) || bytes.ContainsFunc(b, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	}) {
		return errors.New("invalid UTF-8, or a character that XML forbids")
	}
	return nil
}

var errToken = fmt.Errorf("tag, comment or text of more than %d bytes", MaxToken)

// An input bounds what encoding/xml holds of a token, and keeps the reader's error.
type input struct {
	r     io.Reader
	total int64
	token int // bytes read since the last token
	err   error
}

func (in *input) Read(p []byte) (int, error) {
	if in.token > MaxToken {
		in.err = errToken
	}
	if in.err != nil {
		return 0, in.err
	}
	n, err := in.r.Read(p)
	in.total += int64(n)
	in.token += n
	in.err = err
	return n, err
}
