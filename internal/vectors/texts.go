package vectors

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// A Text is what a person or a program may ask about.
type Text struct {
	Form  string // how it is written, such as "quoted"
	Chain string // a name of a chain, or ""
	Text  string
	Of    address.Address // the address that it is made from, or zero
}

// Texts returns the texts that tests of several surfaces ask: n addresses of each chain in
// many forms, right and wrong, with and without their chain; and secrets and names. root is
// the path of the root of the module.
func Texts(t testing.TB, root string, n int) []Text {
	t.Helper()
	var all []Text
	previous := address.MustParse("tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	count := make(map[address.Chain]int)
	for _, a := range Addresses(t, root) {
		if count[a.Chain()]++; count[a.Chain()] > n {
			continue
		}
		for _, f := range forms(a) {
			all = append(all, Text{f[0], string(a.Chain()), f[1], a}, Text{f[0], "", f[1], a})
		}
		all = append(all, Text{"chain by name", a.Chain().Name(), a.Display(), a}, Text{"chain in capitals", strings.ToUpper(string(a.Chain())), a.Display(), a})
		if id := a.Chain().CAIP2(); id != "" {
			all = append(all, Text{"chain by CAIP-2", id, a.Display(), a})
		}
		all = append(all, Text{"another chain", string(previous.Chain()), a.Normalized(), a})
		previous = a
	}
	for _, text := range odd {
		for _, c := range []string{"", "bitcoin", "ethereum", "solana", "near", "ton"} {
			all = append(all, Text{"odd", c, text, address.Address{}})
		}
	}
	return all
}

// forms returns the forms of an address, each behind its name.
func forms(a address.Address) [][2]string {
	s, shown := a.Normalized(), a.Display()
	middle := len(s) / 2
	var grouped strings.Builder
	for i := range s {
		if i > 0 && i%4 == 0 {
			grouped.WriteByte(' ')
		}
		grouped.WriteByte(s[i])
	}
	wrong := s[:middle] + map[bool]string{true: "a", false: "b"}[s[middle] != 'a'] + s[middle+1:]
	all := [][2]string{
		{"normal", s}, {"shown", shown},
		{"blanks", " \t" + shown + "\r\n"}, {"no-break blanks", "\u00a0" + shown + "\u200b"},
		{"quotes", `"` + shown + `"`}, {"apostrophe", "'" + shown}, {"curly quotes", "\u201c" + shown + "\u201d"}, {"backquotes", "`" + shown + "`"},
		{"brackets", "<" + shown + ">"}, {"comma", shown + ","}, {"full stop", shown + "."},
		{"slug", string(a.Chain()) + ":" + shown}, {"scheme and amount", string(a.Chain()) + ":" + shown + "?amount=1"},
		{"link", "https://explorer.example.org/address/" + shown},
		{"upper case", strings.ToUpper(s)}, {"lower case", strings.ToLower(s)}, {"prefix in capitals", strings.Replace(s, "0x", "0X", 1)},
		{"one more", s + s[len(s)-1:]}, {"one less", s[:len(s)-1]}, {"first lost", s[1:]}, {"wrong", wrong}, {"one case", swapCase(shown)},
		{"cut", s[:min(len(s), 8)] + "…" + s[max(0, len(s)-6):]}, {"dots", s[:min(len(s), 8)] + "..." + s[max(0, len(s)-6):]}, {"half", s[:middle]},
		{"grouped", grouped.String()}, {"broken line", s[:middle] + "\n" + s[middle:]}, {"soft hyphen", s[:middle] + "\u00ad" + s[middle:]},
		{"without 0x", strings.TrimPrefix(s, "0x")}, {"with 0x", "0x" + strings.TrimPrefix(s, "0x")},
		{"sentence", "please pay to " + shown + " by noon"}, {"twice", shown + " " + shown}, {"full width", strings.Map(fullWidth, s)},
	}
	if id := a.Chain().CAIP2(); id != "" {
		all = append(all, [2]string{"CAIP-10", id + ":" + shown})
	}
	return all
}

// swapCase changes the case of the last letter.
func swapCase(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	if i < 0 {
		return s
	}
	return s[:i] + string(s[i]^0x20) + s[i+1:]
}

func fullWidth(r rune) rune {
	if r > ' ' && r < 0x7f {
		return r + 0xfee0
	}
	return r
}

// odd are secrets, names and other texts that are not addresses. The secrets are published
// examples.
var odd = []string{
	"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
	"0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318", "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
	"legal winner thank year wave sausage worth useful legal winner thank yellow",
	"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
	"vitalik.eth", "alice.near", "wallet.ton", "toly.sol", "nick.crypto", "alice", "hello", "0", "0x", "0x0", "1", "-", ".", "n/a", "pending", "=1+1", "1.2E+40",
	"lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqscc6gd6ql3jrc5yzme8v4ntcewwz5cnw92tz0pc8qcuufvq7khhr8wpald05e92xw006sq94mg8v2ndf4sefvf9sygkshp5zfem29trqq2yxxz7",
	"bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?bc=bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
	"bitcoin:?lno=lno1qsgq", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "\x00", "<script>alert(1)</script>", strings.Repeat("a", 5000),
}
