package browser_test

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
)

// sizes are the screen sizes to test the page in, from a small phone to 4K.
var sizes = []int64{320, 768, 1280, 1920, 3840}

// A state is a state of the page.
type state struct {
	name    string
	prepare func(a *api)
	reach   func(t *testing.T, b *tab) // from the loaded page
	url     string                     // what follows the page's URL; "" for the good key
	holds   []string                   // conditions
	all     bool                       // look at it in all sizes
}

// enter types text into the field and screens it.
func enter(t *testing.T, b *tab, text string) {
	t.Helper()
	b.do(
		t,
		`{ const field = document.getElementById("address"); field.value = `+quote(
			text,
		)+`; field.dispatchEvent(new Event("input")); document.getElementById("screen").requestSubmit(); }`,
	)
}

// inState waits until the result is in a state.
func inState(name string) string {
	return `document.getElementById("result").dataset.state === ` + quote(name)
}

func screenOne(text string) func(*testing.T, *tab) {
	return func(t *testing.T, b *tab) {
		enter(t, b, text)
		b.wait(t, `["verdict", "error", "quota", "key", "offline"].includes(document.getElementById("result").dataset.state)`)
	}
}

// screenAt screens text with the lists of a day.
func screenAt(text, day string) func(*testing.T, *tab) {
	return func(t *testing.T, b *tab) {
		b.do(t, `{ const at = document.getElementById("at"); at.value = `+quote(day)+`; at.dispatchEvent(new Event("input")); }`)
		screenOne(text)(t, b)
	}
}

// has returns the condition that the text of an element contains a string.
func has(selector, text string) string {
	return `document.querySelector(` + quote(selector) + `)?.textContent.includes(` + quote(text) + `)`
}

// text returns the condition that the text of an element is a string.
func text(selector, want string) string {
	return `document.querySelector(` + quote(selector) + `)?.textContent === ` + quote(want)
}

const title, notes, fresh = "#result h2", "#result .notes", "#result .fresh"

// isShape returns the condition that the verdict has a shape.
func isShape(name string) string {
	return `document.querySelector("#result .head .shape")?.classList.contains(` + quote(name) + `)`
}

// once is the condition that the words are seen once on the page.
func once(words string) string {
	return `document.body.innerText.split(` + quote(words) + `).length === 2`
}

// one is the condition that each element is one line of text.
func one(selector string) string {
	return `[...document.querySelectorAll(` + quote(selector) + `)].every(e => e.getBoundingClientRect().height < 50)`
}

// noLevel is the condition that neither the page nor the record that it prints shows a level or a
// score.
const noLevel = `!/CLEAN_NO_MATCH|No match|of 100/.test(document.getElementById("result").textContent + document.getElementById("record").textContent)`

func failing(status int, code, detail, wait string) func(a *api) {
	return func(a *api) {
		a.fail = func(path string) *bad {
			if strings.HasPrefix(path, "screen") {
				return &bad{status, code, detail, wait}
			}
			return nil
		}
	}
}

