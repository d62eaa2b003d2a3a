package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// strangers are well-known accounts that no list names.
var strangers = []struct{ chain, text, authority string }{
	{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "the first block of Bitcoin"},
	{"bitcoin", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "BIP-173, test vectors"},
	{"bitcoin", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "BIP-350, test vectors"},
	{"ethereum", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "EIP-55, test cases"},
	{"ethereum", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "EIP-55, test cases"},
	{"ethereum", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "EIP-55, test cases"},
	{"ethereum", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "the contract of wrapped ether"},
	{"tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "the contract of USDT on TRON"},
	{"bitcoin-cash", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "CashAddr specification, examples"},
	{"solana", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "Solana Program Library, the token program"},
	{"xrp", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "XRPL documentation, the genesis account"},
	{"litecoin", "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", "Bitcoin wiki, list of address prefixes, and Litecoin's"},
}

// links asks for listed accounts as wallets and documents write them.
func (g *generator) links() {
	for _, e := range g.some("ethereum", 8) {
		s := e.Address.Display()
		for text, authority := range byName(map[string]string{"ethereum:" + s: "EIP-681, \"Syntax\"", "ethereum:" + s + "@1?value=1e18": "EIP-681, \"Syntax\"", "eip155:1:" + s: "CAIP-10, \"Syntax\"", " " + s + "\n": "house rule: blanks around a text are no part of it"}) {
			g.add("uri", "same_account uri", &e, ask("ethereum", text), "listed|error", "The text pays the listed account; a system that does not read it has to refuse it.", authority)
		}
	}
	honest := strangers[0].text
	for _, e := range g.some("bitcoin", 10) {
		s := e.Address.Normalized()
		for _, text := range []string{"bitcoin:" + s, "bitcoin:" + s + "?amount=0.01&label=Donation", "BITCOIN:" + s} {
			g.add("uri", "same_account uri", &e, ask("bitcoin", text), "listed|error", "The URI pays the listed account.", "BIP-21, \"Specification\"")
		}
	}
	segwit := 0
	for _, e := range g.some("bitcoin", 80) {
		s := e.Address.Normalized()
		if strings.HasPrefix(s, "bc1") && segwit < 12 {
			segwit++
			g.add("payees", "several uri", &e, ask("bitcoin", "bitcoin:"+honest+"?bc="+s), "listed|error", "The payer may choose the second payee, who is listed.", "BIP-321, \"Specification\"")
			g.add("payees", "several uri", &e, ask("bitcoin", "bitcoin:?bc="+s), "listed|error", "The only payee is in the query, and is listed.", "BIP-321, \"Specification\"")
		}
	}
	for _, e := range g.some("bitcoin-cash", 3) {
		bare := strings.TrimPrefix(e.Address.Canonical().Normalized(), "bitcoincash:")
		g.add("uri", "same_account uri", &e, ask("bitcoin-cash", "bitcoincash:"+bare+"?amount=1"), "listed|error", "The URI pays the listed account.", "BIP-21 with the scheme of CashAddr")
	}
	for _, e := range g.some("tron", 6) {
		g.add("uri", "same_account uri", &e, ask("tron", "https://tronscan.org/#/address/"+e.Address.Normalized()), "listed|error", "The link to an explorer names the listed account.", "TRONSCAN, URLs of accounts")
		g.add("uri", "same_account uri", &e, ask("tron", "tron:"+e.Address.Normalized()), "listed|error", "The URI names the listed account.", "house rule: a scheme in front of an address names the chain")
	}
}

// mistakes asks for texts that are nearly a listed address, or one of another chain.
func (g *generator) mistakes() {
	for chain, authority := range byName(map[string]string{"bitcoin": "Bitcoin developer reference, \"Base58Check\"; BIP-173, \"Checksum\"", "tron": "TRON developer documentation, account address formats", "litecoin": "Bitcoin developer reference, \"Base58Check\""}) {
		for _, e := range g.some(chain, 7) {
			s := e.Address.Normalized()
			i := len(s) / 2
			wrong := "q"
			if s[i] == 'q' {
				wrong = "z"
			}
			g.add("mistyped", "typo", &e, ask(chain, s[:i]+wrong+s[i+1:]), isError, "One character differs from a listed address, and the checksum shows it.", authority)
			g.add("mistyped", "typo", &e, ask(chain, s[:len(s)-1]), isError, "The last character of a listed address is missing.", authority)
			g.add("mistyped", "typo", &e, ask(chain, s[:6]+"..."+s[len(s)-4:]), isError, "The middle of the address is left out, as explorers show it.", authority)
		}
		for _, e := range g.some(chain, 9) {
			g.add("chain", "wrong_chain", &e, ask("ethereum", e.Address.Normalized()), "error|listed", "This is not an address of the chain asked for; nothing was screened there.", "EIP-55; "+authority)
		}
	}
	for _, e := range g.some("ethereum", 8) {
		s := e.Address.Display()
		g.add("mistyped", "typo", &e, ask("ethereum", s[:41]), isError, "A digit of the 40 is missing.", "Ethereum Yellow Paper, section 4: an address has 160 bits")
		g.add("mistyped", "typo", &e, ask("ethereum", s+"0"), "error|listed", "There are 41 digits, and a listed address in them.", "Ethereum Yellow Paper, section 4: an address has 160 bits")
		alike := strings.ToLower(s[:8]) + digest(s)[:30] + strings.ToLower(s[38:])
		g.add("mistyped", "look_alike control", nil, ask("ethereum", alike), isNotListed, "The first six and the last four digits are those of a listed address, as in address poisoning; the account is another.", "Ethereum Yellow Paper, section 4: an address has 160 bits")
		g.add("chain", "wrong_chain", &e, ask("bitcoin", s), "error|listed", "This is not an address of the chain asked for; nothing was screened there.", "Bitcoin developer reference, \"Base58Check\"; BIP-173")
	}
}

// strangers asks for accounts that no list names, for names and for secrets.
func (g *generator) strangers() {
	for _, s := range strangers {
		theme := map[bool]string{true: "checksum", false: "encoding"}[s.chain == "ethereum"]
		g.add(theme, "control", nil, ask(s.chain, s.text), isNotListed, "No list names this well-known account.", s.authority)
	}
	for _, c := range []string{"polygon", "bsc", "arbitrum", "optimism", "base", "avalanche", "gnosis", "celo"} {
		g.add("evm", "control evm_family", nil, ask(c, strangers[3].text), isNotListed, "No list names this account on any EVM chain.", strangers[3].authority)
	}
	for name, authority := range byName(map[string]string{"vitalik.eth": "ERC-137", "nick.eth": "ERC-137", "lazarus.eth": "ERC-137", "brantly.xyz": "ENSIP-6", "satoshi.base.eth": "ENSIP-10"}) {
		for _, c := range []string{"ethereum", "base"} {
			g.add("name", "name", nil, ask(c, name), isError, "A name is not an account until it is resolved; an answer about it says nothing.", authority)
		}
	}
	for text, chain := range byName(map[string]string{"toly.sol": "solana", "alice.ton": "ton", "vitalik.crypto": "polygon", "$handle": "cardano", "satoshi@example.org": "bitcoin", "₿satoshi@example.org": "bitcoin", "tornado.cash": "ethereum"}) {
		g.add("name", "name", nil, ask(chain, text), isError, "A name is not an account until it is resolved; an answer about it says nothing.", "the chain's address format, which this text is not")
	}
	for text, authority := range byName(map[string]string{
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ":                                                             "Bitcoin wiki, \"Wallet import format\"",
		"KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn":                                                            "Bitcoin wiki, \"Wallet import format\", private key 1",
		"6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg":                                                      "BIP-38, test vectors",
		"S6c56bnXQiBjk9mqSYE7ykVQ7NzrRy":                                                                                  "Bitcoin wiki, \"Mini private key format\"",
		"0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318":                                              "web3.js documentation, eth.accounts",
		"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi": "BIP-32, test vector 1",
		"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about":                   "BIP-39, test vectors",
		"legal winner thank year wave sausage worth useful legal winner thank yellow":                                     "BIP-39, test vectors",
		"snoPBrXtMeMyMHUVTgbuqAfg1SUTb":                                                                                   "XRPL documentation, \"Cryptographic keys\", the seed masterpassphrase",
	}) {
		for _, c := range []string{"bitcoin", "ethereum"} {
			g.add("secret", "secret", nil, ask(c, text), isError, "This is a private key or a seed, published as an example; a system has to refuse it, and not keep it.", authority)
		}
	}
}

// vectors asks for texts of standards: those that must be refused, and addresses of test
// networks. dir has the vectors of package address.
func (g *generator) vectors(dir string) error {
	standard := regexp.MustCompile(`^(BIP-|EIP-|ERC-|SEP-23|spec/cashaddr|CIP-19|HIP-15|Bitcoin wiki|ICRC-1|base58_keys)`)
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("%s has no vectors, %v", dir, err)
	}
	slices.Sort(names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for block := range strings.SplitSeq(string(data), "\n\n") {
			v := make(map[string]string)
			for line := range strings.Lines(block) {
				k, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				v[k] = value
			}
			text := v["input"]
			if u, err := strconv.Unquote(text); err == nil {
				text = u
			}
			if text == "" || !standard.MatchString(v["origin"]) {
				continue
			}
			switch v["expect"] {
			case "checksum", "invalid", "charset", "length":
				g.add("mistyped", "format", nil, ask(v["chain"], text), isError, "The standard has this text as one to refuse.", v["origin"])
			case "network":
				g.add("testnet", "test_network", nil, ask(v["chain"], text), isError, "This is an address of a test network: no list can say anything about it.", v["origin"])
			}
		}
	}
	return nil
}

