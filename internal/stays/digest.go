package stays

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/walletscreen/walletscreen/sources"
)

// A Digest collects what the entries of a list say. The journal proves the list by its Sum.
type Digest struct {
	parts [256][][sha256.Size]byte // the hashes, by their first byte
}

// Grow makes room for n entries more.
func (d *Digest) Grow(n int) {
	for i := range d.parts {
		d.parts[i] = slices.Grow(d.parts[i], n/256+n/1024)
	}
}

// Add adds what [AppendDigested] has appended for an entry.
func (d *Digest) Add(said []byte) {
	hash := sha256.Sum256(said)
	part := &d.parts[hash[0]]
	*part = append(*part, hash)
}

// Sum returns the SHA-256, in hex, of the hashes, each once, in order.
func (d *Digest) Sum() string {
	sum := sha256.New()
	write := func(hashes [][sha256.Size]byte) {
		slices.SortFunc(hashes, func(a, b [sha256.Size]byte) int {
			if c := cmp.Compare(binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])); c != 0 {
				return c
			}
			return bytes.Compare(a[:], b[:])
		})
		for _, hash := range slices.Compact(hashes) {
			sum.Write(hash[:])
		}
	}
	var bins [256][][sha256.Size]byte // of a large part, by their second byte: hashes that move less
	for _, part := range d.parts {
		if len(part) < 512 {
			write(part)
			continue
		}
		for _, hash := range part {
			bins[hash[1]] = append(bins[hash[1]], hash)
		}
		for i, bin := range bins {
			write(bin)
			bins[i] = bin[:0]
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Digest returns the Sum of the Digest of the entries that last.
func (f *File) Digest() (string, error) {
	var d Digest
	var said []byte
	for e, err := range f.Entries() {
		if err != nil {
			return "", err
		}
		said = AppendDigested(said[:0], &e)
		d.Add(said)
	}
	return d.Sum(), nil
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
