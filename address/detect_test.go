package address_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// slowDetect is a simple model of Detect: Parse on all chains, in the order of
// the table, and of the EVM chains only the first.
func slowDetect(s string) []address.Address {
	var proven, likely, others []address.Address
	onEVM := false
	first := address.Chain("")
	switch {
	case strings.HasPrefix(s, "0x0") && !strings.HasPrefix(s, "0x000") && len(s) == 66:
		first = "starknet"
	case strings.HasSuffix(s, ".wam"):
		first = "wax"
	case strings.HasPrefix(s, "eosio."):
		first = "eos"
	case strings.Contains(s, ".") && !strings.HasPrefix(s, "0"):
		first = "near"
	}
	for _, c := range address.TableOrder() {
		a, ok := address.ParseQuietly(c, s)
		if !ok {
			continue
		}
		if a.IsEVM() {
			if onEVM {
				continue
			}
			onEVM = onEVM || c == "ethereum"
		}
		switch {
		case a.Proven():
			proven = append(proven, a)
		case c == first:
			likely = append(likely, a)
		default:
			others = append(others, a)
		}
	}
	return slices.Concat(proven, likely, others)
}

// inputs returns the inputs of all vectors, and variants with a fault: all of them in the
// long loop, a quarter in the short one.
func inputs(t testing.TB) []string {
	var all []string
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			s := v.fields["input"]
			all = append(all, s)
			start, half := len(all), len(s)/2
			for j, variant := range []string{strings.ToUpper(s), strings.ToLower(s), s + "1", " " + s, "0x" + s, "", s[min(1, len(s)):], s[:max(0, len(s)-1)],
				s[:half] + "z" + s[min(half+1, len(s)):], s + s} {
				if (start+j)%longtest.N(13, 1) == 0 {
					all = append(all, variant)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestDetectAgainstModel(t *testing.T) {
	found := 0
	for _, s := range inputs(t) {
		got, want := address.Detect(s), slowDetect(s)
		found += len(want)
		if !slices.Equal(got, want) {
			t.Errorf("Detect(%q)\n got %v\nwant %v", s, got, want)
		}
	}
	if found == 0 {
		t.Error("the vectors have no address")
	}
}

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want string // the chains
	}{
		{"0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "ethereum zilliqa"},
		{"0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", ""}, // capitals that do not verify
		{"one10e0525sfrf53yh2aljmm3sn9jq5njk7ltpz8tw", "harmony"},
		{"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "bitcoin"},
		{"TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d", "tron"},
		{"7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", "solana eclipse fogo"},
		{"terra1w508d6qejxtdg4y5r3zarvary0c5xw7kued6dc", "terra terra-classic"},
		{"AST9CekEhDWuxHPynRmeyjg5biNFSijvb3", "neo ontology bitcoin-gold"},
		{"NWbEjugszdRCVHaaX1mDXVqgUr6Yk1uQ8U", "neo-n3 neblio"},
		{"DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z", "dogecoin digibyte verge pivx"},
		{"MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB", "litecoin qtum monacoin"},
		{"cfx:ty pe.contract:aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg", "conflux"},
		{"0x3599CF49e08A01BCb879A19599C8a6cd8C8d9aa6c", ""}, // an EVM address with a digit too many, not one of arweave
		{"", ""},
		{"Hello, world", ""},
		{strings.Repeat("1", 1<<20), ""},
	} {
		var got []string
		for _, a := range address.Detect(tt.s) {
			if c := string(a.Chain()); c != "near" && c != "eos" && c != "wax" && c != "hedera" {
				got = append(got, c)
			}
		}
		want := strings.Fields(tt.want)
		if len(want) > 1 { // a new chain may share a spelling that several have
			got = slices.DeleteFunc(got, func(c string) bool { return !slices.Contains(want, c) })
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("Detect(%.80q) names %q, want %q", tt.s, s, tt.want)
		}
	}
}

// TestDetectFirst checks the first guess for text without a checksum that fits
// several chains.
func TestDetectFirst(t *testing.T) {
	const digits = "2ddfb499765c064eac5039e3841aa5f382e73b598097a40073bd8b48170ab57"
	for s, want := range map[string]address.Chain{
		"0.0.98": "hedera", "0x1": "aptos", "f099": "filecoin", "0xe467b9dd11fa00df": "flow",
		"alice.near": "near", "wrap.near": "near", "4fwdhrkahl5v": "eos", "binancecleos": "eos", "eosio.token": "eos", "frlxotnl.wam": "wax",
		"0x0" + digits: "starknet", "0xb" + digits: "sui", "0x" + digits: "starknet", "0x" + strings.Repeat("0", 63) + "2": "sui", "b" + digits: "near",
	} {
		if all := address.Detect(s); len(all) == 0 || all[0].Chain() != want {
			t.Errorf("Detect(%q) = %v, want %s first", s, all, want)
		}
	}
}

// TestDetectMissAllocations checks that Detect does not allocate for text that
// is not an address.
func TestDetectMissAllocations(t *testing.T) {
	for _, s := range misses {
		if n := testing.AllocsPerRun(100, func() { address.Detect(s) }); n != 0 && !longtest.Race {
			t.Errorf("Detect(%.80q) allocates %v times", s, n)
		}
	}
}

var misses = []string{
	"", "Not an address", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh", "BC1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
	"0x7e5f4552091a69125d5dfcb7b8c2659029395bdX", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKvvv",
	"5Gw54ghuAHodDGAS91DUxqvKa6PeT9bhDdns3ztBupY8pSy1",
	"4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rg1",
	strings.Repeat("A", 5000),
}

func BenchmarkDetect(b *testing.B) {
	for _, s := range append(misses, "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
		"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu") {
		b.Run(s[:min(len(s), 12)], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				address.Detect(s)
			}
		})
	}
}

// TestOtherChainIsProven checks that an error names another chain only if the
// address proves itself on it.
func TestOtherChainIsProven(t *testing.T) {
	for _, s := range inputs(t) {
		for _, c := range []address.Chain{"bitcoin", "ethereum"} {
			_, err := address.Parse(c, s)
			var pe *address.ParseError
			if !errors.As(err, &pe) || pe.Err != address.ErrOtherChain {
				continue
			}
			isHex := len(s) == 42 && strings.HasPrefix(s, "0x")
			if a, err := address.Parse(pe.Other, s); !isHex && (err != nil || !a.Proven()) || pe.Other == c {
				t.Errorf("Parse(%s, %q) says %s, where it is %v, %v", c, s, pe.Other, a, err)
			}
		}
	}
}