var states = []state{
	{
		name: "empty",
		holds: []string{
			inState("empty"),
			has("#health", "4 lists current"),
			has("#lists", "OFAC Specially"),
			has("#changes", "A new version was refused: it shrank"),
		},
		all: true,
	},
	{
		name:  "lists",
		reach: func(t *testing.T, b *tab) { b.do(t, `document.getElementById("to-lists").click()`) },
		holds: []string{`document.getElementById("about").open && document.activeElement.tagName === "SUMMARY" && location.hash === ""`, has("#lists", "OFAC Specially")},
		all:   true,
	},
	{
		name:  "no key",
		url:   "#",
		holds: []string{inState("nokey"), `!document.getElementById("key").hidden`, has("#key-reason", "needs an API key"), has("#health", "Lists unknown")},
	},
	{name: "bad key", url: "#key=wsk_expired", holds: []string{`!document.getElementById("key").hidden`, has("#key-reason", "unknown, expired or revoked")}},
	{
		name:  "clean",
		reach: screenOne(clean),
		holds: []string{inState("verdict"), has(title, "No match"), `document.querySelector("` + title + `").textContent === "No match"`, isShape("clean"),
			`!document.querySelector("` + notes + `")`, has("#result", "any of the 4 lists"), text(fresh+" summary", "4 lists, each checked in the last 6 hours"), has("#result .subject", "Tron")},
	},
	{
		name:  "critical",
		reach: screenOne(lazarus),
		all:   true,
		holds: []string{
			text(title, "Sanctioned: LAZARUS GROUP (OFAC)"),
			isShape("critical"),
			has(".line-of", "Critical risk, score 100 of 100. Also on Community bad list."),
			has(".label h3", "LAZARUS GROUP"),
			`document.querySelector(".label a").href === "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=27307"`,
			`document.querySelector(".label a").rel.includes("noreferrer")`,
			has(
				".label",
				"The list names this very address.",
			),
			has(".label:nth-child(2)", "sister chain"),
			has(".label", "Address listedsince 14 Apr 2022 at the latest"),
			`!document.querySelector("` + notes + `")`,
		},
	},
	{name: "dates", reach: screenOne(lazarus), prepare: func(a *api) {
		a.held[strings.ToLower(lazarus)] = object{
			"labels": []object{{"label": "SANCTIONED", "source": "OFAC_SDN", "source_ref": "27307", "added_at": "2022-04-14T00:00:00Z", "match": "exact",
				"listed_address": lazarus, "name": "LA\u200bZARUS \u202eGROUP\u2066\ufeff",
				"entity_listed_at": "2019-09-13T00:00:00Z", "not_listed_on": "2022-04-01T00:00:00Z"}},
		}
	}, holds: []string{text(title, "Sanctioned: LAZARUS GROUP (OFAC)"), `document.querySelector("` + title + ` bdi").textContent === "LAZARUS GROUP"`,
		has(".label", "Entity listed13 Sep 2019"), has(".label", "Address listedsince 14 Apr 2022 at the latest, not yet on 1 Apr 2022"),
		text(
			".history summary",
			"History of the account (3 dates)",
		), `[...document.querySelectorAll(".history li")].map(e => e.textContent).join("; ") === "13 Sep 2019OFAC listed LAZARUS GROUP; 1 Apr 2022OFAC did ` +
			`not list the address yet; 14 Apr 2022OFAC listed the address, at the latest"`}},
	{name: "formerly", reach: screenOne(clean), prepare: func(a *api) {
		a.held[clean] = object{
			"all_clear": true,
			"doubts":    []string{},
			"caveats":   []object{},
			"formerly": []object{
				{"source": "OFAC_SDN", "source_ref": "39796", "name": "TORNADO CASH", "since": "2022-11-08T00:00:00Z", "until": "2025-03-21T00:00:00Z"},
			},
		}
	}, holds: []string{text(title, "No match, but it was listed before"), isShape("qualified"),
		has(notes, "Formerly listed: TORNADO CASH, OFAC_SDN, since 8 Nov 2022 at the latest, until 21 Mar 2025."),
		has(".history li:last-child", "21 Mar 2025OFAC removed it")}},
	{name: "doubt", reach: screenOne(clean), prepare: func(a *api) {
		a.held[clean] = object{"doubts": []string{"capitals", "unscreenable"}, "all_clear": false}
	},
		holds: []string{
			text(title, "Not decided"),
			isShape("unknown"),
			has(".line-of", "The capitals do not match the checksum"),
			noLevel,
		}},
	{name: "doubt and listed", reach: screenOne(lazarus), prepare: func(a *api) { a.held[strings.ToLower(lazarus)] = object{"doubts": []string{"capitals"}} },
		holds: []string{text(title, "Sanctioned: LAZARUS GROUP (OFAC)"), text(notes+" summary", "Note: the address may be mistyped")}},
	{name: "not all clear", reach: screenOne(clean), prepare: func(a *api) { a.held[clean] = object{"doubts": []string{}, "all_clear": false} },
		holds: []string{has(title, "No match, but the server does not call it all clear"), isShape("qualified")}},
	{name: "old", reach: screenOne(clean), prepare: func(a *api) {
		a.held[clean] = object{"caveats": []object{{"source": "EU_CONSOLIDATED", "caveat": "old"}}, "all_clear": false}
	},
		holds: []string{text(title, "No match, but EU is not current"), isShape("qualified"), has(fresh, "published 4 days ago")}},
	{name: "final", reach: screenOne(clean), prepare: func(a *api) {
		a.lists[0]["last_updated"] = stamp(330 * time.Minute)
		a.lists[3]["final"], a.lists[3]["last_updated"] = true, stamp(9000*time.Hour)
	}, holds: []string{text(title, "No match"), isShape("clean"), text(fresh+" summary", "4 lists, 1 final, the others checked in the last 6 hours")}},
	{name: "all final", reach: screenOne(clean), prepare: func(a *api) {
		for _, l := range a.lists {
			l["final"] = true
		}
	}, holds: []string{text(title, "No match"), isShape("clean"), text(fresh+" summary", "4 lists, final")}},
	{name: "store", reach: screenOne(clean), prepare: func(a *api) {
		said := []object{}
		for _, l := range a.lists {
			said = append(said, object{"source": l["id"], "caveat": "store"})
		}
		a.held[clean] = object{"caveats": said, "all_clear": false}
	},
		holds: []string{text(title, "No match, but newer lists cannot be saved"), isShape("qualified"), has(fresh, "what they drop still matches")}},
	{
		name:  "high",
		reach: screenOne(theft),
		holds: []string{
			text(title, "Same key as sanctioned: A. N. Other (EU)"),
			isShape("high"),
			has(".label", "The same key or script controls this address and the listed "+spelled),
			`!document.querySelector(".label a")`,
		},
	},
	{name: "medium", reach: screenOne(mixer), holds: []string{text(title, "Mixer: Tornado Cash router (Community bad list)"), isShape("medium")}},
	{name: "stale and partial", all: true, reach: screenOne(clean), prepare: func(a *api) {
		a.lists[0]["last_updated"] = stamp(61 * time.Hour)
		a.lists[1]["partial"], a.lists[1]["completeness"] = true, "partial"
		a.lists[2]["last_updated"], a.lists[2]["published_at"], a.lists[2]["address_count"], a.lists[2]["completeness"] = nil, nil, 0, nil
	}, holds: []string{text(title, "No match, but 3 of 4 lists are not current"), isShape("qualified"), once("not current"), `!document.querySelector(".fresh").open`,
		`(document.querySelector(".fresh").open = true)`, // for what follows
		has(fresh, "last checked 2 days ago"), has(fresh, "only a part is loaded"), has(fresh, "not loaded, so not searched"),
		has("#result", "Not found on the 1 list that is complete and current."), has("#health", "3 of 4 lists not current")}},
	{name: "stale and critical", reach: screenOne(lazarus), prepare: func(a *api) { a.lists[1]["last_updated"] = stamp(72 * time.Hour) },
		holds: []string{
			has(title, "Sanctioned"),
			text(fresh+" summary", "EU is not current"),
			has(fresh, "last checked 3 days ago"),
			once("not current"),
		}},
	{name: "unknown age", reach: screenOne(clean), prepare: func(a *api) { a.lists[0]["last_updated"] = nil },
		holds: []string{text(title, "No match, but OFAC is not current"), isShape("qualified"), has(fresh, "not known when it was last checked")}},
	{name: "suppressed", reach: screenOne(clean), prepare: func(a *api) {
		a.held[clean] = object{
			"suppressed": []object{
				{
					"label":          "SCAM",
					"source":         "COMMUNITY_BADLIST",
					"source_ref":     "x-1",
					"added_at":       stamp(0),
					"match":          "exact",
					"listed_address": clean,
					"reason":         "our own hot wallet",
					"author":         "ops",
					"expires_at":     "2027-01-31T00:00:00Z",
				},
			},
		}
	}, holds: []string{has(title, "No match, but a match does not count"), isShape("qualified"),
		has(notes, "A match on COMMUNITY_BADLIST (x-1) does not count: our own hot wallet, says ops, until 31 Jan 2027.")}},
	{
		name:    "no lists",
		prepare: func(a *api) { a.lists = []object{} },
		reach:   screenOne(clean),
		holds:   []string{has(title, "No match, but no list was searched"), isShape("qualified")},
	},
	{
		name:  "mistyped",
		reach: screenOne("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T"),
		holds: []string{text(title, "Not decided"), isShape("unknown"), has("#result", "Nothing was screened."), noLevel},
	},
	{
		name:  "short",
		reach: screenOne("0x123"),
		holds: []string{text(title, "Not decided"), isShape("unknown"), has("#result", "Nothing was screened."), has(".mends button", "Choose the chain"), noLevel},
	},
	{name: "ambiguous", reach: screenOne(dot), holds: []string{text(title, "No match"), has(".subject", "Sui")}},
	{
		name: "chain in doubt", reach: screenOne(dot),
		prepare: func(a *api) { a.held[dot] = object{"doubts": []string{"ambiguous"}} },
		holds: []string{text(title, "Not decided"), noLevel, has(".line-of", "It could be an address of several chains"),
			has(".mends button", "It is on Sui"), has(".next", "choose it"), text(".subject", dot), `[...document.querySelectorAll(".mends button")].at(-1).textContent === "Choose the chain"`},
	},
	{
		name:  "secret",
		reach: screenOne(secret),
		holds: []string{
			has(title, "This looks like a private key"),
			`document.getElementById("address").value === ""`,
			`!document.documentElement.textContent.includes("` + secret + `")`,
		},
	},
	{name: "loading", prepare: func(a *api) { a.delay = forever }, reach: func(t *testing.T, b *tab) {
		b.do(t, `AbortSignal.timeout = () => new AbortController().signal`) // the page does not give up
		enter(t, b, clean)
		b.wait(t, inState("loading"))
	}, holds: []string{has(title, "Asking the server")}},
	{
		name:    "offline",
		prepare: failing(gone, "", "", ""),
		reach:   screenOne(clean),
		holds:   []string{inState("offline"), has(title, "The server cannot be reached"), isShape("unknown")},
	},
	{
		name:    "expired key",
		prepare: failing(401, "invalid_token", "", ""),
		reach:   screenOne(clean),
		holds: []string{inState("key"), `!document.getElementById("key").hidden`, `document.getElementById("address").value === "` + clean + `"`,
			`document.activeElement.id === "key-input"`},
	},
	{
		name:    "quota",
		prepare: func(a *api) { a.quota = 0 },
		reach:   screenOne(clean),
		holds:   []string{inState("quota"), has(title, "The quota of this key is used up"), has("#result", "renews on")},
	},
	{
		name:    "not loaded",
		prepare: failing(503, "sources_unavailable", "", "30"),
		reach:   screenOne(clean),
		holds:   []string{has(title, "A required list is not loaded"), isShape("unknown"), has("#result", "30 seconds")},
	},
	{
		name:    "broken server",
		prepare: failing(500, "internal", "", ""),
		reach:   screenOne(clean),
		holds:   []string{inState("error"), has(title, "The server could not answer")},
	},
	{name: "many and old", prepare: func(a *api) {
		a.held[clean] = object{"caveats": []object{{"source": "EU_CONSOLIDATED", "caveat": "old"}}, "all_clear": false}
	}, reach: func(t *testing.T, b *tab) {
		enter(t, b, clean+"\n"+clean)
		b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	}, holds: []string{text(title, "No match, but EU is not current"), isShape("qualified"), has(fresh, "published 4 days ago")}},
	{name: "many", all: true, reach: func(t *testing.T, b *tab) {
		enter(t, b, strings.Join([]string{clean, lazarus, mixer, "not an address", theft, secret, dot}, "\n"))
		b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	}, holds: []string{has(title, "3 matches in 7 rows"), isShape("critical"), text(".line-of", "2 rows are undecided: not clean."),
		// The matches are chosen first, the highest first.
		`[...document.querySelectorAll(".rows tbody .open")].map(e => e.textContent).join() === "CRITICAL,HIGH,MEDIUM"`, one(".rows tbody tr"),
		`document.querySelector("[data-filter=UNDECIDED]").click() === undefined`, `document.querySelectorAll(".rows tbody tr").length === 2`,
		has(".rows tbody", "withheld"), has(".rows tbody tr:nth-child(1) [data-column=why]", "This is not an address"),
		`document.querySelector("[data-filter=all]").click() === undefined`, `document.querySelectorAll(".rows tbody tr").length === 7`, one(".rows tbody tr"),
		has(".rows tbody tr:nth-child(7)", "CLEAN_NO_MATCH"), `!document.body.innerText.includes("` + secret + `")`, `!document.getElementById("address").value`}},
	{
		name:  "as of a day",
		all:   true,
		reach: screenAt(clean, "2026-03-01"),
		holds: []string{
			text(title, "No match, as of 1 Mar 2026"),
			isShape("past"),
			has(".asof", "Not the verdict of today. The lists are those of 1 Mar 2026, 23:59:59 UTC."),
			has(fresh+" summary", "hours before"),
			has(".next", "screen with the lists of now"),
			`document.querySelector(".asof").compareDocumentPosition(document.querySelector("#result h2")) & Node.DOCUMENT_POSITION_FOLLOWING`,
			`document.getElementById("at").checkVisibility()`,
			has("#record .asof", "Not the verdict of today."),
			has("#record .title", "No match, as of 1 Mar 2026"),
		},
	},
	{
		name:  "listed as of a day",
		reach: screenAt(lazarus, "2026-03-01"),
		holds: []string{text(title, "Sanctioned: LAZARUS GROUP (OFAC), as of 1 Mar 2026"), isShape("critical"), has(".asof", "Not the verdict of today.")},
	},
	{name: "day not kept", prepare: failing(400, "past_unavailable", "The lists of that time are not kept here.", ""), reach: screenAt(clean, "2020-03-01"),
		holds: []string{
			text(title, "The lists of that day are not available"),
			isShape("unknown"),
			has("#result", "not kept here"),
			has("#result button", "Use the lists of now"),
		}},
	{name: "many as of a day", reach: func(t *testing.T, b *tab) {
		b.do(t, `document.getElementById("at").value = "2026-03-01"`)
		enter(t, b, clean+"\n"+mixer+"\n"+lazarus)
		b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	}, holds: []string{text(title, "2 matches in 3 rows, as of 1 Mar 2026"), has(".summary .asof", "1 Mar 2026"), has("#record .title", "as of 1 Mar 2026")}},
	{name: "browse", reach: func(t *testing.T, b *tab) {
		b.do(t, `document.querySelector(".lists .browse").click()`)
		b.wait(t, `document.querySelectorAll(".entries tbody tr").length === 1`)
		b.do(t, `[...document.querySelectorAll("#detail button")].find(b => b.textContent === "Show more").click()`)
		b.wait(t, `document.querySelectorAll(".entries tbody tr").length === 2`)
		b.press(t, "laz")
		b.wait(t, has("#detail [role=status]", "1 entry found."))
	}, holds: []string{`document.getElementById("detail").open`, text("#detail h2", "OFAC Specially Designated Nationals"),
		`document.querySelector(".entries bdi").textContent === "` + lazarus + `"`,
		text(".entries .why bdi", "LAZARUS GROUP · Sanctioned · 27307"), `document.activeElement.id === "search"`}},
	{name: "many in one row", reach: func(t *testing.T, b *tab) {
		enter(t, b, lazarus+"\n"+clean)
		b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
		b.do(t, `document.querySelector(".rows tbody button").click()`)
	}, holds: []string{`document.getElementById("detail").open`, has("#detail h2", "Sanctioned: LAZARUS GROUP"),
		`document.activeElement.closest("dialog") !== null`}},
}

