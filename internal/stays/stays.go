// Package stays reads and writes the file of a list: all that it says, and all that it said since
// the first acceptance that the file answers for.
//
// A [Stay] is an entry with the numbers of the acceptances that brought and ended it. So one file answers for each acceptance from First to Last: [File.Cut] is a filter. The
// last stay of an entry that ended is kept for good.
//
// # Format
//
// A file begins with a line of text: "walletscreen stays 2" and the fields of the [Header], texts
// and times in quotes. Then come two sections: the stays that last, in the order of the list, and
// those that have ended, in the order of the acceptances. The next file copies the latter. A stay
// consists of
//
//   - a byte that says which parts follow, see the constants of this package;
//   - its label: chain, asset, kind, ref, name, the dates of the listing, of the first copy that has
//     it, of the listing of the party, of the last copy without it, and of its end; and the two
//     acceptances. If another stay has that label, how many bytes before this one that begins;
//   - the address: the 20 bytes of "0x" and 40 hex digits, or a text;
//   - the listed string, if it is not the address.
//
// Numbers are unsigned varints (LEB128). A text is its length and its bytes. A time is 0 for the
// zero time, or 1 and the seconds since 1970 as a signed varint, or 2, the seconds, and the
// nanoseconds. A stay can be read by its place: a list in memory is a file, and an index of places.
//
// The name of a file has the SHA-256 of its bytes, so that no two programs write different files of
// one name, and damage is known before a byte is believed. Equal headers and stays make equal bytes.
package stays

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

var (
	// ErrDamaged is wrapped by errors about a file that is not as it was written.
	ErrDamaged = errors.New("damaged file")
	// ErrVersion is wrapped by errors about an intact file in a form of another version of this
	// module.
	ErrVersion = errors.New("of an unknown version")
)

// A Stay is an entry that was listed from acceptance In until acceptance Out, 0 if it still is. Until
// is the date of its end. If both are the same, the list was never held with it, but says itself
// that it had it.
type Stay struct {
	sources.Entry
	In, Out uint32
}

// covers reports whether s is listed in acceptance n.
func (s *Stay) covers(n uint32) bool { return s.In <= n && (s.Out == 0 || s.Out > n) }

// A File is a file in memory. It is never changed.
type File struct {
	Header
	data []byte // the stays
}

const (
	magic   = "walletscreen stays "
	version = "2"

	maxString = 1 << 16 // bytes of a string
	maxListed = 4096    // bytes of an address or a listed string, which sources.Repair reads whole
	maxHeader = 1 << 20 // bytes of the first line
)

// The first byte of a stay has a form of the address, and perhaps further bits.
const (
	noAddress   = 0 // the listed string decodes to nothing
	hexAddress  = 1 // 20 bytes, which the normal form has as 0x and hex digits
	textAddress = 2
	addressMask = 3

	hasListed = 1 << 2 // otherwise Listed is "", or the normal form
	newLabel  = 1 << 3 // otherwise the label of another stay
)

const hexDigits = 40 // of a hexAddress

// MinBytes is about the length of the shortest stay.
const MinBytes = 1 + hexDigits/2

// New returns the File with the given stays.
func New(h Header, all []Stay) (*File, error) {
	w := NewWriter(0)
	var ended []Stay
	for i := range all {
		if all[i].Out != 0 {
			ended = append(ended, all[i])
		} else if err := w.Add(&all[i]); err != nil {
			return nil, err
		}
	}
	return w.File(h, nil, ended)
}

// Cut returns f as it was after acceptance n, whose revision is rev, without what the later ones brought and ended.
func (f *File) Cut(n uint32, rev sources.Revision) (*File, error) {
	if n == f.Last {
		return f, nil
	}
	w := NewWriter(len(f.data))
	var ended []Stay
	for s, err := range f.All() {
		switch {
		case err != nil:
			return nil, err
		case s.In > n:
		case s.covers(n):
			if s.Out, s.Until = 0, (time.Time{}); w.Add(&s) != nil {
				return nil, fmt.Errorf("%w: entry %.64q", ErrDamaged, s.Ref)
			}
		default:
			ended = append(ended, s)
		}
	}
	h := f.Header
	h.Last, h.Revision = n, rev
	return w.File(h, nil, ended)
}

// Bytes returns the bytes of f, and its name.
func (f *File) Bytes() (name string, data []byte, err error) {
	header, err := f.Header.append([]byte(magic + version + " "))
	if err != nil {
		return "", nil, err
	}
	data = slices.Concat(header, f.data)
	return Name{f.Source, f.First, f.Last, f.After, sumOf(data)}.String(), data, nil
}

