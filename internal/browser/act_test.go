package browser_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/walletscreen/walletscreen/internal/vectors"
)

// catch makes the page record its downloads, clipboard writes and prints for the test.
const catch = `
	window.saved = []; window.printed = 0; window.print = () => { window.printed++; };
	URL.createObjectURL = blob => { window.saved.push(blob.text()); return "blob:kept"; };
	HTMLAnchorElement.prototype.click = function() { window.savedAs = this.download; }`

// openWith opens the page with the good key.
func openWith(t *testing.T, a *api) *tab {
	t.Helper()
	b := open(t, a.URL+"#key="+goodKey, view{"light", 1280})
	b.wait(t, inState("empty")+` && document.getElementById("health").textContent !== "Lists"`)
	b.do(t, catch)
	return b
}

// TestKeyboard uses the whole page by keyboard: the key, one address, its evidence, the
// record, then many addresses, a filter, one row, and back.
func TestKeyboard(t *testing.T) {
	a := newAPI(t, prefix)
	b := open(t, a.URL, view{"light", 1280})
	b.wait(t, inState("nokey"))
	b.do(t, catch)
	b.wait(t, `document.activeElement.id === "key-input"`)
	b.press(t, goodKey, kb.Enter)
	b.wait(t, inState("empty")+` && document.activeElement.id === "address"`)
	b.press(t, lazarus)
	b.wait(t, has("#hint", "Valid on Ethereum"))
	b.press(t, kb.Enter)
	b.wait(t, inState("verdict")+` && document.activeElement.matches("#result h2")`)
	b.tabTo(t, "#result summary")
	b.press(t, kb.Enter)
	b.wait(t, `document.querySelector("#result details").open`)
	b.tabTo(t, "#result .label a")
	if !eval[bool](t, b, `getComputedStyle(document.activeElement).outlineStyle === "solid"`) {
		t.Error("the focus on a link is not visible")
	}
	b.tabTo(t, "#result .actions button")
	b.press(t, kb.Enter)
	b.wait(t, `printed === 1`)

	b.do(t, `document.getElementById("address").focus(); document.getElementById("address").select()`)
	b.press(t, clean)
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(8))); err != nil { // with Shift
		t.Fatal(err)
	}
	b.press(t, mixer)
	b.tabTo(t, "#chain")
	b.tabTo(t, "#submit")
	b.press(t, " ")
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	b.tabTo(t, ".tally [data-filter=MEDIUM]")
	b.press(t, " ")
	b.wait(
		t,
		`document.querySelectorAll(".rows tbody tr").length === 1 && document.activeElement.dataset.filter === "MEDIUM" && `+
			`document.activeElement.ariaPressed === "true"`,
	)
	b.tabTo(t, ".rows tbody button")
	if name := eval[string](t, b, `document.activeElement.ariaLabel`); name != "Row 2: MEDIUM. Show the verdict" {
		t.Errorf("the button of the row is named %q", name)
	}
	b.press(t, kb.Enter)
	b.wait(t, `document.getElementById("detail").open && document.activeElement.textContent === "Mixer: Tornado Cash router (Community bad list)"`)
	b.press(t, kb.Escape)
	b.wait(t, `!document.getElementById("detail").open && document.activeElement.dataset.row === "2"`)
	b.quiet(t)
}