// dot is an address of several chains, on which it stands for different accounts.
const dot = "0x1d8727df513fa2a8785d0834e40b34223daff1affc079574082baadb74b66ee4"

// secret is a private key in wallet import format, without funds.
const secret = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"

// TestStates brings the page into every state, in light and dark mode and in all sizes,
// and checks each with axe-core.
func TestStates(t *testing.T) {
	only := os.Getenv("WALLETSCREEN_STATE")
	for _, s := range states {
		if only != "" && !strings.Contains(","+only+",", ","+s.name+",") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			a := newAPI(t, prefix)
			if s.prepare != nil {
				a.set(func() { s.prepare(a) })
			}
			url := a.URL + "#key=" + goodKey
			if s.url != "" {
				url = a.URL + s.url
			}
			b := open(t, url, view{"light", 1280})
			b.wait(t, `document.getElementById("health").textContent !== "Lists" && document.getElementById("result").dataset.state !== undefined`)
			if s.reach != nil {
				s.reach(t, b)
			}
			for _, c := range s.holds {
				b.wait(t, c)
			}
			b.accessible(t, "light 1280")
			views := []view{{"light", 1280}, {"dark", 320}}
			if s.all {
				views = nil
				for _, width := range sizes {
					views = append(views, view{"light", width}, view{"dark", width})
				}
			}
			for _, v := range views {
				b.look(t, v)
				b.fits(t, v)
				b.shoot(t, fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(s.name, " ", "-"), v.width, v.scheme))
			}
			if s.all {
				b.look(t, view{"dark", 1280}, &emulation.MediaFeature{Name: "forced-colors", Value: "active"})
				b.fits(t, view{"dark", 1280})
				b.shoot(t, strings.ReplaceAll(s.name, " ", "-")+"-1280-forced")
				b.look(t, views[len(views)-1])
			}
			b.accessible(t, "dark "+fmt.Sprint(views[len(views)-1].width))
			b.quiet(t)
		})
	}
}

