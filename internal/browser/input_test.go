package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestInput types what people paste by mistake into the page of the real API. The page
// names the fault, marks its place, and mends it by one click.
func TestInput(t *testing.T) {
	url, token := serveReal(t, 1000)
	b := open(t, url+"#key="+token, view{"light", 1280})
	b.wait(t, inState("empty")+` && `+has("#health", "1 list current"))
	typed := func(text string) {
		t.Helper()
		b.do(t, `{ const field = document.getElementById("address"); field.value = `+quote(text)+`; field.dispatchEvent(new Event("input")); }`)
	}
	for _, c := range []struct{ text, says, marks string }{
		{lazarus[2:], "The 0x at the beginning is missing.", "\u2038"},
		{"O" + lazarus[1:], "the letter O for the digit 0", "O"},
		{strings.Replace(lazarus, "EB0615", "EBO615", 1), "the letter O for the digit 0", "O"},
		{lazarus[:20] + "7" + lazarus[20:], "There is one character too many.", "7"},
		{lazarus[:20] + lazarus[21:], "One character is missing.", "\u2038"},
		{strings.Replace(lazarus, "8Aaf", "8aaf", 1), "A small letter and a capital are mixed up.", "a"},
	} {
		typed(c.text)
		b.wait(
			t,
			has(
				"#hint",
				c.says,
			)+` && document.querySelector("#fixes mark").textContent === `+quote(
				c.marks,
			)+` && document.getElementById("address").ariaInvalid === "true"`,
		)
		b.do(t, `[...document.querySelectorAll("#fixes button")].find(b => b.textContent.startsWith("Use ")).click()`)
		b.wait(
			t,
			`document.getElementById("address").value === "`+lazarus+`" && `+has(
				"#hint",
				"Valid on Ethereum",
			)+` && document.getElementById("address").ariaInvalid === "false"`,
		)
	}
	// Decoration needs no mending, but can be removed.
	for _, text := range []string{"https://etherscan.io/address/" + lazarus, "eip155:1:" + lazarus, "ethereum:" + lazarus + "?value=1"} {
		typed(text)
		b.wait(t, has("#hint", "This is read as "+strings.ToLower(lazarus)+" on Ethereum")+` && document.getElementById("address").ariaInvalid === "false"`)
	}
	typed("0x" + strings.ToUpper(lazarus[2:]))
	b.wait(t, has("#hint", "Valid on Ethereum")) // without a checksum, and without a doubt
	typed("0xdAC17F958D2ee523a2206206994597C13D831ec8")
	b.wait(t, has("#hint", "The capitals do not match the checksum"))
	typed(strings.Replace(lazarus, "EB0615", "EBO615", 1))
	b.wait(t, has("#hint", "the letter O"))
	b.accessible(t, "a copying error")
	b.do(t, `[...document.querySelectorAll("#fixes button")].find(b => b.textContent.startsWith("Show ")).click()`)
	if got := eval[string](t, b, `(f => f.value.slice(f.selectionStart, f.selectionEnd))(document.getElementById("address"))`); got != "O" {
		t.Errorf("selected in the field: %q", got)
	}
	// An undecided text has no level, and Tab reaches its mending first.
	for text, use := range map[string]string{
		lazarus[:20] + "7" + lazarus[20:]:         lazarus, // in doubt
		lazarus[:20] + lazarus[21:]:               lazarus, // no address
		strings.Replace(clean, "pL8o", "pL80", 1): clean,
	} {
		enter(t, b, text)
		b.wait(t, `document.activeElement.textContent === "Not decided" && `+isShape("unknown")+` && `+noLevel+` && document.getElementById("hint").textContent === ""`)
		b.wait(t, has(".mends mark", ""))
		b.accessible(t, "not decided")
		b.do(t, `document.querySelector("#result h2").focus()`) // axe moves the focus
		b.press(t, kb.Tab)
		if got := eval[string](t, b, `document.activeElement.textContent`); got != "Use "+use {
			t.Errorf("%s: after the title, Tab reaches %q", text, got)
		}
		b.press(t, kb.Enter)
		b.wait(t, inState("verdict")+` && document.querySelector("`+title+`").textContent !== "Not decided" && document.getElementById("address").value === `+quote(use))
	}
	enter(t, b, "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?bc="+theft)
	b.wait(t, text(title, "Not decided")+` && `+has("#result .line-of", "This pays several accounts. Screen the address of each payee by itself."))
	b.do(t, `document.getElementById("chain").value = "ethereum"`)
	typed(clean)
	b.wait(t, has("#fixes", "Switch to Tron"))
	b.do(t, `document.querySelector("#fixes button").click()`)
	b.wait(t, has("#hint", "Valid on Tron"))
	typed(secret)
	b.wait(t, has("#hint", "private key")+` && document.getElementById("address").value === "" && !document.body.innerText.includes("`+secret+`")`)
	b.quiet(t)
}