// TestKey checks that a key in the fragment leaves the address bar and the history,
// and appears nowhere but in the Authorization header.
func TestKey(t *testing.T) {
	a := newAPI(t, prefix)
	for _, fragment := range []string{goodKey, strings.ReplaceAll(goodKey, "_", "%5F")} {
		b := open(t, a.URL+"#key="+fragment, view{"light", 1280})
		b.wait(t, inState("empty")+` && document.getElementById("health").textContent.includes("current")`)
		enter(t, b, lazarus)
		b.wait(t, inState("verdict"))
		if url := eval[string](t, b, `location.href`); url != a.URL+"#ethereum/"+lazarus {
			t.Errorf("the address bar shows %s, want the verdict and no key", url)
		}
		history, err := chromedp.Call(b.ctx, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range history.Entries {
			if strings.Contains(e.URL, "wsk") {
				t.Errorf("the history has %s", e.URL)
			}
		}
		b.mu.Lock()
		for _, url := range b.requests[1:] {
			if strings.Contains(url, "wsk") {
				t.Errorf("a request has the key in its URL: %s", url)
			}
		}
		b.mu.Unlock()
		if eval[bool](
			t,
			b,
			`(document.documentElement.outerHTML + document.getElementById("key-input").value + JSON.stringify({...localStorage, ...sessionStorage}) + `+
				`document.cookie + document.referrer + JSON.stringify(history.state)).includes("wsk_")`,
		) {
			t.Error("the key is in the document, a storage, a cookie, the referrer or the history's state")
		}
		b.quiet(t)
	}

	// A key that arrives later, in the fragment of the open page.
	b := open(t, a.URL, view{"light", 1280})
	b.wait(t, inState("nokey"))
	b.do(t, `location.hash = "key=`+goodKey+`"`)
	b.wait(t, inState("empty")+` && location.hash === "" && document.getElementById("key").hidden`)
	b.quiet(t)
}

// TestNewKey uses up a key, enters another one, and checks that the page repeats the
// request.
func TestNewKey(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() { failing(401, "invalid_token", "", "")(a) })
	b := openWith(t, a)
	screenOne(lazarus)(t, b)
	b.wait(t, inState("key"))
	a.set(func() { a.fail = nil })
	b.press(t, goodKey, kb.Enter)
	b.wait(t, inState("verdict")+` && `+has(title, "Sanctioned"))
}

