package stays

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// A Record is a stay as a file has it, until the next one is read.
type Record struct {
	Stay        // without the address and the listed string
	At   uint32 // where it begins among the stays that last, or those that have ended
	New  bool   // it has another label than the record before

	chain address.Chain
	form  byte
	said  []byte // the address and the listed string
	tag   uint32 // 0: it is not known
}

// RecordOf returns what e lists as a Record.
func RecordOf(e *sources.Entry) *Record {
	r := &Record{Stay: Stay{Entry: *e}, chain: e.Address.Chain()}
	r.said, r.form = appendSaid(nil, e)
	return r
}

// Lists reports whether r lists the same as o, perhaps with another name and other dates: see
// [sources.Entry.Canonical].
func (r *Record) Lists(o *Record) bool {
	return r.form == o.form && bytes.Equal(r.said, o.said) && r.Ref == o.Ref && r.Kind == o.Kind && r.Asset == o.Asset && r.chain == o.chain
}

// Tag returns a number, which is not 0, that is the same for two records if one lists the same as the other. Of other records
// with its address, few have it. It is another one in each process.
func (r *Record) Tag() uint32 {
	if r.tag == 0 {
		r.tag = uint32(maphash.Bytes(seeds[0], r.said)+maphash.String(seeds[1], r.Ref)+3*maphash.String(seeds[1], r.Asset)) | 1
	}
	return r.tag
}

// Hex returns the 20 bytes of an address that is spelled 0x and their hex digits, if r lists nothing else; otherwise nil.
func (r *Record) Hex() []byte {
	if r.form != hexAddress {
		return nil
	}
	return r.said
}

// HexAt returns [Record.Hex] of the record at a place of a section, and the place of the record that has its label; nil of
// a record with a label of its own.
func HexAt(section []byte, at uint32) (hex []byte, label uint32) {
	if section[at] != hexAddress {
		return nil, 0
	}
	back, n := binary.Uvarint(section[at+1:])
	return section[int(at)+1+n:][:hexDigits/2], at - uint32(back)
}

// SameAddress reports whether the addresses of r and o are spelled alike; without addresses, they are.
func (r *Record) SameAddress(o *Record) bool {
	return (r.form^o.form)&addressMask == 0 && bytes.Equal(r.address(), o.address())
}

// address returns the bytes of the address.
func (r *Record) address() []byte {
	p := parser{section: r.said}
	normal, _ := p.parts(r.form)
	return normal
}

// Read sets s to the stay. An address whose chain or form is not known any more is an error.
func (r *Record) Read(s *Stay) (err error) {
	*s = r.Stay
	p := parser{section: r.said}
	said, listed := p.parts(r.form)
	s.Address, s.Listed = address.Address{}, string(listed)
	normal := string(said)
	switch r.form & addressMask {
	case noAddress:
		return nil
	case hexAddress:
		normal = "0x" + hex.EncodeToString(said)
	}
	if s.Address, err = address.Parse(r.chain, normal); err != nil {
		return fmt.Errorf("%w: %w", ErrVersion, err)
	}
	if s.Address.Normalized() != normal {
		return fmt.Errorf("%w: address %.200q is not in normal form", ErrDamaged, normal)
	}
	return nil
}

// A Reader reads the records of a section, which is the stays that last, or those that have ended, in any order.
type Reader struct {
	parser
	record Record
	label  int // the place of the record that has the label of record; -1: none was read
}

// A parser reads the parts of a record.
type parser struct {
	section []byte
	at      int
	err     error // the first; from then on every read returns zero
}

// NewReader returns the Reader of a section.
func NewReader(section []byte) Reader { return Reader{parser: parser{section: section}, label: -1} }

