package browser_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/walletscreen/walletscreen/httpapi"
)

// prefix is the path below which the handlers are mounted.
const prefix = "/some/prefix"

// serve serves only the handler of the API, under the prefix.
func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", httpapi.NewHandler(nil, nil, nil))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

var docViews = []view{{"light", 1280}, {"dark", 1280}, {"light", 360}, {"dark", 360}}

// TestDocs checks the documentation of the API in light and dark mode, wide and narrow.
func TestDocs(t *testing.T) {
	server := serve(t)
	paper := map[string]string{}
	for _, v := range docViews {
		b := open(t, server+prefix+"/docs", v)
		if title := eval[string](t, b, `document.title`); title != "Walletscreen API" {
			t.Errorf("%v: title %q", v, title)
		}
		paper[v.scheme] = eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		b.fits(t, v)
		if dead := eval[[]string](t, b, `
			[...document.querySelectorAll("a[href^='#']")].map(a => a.getAttribute("href").slice(1))
				.filter(id => !document.getElementById(id))`); len(dead) > 0 {
			t.Errorf("%v: links to nothing: %v", v, dead)
		}
		if n := eval[int](t, b, `document.querySelectorAll("a[href^='#']").length`); n < 100 {
			t.Errorf("%v: only %d links within the page", v, n)
		}
		if want, got := server+prefix+"/openapi.yaml", eval[[]string](t, b, `
			[...document.querySelectorAll("a:not([href^='#'])")].map(a => a.href)`); !slices.Equal(slices.Compact(got), []string{want}) {
			t.Errorf("%v: links out of the page %v, want %s", v, got, want)
		}
		b.quiet(t)
		b.mu.Lock()
		requests := slices.DeleteFunc(slices.Clone(b.requests), func(url string) bool { return strings.HasPrefix(url, "data:") })
		b.mu.Unlock()
		if want := []string{server + prefix + "/docs"}; !slices.Equal(requests, want) {
			t.Errorf("%v: requests %v, want %v", v, requests, want)
		}
		if (v.scheme == "dark") == (v.width > 700) { // each scheme and each width once: axe-core is slow on this page
			b.accessible(t, v.String())
		}
	}
	if paper["light"] == paper["dark"] {
		t.Errorf("the paper is %s, whether light or dark", paper["light"])
	}
}

// TestDocsPolicy injects content into the page and checks that the policy blocks each
// kind with a message on the console. So TestDocs detects violations by the page
// itself.
func TestDocsPolicy(t *testing.T) {
	b := open(t, serve(t)+prefix+"/docs", docViews[0])
	before := eval[string](t, b, `getComputedStyle(document.body).color`)
	for name, script := range map[string]string{
		"script": `document.body.append(Object.assign(document.createElement("script"), {textContent: "window.ran = true"}))`,
		"style":  `document.body.append(Object.assign(document.createElement("style"), {textContent: "body { color: red !important }"}))`,
		"image":  `document.body.append(Object.assign(document.createElement("img"), {src: "openapi.yaml"}))`,
		"frame":  `document.body.append(Object.assign(document.createElement("iframe"), {src: "openapi.yaml"}))`,
		"fetch":  `fetch("http://127.0.0.1:1/").catch(() => null)`, // another origin
	} {
		said := len(b.messages(t))
		violated := eval[string](t, b, `new Promise(done => {
			document.addEventListener("securitypolicyviolation", e => done(e.effectiveDirective), {once: true});
			`+script+`;
		})`)
		if messages := b.messages(t)[said:]; !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, "Content Security Policy") }) {
			t.Errorf("%s: %s is violated; on the console: %q", name, violated, messages)
		}
	}
	if eval[bool](t, b, `"ran" in window`) || eval[string](t, b, `getComputedStyle(document.body).color`) != before {
		t.Error("the page was changed")
	}
}

// TestDocsKeyboard presses Tab, which leads to the skip link first, and follows the link.
func TestDocsKeyboard(t *testing.T) {
	b := open(t, serve(t)+prefix+"/docs", docViews[0])
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
		t.Fatal(err)
	}
	if left := eval[float64](t, b, `document.activeElement.matches(".skip") ? document.activeElement.getBoundingClientRect().left : -1`); left < 0 {
		t.Errorf("the link is not to be seen, or not first: %v", left)
	}
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	if id := eval[string](t, b, `document.activeElement.id`); id != "content" {
		t.Errorf("the focus is on %q", id)
	}
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
		t.Fatal(err)
	}
	if eval[bool](t, b, `!document.getElementById("content").contains(document.activeElement)
		|| getComputedStyle(document.activeElement).outlineStyle == "none"`) {
		t.Error("the next is not in the contents, or has no outline")
	}
}