// Parse returns the file called name with the given bytes, which must not change. It verifies every byte.
// Without a name, it does not verify them: they are part of the program. The error wraps [ErrDamaged] or
// [ErrVersion].
func Parse(name string, data []byte) (*File, error) {
	n, ok := ParseName(name)
	if name != "" && (!ok || n.Sum != sumOf(data)) {
		return nil, fmt.Errorf("%w: its bytes are not those of %.200q", ErrDamaged, name)
	}
	end := bytes.IndexByte(data[:min(len(data), maxHeader)], '\n')
	text, isOurs := bytes.CutPrefix(data[:max(end, 0)], []byte(magic))
	v, header, _ := bytes.Cut(text, []byte(" "))
	switch {
	case !isOurs:
		return nil, fmt.Errorf("%w: no line that begins with %q", ErrDamaged, magic)
	case string(v) != version:
		return nil, fmt.Errorf("%w: %.20q, want %q: another version of this module has written it", ErrVersion, v, version)
	}
	f := &File{data: data[end+1:]}
	if err := f.Header.parse(header); err != nil {
		return nil, fmt.Errorf("%w: its first line: %w", ErrDamaged, err)
	}
	if name != "" && (f.Source != n.Source || f.First != n.First || f.Last != n.Last || f.After != n.After) || f.Lasting < 0 || f.Lasting > len(f.data) {
		return nil, fmt.Errorf("%w: its first line does not fit %.200q", ErrDamaged, name)
	}
	return f, nil
}

// All returns the stays, those that last first. After an error there are no more. An address is
// parsed again: if its chain or its form is no longer known, that is an error, because a listed
// address must not get lost.
func (f *File) All() iter.Seq2[Stay, error] {
	return func(yield func(Stay, error) bool) {
		for _, ended := range [...]bool{false, true} {
			for r, err := range f.Records(ended) {
				var s Stay
				if err == nil {
					err = r.Read(&s)
				}
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// Entries returns the entries of the stays that last. After an error there are no more.
func (f *File) Entries() iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		for s, err := range f.All() {
			if s.Out != 0 || !yield(s.Entry, err) {
				return
			}
		}
	}
}

// Records returns the stays that last, or those that have ended. After an error there are no more.
func (f *File) Records(ended bool) iter.Seq2[*Record, error] {
	section := f.Lasts()
	if ended {
		section = f.Ended()
	}
	return func(yield func(*Record, error) bool) {
		d := NewReader(section)
		for d.at < len(section) {
			at := d.at
			r := d.next()
			if d.err == nil && ended != (r.Out != 0) {
				d.fail("a stay that ended, among those that last")
			}
			if d.err != nil {
				yield(nil, fmt.Errorf("list of %s: byte %d: %w", f.Source, at, d.err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Lasts returns the bytes of the stays that last.
func (f *File) Lasts() []byte { return f.data[:f.Lasting] }

// Ended returns the bytes of the stays that have ended.
func (f *File) Ended() []byte { return f.data[f.Lasting:] }

// Len returns the number of bytes of all stays.
func (f *File) Len() int { return len(f.data) }

// A Name is the name of a file.
type Name struct {
	Source      string
	First, Last uint32
	After       uint64
	Sum         string // the first half of the SHA-256 of the bytes, in hex
}

const suffix = ".stays"

// String returns n as a store has it.
func (n Name) String() string {
	return fmt.Sprintf("%s-%d-%d-%d-%s%s", n.Source, n.First, n.Last, n.After, n.Sum, suffix)
}

// ParseName is the inverse of String. It reports false for other texts.
func ParseName(text string) (n Name, ok bool) {
	parts := strings.Split(strings.TrimSuffix(text, suffix), "-")
	if len(parts) != 5 {
		return n, false
	}
	if _, err := fmt.Sscan(strings.Join(parts[1:4], " "), &n.First, &n.Last, &n.After); err != nil {
		return n, false
	}
	n.Source, n.Sum = parts[0], parts[4]
	isHex := len(n.Sum) == 32 && strings.Trim(n.Sum, "0123456789abcdef") == ""
	return n, isHex && n.Source != "" && strings.Trim(n.Source, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && n.String() == text
}

// Has reports whether the file called n answers for an acceptance of a source.
func (n Name) Has(source string, acceptance uint32) bool {
	return n.Source == source && n.First <= acceptance && acceptance <= n.Last
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
