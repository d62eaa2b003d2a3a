package xmlscan

// NumAttr returns the number of attributes of the last start tag.
func (s *Scanner) NumAttr() int { return len(s.attrs) }

// AttrAt returns the i-th attribute of the last start tag.
func (s *Scanner) AttrAt(i int) (name, value []byte) {
	a := &s.attrs[i]
	return s.buf[a.from:a.to], s.attrValue(a)
}
