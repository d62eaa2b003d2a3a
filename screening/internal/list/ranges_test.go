package list

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
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

// TestRanges makes a list whose hashes and marks are sorted at once, and then range by
// range, and checks that the digest, the counts and the order are the same, and that the
// digest is that of all hashes.
func TestRanges(t *testing.T) {
	entries := mixed(500)
	make := func() (*List, []sources.Entry) {
		b := NewBuilder(nil, day)
		for _, e := range entries {
			if err := b.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		l, err := b.Build(1, false)
		if err != nil {
			t.Fatal(err)
		}
		var all []sources.Entry
		for e, err := range l.All() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
		return l, all
	}
	seen, repeated := map[sources.Entry]bool{}, 0
	var hashes [][sha256.Size]byte
	for _, e := range entries {
		if seen[e.Canonical()] {
			repeated++
		}
		seen[e.Canonical()] = true
		hashes = append(hashes, sha256.Sum256(appendSaid(nil, e)))
	}
	slices.SortFunc(hashes, compareHashes)
	h := sha256.New()
	for _, hash := range slices.Compact(hashes) {
		h.Write(hash[:])
	}
	want, order := make()
	if got := hex.EncodeToString(h.Sum(nil)); want.Digest != got {
		t.Errorf("digest %s, want %s", want.Digest, got)
	}
	if n := want.AnomalyKinds[sources.Duplicate]; n != repeated || want.Entries != len(entries) || want.Addresses != 500+1+250 {
		t.Errorf("%d repeated, %d entries, %d addresses, want %d, %d and %d", n, want.Entries, want.Addresses, repeated, len(entries), 500+1+250)
	}
	defer func(hashes, marks int) { maxHashes, maxMarks = hashes, marks }(maxHashes, maxMarks)
	for _, most := range []int{1, 7, 300, 1000} {
		maxHashes, maxMarks = most, most
		got, all := make()
		if got.Digest != want.Digest || !slices.Equal(all, order) {
			t.Errorf("%d at a time: digest %s, want %s; %d entries, in the same order: %v", most, got.Digest, want.Digest, len(all), slices.Equal(all, order))
		}
	}
}