// customers returns a CSV file of n customers with an address each, every hundredth one
// invalid, and the number of rows of each level.
func customers(n int) (string, map[string]int) {
	var b strings.Builder
	b.WriteString("id;name;wallet;network\r\n")
	want := map[string]int{}
	broken := []string{"", "0x123", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T", secret, "=HYPERLINK(\"x\")", strings.Repeat("x", 5000), "naïve ✓"}
	for i := range n {
		wallet, network, level := fmt.Sprintf("0x%040x", i+1), "ethereum", "CLEAN_NO_MATCH"
		switch {
		case i%100 == 50:
			wallet, network, level = broken[i/100%len(broken)], "", "UNDECIDED"
		case i%1000 == 7:
			wallet, level = `="`+lazarus+`"`, "CRITICAL" // as spreadsheet programs write text
		case i%1000 == 8:
			wallet, network, level = theft, "", "HIGH"
		case i%1000 == 9:
			wallet, network = clean, "TRX"
		}
		want[level]++
		fmt.Fprintf(&b, "%d;\"Customer \"\"%d\"\";\nsecond line\";%s;%s\r\n", i, i, quoteCSV(wallet), network)
	}
	return b.String(), want
}

func quoteCSV(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// choose passes a file to the page, like the file dialog of the operating system.
func (b *tab) choose(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := chromedp.Call(b.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.getElementById("file")`})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, ObjectID: found.Result.ObjectID}); err != nil {
		t.Fatal(err)
	}
}

// download presses the named button and returns the downloaded table.
func (b *tab) download(t *testing.T, comma rune) [][]string {
	t.Helper()
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Download as CSV").click()`)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(eval[string](t, b, `saved.at(-1)`), "\ufeff")))
	r.Comma = comma
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestFile screens a file of 10,000 rows, one in a hundred invalid, on a server that stops
// answering. It cancels, resumes, filters, and downloads the results, and checks that the download
// has one row for each row of the file.
func TestFile(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() { a.batches, a.quota = 10, 20000 })
	b := openWith(t, a)
	const n = 10000
	text, want := customers(n)
	b.choose(t, "customers.csv", text)
	b.wait(t, inState("review"))
	if got := eval[string](t, b, `document.querySelector(".review").innerText`); !strings.Contains(
		got,
		"10,000 rows, 4 columns, separated by semicolons, with a header",
	) {
		t.Errorf("the page says of the file: %s", got)
	}
	columns := `["address-column", "chain-column"].map(id => document.getElementById(id).selectedOptions[0].text).join()`
	if got := eval[string](t, b, columns); got != "wallet,network" {
		t.Errorf("the page reads the columns %s", got)
	}
	b.accessible(t, "review")
	b.shoot(t, "review-1280-light")
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector("progress")?.value > 1000`)
	b.accessible(t, "running")
	b.shoot(t, "running-1280-light")
	if got := eval[string](t, b, `document.querySelector(".progress label").textContent + document.querySelector("`+title+`").textContent`); !strings.Contains(
		got,
		"of 10,000 rows",
	) ||
		!strings.Contains(got, "Screening …") {
		t.Errorf("while it runs: %s", got)
	}
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Cancel").click()`)
	b.wait(t, `document.querySelector(".many").dataset.state === "stopped"`)
	if !eval[bool](t, b, `Boolean(`+has(".line-of", "were not screened: not clean.")+`)`) {
		t.Error("after Cancel, the page does not say that rows were not screened")
	}
	if records := b.download(t, ';'); len(records) != n+1 || records[n][19] != "not screened" || records[1][4] != "CLEAN_NO_MATCH" {
		t.Errorf("after Cancel: %d records, the last is %q", len(records), records[len(records)-1])
	}
	a.set(func() { a.batches = 0 })
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Screen the remaining rows").click()`)
	b.wait(t, `document.querySelector(".many").dataset.state === "done"`)
	for level, name := range map[string]string{"CRITICAL": "CRITICAL", "HIGH": "HIGH", "CLEAN_NO_MATCH": "CLEAN_NO_MATCH", "UNDECIDED": "UNDECIDED"} {
		if got := eval[string](t, b, `document.querySelector(".tally [data-filter=`+name+`] b").textContent`); strings.ReplaceAll(
			got,
			",",
			"",
		) != strconv.Itoa(
			want[level],
		) {
			t.Errorf("%s rows at level %q, want %d", got, level, want[level])
		}
	}
	if !eval[bool](
		t,
		b,
		`Boolean(`+has(".line-of", "100 rows are undecided: not clean.")+` && `+has(title, "20 matches in 10,000 rows")+`)`,
	) {
		t.Errorf("the summary: %s", eval[string](t, b, `document.querySelector(".summary").innerText`))
	}
	b.accessible(t, "rows")
	b.shoot(t, "rows-1280-light")

	in := csv.NewReader(strings.NewReader(text))
	in.Comma = ';'
	input, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	records := b.download(t, ';')
	if len(records) != len(input) {
		t.Fatalf("%d records, want %d", len(records), len(input))
	}
	if got, want := strings.Join(records[0], ","), "id,name,wallet,network,level,doubt,score,match,source,source_ref,walletscreen_name,listed_address,added_at,"+
		"not_listed_on,entity_listed_at,labels,lists,formerly,suppressed,error"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	got := map[string]int{}
	for i, r := range records[1:] {
		given := input[i+1]
		if given[2] == secret {
			given[2] = "(withheld: a private key)"
		}
		if !slices.Equal(r[:4], given) {
			t.Fatalf("row %d begins %q, want %q", i+1, r[:4], given)
		}
		got[cmp.Or(r[4], "UNDECIDED")]++
		if (r[4] == "") != (r[19] != "") {
			t.Errorf("row %d has the level %q and the error %q", i+1, r[4], r[19])
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	if r := records[8]; r[4] != "CRITICAL" || r[6] != "100" || r[7] != "exact" || r[8] != "OFAC_SDN" || r[9] != "27307" || r[10] != "LAZARUS GROUP" ||
		r[11] != lazarus || r[12] != "2022-04-14" || r[15] != "2" || r[16] != "OFAC_SDN COMMUNITY_BADLIST" {
		t.Errorf("row 8: %q", r)
	}
	if r := records[10]; r[4] != "CLEAN_NO_MATCH" || r[15] != "0" {
		t.Errorf("row 10, whose chain is a ticker: %q", r)
	}
	if name := eval[string](t, b, `savedAs`); name != "customers-screened.csv" {
		t.Errorf("saved as %s", name)
	}
	a.set(func() {
		if slices.Contains(a.asked, secret) || len(a.asked) > n {
			t.Errorf("%d addresses were screened", len(a.asked))
		}
	})
	b.quiet(t)
}

// TestQuotaEnds uses up the quota in the middle of a list. The page marks the rest as
// not screened and continues with another key.
func TestQuotaEnds(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() { a.quota = 300 })
	b := openWith(t, a)
	text, _ := customers(600)
	b.choose(t, "c.csv", text)
	b.wait(t, inState("review"))
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "stopped"`)
	if !eval[bool](t, b, `Boolean(`+has(notes, "The quota of this key is used up")+` && `+has(notes, "The quota renews on")+`)`) {
		t.Errorf("the summary: %s", eval[string](t, b, `document.querySelector(".summary").innerText`))
	}
	b.accessible(t, "quota ended")
	b.shoot(t, "quota-ended-1280-light")
	a.set(func() { a.quota = -1 })
	b.do(t, `[...document.querySelectorAll("#result button")].find(b => b.textContent === "Screen the remaining rows").click()`)
	b.wait(t, `document.querySelector(".many").dataset.state === "done"`)
	a.set(func() {
		seen := map[string]bool{}
		for _, x := range a.asked {
			if seen[x] {
				t.Errorf("%s was asked twice", x)
			}
			seen[x] = true
		}
	})
}

// TestKeyExpires lets the key expire in the middle of a list. The page keeps the
// results and continues with the next key that is entered.
func TestKeyExpires(t *testing.T) {
	a := newAPI(t, prefix)
	batches := 0
	a.set(func() {
		a.fail = func(path string) *bad {
			if path == "screen/batch" {
				batches++
			}
			if batches == 2 {
				return &bad{401, "invalid_token", "", ""}
			}
			return nil
		}
	})
	b := openWith(t, a)
	text, want := customers(700)
	b.choose(t, "c.csv", text)
	b.wait(t, inState("review"))
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "stopped" && document.activeElement.id === "key-input"`)
	if !eval[bool](t, b, `Boolean(`+has(notes, "The key is not accepted")+`)`) {
		t.Errorf("the summary: %s", eval[string](t, b, `document.querySelector(".summary").innerText`))
	}
	a.set(func() { a.fail = nil })
	b.press(t, goodKey, kb.Enter)
	b.wait(t, `document.querySelector(".many").dataset.state === "done"`)
	if got := eval[string](t, b, `document.querySelector(".tally [data-filter=CLEAN_NO_MATCH] b").textContent`); got != strconv.Itoa(want["CLEAN_NO_MATCH"]) {
		t.Errorf("%s rows without a match, want %d", got, want["CLEAN_NO_MATCH"])
	}
	b.quiet(t)
}

