package stays

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// An encoder appends entries to buf, for a decoder.
type encoder struct {
	buf     []byte
	strings []numbered // some of the strings that a decoder knows, by hash
	n       int        // how many it knows
	bytes   int        // of them
	last    Stay       // whose label was appended last
	hasLast bool
}

// A numbered string is one that a decoder knows by its number.
type numbered struct {
	text   string
	number uint64
}

// remembered is how many strings an encoder remembers at most. If two have the same slot, it
// remembers the latter, and appends the former again. All of them fit into the cache of a
// processor, so a list of names that never come again costs little.
const remembered = 1 << 12

func newEncoder() *encoder { return &encoder{strings: make([]numbered, remembered)} }

// stay appends a stay, with forget or 0.
func (c *encoder) stay(e *Stay, first byte) (err error) {
	if first != 0 {
		clear(c.strings)
		c.n, c.bytes, c.hasLast = 0, 0, false
	}
	normal := e.Address.Normalized()
	if n := max(len(normal), len(e.Listed)); n > maxString {
		err = fmt.Errorf("an address or listed string of %d bytes: want at most %d", n, maxString)
	}
	var raw [hexDigits / 2]byte
	var capitals uint64
	form := byte(textAddress)
	switch {
	case normal == "" && e.Address.Chain() == "":
		form = noAddress
	case unhex(&raw, normal):
		form = hexAddress
	}
	switch {
	case e.Listed == "":
		form |= noListed
	case e.Listed == normal:
		form |= sameListed
	case form == hexAddress && capitalsOf(&capitals, e.Listed, normal):
		form |= caseListed
	default:
		form |= textListed
	}
	if lerr := c.label(form|first, e); err == nil {
		err = lerr
	}
	switch form & addressMask {
	case hexAddress:
		c.buf = append(c.buf, raw[:]...)
	case textAddress:
		c.text(normal)
	}
	switch form & listedMask {
	case caseListed:
		c.buf = binary.LittleEndian.AppendUint64(c.buf, capitals)
		c.buf = c.buf[:len(c.buf)-3]
	case textListed:
		c.text(e.Listed)
	}
	return err
}

// label appends the first byte of a stay and its label.
func (c *encoder) label(form byte, e *Stay) (err error) {
	if c.hasLast && sameLabels(e, &c.last) {
		c.buf = append(c.buf, form)
		return nil
	}
	texts := [...]string{string(e.Address.Chain()), e.Asset, string(e.Kind), e.Ref, e.Name}
	for _, s := range texts {
		if len(s) > maxString {
			err = fmt.Errorf("a string of %d bytes: want at most %d", len(s), maxString)
		}
	}
	c.last, c.hasLast = *e, true
	c.buf = append(c.buf, form|newLabel)
	for _, s := range texts {
		c.string(s)
	}
	for _, t := range e.times() {
		if y := t.UTC().Year(); y < 0 || y > 9999 {
			err = fmt.Errorf("a time in the year %d: want 0 to 9999", y)
		}
		c.buf = appendTime(c.buf, *t)
	}
	c.buf = binary.AppendUvarint(binary.AppendUvarint(c.buf, uint64(e.In)), uint64(e.Out))
	return err
}

// times returns the times of e.
func (e *Stay) times() [5]*time.Time {
	return [...]*time.Time{&e.ListedAt, &e.FirstSeen, &e.EntityListedAt, &e.NotListedOn, &e.Until}
}

// sameLabels reports whether two stays have one label.
func sameLabels(a, b *Stay) bool {
	if a.Ref != b.Ref || a.Name != b.Name || a.Kind != b.Kind || a.Asset != b.Asset || a.Address.Chain() != b.Address.Chain() || a.In != b.In || a.Out != b.Out {
		return false
	}
	is := b.times()
	for i, t := range a.times() {
		if !t.Equal(*is[i]) {
			return false
		}
	}
	return true
}

// string appends a string of a label.
func (c *encoder) string(s string) {
	if s == "" {
		c.buf = append(c.buf, 0)
		return
	}
	slot := &c.strings[slotOf(s)]
	if slot.text == s {
		c.buf = binary.AppendUvarint(c.buf, 2+slot.number)
		return
	}
	c.buf = append(c.buf, 1)
	c.text(s)
	if c.n == maxNumbered || c.bytes+len(s) > maxStrings {
		clear(c.strings)
		c.n, c.bytes = 0, 0
	}
	*slot = numbered{s, uint64(c.n)}
	c.n++
	c.bytes += len(s)
}

// slotOf returns the slot of a string. It is the same on all machines.
func slotOf(s string) uint32 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return (h ^ h>>16) % remembered
}

// text appends a text.
func (c *encoder) text(s string) {
	c.buf = append(binary.AppendUvarint(c.buf, uint64(len(s))), s...)
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
