package list

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// mixed returns n entries of each form: many share a listing, an address or a string,
// and some are repeated.
func mixed(n int) (entries []sources.Entry) {
	for i := range n {
		solana := address.MustParse("solana", base58.Bitcoin.Encode(append(bytes.Repeat([]byte{7}, 31), byte(i/250))))
		evm := address.MustParse("ethereum", fmt.Sprintf("0x%040x", i))
		entries = append(entries,
			sources.Entry{Address: evm, Kind: score.Scam},
			sources.Entry{Address: evm, Kind: score.Scam, Ref: fmt.Sprint(i), ListedAt: day},
			sources.Entry{Address: solana, Kind: score.Scam, Ref: fmt.Sprint(i)},
			sources.Entry{Listed: fmt.Sprintf("no address %d", i/2), Kind: score.Scam},
			sources.Entry{Address: solana, Kind: score.Scam, Ref: fmt.Sprint(i / 3 * 3), Name: fmt.Sprint(i % 2)},
		)
	}
	return entries
}

// digestOf returns the digest of a list of the given entries.
func digestOf(entries []sources.Entry) string {
	var hashes [][sha256.Size]byte
	for _, e := range entries {
		hashes = append(hashes, sha256.Sum256(stays.AppendDigested(nil, &e)))
	}
	slices.SortFunc(hashes, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, hash := range slices.Compact(hashes) {
		h.Write(hash[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestDigest checks that the digest covers all hashes, each once and in order, for lists
// of one range of hashes and of several; and the counts, and that All returns all entries.
func TestDigest(t *testing.T) {
	for _, size := range []int{0, 1, 500, 3000} {
		entries := mixed(size)
		var all []stays.Stay
		seen, repeated := map[sources.Entry]int{}, 0
		for _, e := range entries {
			all = append(all, stays.Stay{Entry: e, In: 1})
			if seen[e.Canonical()] > 0 {
				repeated++
			}
			seen[e.Canonical()]++
		}
		f, err := stays.New(stays.Header{Source: "TEST", First: 1, Last: 1}, all)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Build(f, func(sources.Entry) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if want := digestOf(entries); l.Digest != want {
			t.Errorf("digest %s, want %s", l.Digest, want)
		}
		addresses := size + (size+249)/250 + (size+1)/2
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

// TestAlikeEntries builds lists of entries that differ in hex digits alone, with others among them: digest, keys and
// counts are as if each entry came alone.
func TestAlikeEntries(t *testing.T) {
	evm := func(i int) sources.Entry {
		return sources.Entry{Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", i+1)), Kind: score.Scam, Ref: "1", ListedAt: day}
	}
	var entries []sources.Entry
	for i := range 30 {
		e := evm(i)
		switch i {
		case 7: // a virtual address on tempo
			e.Address = address.MustParse("ethereum", "0x0102030405060708fdfdfdfdfdfd0102030405060708"[:42])
		case 11:
			e = evm(2) // again
		case 13: // a listed string of its own
			e.Listed = "0x" + strings.ToUpper(e.Address.Normalized()[2:])
		case 17:
			e.Address = address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")
		case 19:
			e.Address, e.Listed = address.Address{}, "no address"
		case 23:
			e.Address = address.MustParse("polygon", e.Address.Normalized())
		}
		entries = append(entries, e)
	}
	for _, asset := range []string{"", "NOT A TICKER"} {
		for i := range entries {
			entries[i].Asset = asset
		}
		made, _ := follow(t, nil, 1, entries)
		then, _ := follow(t, made, 2, entries[1:])
		back, c := follow(t, then, 3, entries)
		if c.Added != 1 || c.Removed != 0 {
			t.Errorf("%+v, want one added", c)
		}
		for what, l := range map[string]*List{"made": made, "back": back, "opened": again(t, back, 3)} {
			if l.Digest != digestOf(entries) || l.Entries != 30 || l.Addresses != 29 || l.AnomalyKinds[sources.Duplicate] != 1 ||
				asset != "" && l.AnomalyKinds[sources.UnknownAsset] != 30 {
				t.Errorf("%s: %d entries, %d addresses", what, l.Entries, l.Addresses)
			}
			if !slices.ContainsFunc(l.Anomalies, func(a sources.Anomaly) bool {
				return a.Kind == sources.Duplicate && a.Entry.Address == evm(2).Address
			}) {
				t.Errorf("%s: %+v, want the address that comes again", what, l.Anomalies)
			}
			for _, e := range entries {
				found := false
				k := firstKey(&e)
				for _, row := range l.Index().AppendRows(nil, k) {
					is := l.Listing(row, &k)
					text := is.Text(&k, nil, nil)
					found = found || text == e.Text() && is.Entry.Ref == "1" && is.AddedAt().Equal(day)
				}
				if !found {
					t.Errorf("%s: %v is not found", what, e)
				}
			}
		}
	}
}