// TestBusy answers the first batches with 429 and 503, and checks that the page
// retries.
func TestBusy(t *testing.T) {
	a := newAPI(t, prefix)
	refusals := []bad{{429, "rate_limited", "Too many requests.", "1"}, {503, "overloaded", "Too many at once.", "1"}}
	a.set(func() {
		a.fail = func(path string) *bad {
			if path != "screen/batch" || len(refusals) == 0 {
				return nil
			}
			p := refusals[0]
			refusals = refusals[1:]
			return &p
		}
	})
	b := openWith(t, a)
	b.do(
		t,
		`progress = ""; new MutationObserver(() => progress += document.querySelector(".progress")?.innerText ?? "").observe(document.body, {subtree: true, `+
			`childList: true, characterData: true})`,
	)
	enter(t, b, lazarus+"\n"+clean)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	if said := eval[string](t, b, `progress`); !strings.Contains(said, "The server asks to wait 1 second.") {
		t.Errorf("while the page waited, it said: %.800s", said)
	}
	b.wait(t, has(title, "1 match in 2 rows"))
}

// TestFilesRefused drops files that the page cannot read completely. It screens no byte of them,
// and says what to do. The picker and the drop area say what the page reads.
func TestFilesRefused(t *testing.T) {
	a := newAPI(t, prefix)
	b := openWith(t, a)
	rest := strings.Repeat(clean+"\n", 2000)
	const csv, program = "save it as CSV", "walletscreen screen -in FILE"
	for name, c := range map[string]struct{ text, want, todo string }{
		"empty.csv":     {"", "has no rows", ""},
		"quote.csv":     {"address\n" + clean + "\n\"" + lazarus + "\n" + mixer + "\n", "The quote in line 3 is never closed", ""},
		"header.csv":    {"address,chain\n", "has no rows", ""},
		"long.csv":      {strings.Repeat("x\n", 200001), "has 200,001 rows", program},
		"large.csv":     {strings.Repeat("x", 33<<20), "larger than 32 MiB", program},
		"book.xlsx":     {workbook(t, "xl/workbook.xml", rest), "This is a workbook (XLSX)", csv},
		"book.csv":      {workbook(t, "xl/workbook.xml", rest), "This is a workbook (XLSX)", program},
		"letter.docx":   {workbook(t, "word/document.xml", rest), "a document or a zip archive", "Save it as CSV or text"},
		"old.xls":       {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + rest, "of an old kind (XLS", csv},
		"packed.csv.gz": {"\x1f\x8b\x08" + rest, "compressed (gzip)", "Unpack it"},
		"paper.pdf":     {"%PDF-1.7\n" + rest, "a PDF document", "Copy the addresses"},
		"page.csv":      {"\ufeff<html><table><tr><td>" + clean, "a web page or XML", "Copy the addresses"},
		"rows.csv":      {`{"address": "` + clean + `"}`, "This is JSON", program},
		"zero.csv":      {"address\n" + clean + "\n\x00\n", "not text: line 3", csv},
		"utf16.csv":     {"a\x00d\x00d\x00r\x00\n\x00", "not text: line 1", "save it as UTF-8"},
		"picture.csv":   {"address\n" + clean + "\n\xff\xd8\xff\xe0\x10JFIF\x01\n", "not text: line 3", csv},
	} {
		b.choose(t, name, c.text)
		b.wait(t, inState("error")+` && `+has(title, name)+` && `+has("#result", c.want)+` && `+
			has("#result", "Nothing was screened.")+` && document.getElementById("result").textContent.toLowerCase().includes(`+quote(strings.ToLower(c.todo))+`)`)
	}
	b.choose(t, "last.xlsx", workbook(t, "xl/workbook.xml", rest))
	b.wait(t, inState("error")+` && `+has(title, "last.xlsx"))
	b.accessible(t, "a refused file")
	const reads = "CSV, TSV or text, up to 32 MiB"
	for what, script := range map[string]string{
		"the picker":     `document.getElementById("file").ariaLabel`,
		"the drop area":  `document.getElementById("drop").textContent`,
		"a refusal":      `document.getElementById("result").textContent`,
		"the first page": `(await import("./page/files.js")).reads`,
	} {
		if got := eval[string](t, b, `(async () => `+script+`)()`); !strings.Contains(got, reads) {
			t.Errorf("%s says %q, want %q", what, got, reads)
		}
	}
	a.set(func() {
		if len(a.asked) > 0 {
			t.Errorf("%d texts of refused files were screened", len(a.asked))
		}
	})
	b.quiet(t)
}

