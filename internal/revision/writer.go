package revision

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/walletscreen/walletscreen/sources"
)

// bufferBytes is the size of a Writer's buffer.
const bufferBytes = 1 << 16

// A Writer writes a revision file: first the entries, then the tables. It needs little
// memory, however long the list is. After an error it only returns that error.
type Writer struct {
	encoder // its buf is not written yet

	w      io.Writer
	header Header
	text   []byte // of the header
	offset uint64 // bytes of the file so far, those in buf included
	err    error

	crc  uint32 // of the block that is not complete
	in   int    // bytes in it
	crcs []uint32

	entries    int // written so far
	start, end uint64
	tables     [][2]uint64 // offsets and lengths
}

// NewWriter returns a Writer that writes the file to w. h.Entries must be the number of
// entries that are written later.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	text, err := h.append(nil)
	if err != nil {
		return nil, fmt.Errorf("revision of %.64q: %w", h.Source, err)
	}
	fw := &Writer{encoder: *newEncoder(), w: w, header: h, text: text}
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
	if w.err != nil {
		return w.err
	}
	w.entries++
	w.fail(w.entry(&e))
	if len(w.buf) >= bufferBytes {
		w.flush()
	}
	return w.err
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
		w.encoder.strings = nil // it is not used again
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
