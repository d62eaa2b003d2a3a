package address_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// listed are addresses of OFAC's, the EU's and the UK's lists.
var listed = []string{
	"0x57ec89a0c056163a0314e413320f9b3abe761259", "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
	"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t", "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d",
}

// fullWidth returns s in full-width characters.
func fullWidth(s string) string {
	return strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, s)
}

// splitEvery returns s in groups of n characters.
func splitEvery(s string, n int, sep string) string {
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for part := range slices.Chunk([]byte(s), n) {
			if !yield(string(part)) {
				return
			}
		}
	}), sep)
}

// interruptions are what documents put into an address.
var interruptions = map[string]string{
	"blank": " ", "NBSP": "\u00a0", "color": "\x1b[0m", "colors": "\x1b[m\x1b[K\x1b[01;31m", "line of a table": " │\r\n│ ",
	"line feed": "\n", "CRLF": "\r\n", "CR": "\r", "form feed": "\f", "empty line": "\n\n", "blanks and a line feed": " \t\n  ", "page break": "\n\f",
	"NBSP at the break": "\u00a0\n\u00a0", "NBSP and CR": "\u00a0\r\u00a0", "line separator": "\u2028", "next line": "\u0085",
	"hyphen": "-\n", "hyphen and CRLF": "-\r\n", "soft hyphen": "\u00ad", "soft hyphen at the end of a line": "\u00ad\n", "Unicode hyphen": "\u2010\n",
	"line number": "\n 12  ", "line number with a dot": "\n12. ", "line number with CRLF": "\r\n7\t",
	"zero-width space": "\u200b", "zero-width joiner": "\u200d", "word joiner": "\u2060", "byte order mark": "\ufeff",
	"marks of direction": "\u200e\u202a\u202c", "isolates": "\u2066\u2069",
	"wbr": "<wbr>", "wbr closed": "<wbr/>", "br": "<br>", "br closed": "<br />\r\n",
	"span": "<span>", "span with a class": `</span><span class="x y">`, "bold": "</b><b>", "comment": "<!-- x -->",
	"shy": "&shy;", "shy by number": "&#173;", "shy in hex": "&#xAD;", "zero-width by number": "&#8203;", "escaped markup": "&lt;wbr&gt;",
	"strings": `"+"`, "strings with blanks": `" + "`, "strings on two lines": "\" +\n    \"", "strings with a dot": `' . '`, "strings side by side": "\"\n  \"",
	"continued line": "\\\n", "table": " |\n| ", "bar": "\n| ", "quotation": "\n> ",
	"quotation of a quotation": "\r\n>> ", "comment of code": "\n// ", "hash comment": "\n# ",
	"LaTeX": `\allowbreak `, "LaTeX in braces": `\allowbreak{}`, "LaTeX hyphen": `\-`,
	"Word": `</w:t></w:r><w:r w:rsidR="00A1"><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">`, "Word line": `</w:t><w:br/><w:t>`,
	"JSON line feed": `\n`, "JSON zero width": `\u200b`, "JSON markup": `\u003cwbr\u003e`,
	"quoted-printable": "=\r\n", "quoted-printable zero width": "=E2=80=8B", "URL zero width": "%E2%80%8B",
}

