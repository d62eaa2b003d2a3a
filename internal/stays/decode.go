package stays

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A decoder reads stays from the front of rest.
type decoder struct {
	rest    []byte
	err     error // the first; from then on every read returns zero
	strings []string
	bytes   int           // of strings
	chain   address.Chain // of the last label
	last    Stay          // which has that label, without Address and Listed
	hasLast bool
}

// parts reads a stay: its form, its address and its listed text, as the form says. Its label is in last.
func (d *decoder) parts() (form byte, normal, listed []byte) {
	form = d.byte()
	if form&^(addressMask|listedMask|newLabel|forget) != 0 || form&addressMask == addressMask {
		d.fail("a stay of the form %#x", form)
	}
	if form&forget != 0 {
		d.strings, d.bytes, d.hasLast = nil, 0, false
	}
	d.label(form)
	switch form & addressMask {
	case hexAddress:
		normal = d.take(hexDigits / 2)
	case textAddress:
		normal = d.bytesOfText()
	}
	switch form & listedMask {
	case caseListed:
		if listed = d.take(capitalBytes); form&addressMask != hexAddress {
			d.fail("capitals of no hex address")
		}
	case textListed:
		listed = d.bytesOfText()
	}
	return form, normal, listed
}

// stay reads a stay.
func (d *decoder) stay() (Stay, error) {
	form, raw, listed := d.parts()
	e := d.last
	if d.err != nil {
		return e, d.err
	}
	normal := string(raw)
	if form&addressMask == hexAddress {
		normal = hexText(raw, 0)
	}
	switch form & listedMask {
	case sameListed:
		e.Listed = normal
	case caseListed:
		var capitals [8]byte
		copy(capitals[:], listed)
		e.Listed = hexText(raw, binary.LittleEndian.Uint64(capitals[:]))
	case textListed:
		e.Listed = string(listed)
	}
	if normal == "" && d.chain == "" {
		return e, nil
	}
	if e.Address, d.err = address.Parse(d.chain, normal); d.err == nil && e.Address.Normalized() != normal {
		d.fail("address %.200q is not in normal form", normal)
	}
	return e, d.err
}

// Alike reports whether the stays of f that last are the entries of an offer, in their order. The copies of
// the list that have them may differ: the offer knows none that is earlier.
func (f *File) Alike(offer *File) bool {
	a, b := decoder{rest: f.data[:f.Lasting]}, decoder{rest: offer.data[:offer.Lasting]}
	for len(a.rest) > 0 && len(b.rest) > 0 {
		form, normal, listed := a.parts()
		oform, onormal, olisted := b.parts()
		is, o := &a.last, &b.last
		switch {
		case a.err != nil || b.err != nil,
			(form^oform)&(addressMask|listedMask) != 0 || !bytes.Equal(normal, onormal) || !bytes.Equal(listed, olisted):
			return false
		case (form|oform)&newLabel == 0:
		case a.chain != b.chain || is.Asset != o.Asset || is.Kind != o.Kind || is.Ref != o.Ref || is.Name != o.Name ||
			!is.ListedAt.Equal(o.ListedAt) || !is.EntityListedAt.Equal(o.EntityListedAt) || !o.FirstSeen.IsZero() && o.FirstSeen.Before(is.FirstSeen):
			return false
		}
	}
	return len(a.rest)+len(b.rest) == 0
}

// label reads the label of a stay whose first byte is form, if it has a new one.
func (d *decoder) label(form byte) {
	if form&newLabel == 0 {
		if !d.hasLast {
			d.fail("the first stay has no label")
		}
		return
	}
	d.chain, d.hasLast = address.Chain(d.string()), true
	d.last = Stay{Entry: sources.Entry{Asset: d.string(), Kind: score.Kind(d.string()), Ref: d.string(), Name: d.string()}}
	for _, t := range d.last.times() {
		*t = d.time()
	}
	d.last.In, d.last.Out = uint32(d.number()), uint32(d.number())
}

// string reads a string of a label.
func (d *decoder) string() string {
	n := d.number()
	switch {
	case n == 0:
		return ""
	case n > 1:
		if n-2 >= uint64(len(d.strings)) {
			d.fail("string %d of %d", n-2, len(d.strings))
			return ""
		}
		return d.strings[n-2]
	}
	s := d.text()
	if len(d.strings) == maxNumbered || d.bytes+len(s) > maxStrings { // as the encoder does
		d.strings, d.bytes = nil, 0
	}
	d.strings = append(d.strings, s)
	d.bytes += len(s)
	return s
}

// text reads a text. It is a copy.
func (d *decoder) text() string { return string(d.bytesOfText()) }

// bytesOfText reads a text, which lies in the data.
func (d *decoder) bytesOfText() []byte {
	n := d.number()
	if n > maxString || n > uint64(len(d.rest)) {
		d.fail("a string of %d bytes", n)
		return nil
	}
	return d.take(int(n))
}

// time reads a time.
func (d *decoder) time() time.Time {
	form := d.byte()
	if form == 0 {
		return time.Time{}
	}
	sec, n := binary.Varint(d.rest)
	if n <= 0 || form > 2 {
		d.fail("no time")
		return time.Time{}
	}
	d.rest = d.rest[n:]
	var nano uint64
	if form == 2 {
		nano = d.number()
	}
	t := time.Unix(sec, int64(min(nano, 1e9-1))).UTC()
	return t
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail("no number")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// take returns the next n bytes, nil if there are fewer.
func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.fail("%d bytes, want %d", len(d.rest), n)
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

// fail keeps the first error.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
	}
	d.rest = nil
}
