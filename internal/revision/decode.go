package revision

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A decoder reads entries from the front of rest.
type decoder struct {
	rest    []byte
	err     error // the first; from then on every read returns zero
	strings []string
	bytes   int // of strings
	last    decodedLabel
	hasLast bool
	lax     bool // reads what no file can have
}

// A decodedLabel is a label as entries have it.
type decodedLabel struct {
	chain address.Chain
	entry sources.Entry // without Address and Listed
}

// A rawEntry is an entry whose address was not parsed. Its bytes lie in the data.
type rawEntry struct {
	label    *decodedLabel
	form     byte
	address  []byte // the 20 bytes of a hexAddress, or the text
	listed   []byte // the text of a textListed
	capitals uint64 // of a caseListed
}

// raw reads an entry.
func (d *decoder) raw() (rawEntry, error) {
	form := d.byte()
	if form&^(addressMask|listedMask|labelMask) != 0 || form&addressMask == addressMask {
		d.fail("an entry of the form %#x", form)
	}
	e := rawEntry{label: d.label(form), form: form}
	switch form & addressMask {
	case hexAddress:
		e.address = d.take(hexDigits / 2)
	case textAddress:
		e.address = d.bytesOfText()
	}
	switch form & listedMask {
	case caseListed:
		var capitals [8]byte
		copy(capitals[:5], d.take(5))
		e.capitals = binary.LittleEndian.Uint64(capitals[:])
		if form&addressMask != hexAddress {
			d.fail("capitals of no hex address")
		}
	case textListed:
		e.listed = d.bytesOfText()
	}
	return e, d.err
}

// normal returns the normal form of the address.
func (r *rawEntry) normal() string {
	if r.form&addressMask == hexAddress {
		return hexText(r.address, 0)
	}
	return string(r.address)
}

// listedText returns the listed string, given the normal form.
func (r *rawEntry) listedText(normal string) string {
	switch r.form & listedMask {
	case sameListed:
		return normal
	case caseListed:
		return hexText(r.address, r.capitals)
	}
	return string(r.listed)
}

// is reports whether r and e differ in nothing but FirstSeen and NotListedOn.
func (r *rawEntry) is(e *sources.Entry) bool {
	l, normal := &r.label.entry, e.Address.Normalized()
	if l.Ref != e.Ref || l.Name != e.Name || l.Kind != e.Kind || l.Asset != e.Asset || r.label.chain != e.Address.Chain() ||
		!l.ListedAt.Equal(e.ListedAt) || !l.EntityListedAt.Equal(e.EntityListedAt) {
		return false
	}
	if r.form&addressMask == hexAddress {
		if !isHexOf(r.address, normal) {
			return false
		}
	} else if string(r.address) != normal {
		return false
	}
	if e.Listed == "" || e.Listed == normal {
		return r.form&listedMask <= sameListed
	}
	return r.listedText(normal) == e.Listed
}

// entry reads an entry and parses its address. With an error that is not ErrDamaged,
// the entry has all but its Address.
func (d *decoder) entry() (sources.Entry, error) {
	raw, err := d.raw()
	if err != nil {
		return sources.Entry{}, err
	}
	e, normal := raw.label.entry, raw.normal()
	e.Listed = raw.listedText(normal)
	if normal == "" && raw.label.chain == "" {
		return e, nil
	}
	e.Address, err = address.Parse(raw.label.chain, normal)
	if err != nil {
		return e, err
	}
	if e.Address.Normalized() != normal {
		return sources.Entry{}, fmt.Errorf("%w: address %.200q is not in normal form", ErrDamaged, normal)
	}
	return e, nil
}

// removal reads a removal.
func (d *decoder) removal() (Removal, error) {
	e, err := d.entry()
	if errors.Is(err, ErrDamaged) {
		return Removal{}, err
	}
	if err != nil { // a chain that is no longer known
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
	}
	at := d.time()
	return Removal{e, at}, d.err
}

// label reads the label of an entry whose first byte is form. It is valid until the next call.
func (d *decoder) label(form byte) *decodedLabel {
	switch form & labelMask {
	case sameLabel:
		if !d.hasLast {
			d.fail("the first entry has no label")
		}
	case newLabel, datedLabel:
		l := decodedLabel{chain: address.Chain(d.string())}
		l.entry = sources.Entry{Asset: d.string(), Kind: score.Kind(d.string()), Ref: d.string(), Name: d.string()}
		l.entry.ListedAt, l.entry.FirstSeen = d.time(), d.time()
		if form&labelMask == datedLabel {
			l.entry.EntityListedAt, l.entry.NotListedOn = d.time(), d.time()
		}
		d.last, d.hasLast = l, true
	default:
		d.fail("an entry of the form %#x", form)
	}
	return &d.last
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
	if len(d.strings) == maxNumbered || d.bytes+len(s) > maxStrings { // as the Writer does
		d.strings, d.bytes = nil, 0 // not cleared, because a Cursor may go back
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
	if n > maxString && !d.lax || n > uint64(len(d.rest)) {
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
	if checkTime(t) != nil && !d.lax {
		d.fail("a time in the year %d", t.Year())
		return time.Time{}
	}
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