// TestFindAllInDocuments checks that an address that a document interrupts is found,
// at its place.
func TestFindAllInDocuments(t *testing.T) {
	for _, s := range listed {
		for name, sep := range interruptions {
			for _, at := range []int{3, 4, 11, 20, 28, len(s) - 3} {
				t.Run(name, func(t *testing.T) { wantOne(t, s, s[:at]+sep+s[at:]) })
			}
		}
		for name, text := range map[string]string{
			"groups of four": splitEvery(s, 4, " "), "groups with NBSP": splitEvery(s, 4, "\u00a0"),
			"groups behind the prefix": s[:2] + " " + splitEvery(s[2:], 4, " "), "groups with the prefix": s[:2] + splitEvery(s[2:], 4, " "),
			"groups of five":     splitEvery(s, 5, " "),
			"groups on lines":    splitEvery(s[:20], 4, " ") + "\n" + splitEvery(s[20:], 4, " "),
			"lines":              splitEvery(s, 10, "\n"),
			"full width":         fullWidth(s),
			"between invisibles": splitEvery(s, 1, "\u200b"),
			"each in a span":     splitEvery(s, 8, "</span><span>"),
		} {
			t.Run(name, func(t *testing.T) { wantOne(t, s, text) })
		}
		for _, before := range []string{`\u003c`, `\u0022`, "%3C", "=3D", `a\n`, "&#x3c;", `\x3c`, "<b>abc</b><span>", "\u200e", "\u200b"} {
			if found := address.FindAll(before + s + `\u003c`); len(found) != 1 || found[0].Start != len(before) || found[0].End != len(before)+len(s) {
				t.Errorf("behind %q: %v", before, found)
			}
		}
	}
}

// TestRecall interrupts an address of each kind of each chain in every way in which
// documents do, and checks that FindAll finds it. Addresses that are shorter than 26
// characters, or have the capitals of rootstock or wanchain, must be whole, and accounts of
// the chain itself are left out, which are almost all zeros.
func TestRecall(t *testing.T) {
	asked, seen := 0, map[string]bool{}
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			s := v.fields["input"]
			a, err := address.Parse(address.Chain(v.fields["chain"]), s)
			alone := address.FindAll(s)
			kind := v.fields["chain"] + a.Kind() + strconv.Itoa(len(s))
			if err != nil || !a.Proven() || len(alone) != 1 || seen[kind] || strings.HasPrefix(s, "rrrrrrrr") ||
				strings.Contains(strings.ToLower(s), "builtin") {
				continue
			}
			seen[kind] = true
			texts := map[string]string{
				"full width":         fullWidth(s),
				"between invisibles": splitEvery(s, 1, "\u200b"),
				"each in a span":     splitEvery(s, 8, "</span><span>"),
				"escaped":            `\u003c` + s + `\u003e`,
			}
			body := 1 + strings.LastIndexAny(s, ":_")
			if len(s) >= 26 && !strings.Contains(s, "-") && len(s)-body <= 160 {
				texts["groups of four"] = s[:body] + splitEvery(s[body:], 4, " ")
			}
			ruled := a.Chain() == "rootstock" || a.Chain() == "wanchain" // which have capitals of their own
			for name, sep := range interruptions {
				for i, at := range []int{4, len(s) / 2, len(s) - 4} {
					if (len(seen)+len(name)+i)%longtest.N(3, 1) != 0 {
						continue // another place for another kind
					}
					if strings.Contains(s, "-") && strings.HasPrefix(name, "hyphen") {
						continue // nothing tells it from the address's own
					}
					if len(s) >= 26 && (!ruled || strings.ToLower(s) == s) {
						texts[name+strconv.Itoa(at)] = s[:at] + sep + s[at:]
					}
				}
			}
			for name, text := range texts {
				asked++
				if found := address.FindAll("paid to " + text + " now"); len(found) != 1 || found[0].Address != alone[0].Address {
					t.Errorf("%s, %s: FindAll(%q) = %v", v.fields["chain"], name, text, found)
				}
			}
		}
	}
	if want := longtest.N(13_000, 40_000); asked < want {
		t.Errorf("%d texts were searched, want at least %d", asked, want)
	}
}

// wantOne reports an error unless text, which is listed, is found in the middle of
// others, and nothing else.
func wantOne(t *testing.T, listed, text string) {
	t.Helper()
	want := address.Detect(listed)
	if len(want) == 0 {
		t.Fatalf("%q is not an address", listed)
	}
	for _, around := range [][2]string{{"", ""}, {"the wallet ", " of\nthe accused"}, {"(\u00e9: ", "; 12."}, {"to ", ".\n"}, {"(", ")."}, {"\"", "\","}} {
		found := address.FindAll(around[0] + text + around[1])
		if len(found) != 1 || found[0].Address != want[0] || found[0].Start != len(around[0]) || found[0].End != len(around[0])+len(text) {
			t.Errorf("FindAll(%q)\n got %v\nwant %v at %d to %d", around[0]+text+around[1], found, want[0], len(around[0]), len(around[0])+len(text))
		}
	}
}