// normal returns the normal form of an address of these tests.
func normal(text string) string {
	if text == lazarus || text == mixer {
		return strings.ToLower(text)
	}
	return text
}

// TestFirstScreen checks what a person sees without scrolling: the verdict, its evidence, its
// caveats, and what to do next. It tries a laptop and a phone.
func TestFirstScreen(t *testing.T) {
	for _, size := range [][2]int64{{1400, 900}, {375, 812}} {
		for _, c := range []struct {
			name, address string
			held          object   // more members of the result
			see           []string // from the top down
		}{
			{"dates", lazarus, object{"labels": []object{{"label": "SANCTIONED", "source": "OFAC_SDN", "source_ref": "27307", "added_at": "2022-04-14T00:00:00Z",
				"match":          "exact",
				"listed_address": lazarus, "name": "LAZARUS GROUP", "entity_listed_at": "2019-09-13T00:00:00Z", "not_listed_on": "2022-04-01T00:00:00Z"}}},
				[]string{"#address", title, ".line-of", ".subject", ".next", fresh + " summary", ".label p", ".label dl div:nth-child(1)", ".label dl div:nth-child(2)",
					".label dl div:nth-child(3)", ".label dl div:nth-child(4)"}},
			{"formerly listed", clean, object{"formerly": []object{{"source": "OFAC_SDN", "source_ref": "39796", "name": "TORNADO CASH",
				"since": "2022-11-08T00:00:00Z", "until": "2025-03-21T00:00:00Z"}}},
				[]string{"#address", title, ".line-of", ".subject", notes, notes + " li", ".next", fresh}},
			{"in doubt", clean, object{"doubts": []string{"capitals", "unscreenable"}},
				[]string{"#address", title, ".line-of", ".subject", ".next", fresh}},
			{"listed", lazarus, nil, []string{"#address", title, ".line-of", ".subject", ".next", fresh + " summary", ".label p", ".label a",
				".label dl div:nth-child(2)", ".label dl div:nth-child(3)"}},
			{"mixer", mixer, nil, []string{"#address", title, ".line-of", ".subject", ".next", fresh + " summary", ".label p", ".label dl div:nth-child(2)",
				"#result .actions", "#result .actions button:last-child"}},
			{"as of a day", lazarus, nil, []string{"#address", "#at", "#result .asof", title, ".line-of", ".subject", ".next", fresh + " summary", ".label p",
				".label a"}},
			{"not clear", clean, nil, []string{"#address", title, ".line-of", ".subject", ".next", fresh, "#result .actions"}},
		} {
			a := newAPI(t, prefix)
			a.set(func() {
				for _, l := range a.lists {
					l["last_updated"] = stamp(61 * time.Hour)
				}
				a.held[normal(c.address)] = c.held
			})
			b := openWith(t, a)
			if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(size[0], size[1])); err != nil {
				t.Fatal(err)
			}
			if c.name == "as of a day" {
				screenAt(c.address, "2026-03-01")(t, b)
			} else {
				screenOne(c.address)(t, b)
			}
			b.wait(t, inState("verdict"))
			name := fmt.Sprintf("first-screen-%s-%d", strings.ReplaceAll(c.name, " ", "-"), size[0])
			last := 0.0
			for _, selector := range c.see {
				at := eval[[2]float64](
					t,
					b,
					`(() => { const r = document.querySelector(`+quote(selector)+`).getBoundingClientRect(); return [r.top, r.bottom]; })()`,
				)
				if at[0] < last-8 || at[1] > float64(size[1]) {
					t.Errorf("%s: %s is from %.0f to %.0f, want it below %.0f and above %d", name, selector, at[0], at[1], last, size[1])
				}
				last = at[0]
			}
			if top := eval[float64](t, b, `document.querySelector("`+title+`").getBoundingClientRect().top`); (c.name == "listed" || c.name == "dates") &&
				top > 260 {
				t.Errorf("%s: the verdict is at %.0f", name, top)
			}
			b.quiet(t)
		}
	}
}

