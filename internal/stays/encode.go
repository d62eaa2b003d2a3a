package stays

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// A Writer makes a File of the stays that last.
type Writer struct {
	buf     []byte
	section int    // where the section begins
	last    Stay   // whose label was appended last
	label   int    // where that stay begins; -1: there is none
	said    []byte // scratch
}

// NewWriter returns a Writer of an empty File, which has room for the given number of bytes.
func NewWriter(bytes int) *Writer { return &Writer{buf: make([]byte, 0, bytes), label: -1} }

// Add adds a stay that lasts, after those before.
func (w *Writer) Add(s *Stay) (err error) {
	var form byte
	w.said, form = appendSaid(w.said[:0], &s.Entry)
	if n := max(len(s.Address.Normalized()), len(s.Listed)); n > maxListed {
		return fmt.Errorf("entry %.64q: an address or listed string of %d bytes, %.64q…: want at most %d", s.Ref, n, s.Text(), maxListed)
	}
	_, err = w.add(s, form, w.said)
	return err
}

// AddAs adds a stay that lasts, with the address and the listed string of r. It returns where the
// stay begins.
func (w *Writer) AddAs(s *Stay, r *Record) (at uint32, err error) { return w.add(s, r.form, r.said) }

// Section returns the stays that were added.
func (w *Writer) Section() []byte { return w.buf }

// File returns the file of the stays that were added and of those that have ended, in the file before, which may
// be nil, and since. Nothing can be added afterwards.
func (w *Writer) File(h Header, before *File, since []Stay) (*File, error) {
	h.Lasting = len(w.buf)
	ended := Writer{buf: w.buf, section: h.Lasting, label: -1}
	if before != nil {
		ended.buf = append(ended.buf, before.Ended()...)
	}
	for i := range since {
		if err := ended.Add(&since[i]); err != nil {
			return nil, err
		}
	}
	return &File{h, ended.buf}, nil
}

// add appends a stay, whose address and listed string are said in the given form. It returns where the stay begins.
func (w *Writer) add(s *Stay, form byte, said []byte) (at uint32, err error) {
	begin := len(w.buf)
	if cap(w.buf)-begin < 64 { // append would copy a large list twice as often
		w.buf = slices.Grow(w.buf, max(begin/2, 1024))
	}
	if w.label < 0 || !sameLabels(s, &w.last) {
		w.label, w.last = begin, *s
		w.buf = append(w.buf, form|newLabel)
		err = w.appendLabel(s)
	} else {
		w.buf = binary.AppendUvarint(append(w.buf, form), uint64(begin-w.label))
	}
	w.buf = append(w.buf, said...)
	if uint64(len(w.buf)-w.section) > math.MaxUint32 {
		err = fmt.Errorf("more than %d bytes of stays", uint32(math.MaxUint32))
	}
	if err != nil {
		err = fmt.Errorf("entry %.64q: %w", s.Ref, err)
	}
	return uint32(begin - w.section), err
}

// appendSaid appends the address and the listed string of e, and returns in which form. A listed string that is
// the address is left out.
func appendSaid(b []byte, e *sources.Entry) (said []byte, form byte) {
	normal := e.Address.Normalized()
	var raw [hexDigits / 2]byte
	switch {
	case normal == "":
		form = noAddress
	case unhex(&raw, normal):
		form, b = hexAddress, append(b, raw[:]...)
	default:
		form, b = textAddress, appendText(b, normal)
	}
	if e.Listed != "" && e.Listed != normal {
		form, b = form|hasListed, appendText(b, e.Listed)
	}
	return b, form
}

// appendLabel appends the label of s.
func (w *Writer) appendLabel(s *Stay) (err error) {
	for _, text := range [...]string{string(s.Address.Chain()), s.Asset, string(s.Kind), s.Ref, s.Name} {
		if len(text) > maxString {
			err = fmt.Errorf("a string of %d bytes: want at most %d", len(text), maxString)
		}
		w.buf = appendText(w.buf, text)
	}
	for _, t := range s.times() {
		if y := t.UTC().Year(); y < 0 || y > 9999 {
			err = fmt.Errorf("a time in the year %d: want 0 to 9999", y)
		}
		w.buf = appendTime(w.buf, *t)
	}
	w.buf = binary.AppendUvarint(binary.AppendUvarint(w.buf, uint64(s.In)), uint64(s.Out))
	return err
}

// times returns the times of s.
func (s *Stay) times() [5]*time.Time {
	return [...]*time.Time{&s.ListedAt, &s.FirstSeen, &s.EntityListedAt, &s.NotListedOn, &s.Until}
}

// sameLabels reports whether two stays have one label.
func sameLabels(a, b *Stay) bool {
	return a.In == b.In && a.Out == b.Out && a.Ref == b.Ref && a.Kind == b.Kind && a.Asset == b.Asset &&
		a.Says(b) && same(a.Until, b.Until) && a.Address.Chain() == b.Address.Chain()
}

// Says reports whether s and o have the same name and dates.
func (s *Stay) Says(o *Stay) bool {
	return s.Name == o.Name && same(s.ListedAt, o.ListedAt) && same(s.FirstSeen, o.FirstSeen) &&
		same(s.EntityListedAt, o.EntityListedAt) && same(s.NotListedOn, o.NotListedOn)
}

// same is t.Equal(u), and faster.
func same(t, u time.Time) bool { return t == u || t.Equal(u) }

// appendText appends a text.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendTime appends a time.
func appendTime(b []byte, t time.Time) []byte {
	switch nano := t.Nanosecond(); {
	case t.IsZero():
		return append(b, 0)
	case nano == 0:
		return binary.AppendVarint(append(b, 1), t.Unix())
	default:
		return binary.AppendUvarint(binary.AppendVarint(append(b, 2), t.Unix()), uint64(nano))
	}
}

// unhex sets raw to the bytes of s, and reports whether s is 0x and their digits, in
// lower case.
func unhex(raw *[hexDigits / 2]byte, s string) bool {
	if len(s) != 2+hexDigits || s[:2] != "0x" {
		return false
	}
	for i := range raw {
		hi, lo := digits[s[2+2*i]], digits[s[3+2*i]]
		if hi|lo > 15 {
			return false
		}
		raw[i] = hi<<4 | lo
	}
	return true
}

// digits is the value of each lower-case hex digit, and 255 for all else.
var digits = func() (t [256]byte) {
	for c := range t {
		t[c] = 255
	}
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i)
	}
	return t
}()
