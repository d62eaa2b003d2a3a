package main

import (
	"flag"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// shownCommand matches a call of the program on a line of its own, or in backquotes.
var shownCommand = regexp.MustCompile("(?m)^(?:#|\\$)? *(?:docker compose .* exec a /)?(walletscreen [a-z].*)$|`(walletscreen [a-z][^`]*)`")

// TestPapers runs each command line of the program that the papers show, in their order:
// the input files of each paper are in one folder. Of serve it reads the flags.
func TestPapers(t *testing.T) {
	papers := []string{"deploy/compose.yml"}
	for _, pattern := range []string{"docs/*.md", "../*/README.md", "../README.md", "../../httpapi/*/README.md", "../../*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		papers = append(papers, names...)
	}
	papers = slices.DeleteFunc(papers, func(name string) bool { // TestBackup runs all of the latter
		return filepath.Base(name) == "CHANGELOG.md" || name == "docs/backup.md"
	})
	texts := map[string]string{}
	for _, name := range papers {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	data := t.TempDir()
	s := start(t, "-data", data, "-audit", filepath.Join(data, "audit"))
	s.screen(t, listed, "ethereum")
	if err := s.stop(); err != nil { // which makes the database of keys, and saves the bundled lists
		t.Fatal(err)
	}
	ran, db := 0, postgrestest.URL(t)
	for _, name := range papers {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("customers.csv", []byte("chain,address\nethereum,"+listed+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, m := range shownCommand.FindAllStringSubmatch(texts[name], -1) {
			line, _, _ := strings.Cut(m[1]+m[2], "#")
			line, _, _ = strings.Cut(line, ">")
			if strings.HasSuffix(line, " receipt 2") { // the name of a format
				continue
			}
			ran++
			runShown(t, name, line, data, db)
		}
	}
	if ran < 10 {
		t.Errorf("%d command lines found, want at least 10", ran)
	}
}

// runShown runs a command line that a paper or a help shows. Of serve it reads the flags.
func runShown(t *testing.T, where, line, data, db string) {
	t.Helper()
	line = strings.NewReplacer("ADDRESS...", listed, "ADDRESS", listed, "DIR", data, "/var/lib/walletscreen", data, "postgres://…", db,
		"2026-03-01", time.Now().UTC().Format(time.DateOnly), "2026-03", time.Now().UTC().Format("2006-01")).Replace(line)
	args := strings.Fields(line)[1:]
	if len(args) == 0 || args[0] == "serve" {
		options(t, nil, append(args, "serve")[1:]...)
		return
	}
	if len(args) <= 2 && (len(args) == 1 || !strings.HasPrefix(args[1], "-")) && args[len(args)-1] != listed { // the name of a command
		args = append(args, "-help")
	} else if args[len(args)-1] == "-in" {
		args = append(args, "customers.csv")
	}
	env, worst := []string{"WALLETSCREEN_DATA=" + data, "WALLETSCREEN_LISTS=FBI_IC3"}, 1 // the address is listed
	switch strings.Join(args[:min(len(args), 2)], " ") {
	case "lists refresh": // without a network
		mirror := httptest.NewServer(http.NotFoundHandler())
		defer mirror.Close()
		env, worst = append(env[:1], "WALLETSCREEN_LISTS=EU_CONSOLIDATED", "WALLETSCREEN_MIRROR=EU_CONSOLIDATED="+mirror.URL), 2
	case "lists export": // bundled lists
		args = slices.Replace(args, 0, len(args), strings.Fields(strings.ReplaceAll(strings.Join(args, " "), "-max-age 48h", "-max-age 36500d"))...)
		if id := slices.Index(args, "UUID"); id >= 0 {
			args[id] = lastID(t, data)
		}
	case "health -ops-addr":
		ready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ready":true}`) }))
		defer ready.Close()
		args[2] = strings.TrimPrefix(ready.URL, "http://")
	case "lists import": // an excerpt
		args = append(args, "-accept")
	}
	code, stdout, stderr := callIn(t, env, "", args...)
	if code > worst || worst == 2 && !strings.Contains(stdout, "FAILED") {
		t.Errorf("%s: %q: exit code %d\n%s%s", where, args, code, stdout, stderr)
	}
}

// lastID returns the id of the filter of the bundled list of OFAC.
func lastID(t *testing.T, data string) string {
	t.Helper()
	code, filter, stderr := call(t, "", "lists", "export", "-data", data, "-lists", "OFAC_SDN", "-max-age", "36500d", "-format", "nitro")
	if code != 0 || len(filter) < 43 {
		t.Fatal(stderr)
	}
	return filter[7:43]
}

// TestHelpExamples runs the examples in the help of all commands, and checks that each has one and
// that the help fits into a terminal.
func TestHelpExamples(t *testing.T) {
	longtest.WithoutRace(t)
	data := t.TempDir()
	s := start(t, "-data", data, "-audit", filepath.Join(data, "audit"))
	s.screen(t, listed, "ethereum")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	_, sdn, _ := strings.Cut(sdn(t, "2025-03-21"), "=")
	text, err := os.ReadFile(sdn)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"customers.csv": "chain,address\nethereum," + listed + "\n", "mail.txt": "to " + listed, "own.csv": listed, "sdn_advanced.xml": string(text),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shown := map[string]bool{}
	for _, e := range helpExamples {
		shown[e.command] = true
		for _, line := range e.lines {
			runShown(t, "help of "+e.command, strings.ReplaceAll(line, " \\ ", " "), data, "")
		}
	}
	var check func(c *cli.Command, path []string)
	check = func(c *cli.Command, path []string) {
		_, help, _ := call(t, "", append(slices.Clone(path), "-help")...)
		if !shown[strings.Join(path, " ")] || !strings.Contains(help, "\nExamples:\n  walletscreen") {
			t.Errorf("%q has no examples", path)
		}
		for line := range strings.Lines(help) {
			if utf8.RuneCountInString(line) > columns+1 {
				t.Errorf("%q: %d columns: %s", path, utf8.RuneCountInString(line)-1, line)
			}
		}
		for _, sub := range c.Commands {
			check(sub, append(slices.Clone(path), sub.Name))
		}
	}
	check((&program{}).root(), nil)
}

// needPrograms skips the test where a program is missing, except in CI, where the test fails.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
	}
}

// TestGreeting runs the curl command with which the server greets.
func TestGreeting(t *testing.T) {
	needPrograms(t, "sh", "curl")
	s := start(t)
	defer s.stop()
	_, command, _ := strings.Cut(s.said, "\ncurl ")
	command = "curl " + command
	if lines := strings.Count(s.said, "\n"); lines > 12 {
		t.Errorf("%d lines, want at most 12:\n%s", lines, s.said)
	}
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"level":"CRITICAL"`) {
		t.Errorf("%s\nprints %s, %v", command, out, err)
	}
}

var update = flag.Bool("update", false, "rewrite the picture of the terminal")

// TestPicture checks that the picture of the terminal in screen.md shows what the program
// prints on one, apart from the times of the lists and their caveats. The bundled lists only
// grow older, so each caveat of the picture is printed, and others come with time.
func TestPicture(t *testing.T) {
	longtest.WithoutRace(t)
	const name = "docs/terminal.svg"
	command := "screen -chain polygon " + listed
	picture := draw("$ walletscreen " + command + "\n" + onTerminal(t, command))
	if *update {
		if err := os.WriteFile(name, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	times := regexp.MustCompile(`[0-9-]{10} +[0-9,]+ (min|h|d)\b|(width|height|viewBox)="[^"]*"|<text [^>]*>caveat: .*\n| +`)
	if want, got := times.ReplaceAllString(string(old), " "), times.ReplaceAllString(picture, " "); got != want {
		t.Errorf("%s is not what the program prints; run go test -run TestPicture -update ./examples/walletscreen. Got\n%s\nwant\n%s", name, got, want)
	}
	caveats := regexp.MustCompile(`>caveat: (.*): (.*)</text>`)
	printed := make(map[string][]string)
	for _, c := range caveats.FindAllStringSubmatch(picture, -1) {
		printed[c[1]] = strings.Split(c[2], ", ")
	}
	for _, c := range caveats.FindAllStringSubmatch(string(old), -1) {
		for source := range strings.SplitSeq(c[2], ", ") {
			if !slices.Contains(printed[c[1]], source) {
				t.Errorf("%s shows the caveat %s of %s, and the program does not", name, c[1], source)
			}
		}
	}
}

// colored matches what a terminal shows in red.
var colored = regexp.MustCompile("\x1b\\[31m(.*?)\x1b\\[0m")

// draw returns an SVG image of a terminal that shows text.
func draw(text string) string {
	const size, advance, height, margin = 14, 8.43, 20, 18
	var b strings.Builder
	columns, rows := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		rows++
		columns = max(columns, utf8.RuneCountInString(colored.ReplaceAllString(line, "$1")))
		line = colored.ReplaceAllString(html.EscapeString(line), `<tspan fill="#ff7b72">$1</tspan>`)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" fill=\"#d4d4d4\" xml:space=\"preserve\">%s</text>\n", margin, rows*height+margin, line)
	}
	w, h := int(float64(columns)*advance)+2*margin, rows*height+2*margin
	return fmt.Sprintf(
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%[1]d\" height=\"%[2]d\" viewBox=\"0 0 %[1]d %[2]d\" font-family=\"ui-monospace, Menlo, "+
			"Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"%[3]d\">\n"+
			"<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#1e1e1e\"/>\n%[4]s</svg>\n",
		w,
		h,
		size,
		b.String(),
	)
}
