package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestReport screens a table whose list, cells and columns try to be markup, and reads the
// report: everything that was found and was not decided is there, as text.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	own, in, file := filepath.Join(dir, "own.csv"), filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.html")
	table := "<b>id</b>,address,coin network\n1," + listed + ",\n2," + unlisted +
		",\n<i>3,<script>alert(1)</script>,\n4,5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ,\n5,bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq,\n"
	for name, text := range map[string]string{
		own: "address,action,reason\n" + listed + ",block,\"<img src=x onerror=alert(1)> \u202eevil\"\nbc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq,allow,license 7\n" +
			"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq,block,fraud\n",
		in: table,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3", "WALLETSCREEN_LIST=OWN=" + own}
	code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-out", filepath.Join(dir, "out.csv"), "-report", file)
	if code != exitUndecided {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	b, err := os.ReadFile(file)
	text := string(b)
	if err != nil {
		t.Fatal(err)
	}
	if sums := regexp.MustCompile(`(?s)<table class="counts">\n(.*?)</table>`).FindStringSubmatch(text); sums == nil || sums[1] != `<tr><td class="CRITICAL">CRITICAL<td class="n">1
<tr><td class="UNDECIDED">UNDECIDED<td class="n">2
<tr><td class="CLEAN_NO_MATCH">CLEAN_NO_MATCH<td class="n">2
<tr><th>All rows<th class="n">5
` {
		t.Errorf("counts %q", sums)
	}
	for _, want := range []string{
		"<title>in.csv, screened on " + time.Now().UTC().Format(time.DateOnly) + "</title>",
		"<p>2 lists, checked on " + time.Now().UTC().Format(time.DateOnly),
		`<th class="n">Line<th><bdi>&lt;b&gt;id&lt;/b&gt;</bdi><th>Chain`,
		"<strong><bdi>&lt;img src=x onerror=alert(1)&gt; evil</bdi></strong>: OWN, BLOCKED, 1 row\n" +
			`<tr><td class="n">2<td><bdi>1</bdi><td>ethereum<td><code><bdi>` + strings.ToLower(listed) + `</bdi></code><td class="w"><span class="CRITICAL">CRITICAL</span>, exact`,
		"<strong><bdi>fraud</bdi></strong>: OWN, BLOCKED, 1 row; suppressed: <bdi>license 7", // of line 6, which is clean
		`<td class="n">4<td><bdi>&lt;i&gt;3</bdi><td><code><bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi></code><td>`,
		`<td class="n">5<td><bdi>4</bdi><td><code><bdi>(not shown)</bdi></code><td>`,
		"<strong>A private key or a seed phrase</strong>: 1 row. Delete it from the file",
		"like addresses or chains<dd><bdi>&#34;coin network&#34;</bdi>",
		`(FBI_IC3)<td class="w">2025-02-26<td class="w">2025-02-26<td`, "<dt>Signature<dd>none",
		fmt.Sprintf("%x", sha256.Sum256([]byte(table))), "<dt>Snapshot of the lists<dd><code>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, not := range []string{"<script", "<img", "5Hue", "<b>", "<i>"} {
		if strings.Contains(text, not) {
			t.Errorf("the report has %q", not)
		}
	}
	if t.Failed() {
		t.Log(text)
	}

	// A table that cannot be read has no report.
	if code, _, stderr := callIn(t, env, "id,none\n1,2\n", "screen", "-in", "-", "-report", file); code != exitUndecided ||
		!strings.Contains(stderr, "no column is named address") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the report of a table that cannot be read is there")
	}
	for _, args := range []string{"screen -report x.html " + listed, "screen -in " + in + " -report " + in} {
		if code, _, stderr := callIn(t, env, "", strings.Fields(args)...); code != exitUndecided || !strings.Contains(stderr, "-report is") {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestReportPages screens tables of 2,000 rows that are listed, each by another party, or undecided,
// and checks that the report names the line of each, in HTML that is printed on some ten pages.
func TestReportPages(t *testing.T) {
	longtest.WithoutRace(t)
	const n = 2000
	dir := t.TempDir()
	own, in := filepath.Join(dir, "own.csv"), filepath.Join(dir, "in.csv")
	var list, table strings.Builder
	list.WriteString("address,reason\n")
	table.WriteString("A title\n\nname,customer_id,address,chain\n")
	for i := range n {
		text := []string{"n/a", "=A7", "1.23E+47", "vitalik.eth", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdx", "0x1234"}[i/2%6]
		if i%2 == 0 {
			text = strings.ToLower(evm(i))
			fmt.Fprintf(&list, "%s,party %d with a name\n", text, i)
		}
		chain := "ethereum"
		if i == 0 {
			chain = "rot"
		}
		fmt.Fprintf(&table, "\"Company %d of two\nlines, a name of many characters\",C-%d,%s,%s\n", i, i, text, chain)
	}
	for name, text := range map[string]string{own: list.String(), in: table.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3", "WALLETSCREEN_LIST=OWN=" + own}
	read := func(name string) []byte {
		file := filepath.Join(dir, name)
		if code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-out", filepath.Join(dir, "out.csv"), "-report", file); code != exitUndecided ||
			!strings.Contains(stderr, "  CRITICAL            1,000\n  UNDECIDED           1,000   see") {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}

	text := string(read("report.html"))
	lines := map[int]bool{}
	shown := regexp.MustCompile(`<tr><td class="n">(\d+)<`).FindAllStringSubmatch(text, -1)
	for _, m := range shown {
		line, _ := strconv.Atoi(m[1])
		lines[line] = true
	}
	for _, m := range regexp.MustCompile(`(?m)class="lines">.*?: (.*)$`).FindAllStringSubmatch(text, -1) {
		for part := range strings.SplitSeq(m[1], ", ") {
			from, to, isRange := strings.Cut(part, "–")
			first, _ := strconv.Atoi(from)
			last := first
			if isRange {
				last, _ = strconv.Atoi(to)
			}
			for line := first; line <= last; line++ {
				lines[line] = true
			}
		}
	}
	for line := 4; line < n+4; line++ { // as a spreadsheet program counts
		if !lines[line] {
			t.Fatalf("line %d is missing", line)
		}
	}
	if len(lines) != n || len(shown) < 100 || len(shown) > 300 {
		t.Errorf("%d lines, want %d; %d are shown, want 100 to 300", len(lines), n, len(shown))
	}

	var r tableReport
	if err := json.Unmarshal(read("report.json"), &r); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, c := range r.Classes {
		sum += c.Rows
	}
	if sum != r.Rows || r.Rows != n || len(r.Parties) != n/2 || r.Parties[0].Rows[0].Own[0] != "Company 0 of two lines, a name o…" || r.Parties[0].Rows[0].Own[1] != "C-0" ||
		strings.Join(r.Own, " ") != "name customer_id" || !strings.HasPrefix(r.Freshness, "2 lists, checked on ") || len(r.Hash) != 64 || len(r.Snapshot) != 64 {
		t.Errorf("%d rows, classes %v, %d parties, %+v", r.Rows, r.Classes, len(r.Parties), r.Parties[0])
	}
	if why := r.Parties[0].Rows[0].Why; why != `chain "rot": unsupported chain; any EVM chain is eip155: and its number; `+doubtCauses[address.DoubtAmbiguous].title {
		t.Errorf("a listed row of an unknown chain has %q", why)
	}
	count := int64(0)
	for _, g := range r.Undecided {
		count += g.Count
		if g.Reason == "" || g.Title == "" || g.Advice == "" || len(g.Rows) != int(g.Count) {
			t.Errorf("%q, %q, %q, %d rows", g.Reason, g.Title, g.Advice, g.Count)
		}
	}
	if count != n/2 {
		t.Errorf("%d undecided rows, want %d", count, n/2)
	}
}
