// Package listfile writes and reads one revision of a list as one file: dated,
// describing itself, and refused if a single bit of it has changed. It is the
// form of the lists that are linked into a program, and of the last good lists
// that survive a restart.
//
// A file has three parts. The first is text, for people as much as for the
// program:
//
//	walletscreen list 1
//	source OFAC_SDN
//	name "OFAC Specially Designated Nationals"
//	digest 36c517bd264d8d97eff353eadd8d84427d5eb293505a8ce07271a5bc258c3117
//	published 2025-11-19T00:00:00Z
//	checked 2025-11-19T00:00:00Z
//	records 18290
//	etag ""
//	last-modified ""
//	entries 761
//
// with an empty line at its end. These lines are all there, in this order. Times
// are in UTC by RFC 3339, with as many digits of a second as it takes, or "-"
// for the zero time.
//
// The second part is the entries. Each is nine strings: the chain and the normal
// form of Address, then Listed, Asset, Kind, Ref, Name, ListedAt and FirstSeen.
// Most strings of a list occur again and again, so each is written once. A string
// is an unsigned varint (LEB128, of the shortest form): 0 for the empty string, 1
// for a new one, whose length follows as a varint and then its bytes, and 2+n for
// the n-th of those that were new, counted from zero.
//
// The third part is the SHA-256 of the first two, 32 bytes. It is at the end of a
// file of any version, so that one whose version was damaged is not taken for one of
// a version to come.
//
// That is version 1. What a program has accepted, and when, and what had gone
// from the list by then, is in version 2. Its first line ends with "list 2", and
// its header has two lines more, after "last-modified" and after "entries":
//
//	accepted 2026-11-21T04:57:29.5Z
//	removed 12
//
// and after the entries come those that were removed, in the same form, each with
// a tenth string, the time at which it was found to be gone.
//
// Version 3 is for a revision that is known to be a part of its list only. Its
// first line ends with "list 3", and its header is that of version 2 with a line
// more, after "last-modified":
//
//	completeness partial
//
// It is a version of its own so that no program that does not know what this
// means takes the part for the whole. Write makes the lowest version that will do;
// Read reads all.
//
// The same list always makes the same bytes.
package listfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Header says what a file holds.
type Header struct {
	ID, Name string // those of the source
	Revision sources.Revision
	Accepted time.Time // zero: not known, as in version 1
	Entries  int
	Removed  int
}

// version returns the version of a file with the header h.
func (h Header) version() int {
	switch {
	case h.Revision.Completeness != sources.Whole:
		return 3
	case h.Accepted.IsZero() && h.Removed == 0:
		return 1
	}
	return 2
}

var (
	// ErrFormat: not a list file, or one of a version that is not known.
	ErrFormat = errors.New("not a list file of a known version")
	// ErrDamaged: the file is not what was written.
	ErrDamaged = errors.New("damaged list file")
)

const (
	// Magic is what a file of any version begins with.
	Magic = "walletscreen list "
	// maxString bounds each string, in bytes. Parsers have far lower bounds.
	maxString = 1 << 16
	// bufferBytes is how much is written at once, or more.
	bufferBytes = 1 << 16
	// fields is the number of strings of an entry.
	fields = 9
)

