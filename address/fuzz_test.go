package address_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// corpus are odd inputs.
var corpus = []string{
	"",
	testEVM,
	"0X" + testEVM[2:],
	"0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", // capitals that do not verify
	testEVM[2:],                                                   // without 0x
	testEVM + "0",                                                 // a digit more
	testBTC, testBC1, testTRX, testSOL, testXMR, testKAS, testTON, // one of each kind
	strings.ToUpper(testBC1),                          // as in QR codes
	"bc1pfeessrawgf",                                  // the shortest SegWit
	"LTC1f9gtb7bU6B4VjHXvPGDi8ACNZhkKPo",              // Base58, though it begins like SegWit
	"1111111111111111111114oLvT2",                     // of 20 zeros
	strings.Repeat("1", 128),                          // of nothing but zeros
	"XVhLjQePBhtPRN5YjpjeZQtfYp3m5VkuCp6Ak5kjFsDokYt", // with a destination tag
	"NQ07 0000 0000 0000 0000 0000 0000 0000 0000",    // with blanks
	"rrkah-fqaaa-aaaaa-aaaaq-cai",                     // with hyphens
	"0.0.98-oljor",                                    // with dots
	"example.near", "eosio.token", "f099", "0x1",      // without a checksum
	"bitcoin:" + testBTC + "?amount=1&label=x#y",                                                           // BIP-21
	"ethereum:pay-" + testEVM + "@1/transfer?address=" + testEVM,                                           // EIP-681
	"eip155:56:" + testEVM,                                                                                 // CAIP-10
	"bip122:000000000019d6689c085ae165831e93:" + testBTC,                                                   // CAIP-10
	"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1:" + testSOL,                                                   // of a test network
	"zcash:?address=x&address.1=y",                                                                         // ZIP-321
	"KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",                                                 // a private key
	"0x" + strings.Repeat("1f", 32),                                                                        // another
	strings.Repeat("abandon ", 11) + "about",                                                               // a mnemonic
	"T\u041d96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3",                                                              // a homoglyph
	"\u00a0" + testBTC + "\u200b",                                                                          // a no-break space and an invisible character
	"\u212a12345678901", "İBRAHİM YILMAZ", "WEIẞENBERGER", "\u023a\u023a\u212a " + testBC1 + " " + testEVM, // whose lower case has another length
	"0x0FCAB7394BEB7C7dEd081ce2456a097D7474C1b20", // padded, of starknet
	"\xff\xfe", "\x00", ":", "::", "?", "@", "0x", "bitcoin:", "1:1:", // next to nothing
	testBTC[:11] + " \r\n" + testBTC[11:] + testTRX + ";" + testEVM, // a text
	euRemark, ukReasons, // more text
}

// checkError checks the rules for all errors.
func checkError(t *testing.T, c address.Chain, s string, err error) {
	t.Helper()
	pe := parseError(t, err)
	switch {
	case pe.Err == nil || pe.Error() == "" || len(pe.Error()) > 2000:
		t.Errorf("%q on %s: %v", s, c, err)
	case pe.Offset < -1 || pe.Offset >= len(s) && pe.Offset != -1:
		t.Errorf("%q on %s: %v has the offset %d", s, c, err, pe.Offset)
	case pe.Err == address.ErrOtherChain && pe.Other == "", pe.Other == c && c != "":
		t.Errorf("%q on %s: %v names the chain %q", s, c, err, pe.Other)
	case pe.Other != "":
		if pe.Other.Name() == "" {
			t.Errorf("%q on %s: %v names the chain %q", s, c, err, pe.Other)
		}
	}
}

