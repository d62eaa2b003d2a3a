// Package xmlscan reads XML documents of any length in bounded memory, record by record. [New]
// makes a [Scanner], whose Document reads one.
//
// It is encoding/xml behind a guard, which checks the whole document, also the parts that the
// caller skips: that there is one root element with only blanks, comments and processing
// instructions around it, and that the document ends. It accepts no document type
// declaration, and so no entities but the five of XML, and has the limits below.
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
	"strings"

	"github.com/walletscreen/walletscreen/sources"
)

// The limits.
const (
	MaxToken = 1 << 20  // bytes of a tag, of a comment, or of the text of an element
	MaxDepth = 128      // nested elements
	MaxNode  = 16 << 20 // bytes of a Node
)

// A Scanner reads one document.
type Scanner struct {
	// Stray, unless it is nil, is called with the texts and attributes that no record of Document
	// has. Its error ends the scan.
	Stray func(text string) error

	in    *input
	xml   *xml.Decoder
	depth int    // the number of open elements
	root  bool   // there was a start tag
	text  []byte // of the Node that is read
}

// New returns a Scanner of the document in r.
func New(r io.Reader) *Scanner {
	in := &input{r: r}
	return &Scanner{in: in, xml: xml.NewDecoder(bufio.NewReaderSize(in, 64<<10))}
}

// Document reads the document to its end. It calls open with the root element, without its content. open
// returns the functions that read the elements below the root, each by the name of the element; a name with
// a slash behind it stands for the elements in that element. Others are checked, and go to Stray.
func (s *Scanner) Document(open func(root *Node) (map[string]func(*Node) error, error)) error {
	var records map[string]func(*Node) error
	section := "" // the element below the root
	for {
		t, err := s.token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var record func(*Node) error
		start, isStart := t.(xml.StartElement)
		switch name := start.Name.Local; {
		case isStart && s.depth == 1:
			records, err = open(&Node{Name: name, Attrs: start.Attr})
		case isStart && s.depth == 2:
			section, record = name+"/", records[name]
		case isStart && s.depth == 3:
			record = records[section]
		}
		if record != nil {
			var n *Node
			if n, err = s.node(start, s.Offset()); err == nil {
				err = record(n)
			}
		} else if err == nil && s.Stray != nil {
			err = s.stray(t)
		}
		if err != nil {
			return err
		}
	}
}

// stray calls s.Stray with the texts in a token.
func (s *Scanner) stray(t xml.Token) (err error) {
	switch t := t.(type) {
	case xml.CharData:
		err = s.Stray(string(t))
	case xml.StartElement:
		for i := 0; i < len(t.Attr) && err == nil; i++ {
			err = s.Stray(t.Attr[i].Value)
		}
	}
	if err != nil {
		err = s.Errorf("", "%w", err)
	}
	return err
}

// Offset returns the number of bytes scanned.
func (s *Scanner) Offset() int64 { return s.xml.InputOffset() }

// A Node is an element with all that is in it. In its texts, references are resolved, line ends are
// "\n", and comments, processing instructions and the marks of CDATA sections are left out. A text of
// blanks is "".
type Node struct {
	Name  string // without a prefix
	Attrs []xml.Attr
	Text  string  // before Nodes
	Nodes []*Node // the elements in it
	tail  string  // the text behind the element
}

// node reads the element with a start tag that was just read, in a record that began at an offset.
func (s *Scanner) node(start xml.StartElement, begin int64) (*Node, error) {
	n := &Node{Name: start.Name.Local, Attrs: start.Attr}
	for text := &n.Text; ; {
		t, err := s.token()
		switch {
		case err != nil:
			return nil, err
		case s.Offset()-begin > MaxNode:
			return nil, s.Errorf("", "element of more than %d bytes", MaxNode)
		}
		switch t := t.(type) {
		case xml.EndElement:
			*text = s.taken()
			return n, nil
		case xml.StartElement:
			*text = s.taken()
			child, err := s.node(t, begin)
			if err != nil {
				return nil, err
			}
			n.Nodes = append(n.Nodes, child)
			text = &child.tail
		case xml.CharData:
			if s.text = append(s.text, t...); len(s.text) > MaxToken {
				return nil, s.Errorf("", "text of more than %d bytes", MaxToken)
			}
		}
	}
}

