package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// prefix is the path below which the handlers are mounted.
const prefix = "/some/prefix"

var docViews = []view{{"light", 1280}, {"dark", 1280}, {"light", 360}, {"dark", 360}}

// openDocs opens the documentation of the real API, and returns the URL of its directory and a
// key. A connection to another server, or a message on the console, fails the test.
func openDocs(t *testing.T, v view) (b *tab, url, token string) {
	t.Helper()
	url, token = serveReal(t, 100)
	b = open(t, url+"docs", v)
	b.wait(t, `document.querySelectorAll(".opblock").length > 5`)
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, request := range b.requests {
			if !strings.HasPrefix(request, url) && !strings.HasPrefix(request, "data:") || strings.Contains(request, token) {
				t.Errorf("a request for %s", request)
			}
		}
		if len(b.console) > 0 {
			t.Errorf("on the console: %q", b.console)
		}
	})
	return b, url, token
}

// shown is an expression: the paths of the calls that are seen.
const shown = `[...document.querySelectorAll(".opblock")].filter(e => e.checkVisibility()).map(e => e.querySelector(".opblock-summary-path").dataset.path)`

// call opens a call.
func (b *tab) call(t *testing.T, path string) {
	t.Helper()
	b.do(
		t,
		`window.block = [...document.querySelectorAll(".opblock:is(.opblock-get, .opblock-post)")].find(e => `+
			`e.querySelector(".opblock-summary-path").dataset.path === `+quote(
			path,
		)+`);
		if (!block.matches(".is-open")) block.querySelector(".opblock-summary-control").click()`,
	)
	b.wait(t, `block.querySelector(".execute")`)
}

// execute sends the open form, and returns the status and the body of the answer. A click
// before the form has its example sends nothing, so it clicks again until it has an answer.
func (b *tab) execute(t *testing.T) (status, body string) {
	t.Helper()
	b.do(t, `block.querySelector(".btn-clear")?.click()`)
	b.wait(t, `!block.querySelector(".live-responses-table")`)
	b.do(t, `window.clicked = -Infinity`)
	b.wait(t, `(() => {
		const answer = block.querySelector(".live-responses-table .response-col_status")
		if (!answer && !block.querySelector(".loading-container") && performance.now() - window.clicked > 3000) {
			window.clicked = performance.now()
			block.querySelector(".execute").click()
		}
		return !!answer
	})()`)
	return eval[string](
			t,
			b,
			`block.querySelector(".live-responses-table .response .response-col_status").innerText`,
		), eval[string](
			t,
			b,
			`block.querySelector(".live-responses-table .response").innerText`,
		)
}

// authorize enters a key.
func (b *tab) authorize(t *testing.T, token string) {
	t.Helper()
	b.do(t, `document.querySelector(".btn.authorize").click()`)
	b.wait(t, `document.querySelector(".auth-container input")`)
	b.do(t, `document.querySelector(".auth-container input").focus()`)
	b.press(t, token)
	b.accessible(t, "the form for the key")
	b.do(t, `document.querySelector(".auth-container .authorize").click()`)
	b.wait(t, `document.querySelector(".auth-container .btn-done")`)
	b.do(t, `document.querySelector(".auth-container .btn-done").click()`)
}

// TestDocs looks at the documentation in light and dark mode, wide and narrow, sends a call
// from its form, and checks both with axe-core.
func TestDocs(t *testing.T) {
	paper := map[string]string{}
	for _, v := range docViews {
		b, _, token := openDocs(t, v)
		paper[v.scheme] = eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		name := fmt.Sprintf("-%d-%s", v.width, v.scheme)
		b.fits(t, v)
		b.first(t, "docs"+name)
		b.accessible(t, v.String())
		b.authorize(t, token)
		b.call(t, "/api/v1/screen")
		if status, body := b.execute(t); !strings.HasPrefix(status, "200") || !strings.Contains(body, `"level": "CLEAN_NO_MATCH"`) {
			t.Errorf("%v: %s %s", v, status, body)
		}
		b.fits(t, v)
		b.shoot(t, "docs-tried"+name)
		b.accessible(t, v.String()+" with an answer")
		if n := eval[int](t, b, `document.querySelectorAll(".copy-to-clipboard button, button.copy-to-clipboard").length`); n < 2 {
			t.Errorf("%v: %d buttons to copy", v, n)
		}
	}
	if paper["light"] == paper["dark"] {
		t.Errorf("the paper is %s, whether light or dark", paper["light"])
	}
}

// TestDocsSearch searches the calls: by path, by a word of a description, by a field.
func TestDocsSearch(t *testing.T) {
	b, _, _ := openDocs(t, docViews[0])
	all := []string{
		"/api/v1/screen",
		"/api/v1/screen/batch",
		"/api/v1/validate",
		"/api/v1/entries",
		"/api/v1/changes",
		"/api/v1/sources",
		"/api/v1/usage",
		"/openapi.yaml",
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", all}, {"usage", []string{"/api/v1/usage"}}, {"Many Addresses", []string{"/api/v1/screen/batch"}}, {"refreshes removed", []string{"/api/v1/changes"}},
		{"no such word", []string{}},
	} {
		b.do(t, `{ const field = document.querySelector(".operation-filter-input"); field.focus(); field.select(); }`)
		b.press(t, "\b")
		b.press(t, c.text)
		if c.text == "no such word" {
			b.wait(t, `document.querySelectorAll(".opblock").length === 0`)
			continue
		}
		b.wait(
			t,
			`document.querySelector(".operation-filter-input").value === `+quote(
				c.text,
			)+` && JSON.stringify(`+shown+`) === `+quote(
				`["`+strings.Join(c.want, `","`)+`"]`,
			),
		)
	}
}