// TestNarrow checks on the smallest phone that each bar of controls is one line, and that
// nothing in them is cut off.
func TestNarrow(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() { a.lists[0]["last_updated"] = stamp(61 * time.Hour) })
	b := openWith(t, a)
	b.look(t, view{"light", 320})
	screenAt(lazarus, "2026-03-01")(t, b)
	b.wait(t, inState("verdict"))
	for _, bar := range [][]string{{".brand img", "#to-lists", "#key-button"}, {"#chain", "#submit", "#file-label"}, {"#at", "#now"}} {
		first := eval[float64](t, b, `(r => r.top + r.height / 2)(document.querySelector(`+quote(bar[0])+`).getBoundingClientRect())`)
		for _, selector := range bar {
			if at := eval[float64](t, b, `(r => r.top + r.height / 2)(document.querySelector(`+quote(selector)+`).getBoundingClientRect())`); at < first-4 ||
				at > first+4 {
				t.Errorf("%s is at %.0f, and %s at %.0f", bar[0], first, selector, at)
			}
			if cut := eval[int](t, b, `(e => e.scrollWidth - e.clientWidth)(document.querySelector(`+quote(selector)+`))`); cut > 1 {
				t.Errorf("%s is cut off by %d pixels", selector, cut)
			}
		}
	}
	b.do(t, `document.querySelectorAll("#result details").forEach(e => e.open = true)`)
	b.fits(t, view{"light", 320})
	if words := eval[[]string](t, b, `[...document.querySelectorAll("#result table :is(thead th:last-child, td:last-child)")].filter(e => {
		const r = document.createRange();
		r.selectNodeContents(e);
		return r.getClientRects().length > e.textContent.split(" ").length;
	}).map(e => e.textContent)`); len(words) > 0 {
		t.Errorf("words are broken: %q", words)
	}
}

