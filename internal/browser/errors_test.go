package browser_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// TestCopyingErrors makes the errors of copying in addresses of ten chains, in the page of the
// real API. The page names the cause, marks the place, and mends it by one click.
func TestCopyingErrors(t *testing.T) {
	url, token := serveReal(t, 1000)
	b := open(t, url+"#key="+token, view{"light", 1280})
	b.wait(t, inState("empty")+` && `+has("#health", "1 list current"))
	for _, c := range []struct {
		chain   address.Chain
		address string
		similar string // with one letter that looks like another one
		other   string // a chain that has another format
		pages   []string
	}{
		{"ethereum", lazarus, strings.Replace(lazarus, "EB0615", "EBO615", 1), "tron", []string{"https://etherscan.io/address/", "ethereum:", "eip155:1:"}},
		{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1AlzP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "tron",
			[]string{"https://mempool.space/address/", "bitcoin:", "bip122:000000000019d6689c085ae165831e93:"}},
		{"bitcoin", theft, "bc1qw5O8d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "ethereum", []string{"https://blockstream.info/address/", "BITCOIN:"}},
		{"tron", clean, strings.Replace(clean, "pL8o", "pL80", 1), "ethereum", []string{"https://tronscan.org/#/address/", "tron:"}},
		{"litecoin", "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", "LM2WMpRlRp6j3Sa59cMXMs1SPzj9eXpGc1", "bitcoin",
			[]string{"https://blockchair.com/litecoin/address/", "litecoin:"}},
		{"dogecoin", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L", "DH5yaieq0ZN36fDVciNyRueRGvGLR3mr7L", "bitcoin", []string{"https://dogechain.info/address/", "dogecoin:"}},
		{"xrp", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "rHb9CJAWyB4rj9lVRWn96DkukG4bwdtyTh", "bitcoin", []string{"https://xrpscan.com/account/"}},
		{"stellar", "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7", "GAAZI4TCR3TY50JHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7", "bitcoin",
			[]string{"https://stellar.expert/explorer/public/account/", "stellar:pubnet:"}},
		{"polkadot", "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5", "150F4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5", "bitcoin",
			[]string{"https://polkadot.subscan.io/account/", "polkadot:91b171bb158e2d3848fa23a9f1c25182:"}},
		{"cosmos", "cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl", "cosmos1jv65s3grqf6v6jI3dp4t6c9t9rk99cd88lyufl", "bitcoin",
			[]string{"https://www.mintscan.io/cosmos/address/", "cosmos:cosmoshub-4:"}},
		{"bitcoin-cash", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdxba", "ethereum",
			[]string{"https://blockchair.com/bitcoin-cash/address/"}},
	} {
		type try struct{ text, chain, says, marks, button string }
		half := len(c.address)*2/3 + 1
		at := half // of a letter that looks like no other one
		for strings.ContainsAny(c.address[at:at+1], "0123456789OoIiLl") {
			at++
		}
		letter := c.address[at : at+1]
		tries := []try{
			{c.similar, "", "looks like another one", c.similar[difference(c.similar, c.address):][:1], "Use " + c.address},
			{c.address[:half] + "7" + c.address[half:], "", "There is one character too many.", "7", "Use " + c.address},
			{c.address[:half] + c.address[half+1:], "", "One character is missing.", "\u2038", "Use " + c.address},
			{c.address[:at] + swap(letter) + c.address[at+1:], "", "A small letter and a capital are mixed up.", swap(letter), "Use " + c.address},
			{c.address, c.other, "", "", "Switch to " + c.chain.Name()},
		}
		for _, page := range c.pages {
			tries = append(tries, try{page + c.address, "", "This is read as ", "", "Use only the address"})
		}
		for _, q := range tries {
			b.do(
				t,
				`{ const field = document.getElementById("address"); field.value = `+quote(
					q.text,
				)+`; document.getElementById("chain").value = `+quote(
					q.chain,
				)+`; document.getElementById("fixes").replaceChildren(); field.dispatchEvent(new Event("input")); }`,
			)
			found := eval[string](t, b, `new Promise(done => {
				const end = Date.now() + 60000;
				const look = () => {
					const fix = [...document.querySelectorAll("#fixes button")].find(b => b.textContent === `+quote(q.button)+`);
					if (fix && document.getElementById("hint").textContent.includes(`+quote(q.says)+`) && (document.querySelector("#fixes mark")?.textContent ?? "") === `+
				quote(q.marks)+`) return fix.click(), done("");
					if (Date.now() > end) return done(document.getElementById("hint").textContent + " | " + document.getElementById("fixes").innerText);
					setTimeout(look, 20);
				};
				look();
			})`)
			if found != "" {
				t.Errorf("%s, %s %q: want %q, %q marked, and a button %q: %s", c.chain, q.chain, q.text, q.says, q.marks, q.button, found)
				continue
			}
			b.wait(t, has("#hint", "Valid on "+c.chain.Name())+` && document.getElementById("address").ariaInvalid === "false"`)
		}
	}
	// Without a checksum, nobody can say which digit is wrong.
	for text, says := range map[string]string{
		strings.ToLower(lazarus) + "0": "An EVM address has 40 digits after 0x, and this has 41: 1 digit too many.",
		strings.ToLower(lazarus)[:40]:  "An EVM address has 40 digits after 0x, and this has 38: 2 digits missing.",
	} {
		for _, chain := range []string{"", "ethereum"} {
			b.do(
				t,
				`{ const field = document.getElementById("address"); field.value = `+quote(
					text,
				)+`; document.getElementById("chain").value = `+quote(
					chain,
				)+`; field.dispatchEvent(new Event("input")); }`,
			)
			b.wait(t, has("#hint", says)+` && document.getElementById("address").ariaInvalid === "true"`)
		}
	}
	b.quiet(t)
}

// swap returns a letter in the other case.
func swap(letter string) string { return string(rune(letter[0] ^ 0x20)) }

// difference returns the first offset at which two texts of one length differ.
func difference(a, b string) int {
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i
}
