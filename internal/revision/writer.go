package revision

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// bufferBytes is the size of a Writer's buffer.
const bufferBytes = 1 << 16

// A Writer writes a revision file: first the entries, then the tables. It needs little
// memory, however long the list is. After an error it only returns that error.
type Writer struct {
	w      io.Writer
	header Header
	text   []byte // of the header
	buf    []byte // not written yet
	offset uint64 // bytes of the file so far, those in buf included
	err    error

	crc  uint32 // of the block that is not complete
	in   int    // bytes in it
	crcs []uint32

	entries    int // written so far
	start, end uint64
	tables     [][2]uint64 // offsets and lengths

	strings map[string]uint64
	bytes   int           // of strings
	last    sources.Entry // the entry whose label was written last
	hasLast bool
}

// NewWriter returns a Writer that writes the file to w. h.Entries must be the number of
// entries that are written later.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	text, err := h.append(nil)
	if err != nil {
		return nil, fmt.Errorf("revision of %.64q: %w", h.Source, err)
	}
	fw := &Writer{
		w: w, header: h, text: text, buf: make([]byte, 0, bufferBytes+1<<12), strings: make(map[string]uint64),
	}
	fw.buf = append(fw.buf, text...)
	fw.start = uint64(len(text))
	return fw, nil
}

// Entry writes the next entry. It returns an error if the entry cannot be read back: a
// string longer than 64 KiB, or a year beyond 9999.
func (w *Writer) Entry(e sources.Entry) error {
	if w.end > 0 {
		return w.fail(errors.New("an entry after the entries"))
	}
	w.entries++
	return w.fail(w.entry(&e))
}

// removal writes a removal.
func (w *Writer) removal(r *Removal) error {
	if err := w.fail(w.entry(&r.Entry)); err != nil {
		return err
	}
	if err := checkTime(r.At); err != nil {
		return w.fail(err)
	}
	w.buf = appendTime(w.buf, r.At)
	return nil
}

// Table writes the next table, after all entries.
func (w *Writer) Table(t io.WriterTo) error {
	if w.header.Rule == "" {
		return w.fail(errors.New("a table without a rule"))
	}
	w.endEntries()
	w.align()
	w.flush()
	start := w.offset
	if w.err == nil {
		_, err := t.WriteTo((*tableWriter)(w))
		w.fail(err)
	}
	w.tables = append(w.tables, [2]uint64{start, w.offset - start})
	return w.err
}

// Close writes the trailer. It does not close the io.Writer. A file that Close has not
// returned nil for is not a revision file.
func (w *Writer) Close() error {
	if w.entries != w.header.Entries {
		return w.fail(fmt.Errorf("%d entries written: want %d, as in the header", w.entries, w.header.Entries))
	}
	w.endEntries()
	w.flush()
	if w.err != nil {
		return w.err
	}
	if w.in > 0 {
		w.crcs = append(w.crcs, w.crc)
	}
	u64 := binary.LittleEndian.AppendUint64
	t := u64(u64(nil, w.start), w.end-w.start)
	t = u64(t, uint64(len(w.tables)))
	for _, table := range w.tables {
		t = u64(u64(t, table[0]), table[1])
	}
	t = u64(t, uint64(len(w.crcs)))
	for _, crc := range w.crcs {
		t = binary.LittleEndian.AppendUint32(t, crc)
	}
	t = u64(t, w.offset)
	seal := sealOf(w.text, t)
	_, err := w.w.Write(append(t, seal[:]...))
	if w.fail(err) == nil {
		w.err = errors.New("revision file is complete")
		return nil
	}
	return w.err
}

// sealOf returns the seal of a file with the given header and trailer.
func sealOf(header, trailer []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(header)
	h.Write(trailer)
	return [sha256.Size]byte(h.Sum(nil))
}

// fail keeps the first error, and returns it.
func (w *Writer) fail(err error) error {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("revision of %s: %w", w.header.Source, err)
	}
	return w.err
}

// endEntries notes where the entries end, once.
func (w *Writer) endEntries() {
	if w.end == 0 {
		w.flush()
		w.end = w.offset
		w.strings = nil
	}
}

// align writes zeros up to where a table may begin.
func (w *Writer) align() {
	var zeros [alignment]byte
	w.buf = append(w.buf, zeros[:-w.offset%alignment]...)
}

// flush writes buf.
func (w *Writer) flush() {
	if w.err == nil {
		(*tableWriter)(w).Write(w.buf) // it keeps the error
	}
	w.buf = w.buf[:0]
}

// A tableWriter is a Writer as the io.Writer of a table.
type tableWriter Writer

