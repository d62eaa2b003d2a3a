package stays

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"slices"

	"github.com/walletscreen/walletscreen/sources"
)

// Digest returns the digest of the entries that last, by which the journal proves them.
func (f *File) Digest() (string, error) {
	var hashes [][sha256.Size]byte
	var said []byte
	for s, err := range f.All() {
		if err != nil {
			return "", err
		}
		if s.Out == 0 {
			said = AppendDigested(said[:0], &s.Entry)
			hashes = append(hashes, sha256.Sum256(said))
		}
	}
	return DigestOf(hashes), nil
}

// DigestOf returns the SHA-256, in hex, of hashes, each once, in order. It divides them, in
// place, by their first bits, and then sorts one part after the other in the cache of a processor.
func DigestOf(hashes [][sha256.Size]byte) string {
	width := min(12, bits.Len(uint(len(hashes)/16)))
	partOf := func(hash *[sha256.Size]byte) int { return int(binary.BigEndian.Uint16(hash[:])) >> (16 - width) }
	ends := make([]int, 1<<width+1) // of the parts, by their number + 1
	for i := range hashes {
		ends[partOf(&hashes[i])+1]++
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	next := slices.Clone(ends)
	for part, end := range ends[1:] {
		for next[part] < end {
			hash := &hashes[next[part]]
			to := partOf(hash)
			if to != part { // exchange it with one of its part
				other := &hashes[next[to]]
				*hash, *other = *other, *hash
			}
			next[to]++
		}
	}
	sum := sha256.New()
	for part, end := range ends[1:] {
		of := hashes[ends[part]:end]
		slices.SortFunc(of, func(a, b [sha256.Size]byte) int {
			if c := cmp.Compare(binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])); c != 0 {
				return c
			}
			return bytes.Compare(a[:], b[:])
		})
		for _, hash := range slices.Compact(of) {
			sum.Write(hash[:])
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// AppendDigested appends what the digest covers of an entry: all but FirstSeen and NotListedOn,
// which differ between machines. Each text follows its length, so that different entries
// append different bytes.
func AppendDigested(b []byte, e *sources.Entry) []byte {
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