// taken returns the text that was read, or "" for blanks, and forgets it.
func (s *Scanner) taken() (text string) {
	if len(bytes.TrimSpace(s.text)) > 0 {
		text = string(s.text)
	}
	s.text = s.text[:0]
	return text
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

// Texts returns the texts of n and of all elements in it, each by itself, and the attributes that are
// long enough for an address.
func (n *Node) Texts() (all []string) {
	for _, a := range n.Attrs {
		if len(a.Value) >= minAddress {
			all = append(all, a.Value)
		}
	}
	if n.Text != "" {
		all = append(all, n.Text)
	}
	for _, c := range n.Nodes {
		all = append(all, c.Texts()...)
		if c.tail != "" {
			all = append(all, c.tail)
		}
	}
	return all
}

// minAddress is the length of the shortest attribute in which an address may be.
const minAddress = 25

// Content returns the text of n without the blanks around it. An element in n is an error.
func (s *Scanner) Content(n *Node) (string, error) {
	if len(n.Nodes) > 0 {
		return "", s.Errorf("", "element <%.64s> where only text may be", n.Nodes[0].Name)
	}
	return sources.TrimListed(n.Text), nil
}

// Fields returns the contents of the elements of these names in n, and "" for a name without
// an element. Two elements of a name are an error: the end of one record and the beginning of
// the next one may be missing between them.
func (s *Scanner) Fields(n *Node, names ...string) (texts []string, err error) {
	texts = make([]string, len(names))
	for i, name := range names {
		for k, field := range n.All(name) {
			if k > 0 {
				return nil, s.Errorf("", "<%.64s> with two <%s>: parts of the file are missing", n.Name, name)
			}
			if texts[i], err = s.Content(field); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

// Errorf returns an error at this place of the document, in the record ref, or "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Byte: s.Offset(), Ref: ref, Err: fmt.Errorf(format, args...)}
}

// token returns the next token after checking what encoding/xml accepts and this package does not.
// At the end of a whole document it returns [io.EOF].
func (s *Scanner) token() (xml.Token, error) {
	s.in.token = 0
	first := s.Offset() == 0
	t, err := s.xml.Token()
	if err != nil {
		return nil, s.explain(err)
	}
	switch t := t.(type) {
	case xml.StartElement:
		if s.depth++; s.depth == 1 && s.root {
			err = s.Errorf("", "second root element")
		} else if s.depth > MaxDepth {
			err = s.Errorf("", "elements nested deeper than %d", MaxDepth)
		}
		s.root = true
	case xml.EndElement:
		s.depth--
	case xml.CharData:
		if first {
			t = bytes.TrimPrefix(t, []byte("\ufeff"))
		}
		if s.depth == 0 && len(bytes.Trim(t, " \t\r\n")) > 0 {
			err = s.Errorf("", "text outside of the root element: not XML, or more than a document; want the file of the list in XML")
		}
	case xml.Directive:
		err = s.Errorf("", "document type declaration, as an HTML page has")
	}
	return t, err
}

// explain returns the error to report for one of encoding/xml.
func (s *Scanner) explain(err error) error {
	var syntax *xml.SyntaxError
	ended := s.in.err != nil && s.Offset() == s.in.total
	illegal := errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "illegal character")
	switch {
	case err == io.EOF && s.root, err == io.ErrNoProgress:
		return err
	case ended && s.in.err == io.EOF && !illegal:
		err = io.ErrUnexpectedEOF // also of a character or a reference that is cut
	case ended && s.in.err != io.EOF && s.in.err != errToken:
		return s.in.err
	case syntax != nil:
		err = errors.New(syntax.Msg)
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
