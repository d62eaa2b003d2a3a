package screening_test

import (
	"crypto/sha256"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestBothDirections lists each address of a pair and screens the other: the derived
// address must be found from the original and vice versa.
func TestBothDirections(t *testing.T) {
	const owner = "k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae"
	for _, tt := range []struct {
		a, b  string // chain:address
		match score.Match
	}{
		{"bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bitcoin:3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN", score.Key},
		{"bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "bitcoin:3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN", score.Key},
		{"bitcoin:bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", "bitcoin:" + wrapped(t, "bitcoin:bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"), score.Key},
		{"litecoin:ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "litecoin:MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB", score.Key},
		{"groestlcoin:grs1qw508d6qejxtdg4y5r3zarvary0c5xw7k3k4sj5", "groestlcoin:3JvL6Ymt8MVWiCNHC7oWU6nLeHNJFpSXbA", score.Key},
		{"kava:kava1w508d6qejxtdg4y5r3zarvary0c5xw7kxgr8el", "kava-evm:0x751e76e8199196d454941c45d1b3a323f1433bd6", score.Key},
		{"kava:kava1w508d6qejxtdg4y5r3zarvary0c5xw7kxgr8el", "cosmos:cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c", score.Key},
		{"internet-computer:" + owner, "internet-computer:" + owner + "-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", score.Key},
		{"internet-computer:" + owner + "-6cc627i.1", "internet-computer:" + owner + "-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", score.Key},
		{"sei:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", score.Family},
		{"eip155:98865:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", score.Family},
		{"eip155:98865:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "eip155:2:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", score.Family},
		{"neo:AST9CekEhDWuxHPynRmeyjg5biNFSijvb3", "neo-n3:NWbEjugszdRCVHaaX1mDXVqgUr6Yk1uQ8U", score.Key},
		{"stellar:MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK", "stellar:GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", score.Exact},
		{"sei:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "bsc:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", score.Family},
		{"casper:01cd4f2ed572ea555ca46c17c83c43e609d2e916871236f40faa9ba747478e8dee", "casper:account-hash-79c9563deeb7bbd05e91c7dddddec9328717fea1ae846dd54ab9dfeaae015bc0", score.Exact},
		{"aptos:0x63c5215e87770d17b9f4cd47c777e322f4eb152cfd2054c1080fd9d57c48913b", "movement:0x63c5215e87770d17b9f4cd47c777e322f4eb152cfd2054c1080fd9d57c48913b", score.Key},
		{"solana:TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "eclipse:TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", score.Key},
		{"xrp:X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", "xrp:r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59", score.Exact},
	} {
		a, b := parseText(t, tt.a), parseText(t, tt.b)
		for _, pair := range [][2]address.Address{{a, b}, {b, a}} {
			listed, asked := pair[0], pair[1]
			info := sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}
			s := newScreener(t, nil, sources.Static(info, sources.Entry{Address: listed, Kind: score.Sanctioned, Ref: "1"}))
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			r, err := s.Screen(asked)
			if err != nil || len(r.Labels) != 1 || r.Labels[0].Match != tt.match {
				t.Errorf("%v listed, %v asked: %v, %v, want a match by %v", listed, asked, r.Labels, err, tt.match)
			}
			all := 0
			for r, err := range s.ScreenAll(func(yield func(address.Address) bool) { yield(asked) }) {
				if all++; err != nil || len(r.Labels) != 1 {
					t.Errorf("ScreenAll: %v listed, %v asked: %v, %v", listed, asked, r.Labels, err)
				}
			}
			if all != 1 {
				t.Errorf("ScreenAll yields %d results", all)
			}
		}
	}
}

// wrapped returns the address of the script that wraps the P2WSH output in text.
func wrapped(t *testing.T, text string) string {
	t.Helper()
	k, _ := parseText(t, text).Key()
	words, tag := k.Identity()
	script, ok := identity.Wrap(identity.Account(tag), words)
	if !ok {
		t.Fatal("there is no script")
	}
	hash := identity.Bytes(script)
	b := append([]byte{5}, hash[:20]...)
	sum := sha256.Sum256(b)
	sum = sha256.Sum256(sum[:])
	return base58.Bitcoin.Encode(append(b, sum[:4]...))
}

func parseText(t *testing.T, text string) (a address.Address) {
	t.Helper()
	if err := a.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestMistypedListing lists an address with a look-alike character in it, and screens
// the intended account.
func TestMistypedListing(t *testing.T) {
	info := sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}
	s := newScreener(t, nil, sources.Static(info, sources.Entry{Listed: "TGJVc32ig2u8tQsYMLE7KXHT5NDQr0aVNU", Asset: "USDT", Kind: score.Sanctioned, Ref: "1"}))
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.ScreenText("tron", "TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU")
	if err != nil || len(r.Labels) != 1 || r.Labels[0].Match != score.Literal {
		t.Errorf("ScreenText = %v, %v, want a match by literal", r.Labels, err)
	}
	if a := s.Anomalies("LIST"); len(a) != 1 || a[0].Kind != sources.BadChecksum {
		t.Errorf("the anomalies are %v", a)
	}
}
