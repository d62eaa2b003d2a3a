// Package xmlscan reads XML documents of any length in bounded memory, record by record. [New]
// makes a [Scanner], whose Document reads one.
//
// It is encoding/xml behind a guard, which checks the whole document, also the parts that
// the caller skips: that tags match, that there is one root element with only blanks, comments and processing
// instructions around it, that attributes are unique, and that the document ends. It accepts no
// document type declaration, and so no entities but the five of XML, and has the limits below.
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
	"slices"
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
	// Stray, unless it is nil, is called with the texts and attributes of the elements that no
	// record of Document reads. Its error ends the scan.
	Stray func(text string) error

	in   *input
	xml  *xml.Decoder
	open []xml.Name       // the open elements
	root bool             // there was a start tag
	last xml.StartElement // the last start tag
	text []byte           // of the Node that is read
	err  error            // sticky
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
		if record := records[s.Name()]; record != nil {
			return read(record)
		}
		if record := records[s.Name()+"/"]; record != nil {
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
// start tag, then an end tag. At the end of a well-formed document it returns [io.EOF].
func (s *Scanner) next() (start bool, err error) {
	for {
		t, err := s.token()
		if err != nil {
			return false, err
		}
		switch t.(type) {
		case xml.StartElement:
			return true, nil
		case xml.EndElement:
			return false, nil
		}
	}
}

// Name returns the local name of the last start tag, without a prefix.
func (s *Scanner) Name() string { return s.last.Name.Local }

// Offset returns the number of bytes scanned.
func (s *Scanner) Offset() int64 { return s.xml.InputOffset() }

// Attr returns the value of an attribute of the start tag that was just read, as
// [Node.Attr] does.
func (s *Scanner) Attr(name string) string { return (&Node{Attrs: s.last.Attr}).Attr(name) }

// A Node is an element with all that is in it.
type Node struct {
	Name  string  // without a prefix
	Nodes []*Node // the elements in it
	Attrs []xml.Attr
	text  string // before Nodes
	tail  string // after the element
}

// node reads the element whose start tag was just read, of a Node that began at an offset, and
// moves behind its end tag.
func (s *Scanner) node(begin int64) (*Node, error) {
	n := &Node{Name: s.Name(), Attrs: s.last.Attr}
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
		_, isStart := t.(xml.StartElement)
		_, isEnd := t.(xml.EndElement)
		if !isStart && !isEnd {
			continue // a comment or an instruction
		}
		if len(bytes.TrimSpace(s.text)) > 0 {
			*text = string(s.text)
		}
		if isEnd {
			return n, nil
		}
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
	n.writeText(&all)
	return all.String()
}

func (n *Node) writeText(all *strings.Builder) {
	all.WriteString(n.text)
	for _, c := range n.Nodes {
		all.WriteByte('\n')
		c.writeText(all)
		all.WriteByte('\n')
		all.WriteString(c.tail)
	}
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
	for _, a := range n.Attrs {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// Values returns the values of the attributes of n and of all elements in it, and the texts beside
// these elements, without empty ones.
func (n *Node) Values() []string { return n.appendValues(nil) }

func (n *Node) appendValues(all []string) []string {
	add := func(text string) {
		if text != "" {
			all = append(all, text)
		}
	}
	for _, a := range n.Attrs {
		add(a.Value)
	}
	if len(n.Nodes) > 0 {
		add(n.text)
	}
	for _, c := range n.Nodes {
		all = c.appendValues(all)
		add(c.tail)
	}
	return all
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
	t := xml.Token(s.last)
	for outer := len(s.open) - 1; ; {
		if err := s.stray(t); err != nil {
			return s.fail("%w", err)
		}
		if len(s.open) == outer {
			return nil
		}
		var err error
		if t, err = s.token(); err != nil {
			return err
		}
	}
}

// stray calls s.Stray with the texts in a token.
func (s *Scanner) stray(t xml.Token) error {
	if s.Stray == nil {
		return nil
	}
	switch t := t.(type) {
	case xml.CharData:
		return s.Stray(string(t))
	case xml.StartElement:
		for _, a := range t.Attr {
			if err := s.Stray(a.Value); err != nil {
				return err
			}
		}
	}
	return nil
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

// token returns the next token after checking what encoding/xml accepts and this package does not.
func (s *Scanner) token() (xml.Token, error) {
	if s.err != nil {
		return nil, s.err
	}
	s.in.token = 0
	first := s.Offset() == 0
	t, err := s.xml.RawToken()
	if err != nil {
		s.err = s.explain(err)
		return nil, s.err
	}
	switch t := t.(type) {
	case xml.StartElement:
		if err := s.check(t); err != nil {
			return nil, err
		}
		s.last, s.root = t, true
		s.open = append(s.open, t.Name)
	case xml.EndElement:
		last := len(s.open) - 1
		if last < 0 || s.open[last] != t.Name {
			return nil, s.fail("end tag </%.64s> that matches no start tag", t.Name.Local)
		}
		s.open = s.open[:last]
	case xml.CharData:
		if first {
			t = bytes.TrimPrefix(t, []byte("\ufeff"))
		}
		if len(s.open) == 0 && len(bytes.Trim(t, " \t\r\n")) > 0 {
			return nil, s.fail("text outside of the root element")
		}
	case xml.ProcInst:
		if !utf8.Valid(t.Inst) {
			return nil, s.fail("processing instruction that is not UTF-8")
		}
	case xml.Comment:
		if !utf8.Valid(t) {
			return nil, s.fail("comment that is not UTF-8")
		}
	case xml.Directive:
		return nil, s.fail("document type declaration")
	}
	return t, nil
}

func (s *Scanner) check(t xml.StartElement) error {
	switch {
	case len(s.open) == 0 && s.root:
		return s.fail("second root element")
	case len(s.open) == MaxDepth:
		return s.fail("elements nested deeper than %d", MaxDepth)
	case len(t.Attr) > MaxAttrs:
		return s.fail("more than %d attributes", MaxAttrs)
	}
	for i, a := range t.Attr {
		if slices.ContainsFunc(t.Attr[:i], func(b xml.Attr) bool { return a.Name == b.Name }) {
			return s.fail("attribute %.64s twice", a.Name.Local)
		}
	}
	return nil
}

// explain returns the error to report for one of encoding/xml.
func (s *Scanner) explain(err error) error {
	var syntax *xml.SyntaxError
	ended := s.in.err != nil && s.Offset() == s.in.total
	bad := errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "illegal character")
	switch {
	case err == io.EOF && s.root && len(s.open) == 0:
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
