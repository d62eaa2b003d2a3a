package list

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"slices"

	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

// digestOf returns the SHA-256, in hex, of the hashes, each once, in order. It divides them, in
// place, by their first byte, and then sorts one part after the other in the cache of a processor.
func digestOf(hashes *mapfile.Array) string {
	var ends, next [257]int // of the parts, by their first byte + 1
	for _, piece := range hashes.Pieces() {
		for ; len(piece) > 0; piece = piece[sha256.Size:] {
			ends[int(piece[0])+1]++
		}
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	next = ends
	var spare [sha256.Size]byte
	for part, end := range ends[1:] {
		for next[part] < end {
			hash := hashes.At(next[part])
			to := int(hash[0])
			if to != part { // exchange it with one of its part
				other := hashes.At(next[to])
				copy(spare[:], other)
				copy(other, hash)
				copy(hash, spare[:])
			}
			next[to]++
		}
		pace.Yield()
	}
	sum := sha256.New()
	var s hashSorter
	for part, end := range ends[1:] {
		var last []byte
		for _, r := range s.sorted(hashes, ends[part], end) {
			hash := hashes.At(r.at)
			if !bytes.Equal(hash, last) {
				sum.Write(hash)
			}
			last = hash
		}
		pace.Yield()
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// A hashSorter sorts hashes with the same first byte.
type hashSorter struct {
	refs []hashRef
	ends []int
}

// A hashRef is the first bytes of a hash, and where it is.
type hashRef struct {
	first uint64
	at    int
}

// sorted returns the hashes from begin to end in order, until the next call. It divides them by
// their next bits, so that few have to be compared.
func (s *hashSorter) sorted(hashes *mapfile.Array, begin, end int) []hashRef {
	n := end - begin
	width := bits.Len(uint(n))
	rangeOf := func(first uint64) int { return int(first << 8 >> (64 - width)) }
	s.refs = slices.Grow(s.refs[:0], n)[:n]
	s.ends = slices.Grow(s.ends[:0], 1<<width+1)[:1<<width+1]
	clear(s.ends)
	for at := begin; at < end; at++ {
		s.ends[rangeOf(binary.BigEndian.Uint64(hashes.At(at)))+1]++
	}
	for i := range s.ends[1:] {
		s.ends[i+1] += s.ends[i]
	}
	for at := begin; at < end; at++ {
		first := binary.BigEndian.Uint64(hashes.At(at))
		next := &s.ends[rangeOf(first)]
		s.refs[*next] = hashRef{first, at}
		*next++
	}
	from := 0
	for _, to := range s.ends[:len(s.ends)-1] {
		if to-from > 1 {
			slices.SortFunc(s.refs[from:to], func(a, b hashRef) int {
				if a.first != b.first {
					return cmp.Compare(a.first, b.first)
				}
				return bytes.Compare(hashes.At(a.at), hashes.At(b.at))
			})
		}
		from = to
	}
	return s.refs
}

// appendSaid appends what the digest covers of an entry: all but FirstSeen and NotListedOn,
// which differ between machines. Each text follows its length, so that different entries
// append different bytes.
func appendSaid(b []byte, e *sources.Entry) []byte {
	normal := e.Address.Normalized()
	b = appendText(appendText(b, string(e.Kind)), string(e.Address.Chain()))
	b = appendText(b, normal)
	if e.Listed == "" {
		b = appendText(b, normal)
	} else {
		b = appendText(b, e.Listed)
	}
	b = appendText(appendText(appendText(b, e.Asset), e.Ref), e.Name)
	b = binary.AppendVarint(b, e.ListedAt.Unix())
	if n := e.ListedAt.Nanosecond(); n > 0 {
		b = binary.AppendUvarint(b, uint64(n))
	}
	if t := e.EntityListedAt; !t.IsZero() {
		b = binary.AppendVarint(append(b, 'e'), t.Unix())
	}
	return b
}

// appendText appends the length of a text, and the text.
func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