// TestDocsForms sends every call from its form, without a key and with one, and checks that
// the key goes nowhere else.
func TestDocsForms(t *testing.T) {
	b, url, token := openDocs(t, docViews[0])
	want := map[string]string{ // by path: what the answer has
		"/api/v1/screen":       `"level": "CLEAN_NO_MATCH"`,
		"/api/v1/screen/batch": `"results": [`,
		"/api/v1/validate":     `"valid": true`,
		"/api/v1/entries":      `"listed_address": "`,
		"/api/v1/changes":      `"event": "accepted"`,
		"/api/v1/sources":      `"id": "OFAC_SDN"`,
		"/api/v1/usage":        `"limit": 100`,
	}
	for path := range want {
		b.call(t, path)
		if status, body := b.execute(t); !strings.HasPrefix(status, "401") {
			t.Errorf("%s without a key: %s %.300s", path, status, body)
		}
	}
	b.authorize(t, token)
	for path, text := range want {
		b.call(t, path)
		if status, body := b.execute(t); !strings.HasPrefix(status, "200") || !strings.Contains(body, "x-request-id: ") || !strings.Contains(body, text) {
			t.Errorf("%s: %s, no %q in %.2000s", path, status, text, body)
		}
	}
	if eval[bool](
		t,
		b,
		`(document.documentElement.outerHTML + [...document.querySelectorAll("input, textarea")].map(e => e.value).join() + location.href + `+
			`JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie + JSON.stringify(history.state)).includes(`+quote(
			token,
		)+`)`,
	) {
		t.Error("the key is in the document, the address bar, a storage, a cookie or the history's state")
	}
	b.call(t, "/api/v1/screen")
	if curl := eval[string](t, b, `block.querySelector(".curl-command").innerText`); !strings.Contains(curl, url+"api/v1/screen") ||
		!strings.Contains(curl, "Bearer YOUR_KEY") {
		t.Errorf("the command to copy: %s", curl)
	}
}

// TestDocsPolicy injects content into the documentation and checks that the policy blocks
// each kind, and that the only way to markup lets no script pass.
func TestDocsPolicy(t *testing.T) {
	url, _ := serveReal(t, 1)
	b := open(t, url+"docs", docViews[0])
	b.wait(t, `document.querySelectorAll(".opblock").length > 5`)
	for name, script := range map[string]string{
		"script": `const s = document.createElement("script"); try { s.textContent = "window.ran = true"; document.body.append(s) } catch {}`,
		"style":  `document.body.append(Object.assign(document.createElement("style"), {textContent: "body { color: red !important }"}))`,
		"policy": `try { trustedTypes.createPolicy("x", {}) } catch {}`,
		"fetch":  `fetch("http://127.0.0.1:1/").catch(() => null)`,
		"frame":  `document.body.append(Object.assign(document.createElement("iframe"), {src: "openapi.yaml"}))`,
	} {
		if violated := eval[string](t, b, `new Promise(done => {
			document.addEventListener("securitypolicyviolation", e => done(e.effectiveDirective), {once: true});
			setTimeout(() => done(""), 120000);
			`+script+`;
		})`); violated == "" {
			t.Errorf("%s: the policy does not block it", name)
		}
	}
	for text, want := range map[string]string{
		`<p>a <code class="x">b</code> <a href="https://x.example/">c</a></p>`: `<p>a <code class="x">b</code> <a href="https://x.example/">c</a></p>`,
		`<img src=x onerror="window.ran = true">`:                              `&lt;img src=x onerror="window.ran = true"&gt;`,
		`<p onclick="window.ran = true">x</p>`:                                 `&lt;p onclick="window.ran = true"&gt;x<p></p>`,
		`<a href="javascript:ran">x</a>`:                                       `<a>x</a>`,
		`<scr<b>ipt>x</script>`:                                                `&lt;scr<b>ipt&gt;x&lt;/script&gt;</b>`,
	} {
		if got := eval[string](t, b, `(() => { const e = document.createElement("div"); e.innerHTML = `+quote(text)+
			`; document.body.append(e); return e.innerHTML; })()`); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	if eval[bool](t, b, `"ran" in window`) {
		t.Error("a script ran")
	}
	if got := eval[[]string](t, b, `Array.from(document.querySelectorAll("img, script")).map(e => e.getAttribute("src"))`); !slices.Equal(
		got,
		[]string{"docs/swagger-ui-bundle.js", "docs/docs.js"},
	) {
		t.Errorf("scripts and images: %q", got)
	}
}

// TestDocsPhone counts the bytes that a phone loads before it shows the calls, and checks that
// it shows something before the largest file has come.
func TestDocsPhone(t *testing.T) {
	url, _ := serveReal(t, 1)
	b := open(t, "about:blank", docViews[2])
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url+"docs")); err != nil {
		t.Fatal(err)
	}
	b.wait(t, `document.querySelectorAll(".opblock").length > 5 && !document.querySelector(".wait")`)
	sent := eval[int](
		t,
		b,
		`[...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")].reduce((sum, e) => sum + e.transferSize, 0)`,
	)
	t.Logf("%d bytes", sent)
	if sent < 400_000 || sent > 560_000 {
		t.Errorf("%d bytes, want 400,000 to 560,000", sent)
	}

	url, _ = serveReal(t, 1) // whose files are not in the cache
	c := open(t, "about:blank", docViews[2])
	if _, err := chromedp.Call(c.ctx, network.SetBlockedURLs,
		network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*/swagger-ui-bundle.js", Block: true}}}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(c.ctx, chromedp.Navigate(url+"docs")); err != nil {
		t.Fatal(err)
	}
	c.wait(
		t,
		`document.querySelector(".wait").checkVisibility() && performance.getEntriesByName("first-contentful-paint").length === 1 && !window.SwaggerUIBundle`,
	)
}
