package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/page"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// callers are all admitted, with these scopes.
type callers string

func (c callers) Authorize(*http.Request) (httpapi.Caller, error) {
	return httpapi.Caller{ID: "a", Scopes: string(c)}, nil
}

// TestAnotherDay screens in the real API with the lists of a day on which an address was not
// listed yet, alone and in a list, goes back to the lists of now, and asks servers and with
// keys that have no lists of another day.
func TestAnotherDay(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	src := &growing{late: true}
	s, err := screening.New([]sources.Source{src}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	var first time.Time
	for range 2 {
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if first.IsZero() {
			time.Sleep(5 * time.Millisecond) // the two lists are not of one instant
			first = time.Now()
		}
	}
	const old = "2026-03-01" // stands for the day of the first list
	opts := &httpapi.Options{Store: st, Past: func(ctx context.Context, at time.Time) (*screening.Past, error) {
		if at.Format(time.DateOnly) == old {
			at = first
		}
		return screening.OpenAt(ctx, st, at, []sources.Source{src}, nil)
	}}
	serve := func(scopes string, opts *httpapi.Options) string {
		mux := http.NewServeMux()
		mux.Handle("/api/", httpapi.NewHandler(s, callers(scopes), opts))
		mux.Handle("/", page.New())
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		return server.URL + "/"
	}
	url := serve("", opts)
	b := open(t, url, view{"light", 1280})
	b.wait(t, inState("empty")+` && `+has("#health", "1 list current"))
	b.do(t, catch)
	screenOne(lazarus)(t, b)
	b.wait(t, text(title, "Sanctioned: LAZARUS GROUP (OFAC)")+` && !document.getElementById("at").checkVisibility()`)
	click := func(name string) {
		t.Helper()
		b.do(t, `[...document.querySelectorAll("#screen button, #result button")].find(b => b.checkVisibility() && b.textContent === `+quote(name)+`).click()`)
	}
	click("Another day")
	b.wait(t, `document.activeElement.id === "at" && document.getElementById("at").checkVisibility() && `+has("#at-note", "All lists are kept since 20"))
	screenAt(lazarus, old)(t, b)
	b.wait(t, has(title, "No match, as of ")+` && `+isShape("past")+` && document.querySelector(".asof") && !document.querySelector("#result .label")`)
	click("Lists of now")
	b.wait(
		t,
		text(title, "Sanctioned: LAZARUS GROUP (OFAC)")+` && !document.querySelector("#result .asof") && !document.getElementById("at").checkVisibility()`,
	)

	// A list, and the link to a verdict, with the chain.
	b.do(t, `document.getElementById("at").value = "`+old+`"`)
	enter(t, b, lazarus+"\n"+clean)
	b.wait(t, has(title, "No match, as of ")+` && document.querySelector(".many")?.dataset.state === "done" && document.querySelector(".summary .asof")`)
	records := b.download(t, ',')
	if last := len(records[0]) - 1; records[0][last] != "as_of" || records[1][last] == "" ||
		eval[string](t, b, `savedAs`) != "Pasted-list-screened-as-of-"+old+".csv" {
		t.Errorf("the table: %q, saved as %s", records, eval[string](t, b, `savedAs`))
	}
	c := open(t, url+"#ethereum/"+lazarus+"@"+old, view{"light", 1280})
	c.wait(t, has(title, "No match, as of ")+` && document.getElementById("at").value === "`+old+`"`)
	c.quiet(t)

	// Days that nobody has, and days that are none.
	screenAt(lazarus, "2020-01-01")(t, b)
	b.wait(t, text(title, "The lists of that day are not available")+` && `+has("#result", "choose a later day"))
	b.accessible(t, "a day that is not kept")
	click("Use the lists of now")
	b.wait(t, text(title, "Sanctioned: LAZARUS GROUP (OFAC)"))
	screenAt(clean, "2199-01-01")(t, b)
	b.wait(
		t,
		has(
			"#at-note",
			"yet to come",
		)+` && document.getElementById("at").ariaInvalid === "true" && document.activeElement.id === "at" && `+has(
			title,
			"Sanctioned",
		),
	)
	b.do(t, `document.getElementById("at").value = ""; document.getElementById("at").focus()`)
	b.press(t, "3") // a month without a day
	b.do(t, `document.getElementById("screen").requestSubmit()`)
	b.wait(t, has("#at-note", "not a whole date")+` && document.activeElement.id === "at" && `+has(title, "Sanctioned"))
	b.quiet(t)

	for name, url := range map[string]string{"This server screens with the lists of now only.": serve("", nil),
		"lacks the scope past": serve("screen sources", opts)} {
		c := open(t, url, view{"light", 1280})
		c.wait(t, inState("empty")+` && document.getElementById("health").textContent !== "Lists"`)
		c.do(t, `document.getElementById("at").focus()`)
		c.wait(t, has("#at-note", name))
		screenAt(lazarus, old)(t, c)
		c.wait(t, has("#result", name)+` && `+isShape("unknown"))
		c.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Use the lists of now").click()`)
		c.wait(t, text(title, "Sanctioned: LAZARUS GROUP (OFAC)"))
		c.quiet(t)
	}
}

// TestFinalList checks that a list that cannot change has no age beside a verdict.
func TestFinalList(t *testing.T) {
	s, err := screening.New([]sources.Source{bundle.FBI()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", httpapi.NewHandler(s, callers(""), nil))
	mux.Handle("/", page.New())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := open(t, server.URL+"/", view{"light", 1280})
	b.wait(t, inState("empty")+` && `+has("#health", "1 list current"))
	screenOne(clean)(t, b)
	b.wait(t, inState("verdict")+` && document.querySelector(".fresh tbody").textContent.endsWith("final26 Feb 2025current")`)
	b.quiet(t)
}
