package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/text/encoding/unicode"
)

// headSize is the length of the part of a table that decides its format.
const headSize = 64 << 10

// The first bytes of formats other than UTF-8.
var (
	magicGzip  = []byte{0x1f, 0x8b}
	magicZip   = []byte("PK\x03\x04")
	magicUTF8  = []byte{0xef, 0xbb, 0xbf}
	littleMark = []byte{0xff, 0xfe}
	bigMark    = []byte{0xfe, 0xff}
)

// notText reports whether text, decoded and without leading blanks, begins with what
// would make it another format at the beginning of an input, or has NUL in its first line.
func notText(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.IndexByte(line, 0) >= 0 || slices.ContainsFunc([][]byte{magicGzip, magicZip, littleMark, bigMark}, func(magic []byte) bool { return bytes.HasPrefix(text, magic) })
}

// Decode returns the text of r in UTF-8, uncompressed and without its byte order mark,
// and whether it had one.
func Decode(r io.Reader) (io.Reader, bool, error) { return decode(r, false) }

// decode is Decode of what may be unpacked already.
func decode(r io.Reader, unpacked bool) (io.Reader, bool, error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	utf16 := func(order unicode.Endianness) io.Reader {
		return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in)
	}
	switch {
	case bytes.HasPrefix(magic, magicGzip) && unpacked: // it may hold itself
		return nil, false, errors.New("the input is compressed twice; unpack it once")
	case bytes.HasPrefix(magic, magicGzip):
		text, err := unpack(in)
		if err != nil {
			return nil, false, err
		}
		return decode(text, true)
	case bytes.HasPrefix(magic, magicZip):
		return nil, false, errors.New("the input is a workbook, a document or a zip archive; save it as CSV or text, or unpack the archive")
	case bytes.HasPrefix(magic, magicUTF8):
		_, err := in.Discard(len(magicUTF8))
		return in, true, err
	case bytes.HasPrefix(magic, littleMark), bytes.HasPrefix(magic, bigMark):
		return utf16(unicode.LittleEndian), true, nil
	case len(magic) == 4 && magic[0] != 0 && magic[1] == 0 && magic[2] != 0 && magic[3] == 0: // two ASCII characters
		return utf16(unicode.LittleEndian), false, nil
	case len(magic) == 4 && magic[0] == 0 && magic[1] != 0 && magic[2] == 0 && magic[3] != 0:
		return utf16(unicode.BigEndian), false, nil
	}
	return in, false, nil
}

// unpack returns what r holds, which is compressed with gzip.
func unpack(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return readerFunc(func(p []byte) (int, error) {
		n, err := z.Read(p)
		if err == io.ErrUnexpectedEOF {
			err = errors.New("the compressed file is cut short, or something follows its end: get it again")
		} else if err != nil && err != io.EOF {
			err = fmt.Errorf("gzip: %w", err)
		}
		return n, err
	}), nil
}

// A readerFunc is a function that reads.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// oldMac reads a text whose lines end with carriage returns, as lines.
func oldMac(r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		for i := range p[:n] {
			if p[i] == '\r' {
				p[i] = '\n'
			}
		}
		return n, err
	})
}
