package screening_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A pair is two addresses: if one is listed, the other must be found.
type pair struct {
	a, b  address.Address
	match score.Match
}

// TestBothDirectionsOfVectors is like TestBothDirections for all test vectors of package
// address: each with its canonical form, with the script that wraps it, and with the
// receivers of a unified address.
func TestBothDirectionsOfVectors(t *testing.T) {
	longtest.WithoutRace(t)
	all := vectors.Addresses(t, "..")
	for _, tt := range []struct {
		name  string
		pairs []pair
		min   int
	}{
		{"canonical", canonicalPairs(all), 140},
		{"wrapped", wrappedPairs(t, all), 1000 / longtest.Step(4, 1)},
		{"unified", unifiedPairs(t, all), 15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Logf("%d pairs", len(tt.pairs))
			if len(tt.pairs) < tt.min {
				t.Errorf("%d pairs, want at least %d", len(tt.pairs), tt.min)
			}
			as, bs := map[address.Address]bool{}, map[address.Address]bool{}
			for _, p := range tt.pairs {
				as[p.a], bs[p.b] = true, true
			}
			a, b := listAll(t, as), listAll(t, bs)
			for _, p := range tt.pairs {
				checkListed(t, a, p.a, p.b, p.match)
				checkListed(t, b, p.b, p.a, p.match)
			}
		})
	}
}

// listAll returns a Screener that lists the addresses, each with its text as reference.
func listAll(t *testing.T, all map[address.Address]bool) *screening.Screener {
	t.Helper()
	var entries []sources.Entry
	for a := range all {
		entries = append(entries, sources.Entry{Address: a, Kind: score.Sanctioned, Ref: a.String()})
	}
	s := newScreener(t, nil, sources.Static(sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}, entries...))
	refresh(t, s)
	return s
}

// checkListed checks that asked is found where s lists the other address.
func checkListed(t *testing.T, s *screening.Screener, listed, asked address.Address, want score.Match) {
	t.Helper()
	r, err := s.Screen(asked)
	for _, l := range r.Labels {
		if l.Ref == listed.String() && l.Match == want {
			return
		}
	}
	t.Errorf("%v listed, %v asked: %d labels, %v, want one by %v", listed, asked, len(r.Labels), err, want)
}

// canonicalPairs returns the addresses that are not canonical, each with its canonical
// address: legacy spellings, integrated and muxed addresses, X-addresses, the EVM family.
func canonicalPairs(all []address.Address) (pairs []pair) {
	for _, a := range all {
		switch b := a.Canonical(); {
		case a == b:
		case a.Chain() == b.Chain():
			pairs = append(pairs, pair{a, b, score.Exact})
		default:
			pairs = append(pairs, pair{a, b, score.Family})
		}
	}
	return pairs
}

// segWit are the chains whose scripts can wrap a witness program.
var segWit = []address.Chain{"bitcoin", "litecoin", "digibyte", "verge", "namecoin", "peercoin", "vertcoin", "groestlcoin", "qtum", "liquid",
	"monacoin", "viacoin", "syscoin", "reddcoin", "lbry", "stratis", "bitcoin-diamond", "bitcoin-gold"}

// wrappedPairs returns the addresses that a script can wrap, on any chain, each with the
// address of that script on every chain with SegWit.
func wrappedPairs(t *testing.T, all []address.Address) (pairs []pair) {
	blinded := append([]byte{12, 39, 2}, make([]byte, 32)...)                             // with a blinding key
	versions := map[address.Chain][][]byte{"liquid": {{39}, blinded}, "groestlcoin": nil} // of P2SH; groestlcoin has another checksum
	chains := map[address.Chain]bool{}
	for _, a := range all {
		if !slices.Contains(segWit, a.Chain()) {
			continue
		}
		chains[a.Chain()] = true
		if b, ok := base58Check(a.Normalized()); ok && len(b) == 21 && a.Kind() == "p2sh" {
			versions[a.Chain()] = [][]byte{b[:1]}
		}
	}
	for chain := range chains {
		if _, ok := versions[chain]; !ok {
			t.Errorf("no P2SH vector of %s", chain)
		}
	}
	groestl := map[identity.Words][]address.Address{} // by script
	for _, a := range all {
		if k, ok := a.Key(); ok && a.Chain() == "groestlcoin" && a.Kind() == "p2sh" {
			words, _ := k.Identity()
			groestl[words] = append(groestl[words], a)
		}
	}
	for i, a := range all {
		k, ok := a.Key()
		if !ok || i%longtest.Step(4, 1) > 0 {
			continue
		}
		words, tag := k.Identity()
		script, ok := identity.Wrap(identity.Account(tag), words)
		if !ok {
			continue
		}
		hash := identity.Bytes(script)
		for chain, vs := range versions {
			for _, v := range vs {
				b, err := address.Parse(chain, encodeBase58Check(v, hash[:20]))
				if err != nil {
					t.Errorf("the script that wraps %v, on %s: %v", a, chain, err)
					continue
				}
				pairs = append(pairs, pair{a, b, score.Key})
			}
		}
		for _, b := range groestl[script] {
			pairs = append(pairs, pair{a, b, score.Key})
		}
	}
	return pairs
}

// unifiedPairs returns the unified addresses of Zcash, each with the addresses of its
// receivers.
func unifiedPairs(t *testing.T, all []address.Address) (pairs []pair) {
	single := map[address.Key][]address.Address{}
	for _, a := range all {
		if a.Chain() == "zcash" {
			if ks := a.AppendKeys(nil); len(ks) == 1 {
				single[ks[0]] = append(single[ks[0]], a)
			}
		}
	}
	for _, a := range all {
		if a.Chain() != "zcash" || a.Kind() != "unified" {
			continue
		}
		for _, k := range a.AppendKeys(nil) {
			words, tag := k.Identity()
			hash := identity.Bytes(words)
			version := []byte{0x1c, 0xb8}
			switch identity.Account(tag) {
			case identity.ScriptHash:
				version = []byte{0x1c, 0xbd}
				fallthrough
			case identity.Hash160:
				pairs = append(pairs, pair{a, address.MustParse("zcash", encodeBase58Check(version, hash[:20])), score.Key})
			}
			for _, b := range single[k] {
				if b.Account() != a.Account() {
					pairs = append(pairs, pair{a, b, score.Key})
				}
			}
		}
	}
	return pairs
}

// base58Check returns the bytes in text, without the checksum.
func base58Check(text string) ([]byte, bool) {
	var buf [128]byte
	n, _ := base58.Bitcoin.Decode(buf[:], text)
	if n < 4 {
		return nil, false
	}
	return buf[:n-4], encodeBase58Check(nil, buf[:n-4]) == text
}

// encodeBase58Check returns the text of the version and data.
func encodeBase58Check(version, data []byte) string {
	b := append(append([]byte{}, version...), data...)
	sum := sha256.Sum256(b)
	sum = sha256.Sum256(sum[:])
	return base58.Bitcoin.Encode(append(b, sum[:4]...))
}