// FuzzParse parses on the chain that the number chooses, so that an
// execution costs one Parse.
func FuzzParse(f *testing.F) {
	chains := address.TableOrder()
	for i, s := range corpus {
		for n := i % 8; n < len(chains); n += 8 {
			f.Add(uint16(n), s)
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, s string) {
		c := chains[int(n)%len(chains)]
		a, err := address.Parse(c, s)
		if address.Valid(c, s) != (err == nil) {
			t.Fatalf("Valid(%s, %q) does not say what Parse does: %v", c, s, err)
		}
		if err != nil {
			checkError(t, c, s, err)
			return
		}
		if a.Chain() != c {
			t.Errorf("Parse(%s, %q) = %v", c, s, a)
		}
		checkLaws(t, a)
		if b, err := address.Normalize(c, s); err != nil || b != a {
			t.Errorf("Parse(%s, %q) = %v, Normalize %v, %v", c, s, a, b, err)
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, s := range corpus {
		f.Add("ethereum", s)
		f.Add("bitcoin", s)
		f.Add("Solana", s)
		f.Add("eth", s)
	}
	f.Fuzz(func(t *testing.T, slug, s string) {
		c, err := address.ParseChain(slug)
		if err != nil {
			if pe := parseError(t, err); pe.Err != address.ErrChain || c != "" {
				t.Errorf("ParseChain(%q) = %q, %v", slug, c, err)
			}
			c = address.Chain(slug)
		}
		a, err := address.Normalize(c, s)
		if err != nil {
			checkError(t, c, s, err)
			return
		}
		checkLaws(t, a)
		if b, err := address.Normalize(c, " \n"+s+"\u00a0\t"); len(s) < 4000 && (err != nil || b != a) {
			t.Errorf("Normalize(%s, %q) = %v, with blanks around %v, %v", c, s, a, b, err)
		}
	})
}

// FuzzInterpret checks that Interpret has addresses or an error, and agrees with
// Parse.
func FuzzInterpret(f *testing.F) {
	for _, s := range corpus {
		for _, chain := range []string{"", "bitcoin", "ETH", "near", "USDT-TRC20"} {
			f.Add(chain, s)
		}
		f.Add("", "https://etherscan.io/address/"+s)
		f.Add("xrp", "did:pkh:"+s+":1")
	}
	f.Fuzz(func(t *testing.T, chain, s string) { checkReading(t, chain, s) })
}

// checkReading checks the rules for every reading.
func checkReading(t *testing.T, chain, s string) {
	t.Helper()
	r := address.Interpret(chain, s)
	if r.Err != nil {
		checkError(t, r.Chain, s, r.Err)
	} else if len(r.Addresses) == 0 || r.Several && len(r.Addresses) < 2 {
		t.Errorf("Interpret(%q, %q) = %+v", chain, s, r)
	}
	for i, a := range r.Addresses {
		if !a.IsValid() || r.Several && slices.ContainsFunc(r.Addresses[:i], func(b address.Address) bool { return a.Canonical() == b.Canonical() }) {
			t.Errorf("Interpret(%q, %q) = %+v", chain, s, r)
		}
	}
	if r.Err == nil && r.Doubts == nil { // a verdict on the addresses is one on the text
		for _, found := range address.FindAll(s) {
			if !slices.ContainsFunc(r.Addresses, func(a address.Address) bool {
				return a.Canonical() == found.Address.Canonical() || isOneKey(a, found.Address) ||
					strings.Contains(strings.ToLower(s), strings.ToLower(a.Normalized())) // and a part of s is the address, as in bc1….near
			}) {
				t.Errorf("Interpret(%q, %q) = %+v, without %v, which FindAll finds", chain, s, r, found.Address)
			}
		}
	}
	if c, err := address.ParseChain(chain); err == nil {
		a, err := address.Parse(c, s)
		isIn := len(r.Addresses) > 1 && isOnly(r.Doubts, address.DoubtAmbiguous) // another address is within a name of near
		if err == nil && (r.Err != nil || r.Addresses[0] != a || !isOnly(r.Doubts, a.Doubt()) && !isIn) {
			t.Errorf("Interpret(%q, %q) = %+v, Parse: %v", chain, s, r, a)
		}
	}
}

// isOneKey reports whether a and b have a key in common.
func isOneKey(a, b address.Address) bool {
	keys := b.AppendKeys(nil)
	return slices.ContainsFunc(a.AppendKeys(nil), func(k address.Key) bool { return slices.Contains(keys, k) })
}

// TestDecorated reads the vectors with decoration, on their chain and without one.
func TestDecorated(t *testing.T) {
	around := []string{
		"% ",
		" %",
		"%\n",
		"\u00a0%",
		"%?",
		"%:",
		":%",
		"%:1",
		"%@",
		"@%",
		"%@1",
		"https://%",
		"https://x/%",
		"did:pkh:%",
		"bitcoin:%?bc=%",
		"bitcoin:?%",
		"%%",
		"% %",
		"web+stellar:pay?destination=%",
		"ethereum:%/transfer?address=%",
		"eip155:1:%",
		"(%)",
		"C-%",
		"0x%",
		"hx%",
	}
	for i, v := range inputs(t) {
		for j, pattern := range around {
			if (i+j)%longtest.N(89, 23) == 0 {
				s := strings.ReplaceAll(pattern, "%", v)
				for _, chain := range []string{"", "bitcoin", "near", "TRC20", "eip155:98865"} {
					checkReading(t, chain, s)
				}
				address.Normalize("xrp", s)
				address.Detect(s)
			}
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range corpus {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, want := address.Detect(s), slowDetect(s)
		if len(got) != len(want) {
			t.Fatalf("Detect(%q) = %v, want %v", s, got, want)
		}
		for i, a := range got {
			if a != want[i] {
				t.Fatalf("Detect(%q) = %v, want %v", s, got, want)
			}
			checkLaws(t, a)
		}
	})
}

func FuzzFindAll(f *testing.F) {
	for _, s := range corpus {
		f.Add(s)
		f.Add("x" + s + "\n" + s)
		f.Add("\u200b" + s[:len(s)/2] + "<wbr>\u00ad\\u003c &#xad;-\r\n12. " + s[len(s)/2:])
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range address.FindAll(text) {
			if found.Start < end || found.End <= found.Start || found.End > len(text) || !found.Address.Proven() {
				t.Fatalf("FindAll(%q): %+v", text, found)
			}
			end = found.End
			s := lineBreak.ReplaceAllString(text[found.Start:found.End], "")
			if a, err := address.Normalize(found.Address.Chain(), s); err == nil && a != found.Address {
				t.Errorf("FindAll(%q): %+v, but %q is %v, %v", text, found, s, a, err)
			}
			checkLaws(t, found.Address)
		}
	})
}