// TestShare copies the link to a verdict and opens it in another tab, keeps the key for the
// tab, and saves a receipt.
func TestShare(t *testing.T) {
	a := newAPI(t, prefix)
	b := openWith(t, a)
	b.do(t, `navigator.clipboard.writeText = async text => { window.copied = text; }`)
	enter(t, b, lazarus)
	b.wait(t, inState("verdict"))
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Copy link").click()`)
	link := eval[string](t, b, `copied`)
	if link != a.URL+"#ethereum/"+lazarus {
		t.Errorf("the link is %s", link)
	}
	c := open(t, link, view{"light", 1280})
	c.wait(t, inState("nokey"))
	c.do(
		t,
		`document.getElementById("key-input").value = "`+goodKey+`"; document.getElementById("keep").checked = true; document.getElementById("key").requestSubmit()`,
	)
	c.wait(t, inState("verdict")+` && `+has(title, "Sanctioned: LAZARUS GROUP"))
	if err := chromedp.Do(c.ctx, chromedp.Reload()); err != nil {
		t.Fatal(err)
	}
	c.wait(t, inState("verdict")+` && `+has(title, "Sanctioned: LAZARUS GROUP"))
	if eval[bool](t, b, `sessionStorage.length > 0`) {
		t.Error("a key was kept without being asked for")
	}
	c.quiet(t)

	// One receipt for a whole table, as the server reads the file.
	b.choose(t, "customers.csv", "id,wallet,network\n1,"+lazarus+",ethereum\n2,"+clean+",\n")
	b.wait(t, inState("review"))
	b.do(t, `document.getElementById("other-chain").value = "tron"; document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	b.do(t, `URL.createObjectURL = blob => { window.saved.push(blob.arrayBuffer().then(b => [...new Uint8Array(b)].map(c => String.fromCharCode(c)).join(""))); return "blob:kept"; }`)
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Table with receipt").click()`)
	b.wait(t, has("#result .actions", "Table and receipt saved"))
	if table, receipt := eval[string](t, b, `saved.at(-2)`), eval[string](t, b, `saved.at(-1)`); table != "caf\u00e9 address-column=2&chain-column=3&chain=tron" ||
		receipt != "receipt of a table\n" || eval[string](t, b, `savedAs`) != "customers-receipt.txt" {
		t.Errorf("the table %q and the receipt %q", table, receipt)
	}

	// Every row is printed, also those without an answer.
	b.do(t, `window.print = () => { window.paper = document.getElementById("record").innerText || document.getElementById("record").textContent; }`)
	lines := lazarus + "\nnot an address at all\n"
	for range 60 {
		lines += clean + "\n"
	}
	enter(t, b, lines)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Print every row").click()`)
	said := eval[string](t, b, `paper`)
	if strings.Count(said, clean) < 60 || !strings.Contains(said, "UNDECIDED · This is not an address") || !strings.Contains(said, "OFAC_SDN") {
		t.Errorf("the full record: %.600s", said)
	}
}
