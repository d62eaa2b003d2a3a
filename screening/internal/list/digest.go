package list

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/pace"
)

// maxHashes is how many hashes are sorted at a time.
var maxHashes = 1 << 19

// digest returns the SHA-256, in hex, of the sorted and distinct hashes of what the
// entries of t say, which are at most n. It sorts the hashes of a long list range by
// range, and computes them again for each, so that it need not hold all.
func (t *table) digest(n int) (string, error) {
	ranges := min(256, n/maxHashes+1)
	var rangeOf []byte // by listing under a key, in the order of the index
	h := sha256.New()
	hashes := make([][sha256.Size]byte, 0, min(n, maxHashes*9/8))
	var text []byte
	for r := range ranges {
		i := -1
		err := t.each(func(_ int, k index.ID, number uint32) error {
			i++
			if r > 0 && rangeOf[i] != byte(r) {
				return nil
			}
			l, e, err := t.first(k, number)
			if err != nil {
				return err
			}
			hash := [sha256.Size]byte{}
			of := -1
			if l != nil {
				text = appendSaid(text[:0], e)
				hash = sha256.Sum256(text)
				of = int(hash[0]) * ranges / 256
			}
			if of == r {
				hashes = append(hashes, hash)
			}
			if r == 0 && ranges > 1 {
				rangeOf = append(rangeOf, byte(max(of, 0)))
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		slices.SortFunc(hashes, compareHashes)
		for i, hash := range slices.Compact(hashes) {
			h.Write(hash[:])
			pace.Step(i)
		}
		hashes = hashes[:0]
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// compareHashes orders hashes by their bytes.
func compareHashes(a, b [sha256.Size]byte) int {
	if x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:]); x != y {
		return cmp.Compare(x, y)
	}
	return bytes.Compare(a[:], b[:])
}
