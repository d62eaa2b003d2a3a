package index

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

// An image is the destination of the bytes of an index: a file or memory.
type image struct {
	file   *os.File // nil for memory
	memory []byte
}

// WriteAt writes b.
func (m image) WriteAt(b []byte, off int64) (int, error) {
	if m.file != nil {
		return m.file.WriteAt(b, off)
	}
	return copy(m.memory[off:], b), nil
}

// bytes returns a buffer for the bytes of s: the memory itself, or for a file a buffer of
// the same size, in scratch if that is large enough. The caller fills it and calls done.
func (m image) bytes(scratch []byte, s section) []byte {
	if m.file != nil {
		return slices.Grow(scratch[:0], int(s.n))[:s.n]
	}
	return m.memory[s.off : s.off+s.n : s.off+s.n]
}

// done writes a buffer that bytes returned.
func (m image) done(b []byte, s section) error {
	if m.file == nil {
		return nil
	}
	_, err := m.file.WriteAt(b, int64(s.off))
	return err
}

// read returns the bytes of s.
func (m image) read(scratch []byte, s section) ([]byte, error) {
	b := m.bytes(scratch, s)
	if m.file == nil {
		return b, nil
	}
	_, err := m.file.ReadAt(b, int64(s.off))
	return b, err
}

// A sectionWriter writes a section in order.
type sectionWriter struct{ *bufio.Writer }

func newSectionWriter(img image, s section) sectionWriter {
	return sectionWriter{bufio.NewWriterSize(io.NewOffsetWriter(img, int64(s.off)), 1<<16)}
}

// word writes a word.
func (w sectionWriter) word(v uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	w.Write(b[:]) // errors are sticky
}

// bodyDigest returns the SHA-256 of the CRC-32C checksums of all blocks of an image of
// the given size, without the header.
func bodyDigest(img image, size uint64, workers int) ([32]byte, error) {
	n := int((size - headerBytes + blockBytes - 1) / blockBytes)
	sums := make([]byte, n*crc32.Size)
	scratch := make([][]byte, workers)
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	err := parallel(workers, n, func(w, i int) error {
		off := headerBytes + uint64(i)*blockBytes
		b, err := img.read(scratch[w], section{off, min(blockBytes, size-off)})
		if err != nil {
			return err
		}
		scratch[w] = b
		binary.LittleEndian.PutUint32(sums[i*crc32.Size:], crc32.Checksum(b, castagnoli))
		return nil
	})
	return sha256.Sum256(sums), err
}
