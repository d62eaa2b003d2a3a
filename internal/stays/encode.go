package stays

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// A Writer makes a File of the stays that last.
type Writer struct {
	buf     []byte
	section int              // where the section begins
	texts   [remembered]text // by hash
	last    Stay             // whose label was appended last
	labeled bool
	said    []byte // scratch
}

// A text is where a text with a hash lies in the section; 0: nowhere.
type text struct{ hash, at uint32 }

// remembered is how many texts a Writer remembers at most. If two have the same slot, it
// remembers the latter, and appends the former again. All of them fit into the cache of a
// processor, so a list of names that never come again costs little.
const remembered = 1 << 12

// NewWriter returns a Writer of an empty File, which has room for the given number of bytes.
func NewWriter(bytes int) *Writer { return &Writer{buf: make([]byte, 0, bytes)} }

// Add adds a stay that lasts, after those before.
func (w *Writer) Add(s *Stay) (err error) {
	var form byte
	w.said, form = appendSaid(w.said[:0], &s.Entry)
	if n := max(len(s.Address.Normalized()), len(s.Listed)); n > maxString {
		return fmt.Errorf("entry %.64q: an address or listed string of %d bytes: want at most %d", s.Ref, n, maxString)
	}
	_, _, err = w.add(s, form, w.said)
	return err
}

// AddAs adds a stay that lasts, with the address and the listed string of r. It returns where the
// stay begins, and whether it has a new label.
func (w *Writer) AddAs(s *Stay, r *Record) (at uint32, isNew bool, err error) {
	return w.add(s, r.form, r.said)
}

// Section returns the stays that were added.
func (w *Writer) Section() []byte { return w.buf }

// File returns the file of the stays that were added and of those that have ended, in the file before, which may
// be nil, and since. Nothing can be added afterwards.
func (w *Writer) File(h Header, before *File, since []Stay) (*File, error) {
	h.Lasting = len(w.buf)
	ended := Writer{buf: w.buf, section: h.Lasting}
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

// add appends a stay, whose address and listed string are said in the given form. It returns where the stay begins, and
// whether it has a new label.
func (w *Writer) add(s *Stay, form byte, said []byte) (at uint32, isNew bool, err error) {
	begin := len(w.buf) - w.section
	if isNew = !w.labeled || !sameLabels(s, &w.last); isNew {
		w.buf = append(w.buf, form|newLabel)
		err = w.label(s)
	} else {
		w.buf = append(w.buf, form)
	}
	w.buf = append(w.buf, said...)
	if uint64(len(w.buf)-w.section) > math.MaxUint32 {
		err = fmt.Errorf("more than %d bytes of stays", uint32(math.MaxUint32))
	}
	if err != nil {
		err = fmt.Errorf("entry %.64q: %w", s.Ref, err)
	}
	return uint32(begin), isNew, err
}

// appendSaid appends the address and the listed string of e, and returns in which form. A listed string that is
// the address is left out.
func appendSaid(b []byte, e *sources.Entry) (said []byte, form byte) {
	normal := e.Address.Normalized()
	var raw [hexDigits / 2]byte
	var capitals uint64
	switch {
	case normal == "":
		form = noAddress
	case unhex(&raw, normal):
		form, b = hexAddress, append(b, raw[:]...)
	default:
		form, b = textAddress, appendText(b, normal)
	}
	switch {
	case e.Listed == "" || e.Listed == normal:
		form |= noListed
	case form == hexAddress && capitalsOf(&capitals, e.Listed, normal):
		form |= caseListed
		b = binary.LittleEndian.AppendUint64(b, capitals)
		b = b[:len(b)-8+capitalBytes]
	default:
		form, b = form|textListed, appendText(b, e.Listed)
	}
	return b, form
}

// label appends the label of s.
func (w *Writer) label(s *Stay) (err error) {
	for _, text := range [...]string{string(s.Address.Chain()), s.Asset, string(s.Kind), s.Ref, s.Name} {
		if len(text) > maxString {
			err = fmt.Errorf("a string of %d bytes: want at most %d", len(text), maxString)
		}
		w.string(text)
	}
	w.last, w.labeled = *s, true
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
	same := func(t, u time.Time) bool { return t == u || t.Equal(u) }
	return a.In == b.In && a.Out == b.Out && a.Ref == b.Ref && a.Name == b.Name && a.Kind == b.Kind && a.Asset == b.Asset &&
		same(a.ListedAt, b.ListedAt) && same(a.FirstSeen, b.FirstSeen) && same(a.EntityListedAt, b.EntityListedAt) &&
		same(a.NotListedOn, b.NotListedOn) && same(a.Until, b.Until) && a.Address.Chain() == b.Address.Chain()
}

// string appends a string of a label.
func (w *Writer) string(s string) {
	if s == "" {
		w.buf = append(w.buf, 0)
		return
	}
	hash := hashOf(s)
	slot := &w.texts[hash%remembered]
	if slot.at != 0 && slot.hash == hash {
		known := w.buf[w.section+int(slot.at):]
		if n, used := binary.Uvarint(known); int(n) == len(s) && string(known[used:][:n]) == s {
			w.buf = binary.AppendUvarint(w.buf, 2+uint64(slot.at))
			return
		}
	}
	w.buf = append(w.buf, 1)
	*slot = text{hash, uint32(len(w.buf) - w.section)}
	w.buf = appendText(w.buf, s)
}

// hashOf returns the hash of a string, by its end. It is the same on all machines.
func hashOf(s string) uint32 {
	h := 2166136261 ^ uint32(len(s)) // FNV-1a
	for i := max(0, len(s)-16); i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>16
}

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

// capitalsOf sets a bit for each digit that is a capital in listed, and reports whether
// listed is otherwise normal, which is 0x and digits in lower case.
func capitalsOf(capitals *uint64, listed, normal string) bool {
	if len(listed) != len(normal) || listed[:2] != "0x" {
		return false
	}
	for i := range hexDigits {
		switch c, n := listed[2+i], normal[2+i]; {
		case c == n:
		case n >= 'a' && c == n-'a'+'A':
			*capitals |= 1 << i
		default:
			return false
		}
	}
	return true
}

// hexText returns 0x and the digits of raw, with the given capitals.
func hexText(raw []byte, capitals uint64) string {
	var b [2 + hexDigits]byte
	copy(b[:], "0x")
	hex.Encode(b[2:], raw)
	for i := 2; capitals != 0; i, capitals = i+1, capitals>>1 {
		if capitals&1 != 0 && b[i] >= 'a' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b[:])
}
