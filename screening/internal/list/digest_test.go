package list

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// mixed returns n entries of each form: many share a listing, an address or a string,
// and some are repeated.
func mixed(n int) (entries []sources.Entry) {
	bitcoin := address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")
	for i := range n {
		evm := address.MustParse("ethereum", fmt.Sprintf("0x%040x", i))
		entries = append(entries,
			sources.Entry{Address: evm, Kind: score.Scam},
			sources.Entry{Address: evm, Kind: score.Scam, Ref: fmt.Sprint(i), ListedAt: day},
			sources.Entry{Address: bitcoin, Kind: score.Scam, Ref: fmt.Sprint(i)},
			sources.Entry{Listed: fmt.Sprintf("no address %d", i/2), Kind: score.Scam},
			sources.Entry{Address: bitcoin, Kind: score.Scam, Ref: fmt.Sprint(i / 3 * 3), Name: fmt.Sprint(i % 2)},
		)
	}
	return entries
}

// TestDigest checks that the digest covers all hashes, each once and in order, for lists
// of one range of hashes and of several; and the counts, and that All returns all entries.
func TestDigest(t *testing.T) {
	for _, size := range []int{0, 1, 500, 2000} {
		entries := mixed(size)
		var all []stays.Stay
		seen, repeated := map[sources.Entry]int{}, 0
		var hashes [][sha256.Size]byte
		for _, e := range entries {
			all = append(all, stays.Stay{Entry: e, In: 1})
			if seen[e.Canonical()] > 0 {
				repeated++
			}
			seen[e.Canonical()]++
			hashes = append(hashes, sha256.Sum256(appendSaid(nil, &e)))
		}
		f, err := stays.New(stays.Header{Source: "TEST", First: 1, Last: 1}, all)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Build(f, func(sources.Entry) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(hashes, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
		h := sha256.New()
		for _, hash := range slices.Compact(hashes) {
			h.Write(hash[:])
		}
		if got := hex.EncodeToString(h.Sum(nil)); l.Digest != got {
			t.Errorf("digest %s, want %s", l.Digest, got)
		}
		addresses := size + min(1, size) + (size+1)/2
		if n := l.AnomalyKinds[sources.Duplicate]; n != repeated || l.Entries != len(entries) || l.Addresses != addresses {
			t.Errorf("%d repeated, %d entries, %d addresses, want %d, %d and %d", n, l.Entries, l.Addresses, repeated, len(entries), addresses)
		}
		for e, err := range l.All() {
			if err != nil {
				t.Fatal(err)
			}
			seen[e.Canonical()]--
		}
		for e, n := range seen {
			if n != 0 {
				t.Errorf("All returns %+v %d times less often than it was added", e, n)
			}
		}
	}
}