func TestFindAllLogs(t *testing.T) {
	const digits = "57ec89a0c056163a0314e413320f9b3abe761259"
	pad := strings.Repeat("0", 24)
	for text, want := range map[string]int{
		`topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", "0x` + pad + digits + `"]`: 1,
		pad + digits: 1,
		"0xa9059cbb" + pad + digits + strings.Repeat("0", 48) + "0de0b6b3a7640000": 1,
		"0x" + pad + strings.Repeat("0", 24) + "0de0b6b3a7640000":                  0,
		"0x" + strings.Repeat("0", 64):                                             0,
		"0x" + strings.Repeat("f", 24) + digits:                                    0,
		"0x" + pad + digits + "0":                                                  0,
		"0x" + digits[:20] + "\n" + digits[20:] + "\n" + digits[:24]:               0, // a hash in lines
		"0x" + digits[:20] + "\n" + digits[20:] + "\n2024-01-01":                   1,
		"0x" + digits[:20] + "\n" + digits[20:] + "a":                              0,
		"0x" + digits[:20] + "\n" + digits[19:]:                                    0,
		"0x" + digits[:39] + " 9":                                                  0, // an error and a number
		"0x " + digits:                                                             1,
		digits:                                                                     0, // a hash of Git
	} {
		found := address.FindAll(text)
		if len(found) != want {
			t.Errorf("FindAll(%q) = %v, want %d", text, found, want)
		}
		for _, f := range found {
			if f.Address.Normalized() != "0x"+digits {
				t.Errorf("FindAll(%q) = %v", text, found)
			}
		}
	}
}

