package revision

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
)

// A File is a revision file in memory. Its methods may be called concurrently.
type File struct {
	Header
	Repaired error // why it was made again from another file, if that was because of damage

	entries []byte
	tables  [][]byte
}

// ReadHeader returns the header of a file. It verifies the header and the trailer, and
// reads nothing else.
func ReadHeader(data []byte) (Header, error) {
	h, _, err := open(data)
	return h, err
}

// Tables returns the tables of f as they lie in its data, or nil if they were not filed
// by the given rule.
func (f *File) Tables(rule string) [][]byte {
	if f.Rule != rule {
		return nil
	}
	return f.tables
}

// Entries returns the entries in the order of the list. After an error there are no
// more. The entries hold no part of the data of f.
//
// An address is parsed again: if its chain or its form is no longer known, the error
// wraps the error of [address.Parse], because a listed address must not get lost. An
// entry that had no Address when it was written has none, so that the file answers as
// before.
func (f *File) Entries() iter.Seq2[sources.Entry, error] { return f.List().All() }

// List returns the entries as they lie in the data of f.
func (f *File) List() *Entries {
	return &Entries{n: f.Header.Entries, pieces: [][]byte{f.entries}, what: "revision of " + f.Source + ": "}
}

// Parse verifies every byte of a file, and returns it. The File has data, which must not change.
//
// The error wraps [ErrDamaged] or [ErrVersion].
func Parse(data []byte) (*File, error) {
	h, trailer, err := open(data)
	if err != nil {
		return nil, err
	}
	f := &File{Header: h}
	body := data[:len(data)-sealBytes-len(trailer)]
	number := func() uint64 {
		if len(trailer) < 8 {
			trailer = nil
			return 1 << 63
		}
		n := binary.LittleEndian.Uint64(trailer)
		trailer = trailer[8:]
		return n
	}
	cut := func() []byte {
		off, n := number(), number()
		if off > uint64(len(body)) || n > uint64(len(body))-off {
			err = fmt.Errorf("%w: trailer: a part of %d bytes at %d", ErrDamaged, n, off)
			return nil
		}
		return body[off : off+n : off+n]
	}
	f.entries = cut()
	tables := number()
	if tables > uint64(len(trailer)/16) {
		return nil, fmt.Errorf("%w: trailer: %d tables", ErrDamaged, tables)
	}
	for range tables {
		f.tables = append(f.tables, cut())
	}
	blocks := number()
	if err == nil && (blocks != uint64((len(body)+blockBytes-1)/blockBytes) || 4*blocks != uint64(len(trailer))) {
		err = fmt.Errorf("%w: trailer: %d blocks", ErrDamaged, blocks)
	}
	if n := len(f.entries); err == nil && h.Entries > n { // each has a byte at least
		err = fmt.Errorf("%w: %d entries in %d bytes", ErrDamaged, h.Entries, n)
	}
	if err != nil {
		return nil, err
	}
	for i := 0; len(body) > 0; i++ {
		n := min(blockBytes, len(body))
		if crc32.Checksum(body[:n], castagnoli) != binary.LittleEndian.Uint32(trailer[4*i:]) {
			return nil, fmt.Errorf("%w: wrong checksum of the block at byte %d", ErrDamaged, i*blockBytes)
		}
		body = body[n:]
	}
	return f, nil
}

// open verifies the header and the trailer of a file, and returns both; the trailer
// without its offset and the seal.
func open(data []byte) (Header, []byte, error) {
	first := string(data[:min(len(data), len(magic)+10)])
	first, _, _ = strings.Cut(first, "\n")
	if !strings.HasPrefix(first, magic) {
		return Header{}, nil, fmt.Errorf("%w: it begins with %q: want %q", ErrDamaged, first, magic+version)
	}
	head := data[:min(len(data), maxHeader)]
	end := bytes.Index(head, []byte("\n\n"))
	if end < 0 || len(data) < end+2+sealBytes {
		return Header{}, nil, fmt.Errorf("%w: no end of the header in %d bytes", ErrDamaged, len(data))
	}
	head = head[:end+2]
	seal := data[len(data)-sealBytes:]
	offset := binary.LittleEndian.Uint64(seal)
	if offset < uint64(len(head)) || offset > uint64(len(data)-sealBytes) {
		return Header{}, nil, fmt.Errorf("%w: a trailer at %d in %d bytes", ErrDamaged, offset, len(data))
	}
	if sealOf(head, data[offset:len(data)-sealBytes+8]) != [32]byte(seal[8:]) {
		return Header{}, nil, fmt.Errorf("%w: wrong checksum of the header", ErrDamaged)
	}
	if v := first[len(magic):]; v != version {
		return Header{}, nil, fmt.Errorf("%w: %q: want %q; it was written by a later version of this module", ErrVersion, v, version)
	}
	h, err := parseHeader(string(head[:end]))
	if err != nil {
		if errors.Is(err, errLines) {
			return Header{}, nil, fmt.Errorf("%w: it was written by another version of this module, such as an unreleased one: %w", ErrVersion, err)
		}
		return Header{}, nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	return h, data[offset : len(data)-sealBytes], nil
}
