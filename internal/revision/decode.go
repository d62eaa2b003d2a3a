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
}

// A decodedLabel is a label as entries have it.
type decodedLabel struct {
	chain address.Chain
	entry sources.Entry // without Address and Listed
}

// A rawEntry is an entry whose address was not parsed.
type rawEntry struct {
	label  decodedLabel
	normal string
	listed string
}

// raw reads an entry.
func (d *decoder) raw() (rawEntry, error) {
	form := d.byte()
	if form&^(addressMask|listedMask|labelMask) != 0 || form&addressMask == addressMask {
		d.fail("an entry of the form %#x", form)
	}
	e := rawEntry{label: d.label(form)}
	var raw []byte
	switch form & addressMask {
	case hexAddress:
		raw = d.take(hexDigits / 2)
		if d.err == nil {
			e.normal = hexText(raw, 0)
		}
	case textAddress:
		e.normal = d.text()
	}
	switch form & listedMask {
	case sameListed:
		e.listed = e.normal
	case caseListed:
		var capitals [8]byte
		copy(capitals[:5], d.take(5))
		if raw == nil {
			d.fail("capitals of no hex address")
		} else {
			e.listed = hexText(raw, binary.LittleEndian.Uint64(capitals[:]))
		}
	case textListed:
		e.listed = d.text()
	}
	return e, d.err
}

// entry reads an entry and parses its address. With an error that is not ErrDamaged,
// the entry has all but its Address.
func (d *decoder) entry() (sources.Entry, error) {
	raw, err := d.raw()
	if err != nil {
		return sources.Entry{}, err
	}
	e := raw.label.entry
	e.Listed = raw.listed
	if raw.normal == "" && raw.label.chain == "" {
		return e, nil
	}
	e.Address, err = address.Parse(raw.label.chain, raw.normal)
	if err != nil {
		return e, err
	}
	var buf [maxNormal]byte
	if string(e.Address.AppendNormalized(buf[:0])) != raw.normal {
		return sources.Entry{}, fmt.Errorf("%w: address %.200q is not in normal form", ErrDamaged, raw.normal)
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

// label reads the label of an entry whose first byte is form.
func (d *decoder) label(form byte) decodedLabel {
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
	return d.last
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
		clear(d.strings) // for the garbage collector
		d.strings, d.bytes = d.strings[:0], 0
	}
	d.strings = append(d.strings, s)
	d.bytes += len(s)
	return s
}

// text reads a text. It is a copy.
func (d *decoder) text() string {
	n := d.number()
	if n > maxString {
		d.fail("a string of %d bytes", n)
		return ""
	}
	return string(d.take(int(n)))
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
	if checkTime(t) != nil {
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
