package rows

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// headSize is the length of the part of a table that decides its format.
const headSize = 64 << 10

// The first bytes of formats other than UTF-8.
var (
	magicGzip  = []byte{0x1f, 0x8b}
	magicZip   = []byte("PK\x03\x04")
	littleMark = []byte{0xff, 0xfe}
	bigMark    = []byte{0xfe, 0xff}
)

// notText reports whether text, decoded and without leading blanks, begins with what
// would make it another format at the beginning of an input.
func notText(text []byte) bool {
	for _, magic := range [][]byte{magicGzip, magicZip, littleMark, bigMark} {
		if bytes.HasPrefix(text, magic) {
			return true
		}
	}
	return false
}

// Decode returns the text of r in UTF-8, uncompressed and without its byte order mark,
// and whether it had one.
func Decode(r io.Reader) (io.Reader, bool, error) {
	magic := make([]byte, 4)
	n, err := io.ReadFull(r, magic)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, false, err
	}
	magic = magic[:n]
	whole := io.MultiReader(bytes.NewReader(magic), r)
	switch {
	case bytes.HasPrefix(magic, magicGzip):
		z, err := gzip.NewReader(whole)
		if err != nil {
			return nil, false, fmt.Errorf("gzip: %w", err)
		}
		return Decode(&gunzip{z})
	case bytes.HasPrefix(magic, magicZip):
		return nil, false, errors.New("the input is a workbook, a document or a zip archive; save it as CSV or text, or unpack the archive")
	case bytes.HasPrefix(magic, []byte{0xef, 0xbb, 0xbf}):
		return io.MultiReader(bytes.NewReader(magic[3:]), r), true, nil
	case bytes.HasPrefix(magic, littleMark):
		return &fromUTF16{r: io.MultiReader(bytes.NewReader(magic[2:]), r), order: binary.LittleEndian}, true, nil
	case bytes.HasPrefix(magic, bigMark):
		return &fromUTF16{r: io.MultiReader(bytes.NewReader(magic[2:]), r), order: binary.BigEndian}, true, nil
	case len(magic) == 4 && magic[0] != 0 && magic[1] == 0 && magic[2] != 0 && magic[3] == 0: // two ASCII characters
		return &fromUTF16{r: whole, order: binary.LittleEndian}, false, nil
	case len(magic) == 4 && magic[0] == 0 && magic[1] != 0 && magic[2] == 0 && magic[3] != 0:
		return &fromUTF16{r: whole, order: binary.BigEndian}, false, nil
	}
	return whole, false, nil
}

// A gunzip reads from a gzip.Reader and explains its errors.
type gunzip struct{ z *gzip.Reader }

func (g *gunzip) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err == io.ErrUnexpectedEOF {
		err = errors.New("the compressed file is cut short, or something follows its end: get it again")
	} else if err != nil && err != io.EOF {
		err = fmt.Errorf("gzip: %w", err)
	}
	return n, err
}

// fromUTF16 reads UTF-16 as UTF-8.
type fromUTF16 struct {
	r     io.Reader
	order binary.ByteOrder
	raw   [4096]byte
	have  int // bytes of raw that were not decoded
	high  uint16
	out   []byte
	err   error
}

func (u *fromUTF16) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		n, err := u.r.Read(u.raw[u.have:])
		u.have += n
		u.err = err
		i := 0
		for ; i+1 < u.have; i += 2 {
			u.decode(u.order.Uint16(u.raw[i:]))
		}
		u.have = copy(u.raw[:], u.raw[i:u.have])
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

func (u *fromUTF16) decode(c uint16) {
	switch {
	case u.high != 0:
		u.out = utf8.AppendRune(u.out, utf16.DecodeRune(rune(u.high), rune(c)))
		u.high = 0
	case c >= 0xd800 && c < 0xdc00:
		u.high = c
	default:
		u.out = utf8.AppendRune(u.out, rune(c))
	}
}

// A window is a part of a text, long enough for one row.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int
	last       int // where the last line begins, until more is read
	err        error
	mac        bool
}

func (w *window) bytes() []byte { return w.buf[w.start:w.end] }

// fill reads more. It reports false at the end of the text, or after an error.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	if w.start > 0 && w.end-w.start < len(w.buf)/2 {
		w.end = copy(w.buf, w.buf[w.start:w.end])
		w.start = 0
	}
	if w.end == len(w.buf) {
		larger := make([]byte, max(2*len(w.buf), 2*headSize))
		w.end = copy(larger, w.buf[w.start:w.end])
		w.start, w.buf = 0, larger
	}
	n, err := w.r.Read(w.buf[w.end:])
	if w.mac {
		lineFeeds(w.buf[w.end : w.end+n])
	}
	w.end += n
	w.err = err
	return n > 0 || err == nil
}

// peek returns the next n bytes of the text, or all if there are fewer.
func (w *window) peek(n int) ([]byte, error) {
	for w.end-w.start < n && w.fill() {
	}
	if w.err != nil && w.err != io.EOF {
		return nil, w.err
	}
	return w.bytes()[:min(n, w.end-w.start)], nil
}

// oldMac makes each carriage return a line feed, also those to come.
func (w *window) oldMac() {
	w.mac = true
	lineFeeds(w.bytes())
}

func lineFeeds(b []byte) {
	for i := range b {
		if b[i] == '\r' {
			b[i] = '\n'
		}
	}
}

// line returns the next line without its ending, valid until the next call. Of one that
// is longer than maxRow it returns nothing but that.
func (w *window) line() (line []byte, tooLong bool, err error) {
	searched := 0
	for {
		if i := bytes.IndexByte(w.buf[w.start+searched:w.end], '\n'); i >= 0 {
			line = w.buf[w.start : w.start+searched+i]
			w.last = w.start
			w.start += searched + i + 1
			if tooLong {
				return nil, true, nil
			}
			return bytes.TrimSuffix(line, []byte("\r")), false, nil
		}
		searched = w.end - w.start
		if searched > maxRow {
			w.start, searched, tooLong = w.end, 0, true
		}
		if w.fill() {
			continue
		}
		if w.err != io.EOF {
			return nil, false, w.err
		}
		line, w.last, w.start = w.bytes(), w.start, w.end
		if len(line) == 0 && !tooLong {
			return nil, false, io.EOF
		}
		if tooLong {
			return nil, true, nil
		}
		return bytes.TrimSuffix(line, []byte("\r")), false, nil
	}
}

// extend returns the row that begins with the line that line has just returned, in
// which a quote is open, with its cells and its length. If that quote is never closed
// within maxRow, the length is 0 and nothing more is taken.
func (w *window) extend(delimiter byte, spans []span) ([]byte, []span, int, error) {
	taken := w.start - w.last
	w.start = w.last
	for {
		all := w.bytes()
		spans, n, ok := scan(spans[:0], all, delimiter)
		if ok && (n < len(all) || w.err != nil) {
			w.start += max(taken, n)
			if rest := all[n:]; n >= taken && len(rest) > 0 {
				w.start += bytes.IndexByte(rest, '\n') + 1
			}
			return all, spans, n, nil
		}
		if len(all) > maxRow || !w.fill() {
			break
		}
	}
	if w.err != nil && w.err != io.EOF {
		return nil, nil, 0, w.err
	}
	all := w.bytes()
	w.start += taken
	return all, nil, 0, nil
}