// TestDocsPrint checks that the printed page has the content and no navigation.
func TestDocsPrint(t *testing.T) {
	b := open(t, serve(t)+prefix+"/docs", docViews[1])
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	}); err != nil {
		t.Fatal(err)
	}
	for what, script := range map[string]string{
		"navigation": `getComputedStyle(document.querySelector("nav")).display == "none"`,
		"paper":      `getComputedStyle(document.body).backgroundColor == "rgb(255, 255, 255)"`,
		"ink":        `getComputedStyle(document.body).color == "rgb(0, 0, 0)"`,
		"content":    `document.querySelector("main").getBoundingClientRect().height > 1000`,
	} {
		if !eval[bool](t, b, script) {
			t.Errorf("%s: not as it should be on paper", what)
		}
	}
}

// TestDocsForms types a key and submits the form of every call, and checks that each
// shows the answer of the real API, and that the key goes nowhere else.
func TestDocsForms(t *testing.T) {
	url, token := serveReal(t, 10)
	b := open(t, url+"docs", docViews[0])
	want := map[string]string{ // by path: what the answer has
		"/api/v1/screen":       `"level": "CLEAN_NO_MATCH"`,
		"/api/v1/screen/batch": `"results": [`,
		"/api/v1/validate":     `"valid": true`,
		"/api/v1/changes":      `"event": "accepted"`,
		"/api/v1/sources":      `"id": "OFAC_SDN"`,
		"/api/v1/usage":        `"limit": 10`,
		"/openapi.yaml":        "openapi: 3.1",
		"/docs":                "<!doctype html>",
	}
	forms := eval[[]string](t, b, `[...document.querySelectorAll("form[data-path]")].map(f => f.dataset.path)`)
	if slices.Sort(forms); !slices.Equal(forms, slices.Sorted(maps.Keys(want))) {
		t.Errorf("forms for %q", forms)
	}
	submit := func(path string) string {
		t.Helper()
		return eval[string](t, b, `new Promise(done => {
			const form = document.querySelector('form[data-path="`+path+`"]'), out = form.querySelector("output");
			out.textContent = "";
			new MutationObserver(() => { if (out.textContent.length > 1) done(out.textContent); }).observe(out, {childList: true});
			form.querySelector("button").click();
		})`)
	}
	for path := range want {
		if got := submit(path); strings.Contains(path, "/api/") != strings.HasPrefix(got, "401 ") {
			t.Errorf("%s without a key: %.300s", path, got)
		}
	}

	b.do(t, `document.getElementById("try-key").focus()`)
	b.press(t, token, kb.Enter)
	for path, text := range want {
		if got := submit(path); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "x-request-id: ") || !strings.Contains(got, text) || strings.Contains(got, token) {
			t.Errorf("%s: no %q in %.2000s", path, text, got)
		}
	}
	b.do(t, `document.querySelector('[data-path="/api/v1/screen"] textarea').value = '{"address": "`+lazarus+`", "chain": "bitcoin"}'`)
	if got := submit("/api/v1/screen"); !strings.HasPrefix(got, "400 ") || !strings.Contains(got, `"code": "invalid_address"`) {
		t.Errorf("a wrong chain: %.2000s", got)
	}
	if b.axe(t, "with answers", `[...document.querySelectorAll("form")]`) == 0 {
		t.Error("axe-core has checked no rule")
	}
	b.fits(t, docViews[0])
	b.shoot(t, "docs-tried-1280-light")
	narrow := docViews[2]
	b.look(t, narrow)
	b.fits(t, narrow)

	if eval[bool](t, b, `(document.documentElement.outerHTML + location.href + JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie + JSON.stringify(history.state)).includes(`+quote(token)+`)`) {
		t.Error("the key is in the document, the address bar, a storage, a cookie or the history's state")
	}
	b.mu.Lock()
	for _, request := range b.requests {
		if !strings.HasPrefix(request, url) && !strings.HasPrefix(request, "data:") || strings.Contains(request, token) {
			t.Errorf("a request for %s", request)
		}
	}
	b.mu.Unlock()
	b.quiet(t)
}