// next reads the record at d.at.
func (d *Reader) next() *Record {
	r, at := &d.record, d.at
	r.At, r.tag = uint32(at), 0
	form := d.byte()
	if form&^(addressMask|hasListed|newLabel) != 0 || form&addressMask == addressMask {
		d.fail("a stay of the form %#x", form)
	}
	label := at
	if form&newLabel != 0 {
		d.readLabel()
	} else if label -= int(d.number()); label < 0 || label != d.label {
		begin := d.at
		if label < 0 || label >= at || d.section[label]&newLabel == 0 {
			d.fail("no label at byte %d", label)
		} else {
			d.at = label + 1
			d.readLabel()
			d.at = begin
		}
	}
	r.New = label != d.label
	d.label = label
	begin := d.at
	r.form = form &^ newLabel
	d.parts(r.form)
	r.said = d.section[begin:d.at]
	return r
}

// parts reads an address and a listed string of the given form.
func (p *parser) parts(form byte) (normal, listed []byte) {
	switch form & addressMask {
	case hexAddress:
		normal = p.take(hexDigits / 2)
	case textAddress:
		normal = p.text()
	}
	if form&hasListed != 0 {
		listed = p.text()
	}
	return normal, listed
}

// readLabel reads a label.
func (d *Reader) readLabel() {
	r := &d.record
	for _, s := range [...]*string{(*string)(&r.chain), &r.Asset, (*string)(&r.Kind), &r.Ref, &r.Name} {
		if text := d.text(); string(text) != *s { // often it is as before
			*s = string(text)
		}
	}
	for _, t := range r.times() {
		*t = d.time()
	}
	r.In, r.Out = uint32(d.number()), uint32(d.number())
}

// text reads a text.
func (p *parser) text() []byte {
	n := p.number()
	if n > maxString || n > uint64(len(p.section)) {
		p.fail("a string of %d bytes", n)
		return nil
	}
	return p.take(int(n))
}

// time reads a time.
func (p *parser) time() time.Time {
	form := p.byte()
	if form == 0 {
		return time.Time{}
	}
	sec, n := binary.Varint(p.section[p.at:])
	if n <= 0 || form > 2 {
		p.fail("no time")
		return time.Time{}
	}
	p.at += n
	var nano uint64
	if form == 2 {
		nano = p.number()
	}
	return time.Unix(sec, int64(min(nano, 1e9-1))).UTC()
}

func (p *parser) number() uint64 {
	v, n := binary.Uvarint(p.section[p.at:])
	if n <= 0 {
		p.fail("no number")
		return 0
	}
	p.at += n
	return v
}

func (p *parser) byte() byte {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

// take returns the next n bytes, nil if there are fewer.
func (p *parser) take(n int) []byte {
	if n > len(p.section)-p.at {
		p.fail("%d bytes, want %d", len(p.section)-p.at, n)
		return nil
	}
	p.at += n
	return p.section[p.at-n : p.at]
}

// fail keeps the first error.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
	}
	p.at = len(p.section)
}

// Alike reports whether the stays of f that last are the entries of an offer, in their order. The copies of
// the list that have them may differ: the offer knows none that is earlier.
func (f *File) Alike(offer *File) bool {
	a, b := NewReader(f.Lasts()), NewReader(offer.Lasts())
	for a.at < len(a.section) && b.at < len(b.section) {
		is, o := a.next(), b.next()
		switch {
		case a.err != nil || b.err != nil || is.form != o.form || !bytes.Equal(is.said, o.said):
			return false
		case is.New || o.New:
			if !is.Lists(o) || is.Name != o.Name || !is.ListedAt.Equal(o.ListedAt) || !is.EntityListedAt.Equal(o.EntityListedAt) ||
				!o.FirstSeen.IsZero() && o.FirstSeen.Before(is.FirstSeen) {
				return false
			}
		}
	}
	return a.at == len(a.section) && b.at == len(b.section)
}

// Read returns the record at a place. It is valid until the next call.
func (d *Reader) Read(at uint32) *Record {
	if d.label < 0 || at != d.record.At {
		d.at = int(at)
		d.next()
	}
	return &d.record
}