// TestDoubts checks that the page has words for each doubt.
func TestDoubts(t *testing.T) {
	b := openWith(t, newAPI(t, prefix))
	doubts, err := os.ReadFile("../../address/interpret.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Doubt = "(\w+)"`).FindAllStringSubmatch(string(doubts), -1) {
		if got := eval[string](t, b, `import("./page/words.js").then(m => m.doubt("`+m[1]+`"))`); got == m[1]+"." {
			t.Errorf("the page has no words for the doubt %s", m[1])
		}
	}
}

// TestProgramsTable gives a messy table, and a pasted list, to the page of the program. The page saves what
// screen -in writes, cell for cell, and the receipt of the list verifies.
func TestProgramsTable(t *testing.T) {
	file, _ := vectors.Messy(longtest.N(500, 5000))
	dir := t.TempDir()
	in, out := filepath.Join(dir, "messy.csv"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(in, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := run(t, "screen", "-in", in, "-out", out); code != 2 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	b := open(t, serveProgram(t, dir), view{"light", 1280})
	b.wait(t, inState("empty"))
	b.do(t, catch)
	b.choose(t, "messy.csv", file)
	b.wait(t, inState("review"))
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	want, got := records(t, out, ';'), b.download(t, ';')
	if len(want) != len(got) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("record %d is\n%q, want\n%q", i, got[i], want[i])
		}
	}

	enter(t, b, strings.Join([]string{"not an address", lazarus, clean, secret}, "\n"))
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	got = b.download(t, ',')
	b.do(t, `URL.createObjectURL = blob => { saved.push(blob.arrayBuffer().then(b => btoa(String.fromCharCode(...new Uint8Array(b))))); return "blob:kept"; }`)
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Table with receipt").click()`)
	b.wait(t, has("#result .actions", "List, table and receipt saved"))
	var files []string
	for i, name := range []string{"list.csv", "screened.csv", "receipt.txt"} {
		files = append(files, filepath.Join(dir, name))
		text, err := base64.StdEncoding.DecodeString(eval[string](t, b, fmt.Sprintf(`saved.at(%d)`, i-3)))
		if err == nil {
			err = os.WriteFile(files[i], text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := records(t, files[1], ','); len(want) != 5 || len(got) != 5 || !slices.Equal(got[2], want[2]) || !slices.Equal(got[3], want[3]) || want[2][1] != "CRITICAL" {
		t.Errorf("the table with a receipt is %q, and without %q", want, got)
	}
	if list := records(t, files[0], ','); len(list) != 5 || list[4][0] != "(withheld: a private key)" {
		t.Errorf("the list is %q", list)
	}
	if code, said := run(t, "receipt", "verify", files[2], "-data", filepath.Join(dir, "data"), "-in", files[0], "-out", files[1]); code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}

	enter(t, b, "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?bc=12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h") // pays two
	b.wait(t, inState("verdict")+` && `+has(".label", "The list names this very address."))
	b.quiet(t)
}

// records returns the records of a file in CSV.
func records(t *testing.T, file string, comma rune) [][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.Comma = comma
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
