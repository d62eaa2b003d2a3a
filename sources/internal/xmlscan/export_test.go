package xmlscan

// Depth returns the number of open elements, including that of a start tag that was just
// read, without that of an end tag.
func (s *Scanner) Depth() int { return len(s.open) }

// NumAttr returns the number of attributes of the last start tag.
func (s *Scanner) NumAttr() int { return len(s.attrs) }

// AttrAt returns the i-th attribute of the last start tag.
func (s *Scanner) AttrAt(i int) (name, value []byte) {
	a := &s.attrs[i]
	return s.buf[a.from:a.to], s.attrValue(a)
}
