package xmlscan

import (
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
	text(n.text)
	for _, c := range n.Nodes {
		c.Write(w)
		text(c.tail)
	}
	fmt.Fprintf(w, "end %s\n", n.Name)
}

// The steps of Document.

func (s *Scanner) Next() (start bool, err error)    { return s.next() }
func (s *Scanner) Node() (*Node, error)             { return s.node(s.Offset()) }
func (s *Scanner) Skip() error                      { return s.skip() }
func (s *Scanner) Children(read func() error) error { return s.children(read) }