// Write writes p and adds it to the checksums.
func (tw *tableWriter) Write(p []byte) (int, error) {
	w := (*Writer)(tw)
	if w.err != nil {
		return 0, w.err
	}
	if _, err := w.w.Write(p); err != nil {
		return 0, w.fail(err)
	}
	w.offset += uint64(len(p))
	for rest := p; len(rest) > 0; {
		n := min(blockBytes-w.in, len(rest))
		w.crc = crc32.Update(w.crc, castagnoli, rest[:n])
		rest = rest[n:]
		if w.in += n; w.in == blockBytes {
			w.crcs = append(w.crcs, w.crc)
			w.crc, w.in = 0, 0
		}
	}
	return len(p), nil
}

// entry writes an entry.
func (w *Writer) entry(e *sources.Entry) error {
	if w.err != nil {
		return w.err
	}
	var buf [maxNormal]byte
	normal := e.Address.AppendNormalized(buf[:0])
	if max(len(normal), len(e.Listed)) > maxString {
		return fmt.Errorf("an address or listed string of %d bytes: want at most %d", max(len(normal), len(e.Listed)), maxString)
	}
	var raw [hexDigits / 2]byte
	var capitals uint64
	form := byte(textAddress)
	switch {
	case len(normal) == 0 && e.Address.Chain() == "":
		form = noAddress
	case unhex(&raw, normal):
		form = hexAddress
	}
	switch {
	case e.Listed == "":
		form |= noListed
	case e.Listed == string(normal):
		form |= sameListed
	case form == hexAddress && capitalsOf(&capitals, e.Listed, normal):
		form |= caseListed
	default:
		form |= textListed
	}
	if err := w.label(form, e); err != nil {
		return err
	}
	switch form & addressMask {
	case hexAddress:
		w.buf = append(w.buf, raw[:]...)
	case textAddress:
		w.buf = append(binary.AppendUvarint(w.buf, uint64(len(normal))), normal...)
	}
	switch form & listedMask {
	case caseListed:
		w.buf = binary.LittleEndian.AppendUint64(w.buf, capitals)
		w.buf = w.buf[:len(w.buf)-3]
	case textListed:
		w.appendText(e.Listed)
	}
	if len(w.buf) >= bufferBytes {
		w.flush()
	}
	return w.err
}

// label writes the first byte of an entry and its label, or returns an error if that cannot be
// read back.
func (w *Writer) label(form byte, e *sources.Entry) error {
	if w.hasLast && sameLabels(e, &w.last) {
		w.buf = append(w.buf, form|sameLabel)
		return nil
	}
	texts := [...]string{string(e.Address.Chain()), e.Asset, string(e.Kind), e.Ref, e.Name}
	times := [...]time.Time{e.ListedAt, e.FirstSeen, e.EntityListedAt, e.NotListedOn}
	for _, s := range texts {
		if len(s) > maxString {
			return fmt.Errorf("a string of %d bytes: want at most %d", len(s), maxString)
		}
	}
	for _, t := range times {
		if err := checkTime(t); err != nil {
			return err
		}
	}
	w.last, w.hasLast = *e, true
	form, n := form|newLabel, 2
	if !e.EntityListedAt.IsZero() || !e.NotListedOn.IsZero() {
		form, n = form|datedLabel, 4
	}
	w.buf = append(w.buf, form)
	for _, s := range texts {
		w.string(s)
	}
	for _, t := range times[:n] {
		w.buf = appendTime(w.buf, t)
	}
	return nil
}

// sameLabels reports whether two entries have one label.
func sameLabels(a, b *sources.Entry) bool {
	return a.Ref == b.Ref && a.Name == b.Name && a.Kind == b.Kind && a.Asset == b.Asset && a.Address.Chain() == b.Address.Chain() &&
		a.FirstSeen.Equal(b.FirstSeen) && a.ListedAt.Equal(b.ListedAt) &&
		a.EntityListedAt.Equal(b.EntityListedAt) && a.NotListedOn.Equal(b.NotListedOn)
}

// string writes a string of a label.
func (w *Writer) string(s string) {
	if s == "" {
		w.buf = append(w.buf, 0)
		return
	}
	if n, ok := w.strings[s]; ok {
		w.buf = binary.AppendUvarint(w.buf, 2+n)
		return
	}
	w.buf = append(w.buf, 1)
	w.appendText(s)
	if len(w.strings) == maxNumbered || w.bytes+len(s) > maxStrings {
		clear(w.strings)
		w.bytes = 0
	}
	w.strings[s] = uint64(len(w.strings))
	w.bytes += len(s)
}

// appendText writes a text.
func (w *Writer) appendText(s string) {
	w.buf = append(binary.AppendUvarint(w.buf, uint64(len(s))), s...)
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
func unhex(raw *[hexDigits / 2]byte, s []byte) bool {
	if len(s) != 2+hexDigits || string(s[:2]) != "0x" {
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
func capitalsOf(capitals *uint64, listed string, normal []byte) bool {
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
