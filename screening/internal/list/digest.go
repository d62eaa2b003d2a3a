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

// perRange is about how many hashes are sorted by comparing them.
const perRange = 1 << 6

// digestOf returns the SHA-256, in hex, of the hashes, each once, in order. It sorts them:
// first in place into ranges by their first bits, then each range.
func digestOf(hashes *mapfile.Array) string {
	n := hashes.Len()
	width := bits.Len(uint(n / perRange))
	rangeOf := func(hash []byte) int { return int(uint64(binary.BigEndian.Uint32(hash)) >> (32 - width)) }
	ends := make([]int, 1<<width+1)
	for _, piece := range hashes.Pieces() {
		for ; len(piece) > 0; piece = piece[sha256.Size:] {
			ends[rangeOf(piece)+1]++
		}
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	next := slices.Clone(ends)
	var spare [sha256.Size]byte
	for r, end := range ends[1:] {
		for next[r] < end {
			hash := hashes.At(next[r])
			to := rangeOf(hash)
			if to != r { // exchange it with one of its range
				other := hashes.At(next[to])
				copy(spare[:], other)
				copy(other, hash)
				copy(hash, spare[:])
			}
			next[to]++
		}
		pace.Yield()
	}
	h := sha256.New()
	var sorted [][sha256.Size]byte
	for r, end := range ends[1:] {
		sorted = sorted[:0]
		for i := ends[r]; i < end; i++ {
			sorted = append(sorted, [sha256.Size]byte(hashes.At(i)))
		}
		slices.SortFunc(sorted, compareHashes)
		for _, hash := range slices.Compact(sorted) {
			h.Write(hash[:])
		}
		pace.Yield()
	}
	return hex.EncodeToString(h.Sum(nil))
}

// compareHashes orders hashes by their bytes.
func compareHashes(a, b [sha256.Size]byte) int {
	if x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:]); x != y {
		return cmp.Compare(x, y)
	}
	return bytes.Compare(a[:], b[:])
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
