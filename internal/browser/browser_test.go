package browser_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A view is a screen size and a color scheme.
type view struct {
	scheme string // the preferred color scheme: light or dark
	width  int64
}

func (v view) String() string { return fmt.Sprintf("%s %d", v.scheme, v.width) }

// height returns the height of a usual screen of the width.
func (v view) height() int64 {
	switch {
	case v.width < 700:
		return 800
	case v.width > 3000:
		return 2160
	}
	return 1000
}

// artifacts is the directory for screenshots and printed pages. Git ignores it.
const artifacts = "artifacts"

// shared is the browser of all tests.
var shared struct {
	sync.Mutex
	ctx    context.Context
	cancel []context.CancelFunc
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, cancel := range slices.Backward(shared.cancel) {
		cancel()
	}
	os.Exit(code)
}

// browser returns the browser of all tests, which the first one starts.
func browser(t *testing.T) context.Context {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.ctx != nil {
		return shared.ctx
	}
	options := slices.Clone(chromedp.DefaultExecAllocatorOptions[:])
	options = append(options, chromedp.DisableGPU, chromedp.WSURLReadTimeout(5*time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox does not start for root
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	shared.cancel = append(shared.cancel, cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	shared.cancel = append(shared.cancel, cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	shared.cancel = append(shared.cancel, cancel)
	if err := chromedp.Do(ctx); errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("these tests need Chromium, in Debian: apt-get install chromium: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	shared.ctx = ctx
	return ctx
}

// A tab shows one page and records its requests and the messages on its console.
type tab struct {
	ctx context.Context

	mu       sync.Mutex
	requests []string
	console  []string
}

// open opens a URL in a new tab.
func open(t *testing.T, url string, v view) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t))
	t.Cleanup(cancel)
	b := &tab{ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(event any) { // called in order, before the answers to later commands
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *log.EventEntryAdded:
			if e.Entry.Source != log.EntrySourceNetwork { // an answer of 401, for one, which tests look for themselves
				b.console = append(b.console, e.Entry.Text)
			}
		case *runtime.EventExceptionThrown:
			b.console = append(b.console, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.console = append(b.console, fmt.Sprintf("console.%s", e.Type))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b.look(t, v)
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return b
}

// look changes the view of the tab.
func (b *tab) look(t *testing.T, v view, features ...*emulation.MediaFeature) {
	t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: append(features, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: v.scheme},
			&emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"}),
	}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(v.width, v.height())); err != nil {
		t.Fatal(err)
	}
}

// eval returns the value of a script in the page. The policy of the page does not apply
// to scripts of the debugger.
func eval[T any](t *testing.T, b *tab, script string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Minute)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v in %.300s", err, script)
	}
	return value
}

// do runs a script that has no value.
func (b *tab) do(t *testing.T, script string) {
	t.Helper()
	eval[*string](t, b, script+"; null")
}

// wait waits until a condition holds in the page.
func (b *tab) wait(t *testing.T, condition string) {
	t.Helper()
	said := eval[string](t, b, `new Promise(done => {
		const end = Date.now() + 120000;
		const look = () => (`+condition+`) ? done("") : Date.now() > end ? done((document.getElementById("result")?.dataset.state ?? "")
		  + ": " + (document.querySelector("dialog[open]") ?? document.getElementById("result") ?? document.body).innerText.slice(0, 800)
		  + " | " + document.activeElement.outerHTML.slice(0, 200))
		  : setTimeout(look, 20);
		look();
	})`)
	if said != "" {
		t.Fatalf("never: %s\nthe page: %s", condition, said)
	}
}

// press presses keys one by one, like a person.
func (b *tab) press(t *testing.T, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(k)); err != nil {
			t.Fatal(err)
		}
	}
}

// tabTo presses Tab until an element that matches the selector has the focus.
func (b *tab) tabTo(t *testing.T, selector string) {
	t.Helper()
	for range 60 {
		if eval[bool](t, b, `document.activeElement.matches(`+quote(selector)+`)`) {
			return
		}
		b.press(t, kb.Tab)
	}
	t.Fatalf("no way to %s by Tab", selector)
}

// messages returns the messages on the console, after all pending ones have arrived.
func (b *tab) messages(t *testing.T) []string {
	t.Helper()
	eval[*string](t, b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(null)))))`)
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.console)
}

// quiet fails the test if the console has any message. A violation of the policy is
// one.
func (b *tab) quiet(t *testing.T) {
	t.Helper()
	if m := b.messages(t); len(m) > 0 {
		t.Errorf("on the console: %q", m)
	}
}

// fits fails the test if the page is wider than the screen.
func (b *tab) fits(t *testing.T, v view) {
	t.Helper()
	if width := eval[int64](t, b, `document.scrollingElement.scrollWidth`); width > v.width {
		t.Errorf("%v: the page is %d wide: %s", v, width, eval[string](t, b, `
			[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
				.map(e => e.tagName + "." + e.getAttribute("class") + " " + e.textContent.slice(0, 40)).slice(0, 5).join("; ")`))
	}
}

// accessible fails the test if axe-core finds a violation.
func (b *tab) accessible(t *testing.T, name string) {
	t.Helper()
	if passes := b.axe(t, name, "document"); passes < 20 {
		t.Errorf("%s: axe-core: only %d rules pass", name, passes)
	}
}

// axe fails the test if axe-core finds a violation in a part of the page, which is an
// expression. It returns how many rules pass.
func (b *tab) axe(t *testing.T, name, part string) int {
	t.Helper()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("these tests need axe-core: run npm ci --ignore-scripts in internal/browser: %v", err)
	}
	if !eval[bool](t, b, `"axe" in window`) {
		b.do(t, string(axe))
	}
	type violation struct {
		ID    string
		Nodes []string
	}
	result := eval[struct {
		Passes     int
		Violations []violation
	}](t, b, `axe.run(`+part+`, {resultTypes: ["violations"]}).then(r => ({
		passes: r.passes.length,
		violations: r.violations.map(v => ({id: v.id, nodes: v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary)})),
	}))`)
	if len(result.Violations) > 0 {
		t.Errorf("%s: axe-core: %d rules pass; violations: %+v", name, result.Passes, result.Violations)
	}
	return result.Passes
}

// shoot saves a screenshot of the whole page as an artifact.
func (b *tab) shoot(t *testing.T, name string) {
	t.Helper()
	yes := true
	png, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &yes, OptimizeForSpeed: &yes})
	if err != nil {
		t.Fatal(err)
	}
	save(t, name+".png", png.Data)
}

// first saves a screenshot of the visible part of the page as an artifact.
func (b *tab) first(t *testing.T, name string) {
	t.Helper()
	png, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		t.Fatal(err)
	}
	save(t, name+".png", png.Data)
}

// save saves an artifact.
func save(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(artifacts, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(artifacts, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// quote returns s as a string of JavaScript.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}
