package xmlscan

import (
	"encoding/xml"
	"fmt"
	"io"
)

// Write writes the tags and texts of n, one per line.
func (n *Node) Write(w io.Writer) {
	fmt.Fprintf(w, "start %s", n.Name)
	for _, a := range n.Attrs {
		if a.Name.Space == "" && a.Name.Local != "xmlns" {
			fmt.Fprintf(w, " %s=%q", a.Name.Local, a.Value)
		}
	}
	fmt.Fprintln(w)
	text := func(text string) {
		if text != "" {
			fmt.Fprintf(w, "text %q\n", text)
		}
	}
	text(n.Text)
	for _, c := range n.Nodes {
		c.Write(w)
		text(c.tail)
	}
	fmt.Fprintf(w, "end %s\n", n.Name)
}

// Tree returns the root element of a document with all that is in it, and the error of the document.
func Tree(r io.Reader) (*Node, error) {
	s := New(r)
	for {
		t, err := s.token()
		if err != nil {
			return nil, err
		}
		if start, ok := t.(xml.StartElement); ok {
			root, err := s.node(start, s.Offset())
			for err == nil {
				_, err = s.token()
			}
			if err == io.EOF {
				err = nil
			}
			return root, err
		}
	}
}