// workbook returns a zip archive with a part of this name, as spreadsheet programs write them.
func workbook(t *testing.T, part, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"[Content_Types].xml", "_rels/.rels", part} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestChainOfTable asks about one address on a chain, and then about a table: the chain that was
// chosen for the one is not the chain of the other.
func TestChainOfTable(t *testing.T) {
	a := newAPI(t, prefix)
	b := openWith(t, a)
	choose := func(on string) {
		b.do(t, `{ const c = document.getElementById("chain"); c.value = `+quote(on)+`; c.dispatchEvent(new Event("change")); }`)
	}
	table := "address,chain\n" + theft + ",\n" + lazarus + ",ethereum\n"
	done := `document.querySelector(".many")?.dataset.state === "done"`
	choose("ethereum")
	screenOne(lazarus)(t, b)
	b.choose(t, "c.csv", table)
	b.wait(t, inState("review")+` && document.getElementById("address").value === "" && document.getElementById("chain").value === ""`)
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, done+` && `+has(title, "2 matches in 2 rows"))

	// In a pasted table, too, the column decides.
	choose("ethereum")
	enter(t, b, table)
	b.wait(t, done+` && `+has(title, "2 matches in 2 rows")+` && document.getElementById("chain").value === ""`)

	// A person can name the chain of a table's rows.
	b.choose(t, "c.csv", "address\n"+lazarus+"\n"+theft+"\n")
	b.wait(t, inState("review"))
	b.do(t, `document.getElementById("other-chain").value = "ethereum"; document.querySelector(".review").requestSubmit()`)
	b.wait(t, done+` && `+has(title, "1 match in 2 rows"))
	b.quiet(t)
}

// TestClock opens the page on a computer whose clock is 400 days behind the server's: ages and
// days are the server's.
func TestClock(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() { a.lists[1]["last_updated"] = stamp(72 * time.Hour) })
	b := open(t, a.URL, view{"light", 1280})
	const behind = `{ const D = Date, off = -400 * 86400e3;
		window.Date = class extends D { constructor(...a) { a.length ? super(...a) : super(D.now() + off); } static now() { return D.now() + off; } }; }`
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: behind}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate(a.URL+"#key="+goodKey)); err != nil {
		t.Fatal(err)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	b.wait(t, inState("empty")+` && `+has("#lists", "Checked 3 days ago")+` && `+has("#lists", "Checked 40 minutes ago")+` && document.getElementById("at").max >= `+quote(today))
	screenAt(clean, today)(t, b) // is not a day to come
	b.wait(t, inState("verdict"))
	b.quiet(t)
}