// states asks after a system has loaded lists that are not as they should be.
func (g *generator) states() {
	five := g.some("ethereum", 10)
	stranger, authority := ask("ethereum", strangers[3].text), "house rule: an answer needs a list"
	for name, why := range byName(map[string]string{"empty.xml": "an empty file", "page.html": "a page of a portal instead of the list", "cut.xml": "a list that was cut off", "none.xml": "a list without entries"}) {
		l := &Lists{Documents: []string{name}}
		g.addWith(l, "list", "list_state", nil, stranger, isError, "The system was given "+why+", so it has nothing to answer from.", authority)
		g.addWith(l, "list", "list_state", nil, ask("bitcoin", strangers[0].text), isError, "The system was given "+why+", so it has nothing to answer from.", authority)
		for _, e := range []entry{five[0], five[9]} {
			g.addWith(&Lists{Documents: []string{"whole.xml", name}}, "list", "list_state same_account", &e, ask("ethereum", e.Address.Display()), isListed, "The system has a good list, and was then given "+why+": the good one counts.", "house rule: a broken list replaces nothing")
		}
	}
	for name, why := range byName(map[string]string{"shrunken.xml": "lost most of its entries overnight", "older.xml": "is older than the one held, and shorter"}) {
		for _, e := range five[6:] {
			g.addWith(&Lists{Documents: []string{"whole.xml", name}}, "list", "list_state same_account", &e, ask("ethereum", e.Address.Display()), "listed|error", "The new list "+why+": a person has to look before an account counts as delisted.", "house rule: a suspect list replaces nothing")
		}
	}
	for _, e := range five {
		g.addWith(&Lists{Documents: []string{"doubled.xml"}}, "list", "list_state same_account", &e, ask("ethereum", e.Address.Display()), isListed, "An entry that is printed twice is listed.", "OFAC, Specially Designated Nationals List, which repeats addresses")
	}
	for _, days := range []int{1, 7, 30, 365} {
		l := &Lists{Documents: []string{"older.xml"}, MaxAge: days}
		g.addWith(l, "freshness", "list_state", nil, stranger, isError, "The list was published years ago, and the system was told not to answer from such a list.", "house rule: an old list is not a clean answer")
		l = &Lists{Documents: []string{"older.xml", "older.xml"}, MaxAge: days}
		g.addWith(l, "freshness", "list_state", nil, stranger, isError, "A mirror that serves the same old list again does not make it fresh.", "house rule: an old list is not a clean answer")
		l = &Lists{Documents: []string{"older.xml"}, MaxAge: days}
		g.addWith(l, "freshness", "list_state same_account", &five[0], ask("ethereum", five[0].Address.Display()), "listed|error", "The account is on the old list: old is no reason to call it clean.", "house rule: an old list is not a clean answer")
	}
}