// Write writes the entries, and those that were removed, as one file. The Entries
// and Removed of h need not be set. It returns an error if w does, or if h or an
// entry cannot be read back: a digest that is none, a string of more than 64 KiB, a
// year beyond 9999. What was written by then is no list file.
func Write(w io.Writer, h Header, entries []sources.Entry, removed ...sources.Removal) error {
	h.Entries, h.Removed = len(entries), len(removed)
	head, err := h.append(nil)
	if err != nil {
		return fmt.Errorf("list file of %.64q: %w", h.ID, err)
	}
	sum := sha256.New()
	e := encoder{w: io.MultiWriter(w, sum), buf: head, written: map[string]uint64{}}
	for i := range entries {
		if err := e.entry(&entries[i]); err != nil {
			return fmt.Errorf("list file of %s: entry %d: %w", h.ID, i, err)
		}
	}
	for i := range removed {
		if err := e.removal(&removed[i]); err != nil {
			return fmt.Errorf("list file of %s: removed entry %d: %w", h.ID, i, err)
		}
	}
	if err := e.flush(); err != nil {
		return fmt.Errorf("list file of %s: %w", h.ID, err)
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// append appends the first part of a file to b.
func (h Header) append(b []byte) ([]byte, error) {
	r := h.Revision
	switch {
	case h.ID == "" || strings.Trim(h.ID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "":
		return nil, errors.New("source: want an id")
	case len(r.Digest) != 64 || strings.Trim(r.Digest, "0123456789abcdef") != "":
		return nil, fmt.Errorf("digest %.80q: want 64 digits of lower-case hex", r.Digest)
	case r.Records < 0 || h.Entries < 0 || h.Removed < 0:
		return nil, errors.New("negative number")
	case len(h.ID) > maxString || len(h.Name) > maxString || len(r.ETag) > maxString || len(r.LastModified) > maxString:
		return nil, fmt.Errorf("more than %d bytes in a line", maxString)
	}
	published, err := formatTime(r.Published)
	if err != nil {
		return nil, err
	}
	checked, err := formatTime(r.Checked)
	if err != nil {
		return nil, err
	}
	accepted, err := formatTime(h.Accepted)
	if err != nil {
		return nil, err
	}
	b = fmt.Appendf(b, Magic+"%d\nsource %s\nname %q\ndigest %s\npublished %s\nchecked %s\nrecords %d\netag %q\nlast-modified %q\n",
		h.version(), h.ID, h.Name, r.Digest, orDash(published), orDash(checked), r.Records, r.ETag, r.LastModified)
	if h.version() == 1 {
		return fmt.Appendf(b, "entries %d\n\n", h.Entries), nil
	}
	if h.version() == 3 {
		b = fmt.Appendf(b, "completeness %s\n", r.Completeness)
	}
	return fmt.Appendf(b, "accepted %s\nentries %d\nremoved %d\n\n", orDash(accepted), h.Entries, h.Removed), nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// formatTime returns t as a file has it, "" for the zero time.
func formatTime(t time.Time) (string, error) {
	if t.IsZero() {
		return "", nil
	}
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return "", fmt.Errorf("year %d", y)
	}
	return t.Format(time.RFC3339Nano), nil
}

// An encoder writes entries to w.
type encoder struct {
	w       io.Writer
	buf     []byte            // what comes next
	written map[string]uint64 // to the number of the string
}

// flush writes what is in buf.
func (e *encoder) flush() error {
	_, err := e.w.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

func (e *encoder) entry(entry *sources.Entry) error {
	listedAt, err := formatTime(entry.ListedAt)
	if err != nil {
		return err
	}
	firstSeen, err := formatTime(entry.FirstSeen)
	if err != nil {
		return err
	}
	for _, s := range [fields]string{
		string(entry.Address.Chain()), entry.Address.Normalized(), entry.Listed, entry.Asset,
		string(entry.Kind), entry.Ref, entry.Name, listedAt, firstSeen,
	} {
		if len(s) > maxString {
			return fmt.Errorf("a string of %d bytes: want at most %d", len(s), maxString)
		}
		e.string(s)
	}
	if len(e.buf) < bufferBytes {
		return nil
	}
	return e.flush()
}

func (e *encoder) removal(r *sources.Removal) error {
	at, err := formatTime(r.At)
	if err != nil {
		return err
	}
	if err := e.entry(&r.Entry); err != nil {
		return err
	}
	e.string(at)
	return nil
}

func (e *encoder) string(s string) {
	if s == "" {
		e.buf = append(e.buf, 0)
		return
	}
	if n, ok := e.written[s]; ok {
		e.buf = binary.AppendUvarint(e.buf, 2+n)
		return
	}
	e.written[s] = uint64(len(e.written))
	e.buf = append(e.buf, 1)
	e.buf = binary.AppendUvarint(e.buf, uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// ReadHeader returns the header of a file. The whole file is verified for it,
// but for the entries, of which it says nothing.
//
// An error wraps [ErrFormat] or [ErrDamaged].
func ReadHeader(data string) (Header, error) {
	h, _, err := open(data)
	return h, err
}

// Read calls add for each entry of a file, in the order in which they were
// written, and returns its header. The entries have strings that lie in data.
//
// An address is parsed again, and must be what was written: if its chain or its
// form is not known any more, that is an error, for a listed address must not
// get lost. An entry that had no Address when it was written has none, whatever is
// known by now, so that what was answered from the list can be answered again.
//
// An error wraps [ErrFormat], [ErrDamaged], or what add or [address.Parse] has
// returned.
func Read(data string, add func(sources.Entry) error) (Header, error) {
	return ReadAll(data, add, func(sources.Removal) error { return nil })
}

// ReadAll is Read that calls removed, too, for each entry that was removed. If
// the chain of one of those is not known any more, that is no error: it gets the
// Address that [sources.Decode] knows, or none.
func ReadAll(data string, add func(sources.Entry) error, removed func(sources.Removal) error) (Header, error) {
	h, d, err := open(data)
	if err != nil {
		return Header{}, err
	}
	for i := range h.Entries {
		e, err := d.entry()
		if err != nil {
			return Header{}, fmt.Errorf("list file of %s: entry %d: %w", h.ID, i, err)
		}
		if err := add(e); err != nil {
			return Header{}, err
		}
	}
	for i := range h.Removed {
		r, err := d.removal()
		if err != nil {
			return Header{}, fmt.Errorf("list file of %s: removed entry %d: %w", h.ID, i, err)
		}
		if err := removed(r); err != nil {
			return Header{}, err
		}
	}
	if d.rest != "" {
		return Header{}, fmt.Errorf("list file of %s: %d bytes after the last entry: %w", h.ID, len(d.rest), ErrDamaged)
	}
	return h, nil
}

// open verifies a file, and returns its header and a decoder of its entries.
func open(data string) (Header, decoder, error) {
	first, _, _ := strings.Cut(data[:min(len(data), len(Magic)+10)], "\n")
	if !strings.HasPrefix(first, Magic) {
		return Header{}, decoder{}, fmt.Errorf("%w: it begins with %q", ErrFormat, first)
	}
	if len(data) < len(first)+1+sha256.Size {
		return Header{}, decoder{}, fmt.Errorf("%w: %d bytes", ErrDamaged, len(data))
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if hash(body) != sum {
		return Header{}, decoder{}, fmt.Errorf("%w: wrong checksum", ErrDamaged)
	}
	if version := first[len(Magic):]; version != "1" && version != "2" && version != "3" {
		return Header{}, decoder{}, fmt.Errorf("%w: version %q", ErrFormat, version)
	}
	head, rest, ok := strings.Cut(body, "\n\n")
	if !ok {
		return Header{}, decoder{}, fmt.Errorf("%w: no end of the header", ErrDamaged)
	}
	h, err := parseHeader(head)
	if err != nil {
		return Header{}, decoder{}, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	if n := len(rest) / fields; n < h.Entries || n-h.Entries < h.Removed {
		return Header{}, decoder{}, fmt.Errorf("%w: %d entries and %d removed ones in %d bytes", ErrDamaged, h.Entries, h.Removed, len(rest))
	}
	return h, decoder{rest: rest}, nil
}

// hash returns the SHA-256 of s.
func hash(s string) string {
	h := sha256.New()
	io.WriteString(h, s) // copies s in small pieces
	return string(h.Sum(nil))
}

// parseHeader reads what Header.append writes, but for the empty line.
func parseHeader(text string) (Header, error) {
	var h Header
	r := &h.Revision
	type line struct {
		key   string
		value func(string) error
	}
	read := []line{
		{"walletscreen", func(string) error { return nil }}, // the magic
		{"source", func(v string) error { h.ID = v; return nil }},
		{"name", quoted(&h.Name)},
		{"digest", func(v string) error { r.Digest = v; return nil }},
		{"published", instant(&r.Published)},
		{"checked", instant(&r.Checked)},
		{"records", number(&r.Records)},
		{"etag", quoted(&r.ETag)},
		{"last-modified", quoted(&r.LastModified)},
	}
	switch text[len(Magic)] {
	case '1':
		read = append(read, line{"entries", number(&h.Entries)})
	case '3':
		read = append(read, line{"completeness", func(v string) error { return r.Completeness.UnmarshalText([]byte(v)) }})
		fallthrough
	case '2':
		read = append(read, line{"accepted", instant(&h.Accepted)}, line{"entries", number(&h.Entries)}, line{"removed", number(&h.Removed)})
	}
	lines := strings.SplitN(text, "\n", len(read)+1)
	if len(lines) != len(read) {
		return Header{}, fmt.Errorf("want %d lines", len(read))
	}
	for i, l := range read {
		key, value, _ := strings.Cut(lines[i], " ")
		if key != l.key {
			return Header{}, fmt.Errorf("line %d: %.20q, want %s", i+1, key, l.key)
		}
		if err := l.value(value); err != nil {
			return Header{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	// What is not written so was not written by us.
	again, err := h.append(nil)
	if err != nil {
		return Header{}, err
	}
	if !bytes.Equal(again, []byte(text+"\n\n")) {
		return Header{}, errors.New("not in the form in which it is written")
	}
	return h, nil
}

func quoted(to *string) func(string) error {
	return func(v string) (err error) {
		*to, err = strconv.Unquote(v)
		return err
	}
}

func number(to *int) func(string) error {
	return func(v string) (err error) {
		*to, err = strconv.Atoi(v)
		return err
	}
}

func instant(to *time.Time) func(string) error {
	return func(v string) (err error) {
		if v != "-" {
			*to, err = parseTime(v)
		}
		return err
	}
}

// parseTime returns the time that formatTime wrote as s.
func parseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, err
	}
	if again, _ := formatTime(t); again != s {
		return time.Time{}, fmt.Errorf("time %.40q: want %q", s, again)
	}
	return t.UTC(), nil
}

// A decoder reads entries from the front of rest.
type decoder struct {
	rest    string
	strings []string
}

// entry reads an entry. With an error that is not ErrDamaged it has all but its
// Address.
func (d *decoder) entry() (sources.Entry, error) {
	var f [fields]string
	for i := range f {
		s, err := d.string()
		if err != nil {
			return sources.Entry{}, err
		}
		f[i] = s
	}
	e := sources.Entry{Listed: f[2], Asset: f[3], Kind: score.Kind(f[4]), Ref: f[5], Name: f[6]}
	var err error
	if e.ListedAt, err = parseTime(f[7]); err != nil {
		return sources.Entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if e.FirstSeen, err = parseTime(f[8]); err != nil {
		return sources.Entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if f[0] == "" && f[1] == "" {
		return e, nil
	}
	e.Address, err = address.Parse(address.Chain(f[0]), f[1])
	if err != nil {
		return e, err
	}
	if e.Address.Normalized() != f[1] {
		return sources.Entry{}, fmt.Errorf("%w: address %.200q is not in normal form", ErrDamaged, f[1])
	}
	return e, nil
}

func (d *decoder) removal() (sources.Removal, error) {
	e, err := d.entry()
	if errors.Is(err, ErrDamaged) {
		return sources.Removal{}, err
	}
	if err != nil { // the chain is not known any more, but the entry is not listed any more either
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
	}
	at, err := d.string()
	if err != nil {
		return sources.Removal{}, err
	}
	r := sources.Removal{Entry: e}
	if r.At, err = parseTime(at); err != nil {
		return sources.Removal{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return r, nil
}

func (d *decoder) string() (string, error) {
	n, err := d.varint()
	switch {
	case err != nil:
		return "", err
	case n == 0:
		return "", nil
	case n > 1:
		if n-2 >= uint64(len(d.strings)) {
			return "", fmt.Errorf("%w: string %d of %d", ErrDamaged, n-2, len(d.strings))
		}
		return d.strings[n-2], nil
	}
	size, err := d.varint()
	if err != nil {
		return "", err
	}
	if size == 0 || size > maxString || size > uint64(len(d.rest)) {
		return "", fmt.Errorf("%w: a string of %d bytes", ErrDamaged, size)
	}
	s := d.rest[:size]
	d.rest = d.rest[size:]
	d.strings = append(d.strings, s)
	return s, nil
}

// varint reads an unsigned varint in its shortest form.
func (d *decoder) varint() (uint64, error) {
	var v uint64
	for i := 0; i < len(d.rest) && i < 9; i++ {
		b := d.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if b == 0 && i > 0 {
				break // not the shortest
			}
			d.rest = d.rest[i+1:]
			return v, nil
		}
	}
	return 0, fmt.Errorf("%w: no number", ErrDamaged)
}