func TestFindLikely(t *testing.T) {
	const (
		lower = "0x57ec89a0c056163a0314e413320f9b3abe761259"
		mixed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
		btc   = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
		trx   = "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"
		bc1   = "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml"
	)
	for text, want := range map[string][]string{
		"paid to " + lower + " and " + btc:                              nil,
		"paid to " + lower[:39] + ", then":                              {lower[:39]},
		"paid to " + lower + "0, then":                                  {lower + "0"},
		"paid to " + mixed[:20] + "\n" + strings.ToLower(mixed)[20:]:    {mixed[:20]},
		"paid to 0x57EC…1259 and 0x57ec...1259":                         {"0x57EC…1259", "0x57ec...1259"},
		"paid to 1A1z####vfNa and TA1h~LR2d, not TestOne(.*)TestTwo":    {"1A1z####vfNa", "TA1h~LR2d"},
		"100k~200k USDT, 10am~12pm; to 1A1z~12pm, 0x57EC~12ab":          {"1A1z~12pm", "0x57EC~12ab"}, // ranges, as in Korean
		"paid to bc1qwt…5zml, TA1h...Lr2d and 12Qt…9h":                  {"bc1qwt…5zml", "TA1h...Lr2d"},
		"paid to " + btc[:33] + "j.":                                    {btc[:33] + "j"},
		"pay?to=" + btc[:33] + "j&sum=1":                                {btc[:33] + "j"}, // "=12" is no character of quoted-printable
		"pay?to=1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb&sum=1":               {"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"},
		"paid to " + trx[:33] + "e":                                     {trx[:33] + "e"},
		"paid to " + bc1[:41] + ".":                                     {bc1[:41]},
		"paid to " + btc[:20] + "\n\n\n\n" + btc[20:] + " today":        {btc[:20]},
		"to Ox" + lower[2:] + ", 0× " + lower[2:] + ", 0 x" + lower[2:]: {"Ox" + lower[2:], lower[2:], "x" + lower[2:]},
		"to 42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi":               {"42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi"}, // Solana
	} {
		var got []string
		for _, f := range address.FindLikely(text) {
			if !f.Address.IsValid() {
				got = append(got, text[f.Start:f.End])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("FindLikely(%q)\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestFindLikelySpoiled checks that no address is missed in silence that a scan, a program or a
// table has spoiled as they do: each is found, or looks like one.
func TestFindLikelySpoiled(t *testing.T) {
	addresses := []string{
		"0x57ec89a0c056163a0314e413320f9b3abe761259", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
		"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t",
		"TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml",
		"LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
		"cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl", "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7",
	}
	texts := make(map[string]string) // with their addresses
	for i, s := range addresses {
		for _, like := range []string{"1l", "1I", "l1", "o0", "0O", "0o", "5S", "TТ", "aа", "8B"} {
			if like == "8B" && len(s) == 42 {
				continue // a digit of hex
			}
			from := like[:1]
			for at := range s {
				if s[at:at+1] == from {
					texts["pay "+s[:at]+like[1:]+s[at+1:]+" today"] = s
				}
			}
		}
		if len(s) < 40 { // in Base58
			for cut := range 9 {
				texts["| "+s[:len(s)-cut]+" | 2024"] = s // in a narrow column
			}
		}
		wrong := s[:len(s)-3] + string("74"[strings.Count(s[len(s)-3:len(s)-2], "7")]) + s[len(s)-2:] // with an error in it
		for _, number := range []string{"%2d %s\n%2d %s", "%d. %s\n%d. %s", "%4d\t%s\n%4d\t%s", "[%d] %s\n[%d] %s", "%05d| %s\n%05d| %s"} {
			for _, at := range []int{10, 17, len(s) - 6} {
				texts["1 It is\n"+fmt.Sprintf(number, 2, wrong[:at], 3, wrong[at:])+"\n4 now"] = wrong
			}
		}
		for _, size := range []int{8, 11, 17} {
			var rows []string
			for at := 0; at < len(s); at += size {
				row := "of him"
				for k := range 3 {
					other := addresses[(i+k)%len(addresses)]
					row += fmt.Sprintf("   %-*s", size, other[min(at, len(other)):min(at+size, len(other))])
				}
				rows = append(rows, row+"   in May")
			}
			texts[strings.Join(rows, "\n")] = s
			texts[strings.ReplaceAll(strings.Join(rows, "\n"), "   ", "\t")] = s
		}
	}
	for text, of := range texts {
		if len(address.FindLikely(text)) == 0 {
			t.Errorf("nothing in %q, of %s", text, of)
		}
	}
	if len(texts) < 380 {
		t.Errorf("%d texts, want 380", len(texts))
	}
}

// TestFindLikelyProse checks that nothing is found in texts without addresses.
func TestFindLikelyProse(t *testing.T) {
	for _, text := range []string{
		"The well-known re-\nport of 2024 2025 2026 2027 says: \"it's\" + \"so\"... 1990s, 0x1f and 0xdeadbeef, T...\n> 12 the\n| cell |\n",
		"Fürth\u00ad straße – Это обычный текст без адресов, 1234567890123456789012345; L'État, c'est moi.",
		"tx 0x5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320 of 550e8400-e29b-41d4-a716-446655440000, d41d8cd98f00b204e9800998ecf8427e",
		"goroutine 7 [running]: main.f(0xc000123456, 0x7fffffffe010)\n\t/go/src/x.go:12 +0x1d3\n",
		"\t0x0000:  4500 003c 1c46 4000 4006 b1e6 ac10 0a63\n\t0x0010:  ac10 0a0c 0001 0203 0405 0607 0809 0a0b\n",
		"LEI 5493001KJTIIGC8Y1R12, IBAN GB29 NWBK 6016 1331 9268 19, card 4111 1111 1111 1111, phone +1 555 123 4567",
		"Table12\nTable13\nLine2024\nLine2025\nDarkSeaGreen1\nDarkSeaGreen2\n  IsCodeGenerationFromStringsAllowed",
		"QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKtVoL https://youtu.be/dQw4w9WgXcQ AKIAIOSFODNN7EXAMPLE sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709",
	} {
		for _, f := range address.FindLikely(text) {
			t.Errorf("%q is %v", text[f.Start:f.End], f.Address)
		}
	}
}