// lists returns the documents that states speaks of, in the form of OFAC's sdn.xml.
func lists(all []Case) map[string]string {
	var listed []Listed
	for _, c := range all {
		if c.Lists != nil && c.Lists.Documents[0] == "doubled.xml" {
			listed = append(listed, *c.Listed)
		}
	}
	sdn := func(day time.Time, listed ...Listed) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<?xml version=\"1.0\" standalone=\"yes\"?>\n<sdnList>\n  <publshInformation>\n    <Publish_Date>%s</Publish_Date>\n    <Record_Count>%d</Record_Count>\n  </publshInformation>\n", day.Format("01/02/2006"), len(listed))
		for i, l := range listed {
			fmt.Fprintf(&b, "  <sdnEntry>\n    <uid>%d</uid>\n    <lastName>Entity %d</lastName>\n    <sdnType>Entity</sdnType>\n    <idList>\n      <id>\n        <uid>%d</uid>\n        <idType>Digital Currency Address - ETH</idType>\n        <idNumber>%s</idNumber>\n      </id>\n    </idList>\n  </sdnEntry>\n", 1000+i, i, 2000+i, l.Text)
		}
		return b.String() + "</sdnList>\n"
	}
	day, past := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
	whole := sdn(day, listed...)
	return map[string]string{
		"whole.xml": whole, "cut.xml": whole[:len(whole)/2], "doubled.xml": sdn(day, append(listed, listed...)...), "shrunken.xml": sdn(day.AddDate(0, 0, 1), listed[:2]...),
		"older.xml": sdn(past, listed[:6]...), "none.xml": sdn(day.AddDate(0, 0, 1)), "empty.xml": "", "page.html": "<!doctype html>\n<title>Sign in to the network</title>\n<p>Please accept the terms.</p>\n",
	}
}

func writeLists(dir string, all []Case) error {
	for name, text := range lists(all) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// delisted asks for accounts that were listed once.
func (g *generator) delisted() {
	seen := 0
	for _, e := range g.past {
		a, ok := sources.Decode(e.Asset, e.Text())
		if e.Until.IsZero() || !ok || g.listed[a.Account()] || seen == 30 {
			continue
		}
		seen++
		g.add("delisted", "delisted", nil, ask(string(a.Chain()), a.Display()), isNotListed, fmt.Sprintf("The account of %s was on the list, and is not since %s or earlier.", e.Name, e.Until.Format("2 January 2006")), "OFAC, Specially Designated Nationals List, entry "+e.Ref+", and the changes to it")
	}
}