// TestTables compares the reader and writer of tables with encoding/csv, and checks
// what they detect about a file.
func TestTables(t *testing.T) {
	b := openWith(t, newAPI(t, prefix))
	for _, c := range []struct{ text, want string }{
		{"address\n" + clean, `{"delimiter":",","records":[["address"],["` + clean + `"]],"width":1,"header":true,"names":["address"],"addresses":0,"chains":-1}`},
		{clean + "\n" + mixer + "\n", `{"delimiter":",","records":[["` + clean + `"],["` + mixer +
			`"]],"width":1,"header":false,"names":["Column 1"],"addresses":0,"chains":-1}`},
		{"\ufeffid\tChain\tWallet Address\r\n1\ttron\t" + clean + "\r\n\r\n2\t\n", `{"delimiter":",","records":[]}`},
		{"=\"Address\",c\n=\"" + clean + "\",'tron\n\"=\"\"" + mixer + "\"\"\",x\n",
			`{"delimiter":",","records":[["=\"Address\"","c"],["=\"` + clean + `\"","'tron"],["=\"` + mixer +
				`\"","x"]],"width":2,"header":true,"names":["Address","c"],"addresses":0,"chains":-1}`},
		{"a|b\n\"x|\"\"y\"\"\"|" + clean + "\n", `{"delimiter":"|","records":[["a","b"],["x|\"y\"","` + clean +
			`"]],"width":2,"header":true,"names":["a","b"],"addresses":1,"chains":-1}`},
		{"Customers of March, 2026\n\nID;Wallet;Netzwerk\n1;" + clean + ";ERC-20\n2;" + mixer + ";ETH\n",
			`{"delimiter":";","records":[["ID","Wallet","Netzwerk"],["1","` + clean + `","ERC-20"],["2","` + mixer +
				`","ETH"]],"width":3,"header":true,"names":["ID","Wallet","Netzwerk"],"addresses":1,"chains":2,"skipped":2}`},
		{clean + "\naddress\n" + mixer + "\n", `{"delimiter":",","records":[["` + clean + `"],["address"],["` + mixer +
			`"]],"width":1,"header":false,"names":["Column 1"],"addresses":0,"chains":-1}`},
	} {
		got := eval[string](t, b, `import("./page/csv.js").then(m => JSON.stringify(m.parse(`+quote(c.text)+`)))`)
		if strings.Contains(c.want, `[]`) {
			if !strings.Contains(got, `"records":[["id","Chain","Wallet Address"],["1","tron","`+clean+`"],[""],["2",""]],"width":3,"header":true`) ||
				!strings.Contains(got, `"addresses":2,"chains":1`) {
				t.Errorf("%q: %s", c.text, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	messy, rows := vectors.Messy(200)
	if got, want := eval[string](t, b, `import("./page/csv.js").then(m => { const {delimiter, records, addresses, chains, skipped} = m.parse(`+quote(messy)+
		`); return [delimiter, records.length - 1, addresses, chains, skipped].join(" ") })`),
		fmt.Sprintf("; %d 1 2 2", len(rows)); got != want {
		t.Errorf("of a messy file the page reads %q, want %q", got, want)
	}
	records := [][]string{{"a", "b\nc", `d"e`}, {"", " f ", "g,h"}, {"é✓", "=1+1", "\t"}}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.WriteAll(records)
	if got := eval[[][]string](t, b, `import("./page/csv.js").then(m => m.split(`+quote(text.String())+`, ","))`); fmt.Sprint(got) != fmt.Sprint(records) {
		t.Errorf("split: %q", got)
	}
	again := eval[string](t, b, `import("./page/csv.js").then(m => m.write(m.split(`+quote(text.String())+`, ","), ","))`)
	got, err := csv.NewReader(strings.NewReader(again)).ReadAll()
	if err != nil || fmt.Sprint(got) != fmt.Sprint(records) {
		t.Errorf("write: %q, %v", again, err)
	}
	for in, want := range map[string]string{
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "x": "x", "": "", " =1": "' =1", "\u00a0@x": "'\u00a0@x", "＝1": "'＝1", "x=1": "x=1",
	} {
		if got := eval[string](t, b, `import("./page/csv.js").then(m => m.inert(`+quote(in)+`))`); got != want {
			t.Errorf("inert(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{`="0x1"`: "0x1", ` '0x1 `: "0x1", `="a"b"`: `="a"b"`, `=A1`: "=A1", `=""`: "", " x": "x"} {
		if got := eval[string](t, b, `import("./page/csv.js").then(m => m.plain(`+quote(in)+`))`); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	// Files of other encodings.
	for name, bytes := range map[string]string{"utf-8": "[0xc3, 0xa9]", "windows-1252": "[0xe9]", "utf-16le": "[0xff, 0xfe, 0xe9, 0]",
		"utf-16be": "[0xfe, 0xff, 0, 0xe9]"} {
		if got := eval[string](t, b, `import("./page/files.js").then(m => m.decode(new Uint8Array(`+bytes+`)).replace("\ufeff", ""))`); got != "é" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestDrop drops a file on the page.
func TestDrop(t *testing.T) {
	b := openWith(t, newAPI(t, prefix))
	b.do(t, `const data = new DataTransfer(); data.items.add(new File(["address,chain\n`+clean+`,tron\n"], "dropped.csv"));
		document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer: data, bubbles: true, cancelable: true}));
		if (!document.body.classList.contains("dropping")) throw "the page does not show that it takes the file";
		document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}))`)
	b.wait(t, inState("review")+` && `+has(title, "dropped.csv")+` && `+has(".review", "1 row, 2 columns"))
	b.do(t, `const two = new DataTransfer(); for (const name of ["a.csv", "b.csv"]) two.items.add(new File(["address\n`+clean+`\n"], name));
		document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer: two, bubbles: true, cancelable: true}));
		if (!document.getElementById("drop").checkVisibility()) throw "the page does not say what it takes";
		document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: two, bubbles: true, cancelable: true}))`)
	b.wait(t, inState("error")+` && `+has(title, "2 files")+` && `+has("#result", "one file at a time"))
	b.quiet(t)
}

// onePage matches each page of a PDF document.
var onePage = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

// print prints the page and returns how many pages the document has.
func (b *tab) print(t *testing.T, name string) int {
	t.Helper()
	yes, most := true, 0
	for _, paper := range []struct {
		name          string
		width, height float64 // in inches
	}{{"A4", 8.27, 11.69}, {"Letter", 8.5, 11}} {
		pdf, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: paper.width, PaperHeight: paper.height, PreferCSSPageSize: &yes, PrintBackground: &yes})
		if err != nil {
			t.Fatal(err)
		}
		save(t, name+"-"+paper.name+".pdf", pdf.Data)
		if box := regexp.MustCompile(`/MediaBox \[0 0 ([.\d]+) ([.\d]+)\]`).FindSubmatch(pdf.Data); box == nil || !strings.HasPrefix(string(box[1]), fmt.Sprint(paper.width * 72)[:2]) ||
			!strings.HasPrefix(string(box[2]), fmt.Sprint(paper.height * 72)[:2]) {
			t.Errorf("%s: the paper is not %s: %q", name, paper.name, box)
		}
		most = max(most, len(onePage.FindAll(pdf.Data, -1)))
	}
	return most
}

// TestPrint prints the largest records, in dark mode, and checks that each fits on one
// page and has the required content.
func TestPrint(t *testing.T) {
	a := newAPI(t, prefix)
	a.set(func() {
		many := []object{}
		for i := range 40 {
			many = append(
				many,
				object{
					"label":      "SANCTIONED",
					"source":     "OFAC_SDN",
					"source_ref": strings.Repeat("ref", 20) + fmt.Sprint(i),
					"added_at":   "2022-04-14T00:00:00Z",
					"match":      "key",
					"listed_address": strings.Repeat(
						"L",
						110,
					),
					"name": strings.Repeat("A Very Long Name ", 20),
					"url":  "https://example.org/" + strings.Repeat("path/", 60),
				},
			)
		}
		a.held[theft] = object{"labels": many}
		for i := range 20 {
			l := object{}
			for k, v := range a.lists[0] {
				l[k] = v
			}
			l["id"], l["name"], l["last_updated"] = fmt.Sprintf(
				"LIST_%d",
				i,
			), fmt.Sprintf(
				"A list of another issuer with a long name, number %d",
				i,
			), stamp(
				time.Duration(i*24)*time.Hour+time.Minute,
			)
			a.lists = append(a.lists, l)
		}
	})
	b := openWith(t, a)
	screenOne(theft)(t, b)
	b.look(t, view{"dark", 1280})
	if n := b.print(t, "record-one"); n != 1 {
		t.Errorf("the record of one address has %d pages", n)
	}
	said := eval[string](t, b, `document.getElementById("record").textContent`)
	for _, want := range []string{"Screening record", theft, "Bitcoin", "Lists: 18 of 24 lists are not current",
		"Snapshot5f0c1d2e3b4a59687766554433221100ffeeddccbbaa99887766554433221100", "Scoringv1.1", "UTC", "days before",
		"not legal, compliance or investment advice", "and 37 matches more", "and 10 lists more"} {
		if !strings.Contains(said, want) {
			t.Errorf("the record does not say %q: %s", want, said)
		}
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}); err != nil {
		t.Fatal(err)
	}
	for what, script := range map[string]string{
		"form hidden": `getComputedStyle(document.querySelector("main")).display === "none"`,
		"white paper": `getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"`,
		"black ink":   `getComputedStyle(document.querySelector("#record .title")).color === "rgb(0, 0, 0)"`,
	} {
		if !eval[bool](t, b, script) {
			t.Errorf("on paper: not %s", what)
		}
	}
	text, _ := customers(2000)
	b.choose(t, "customers.csv", text)
	b.wait(t, inState("review"))
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done" && document.getElementById("record").textContent.includes("customers.csv")`)
	if n := b.print(t, "record-many"); n != 1 {
		t.Errorf("the record of a file has %d pages", n)
	}
	b.quiet(t)
}

// TestMounts opens the page at the root and below a prefix, and checks that it requests
// nothing from other servers.
func TestMounts(t *testing.T) {
	for _, prefix := range []string{"", "/a/b"} {
		a := newAPI(t, prefix)
		b := openWith(t, a)
		screenOne(lazarus)(t, b)
		b.wait(t, inState("verdict"))
		b.mu.Lock()
		for _, url := range b.requests {
			if !strings.HasPrefix(url, a.URL) && !strings.HasPrefix(url, "data:image/svg+xml;") { // the calendar that Chromium draws in a field for a day
				t.Errorf("a request to %s", url)
			}
		}
		if len(b.requests) < 15 {
			t.Errorf("only %d requests were seen", len(b.requests))
		}
		b.mu.Unlock()
		// The time depends on the load of the machine, so it is only logged.
		if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
		t.Logf("first paint after %.0f ms", eval[float64](t, b, `new Promise(done => {
			new PerformanceObserver(list => list.getEntriesByName("first-contentful-paint").forEach(e => done(e.startTime))).observe({type: "paint", buffered: true});
			setTimeout(done, 5000, -1);
		})`))
		b.quiet(t)
	}
}

// TestPolicy injects content into the page and checks that the policy blocks each kind
// with a message on the console. So every test that calls quiet detects violations by
// the page itself.
func TestPolicy(t *testing.T) {
	b := openWith(t, newAPI(t, prefix))
	for name, script := range map[string]string{
		"script":  `const s = document.createElement("script"); try { s.textContent = "window.ran = true"; document.body.append(s) } catch {}`,
		"style":   `document.body.append(Object.assign(document.createElement("style"), {textContent: "body { color: red !important }"}))`,
		"inline":  `document.body.setAttribute("style", "color: red")`,
		"handler": `try { document.body.setAttribute("onclick", "window.ran = true") } catch {}`,
		"markup":  `try { document.getElementById("hint").innerHTML = "<b>x</b>" } catch {}`,
		"policy":  `try { trustedTypes.createPolicy("x", {}) } catch {}`,
		"image":   `document.body.append(Object.assign(document.createElement("img"), {src: "http://127.0.0.1:9/x.png"}))`,
		"fetch":   `fetch("http://127.0.0.1:9/").catch(() => null)`,
		"frame":   `document.body.append(Object.assign(document.createElement("iframe"), {src: "/"}))`,
	} {
		said := len(b.messages(t))
		violated := eval[string](t, b, `new Promise(done => {
			document.addEventListener("securitypolicyviolation", e => done(e.effectiveDirective), {once: true});
			setTimeout(() => done(""), 120000);
			`+script+`;
		})`)
		heard := len(b.messages(t))
		for try := 0; heard == said && try < 1000; try++ { // the message may come later than the event
			heard = len(b.messages(t))
		}
		if violated == "" || heard == said {
			t.Errorf("%s: the policy does not block it, or nobody hears of it", name)
		}
	}
	if eval[bool](t, b, `"ran" in window || document.getElementById("hint").innerHTML !== ""`) {
		t.Error("the page was changed")
	}
}
