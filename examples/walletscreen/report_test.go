package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport screens a table whose list, cells and columns try to be markup, and reads the
// report: everything that was found and was not decided is there, as text.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	own, in, file := filepath.Join(dir, "own.csv"), filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.html")
	table := "<b>id</b>,address,coin network\n1," + listed + ",\n2," + unlisted +
		",\n3,<script>alert(1)</script>,\n4,5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ,\n5,bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq,\n"
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
	for _, want := range []string{
		"<h1>1 row listed, 2 rows undecided, 1 row with suppressed matches only</h1>",
		`<tr><td class="CRITICAL">CRITICAL<td class="n">1`, `<tr><td>UNDECIDED<td class="n">2`, "Rows by level: 5",
		`<td class="n">1<td class="CRITICAL">CRITICAL 100<td>ethereum <code><bdi>` + strings.ToLower(listed) + "</bdi></code>",
		"<strong><bdi>&lt;img src=x onerror=alert(1)&gt; evil</bdi></strong>: OWN <bdi></bdi>, BLOCKED, exact match,",
		"suppressed: <bdi>license 7", // of row 5, which is clean
		`<td class="n">3<td><code><bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi></code><td>`,
		`<td class="n">4<td><code><bdi>(not shown)</bdi></code><td>`,
		"like addresses or chains<dd><bdi>&#34;coin network&#34;</bdi>",
		"(FBI_IC3)<td>2025-02-26 (", "(0 h)", // the own list was checked just now
		fmt.Sprintf("%x", sha256.Sum256([]byte(table))), "<dt>Snapshot of the lists<dd><code>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, not := range []string{"<script", "<img", "5Hue", "<b>"} {
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
