package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/walletscreen/walletscreen/httpapi"
)

// prefix is what the handler is mounted under.
const prefix = "/some/prefix"

// A view is a way to look at the page.
type view struct {
	scheme string // what people prefer: light or dark
	width  int64
}

var views = []view{{"light", 1280}, {"dark", 1280}, {"light", 360}, {"dark", 360}}

func (v view) String() string { return fmt.Sprintf("%s %d", v.scheme, v.width) }

// A tab is one of a browser that looks at the page, and what it was told and has
// asked for.
type tab struct {
	ctx    context.Context
	server string

	mu       sync.Mutex
	requests []string
	console  []string
}

// browser starts a browser, which ends with the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := slices.Clone(chromedp.DefaultExecAllocatorOptions[:])
	options = append(options, chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it has none for root
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("these tests need Chromium, in Debian: apt-get install chromium: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// serve serves the handler under the prefix, and nothing else.
func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", httpapi.NewHandler(nil, nil, nil))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// open opens the page at path in a tab of its own.
func open(t *testing.T, ctx context.Context, server, path string, v view) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{ctx: ctx, server: server}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(event any) { // in their order, and before the answer to what comes after them
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *log.EventEntryAdded:
			b.console = append(b.console, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			b.console = append(b.console, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.console = append(b.console, fmt.Sprintf("console.%s", e.Type))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(v.width, 800), chromedp.Navigate(server+path)); err != nil {
		t.Fatal(err)
	}
	return b
}

// eval returns the value of a script in the page. The page's policy is for what
// is in the page, and does not keep a debugger from it.
func eval[T any](t *testing.T, b *tab, script string) T {
	t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v in %.300s", err, script)
	}
	return value
}

// heard returns what is on the console, after what was on its way has come.
func (b *tab) heard(t *testing.T) []string {
	t.Helper()
	eval[*string](t, b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(null)))))`)
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.console)
}

// TestDocs looks at the page in light and dark, on a desk and on a phone.
func TestDocs(t *testing.T) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("these tests need axe-core: run npm ci --ignore-scripts in internal/browser: %v", err)
	}
	ctx, server := browser(t), serve(t)
	paper := map[string]string{}
	for _, v := range views {
		b := open(t, ctx, server, prefix+"/docs", v)
		if title := eval[string](t, b, `document.title`); title != "Walletscreen API" {
			t.Errorf("%v: title %q", v, title)
		}
		paper[v.scheme] = eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		if width := eval[int64](t, b, `document.scrollingElement.scrollWidth`); width > v.width {
			t.Errorf("%v: the page is %d wide: %s", v, width, eval[string](t, b, `
				[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth)
					.map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).slice(0, 5).join("; ")`))
		}
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
		if messages := b.heard(t); len(messages) > 0 {
			t.Errorf("%v: on the console: %v", v, messages)
		}
		b.mu.Lock()
		requests := slices.DeleteFunc(slices.Clone(b.requests), func(url string) bool { return strings.HasPrefix(url, "data:") })
		b.mu.Unlock()
		if want := []string{server + prefix + "/docs"}; !slices.Equal(requests, want) {
			t.Errorf("%v: requests %v, want %v", v, requests, want)
		}

		eval[*string](t, b, string(axe)+"; null")
		type violation struct {
			ID    string
			Nodes []string
		}
		result := eval[struct {
			Passes     int
			Violations []violation
		}](t, b, `axe.run(document, {resultTypes: ["violations"]}).then(r => ({
			passes: r.passes.length,
			violations: r.violations.map(v => ({id: v.id, nodes: v.nodes.slice(0, 3).map(n => n.html)})),
		}))`)
		if result.Passes < 20 || len(result.Violations) > 0 {
			t.Errorf("%v: axe-core: %d rules pass; violations: %+v", v, result.Passes, result.Violations)
		}
	}
	if paper["light"] == paper["dark"] {
		t.Errorf("the paper is %s, whether light or dark", paper["light"])
	}
}

// TestPolicy: what somebody might get into the page is kept from doing anything,
// and the console tells. So TestDocs would have seen it if the page itself were
// against its policy.
func TestPolicy(t *testing.T) {
	b := open(t, browser(t), serve(t), prefix+"/docs", views[0])
	before := eval[string](t, b, `getComputedStyle(document.body).color`)
	for name, script := range map[string]string{
		"script": `document.body.append(Object.assign(document.createElement("script"), {textContent: "window.ran = true"}))`,
		"style":  `document.body.append(Object.assign(document.createElement("style"), {textContent: "body { color: red !important }"}))`,
		"image":  `document.body.append(Object.assign(document.createElement("img"), {src: "openapi.yaml"}))`,
		"frame":  `document.body.append(Object.assign(document.createElement("iframe"), {src: "openapi.yaml"}))`,
		"fetch":  `fetch("openapi.yaml").catch(() => null)`,
	} {
		said := len(b.heard(t))
		violated := eval[string](t, b, `new Promise(done => {
			document.addEventListener("securitypolicyviolation", e => done(e.effectiveDirective), {once: true});
			`+script+`;
		})`)
		if messages := b.heard(t)[said:]; !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, "Content Security Policy") }) {
			t.Errorf("%s: %s is violated; on the console: %q", name, violated, messages)
		}
	}
	if eval[bool](t, b, `"ran" in window`) || eval[string](t, b, `getComputedStyle(document.body).color`) != before {
		t.Error("the page was changed")
	}
}

// TestKeyboard: the first key leads to the link over the contents, and it leads to
// what it says.
func TestKeyboard(t *testing.T) {
	b := open(t, browser(t), serve(t), prefix+"/docs", views[0])
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

// TestPrint: on paper there is the content, and no navigation.
func TestPrint(t *testing.T) {
	b := open(t, browser(t), serve(t), prefix+"/docs", views[1])
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
