package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// back goes back in the history of the tab.
func (b *tab) back(t *testing.T) {
	t.Helper()
	b.do(t, `history.back()`)
}

// TestPlaces goes from verdict to verdict, to a table and to a text that is not decided, and back.
// The title and the URL tell each, a bookmark opens it, and no request has it in its URL.
func TestPlaces(t *testing.T) {
	a := newAPI(t, prefix)
	b := openWith(t, a)
	at := func(fragment, title string) string {
		return `location.hash === ` + quote(fragment) + ` && document.title === ` + quote(title)
	}
	listed := at("#ethereum/"+lazarus, "Sanctioned: LAZARUS GROUP (OFAC) · 0x098b71…3e2f96 · Walletscreen")
	table := at("#table", "1 match in 2 rows · customers.csv · Walletscreen")
	day := at("#tron/"+clean+"@2026-03-01", "No match, as of 1 Mar 2026 · TR7NHqje…gjLj6t · Walletscreen")
	b.wait(t, at("", "Walletscreen"))
	screenOne(lazarus)(t, b)
	b.wait(t, listed)
	b.choose(t, "customers.csv", "wallet\n"+clean+"\n"+mixer+"\n")
	b.wait(t, inState("review")+` && `+at("#table", "customers.csv · Walletscreen"))
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, table)
	enter(t, b, strings.Replace(clean, "pL8o", "pL80", 1))
	b.wait(t, at("", "Not decided · Walletscreen"))
	screenAt(clean, "2026-03-01")(t, b)
	b.wait(t, day)
	asked := len(a.asked)

	b.back(t)
	b.wait(t, at("", "Not decided · Walletscreen")+` && document.activeElement.textContent === "Not decided" && document.getElementById("at").value === ""`)
	b.back(t)
	b.wait(t, table+` && document.querySelectorAll(".rows tbody tr").length === 1 && document.getElementById("address").value === ""`)
	b.back(t)
	b.wait(t, listed+` && `+has(title, "LAZARUS")+` && document.getElementById("address").value === "`+lazarus+`" && `+has("#record .title", "LAZARUS"))
	b.back(t)
	b.wait(t, at("", "Walletscreen")+` && `+inState("empty"))
	b.do(t, `history.go(4)`)
	b.wait(t, day+` && document.getElementById("at").value === "2026-03-01"`)
	a.set(func() {
		if len(a.asked) != asked {
			t.Errorf("going back screened %d addresses again", len(a.asked)-asked)
		}
	})

	// A bookmark, in a tab that has the key.
	url := eval[string](t, b, `location.href`)
	b.do(t, `sessionStorage.setItem("walletscreen key", "`+goodKey+`")`)
	for range 2 {
		if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
		b.wait(t, day+` && `+inState("verdict"))
	}
	b.do(t, `location.hash = "#ethereum/`+mixer+`"`)
	b.wait(t, has(title, "Tornado Cash router")+` && document.getElementById("at").value === ""`)
	b.do(t, `location.hash = "#nowhere/`+mixer+`"`)
	b.wait(t, has("#hint", "names the chain nowhere, which is not supported"))
	// A chain that no menu has is in the text.
	const elsewhere = "eip155:987654:0x00000000219ab540356cBB839Cbe05303d7705Fa"
	enter(t, b, elsewhere)
	b.wait(t, inState("verdict")+` && location.hash === "#any/`+elsewhere+`"`)
	if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
		t.Fatal(err)
	}
	b.wait(t, inState("verdict")+` && document.getElementById("address").value === "`+elsewhere+`"`)
	// A secret is in no URL and no history.
	enter(t, b, secret)
	b.wait(t, has(title, "This looks like a private key")+` && location.hash === ""`)
	history, err := chromedp.Call(b.ctx, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range history.Entries {
		if strings.Contains(e.URL+e.Title, secret) {
			t.Errorf("the history has a secret: %s", e.URL)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if r != url && strings.Contains(r, clean) {
			t.Errorf("a request has an address in its URL: %s", r)
		}
	}
}

// TestWeight checks at three widths that the verdict is what one sees first, that an address is
// one line from 1024 pixels on, and that Tab follows the order of reading.
func TestWeight(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() {
		for _, l := range a.lists {
			l["last_updated"] = stamp(61 * time.Hour)
		}
	})
	b := openWith(t, a)
	const monero = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"
	for _, text := range []string{lazarus, clean, monero} {
		screenOne(text)(t, b)
		b.wait(t, has("#record", text)+` || `+has("#record", strings.ToLower(text)))
		for _, width := range []int64{375, 1024, 1400} {
			if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, map[bool]int64{true: 812, false: 900}[width < 600])); err != nil {
				t.Fatal(err)
			}
			b.do(t, `scrollTo(0, 0)`)
			b.fits(t, view{"light", width})
			b.first(t, fmt.Sprintf("weight-%.6s-%d", text, width))
			if loud := eval[string](t, b, `(() => {
				const size = e => parseFloat(getComputedStyle(e).fontSize), most = size(document.querySelector("#result h2"));
				return [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest("#result h2, h1, svg") && size(e) >= most).map(e => e.outerHTML.slice(0, 80)).join();
			})()`); loud != "" {
				t.Errorf("%d: as large as the verdict: %s", width, loud)
			}
			if lines := eval[int](t, b, `(() => { const r = document.createRange(); r.selectNodeContents(document.querySelector(".subject .mono")); return new Set([...r.getClientRects()].map(r => Math.round(r.top / 4))).size; })()`); width >= 1024 && lines != 1 {
				t.Errorf("%d: %s is in %d lines", width, text, lines)
			}
			if width >= 1024 && eval[bool](t, b, `(e => e.scrollHeight > 1.9 * parseFloat(getComputedStyle(e).lineHeight) + 20)(document.getElementById("address"))`) {
				t.Errorf("%d: the field shows %s in several lines", width, text)
			}
			if disorder := eval[string](t, b, `(() => {
				let last = null; const bad = [];
				for (const e of document.querySelectorAll("a, button, input, select, textarea, summary")) {
					if (!e.checkVisibility() || e.closest(".skip, .hidden") || e.matches(".hidden")) continue;
					const r = e.getBoundingClientRect();
					if (last && r.bottom < last.top) bad.push(e.outerHTML.slice(0, 60));
					last = r;
				}
				return bad.join();
			})()`); disorder != "" {
				t.Errorf("%d: above what comes before it: %s", width, disorder)
			}
		}
	}
	// The level of a row and why it has it are seen without scrolling sideways.
	enter(t, b, lazarus+"\nnothing that is an address\n"+clean)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	b.do(t, `document.querySelector("[data-filter=all]").click()`)
	b.wait(t, `document.getElementById("hint").textContent === "" && document.getElementById("address").clientHeight < 60`)
	for _, width := range []int64{375, 1024, 1400} {
		if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
			t.Fatal(err)
		}
		b.fits(t, view{"light", width})
		b.first(t, fmt.Sprintf("weight-table-%d", width))
		if hidden := eval[int](t, b, `[...document.querySelectorAll(".rows tbody :is([data-column=level], [data-column=why])")].filter(e => e.getBoundingClientRect().right > document.querySelector(".scroll").getBoundingClientRect().right + 1).length`); hidden > 0 {
			t.Errorf("%d: %d cells are outside", width, hidden)
		}
		if got := eval[string](t, b, `document.querySelector(".rows [data-level=UNDECIDED] [data-column=why]").innerText`); got == "" {
			t.Errorf("%d: an undecided row has no reason", width)
		}
	}
	b.quiet(t)
}
