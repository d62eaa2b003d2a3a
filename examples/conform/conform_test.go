package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// conform runs a command line, and returns its exit code, its table and its answers.
func conform(t *testing.T, env map[string]string, args ...string) (int, string, report, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	file := filepath.Join(t.TempDir(), "answers.json")
	code, err := run(t.Context(), append(args, "-json", file), func(k string) string { return env[k] }, &stdout, &stderr)
	var r report
	if text, readErr := os.ReadFile(file); readErr == nil {
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
	}
	return code, stdout.String(), r, err
}

// serve serves the API with the bundled lists, and returns what its template needs.
func serve(t *testing.T) map[string]string {
	t.Helper()
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	key := "wsk_0123456789abcdefghijklmnopqrstuvwxyz"
	keys, err := access.Fixed(map[string]string{"conform": key})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpapi.NewHandler(s, keys, nil))
	t.Cleanup(server.Close)
	return map[string]string{"WALLETSCREEN_URL": server.URL, "WALLETSCREEN_KEY": key}
}

// TestReadme runs the command lines of README.md against our server and in-process, and
// compares the tables and the failures there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	env := serve(t)
	for name, args := range map[string][]string{
		"http": {"-system", "http", "-config", "walletscreen"},
		"ours": {"-system", "ours"},
	} {
		line := "go -C examples/conform run . " + strings.Join(args, " ")
		if !strings.Contains(readme, line) {
			t.Errorf("README.md lacks the command line %q", line)
		}
		code, table, r, err := conform(t, env, args...)
		if code != 0 || err != nil {
			t.Errorf("%s: exit code %d, %v", name, code, err)
		}
		if !strings.Contains(readme, "<!-- "+name+" -->\n"+table) {
			t.Errorf("README.md has another table behind <!-- %s -->, want\n%s", name, table)
		}
		for _, one := range r.Results {
			if one.Failure != "" && !strings.Contains(readme, "\n- `"+one.ID+"`, "+one.Failure+": ") {
				t.Errorf("%s: README.md does not explain %s, %s: %s", name, one.ID, one.Failure, one.Detail)
			}
		}
		for _, m := range regexp.MustCompile("(?m)^- `([a-z]+-[0-9a-f]{8})`, (\\w+): ").FindAllStringSubmatch(readme, -1) {
			if !strings.Contains(fmt.Sprint(r.Results), m[1]+" ") {
				t.Errorf("README.md explains %s, which is no case", m[1])
			}
			for _, one := range r.Results {
				if one.ID == m[1] && one.Failure != m[2] {
					t.Errorf("README.md explains %s, %s: the answer of %s is %q", m[1], m[2], name, one.Failure)
				}
			}
		}
	}
}

// TestWatchmanTable checks that the table of watchman is about the cases that there are now, as
// many of each theme. The long test of examples/conform/watchman asks watchman itself.
func TestWatchmanTable(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- watchman -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	all, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"**all**": len(all)}
	for _, c := range all {
		want[c.Theme]++
	}
	for _, row := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		tried, _ := strconv.Atoi(cells[1])
		not, _ := strconv.Atoi(cells[len(cells)-1])
		if want[cells[0]] != tried+not {
			t.Errorf("README.md: watchman was asked %d cases of %s, of %d", tried+not, cells[0], want[cells[0]])
		}
		delete(want, cells[0])
	}
	if len(want) > 0 {
		t.Errorf("README.md: watchman was not asked about %v", want)
	}
}

// TestTemplates checks that each template is read and named in README.md, and connects once
// it has its variables.
func TestTemplates(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	file := filepath.Join(t.TempDir(), "our.json")
	if err := os.WriteFile(file, []byte(example), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readTemplate(file); err != nil {
		t.Errorf("the template in README.md: %v", err)
	}
	names, err := fs.Glob(files, "templates/*.json")
	if err != nil || len(names) < 6 {
		t.Fatalf("templates %q, %v", names, err)
	}
	cases, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		tmpl, err := readTemplate(strings.TrimSuffix(filepath.Base(name), ".json"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(readme), "(templates/"+filepath.Base(name)+")") {
			t.Errorf("README.md does not name %s", name)
		}
		if _, err := tmpl.ask(func(string) string { return "value" }); err != nil {
			t.Error(err)
		}
		if _, err := tmpl.ask(func(string) string { return "" }); err == nil && strings.Contains(fmt.Sprint(tmpl.URL, tmpl.Headers), "$") {
			t.Errorf("%s: no error without its variables", name)
		}
		tried := 0
		for i := range cases {
			if tmpl.untried(&cases[i]) == "" {
				tried++
			}
		}
		if tried < 100 {
			t.Errorf("%s: %d cases can be tried, want at least 100", name, tried)
		}
		for chain := range tmpl.Chains {
			known := false
			for _, c := range cases {
				known = known || c.Asked.Chain == chain
			}
			if !known {
				t.Errorf("%s: no case is about the chain %q", name, chain)
			}
		}
	}
}

// A server of somebody else compares strings, as a map does.
func mapServer(t *testing.T) *httptest.Server {
	t.Helper()
	listed := make(map[string]bool)
	cases, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Listed != nil {
			listed[c.Listed.Text] = true
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "k3y-of-ours" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"hits": map[bool][]string{true: {"OFAC"}, false: {}}[listed[r.URL.Query().Get("q")]]})
	}))
	t.Cleanup(server.Close)
	return server
}

// TestOtherSystem connects a system by a template alone. It calls listed accounts clean, so
// the exit code is 1; cases that need lists of its own are not counted, nor is anything if
// the system refuses the key.
func TestOtherSystem(t *testing.T) {
	server := mapServer(t)
	config := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(config, []byte(`{
		"name": "a map", "method": "GET", "url": "`+server.URL+`/?q={address}", "headers": {"X-Key": "${OTHER_KEY}"},
		"answers": [
			{"when": "status == 200 && $.hits[*] == \"OFAC\"", "is": "listed"},
			{"when": "status == 200 && $.hits[*] missing", "is": "not_listed"}
		]
	}`), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-system", "http", "-config", config}
	page := filepath.Join(t.TempDir(), "page.html")
	code, table, r, err := conform(t, map[string]string{"OTHER_KEY": "k3y-of-ours"}, append(args, "-html", page)...)
	if code != 1 || err == nil || !strings.Contains(err.Error(), "sanctioned accounts came out clean") {
		t.Errorf("exit code %d, %v", code, err)
	}
	counts := make(map[string]int)
	for _, one := range r.Results {
		counts[one.Failure]++
		if one.Is == isNotTried {
			counts[isNotTried]++
		}
	}
	if counts[sanctioned] < 50 || counts[related] != 60 || counts[unread] < 50 || counts[falseHit] != 0 || counts[isNotTried] != 46 {
		t.Errorf("counts %v", counts)
	}
	if !regexp.MustCompile(`(?m)^\| list \| 0 \| 0 \|.* 34 \|$`).MatchString(table) {
		t.Errorf("cases that were not tried are counted:\n%s", table)
	}
	text, err := os.ReadFile(page)
	if err != nil || strings.Count(string(text), "\n<tr><td>") != counts[sanctioned]+counts[related]+counts[unread]+counts[noAnswer] ||
		strings.Contains(string(text), "k3y-of-ours") {
		t.Errorf("the page has %d rows, %v", strings.Count(string(text), "\n<tr><td>"), err)
	}
	if code, _, _, err := conform(t, map[string]string{"OTHER_KEY": "wrong"}, args...); code != 2 || err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("with a wrong key: exit code %d, %v", code, err)
	}
	if code, _, _, err := conform(t, nil, args...); code != 2 || err == nil || !strings.Contains(err.Error(), "OTHER_KEY") {
		t.Errorf("without a key: exit code %d, %v", code, err)
	}
}

// TestExample runs the template in README.md, with the URL of a server for which it was not
// written. It has names for three chains, so the others are not counted.
func TestExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := mapServer(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Address string }
		chain, ok := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/check"), "/v1/")
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || !ok || r.Method != "POST" || !slices.Contains([]string{"btc", "eth", "trx"}, chain) {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		q := r.Clone(r.Context())
		q.URL.RawQuery = url.Values{"q": {asked.Address}}.Encode()
		listed.Config.Handler.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	_, example, _ := strings.Cut(string(readme), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	example = strings.Replace(example, "https://api.example.org", server.URL, 1)
	config := filepath.Join(t.TempDir(), "our.json")
	if err := os.WriteFile(config, []byte(strings.Replace(example, `"per_second": 2`, `"per_second": 5000`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, r, err := conform(t, map[string]string{"OUR_KEY": "k3y-of-ours"}, "-system", "http", "-config", config)
	counts := make(map[string]int)
	for _, one := range r.Results {
		counts[one.Is]++
	}
	if code != 1 || err == nil || counts[isListed] < 100 || counts[isNotListed] < 100 || counts[isNotTried] < 100 {
		t.Errorf("exit code %d, %v, %v", code, err, counts)
	}
}

// TestResume takes answers from a file, and asks only for the others.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	config, before := filepath.Join(dir, "c.json"), filepath.Join(dir, "before.json")
	cases, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for _, c := range cases {
		if c.Theme == "evm" {
			first = c.ID
			break
		}
	}
	for name, text := range map[string]string{
		config: `{"name": "echo", "command": ["echo", "{address}"], "answers": [{"when": "text contains \"x\" && exit == 0", "is": "listed"}]}`,
		before: `{"system": "echo", "results": [{"id": "` + first + `", "got": "not_listed"}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-system", "command", "-config", config, "-theme", "evm"}
	code, _, r, _ := conform(t, nil, append(args, "-resume", before)...)
	if code != 1 || r.Results[0].Failure != sanctioned || r.Results[1].Is != isListed {
		t.Errorf("exit code %d, %+v", code, r.Results[:2])
	}
	if code, _, r, err := conform(t, nil, args...); code != 0 || err != nil || r.Results[0].Is != isListed {
		t.Errorf("without the answers: exit code %d, %v", code, err)
	}
	if code, _, _, err := conform(t, nil, "-resume", before); code != 2 || err == nil {
		t.Errorf("with the answers of another system: exit code %d, %v", code, err)
	}
}

// TestOddSystem asks a system that takes forms, and answers with an array, names with a hyphen, empty
// arrays and numbers in text, by a template as README.md explains it.
func TestOddSystem(t *testing.T) {
	cases, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, c := range cases {
		if c.Listed != nil {
			known[c.Listed.Text] = true
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := r.PostFormValue("wallet")
		switch {
		case strings.ContainsAny(text, " :?"):
			fmt.Fprint(w, `[{"state": "rejected", "risk-hits": []}]`)
		case known[text]:
			fmt.Fprint(w, `[{"state": "done", "score": "97", "risk-hits": [{"list-name": "OFAC"}]}]`)
		default:
			fmt.Fprint(w, `[{"state": "done", "score": "0", "risk-hits": []}]`)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "odd.json")
	template := `{"name": "odd", "method": "POST", "url": "${ODD_URL}/check", "headers": {"Content-Type": "application/x-www-form-urlencoded"},
		"body": "wallet={address}&chain={slug}", "answers": [
			{"when": "$[0].state == \"rejected\"", "is": "error"},
			{"when": "$[0].risk-hits == []", "is": "not_listed"},
			{"when": "$[0].risk-hits[*].list-name exists && $[0].score != \"0\"", "is": "listed"}]}`
	if err := os.WriteFile(file, []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, r, err := conform(t, map[string]string{"ODD_URL": server.URL}, "-system", "http", "-config", file)
	if code != 1 || err == nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	for i, one := range r.Results {
		c := cases[i]
		want := isNotListed
		switch {
		case c.Lists != nil:
			want = isNotTried
		case strings.ContainsAny(c.Asked.Text, " :?"):
			want = isError
		case known[c.Asked.Text]:
			want = isListed
		}
		if one.ID != c.ID || one.Is != want {
			t.Errorf("%s, %q: %+v, want %s", c.ID, c.Asked.Text, one.Answer, want)
		}
	}
}

// TestUsage checks command lines that ask for nothing.
func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"-theme is": {"-theme", "nothing"}, "-system is": {"-system", "theirs"}, "needs -config": {"-system", "http"},
		"no such file": {"-system", "http", "-config", "./nothing.json"}, "not a template of the kind": {"-system", "command", "-config", "walletscreen"},
	} {
		if code, _, _, err := conform(t, nil, args...); code != 2 || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: exit code %d, %v, want one about %q", args, code, err, want)
		}
	}
}

// TestRules reads responses.
func TestRules(t *testing.T) {
	const body = `{"a": {"b": [{"c": 1, "ok": true}, {"c": 7}], "none": []}, "s": "text"}`
	for _, tt := range []struct {
		rule string
		want bool
	}{
		{`status == 200`, true}, {`status != 200`, false}, {`status >= 200 && status < 300`, true}, {`status < 200`, false},
		{`$.a.b[*].c == 7`, true}, {`$.a.b[0].c == 7`, false}, {`$.a.b[1].c >= 7`, true}, {`$.a.*.c exists`, false},
		{`$.a.b[*].ok == true`, true}, {`$.a.b[*].ok == false`, false},
		{`$.a.none[*] missing`, true}, {`$.a.none exists`, true}, {`$.a.none[*] exists`, false},
		{`$.s contains "ex"`, true}, {`$.s == "tex"`, false}, {`text contains "none"`, true}, {`exit == 0`, true},
	} {
		var r rule
		if err := r.UnmarshalText([]byte(tt.rule)); err != nil {
			if tt.want {
				t.Error(err)
			}
			continue
		}
		res := response{status: 200, body: []byte(body)}
		if err := json.Unmarshal(res.body, &res.value); err != nil {
			t.Fatal(err)
		}
		if got := r.fits(&res); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.rule, got, tt.want)
		}
	}
	var r rule
	if err := r.UnmarshalText([]byte("$.x missing")); err != nil || r.fits(&response{status: 200, body: []byte("<html>")}) {
		t.Errorf("a value is missing in a body that is not JSON, %v", err)
	}
	for _, bad := range []string{"", "status", "status = 200", "$.a == x", "$a == 1", "body exists", "$.a && $.b"} {
		var r rule
		if err := r.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestJudge checks what counts as which failure.
func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		c    Case
		is   string
		want string
	}{
		{Case{Expect: isListed, Severity: sanctioned}, isListed, ""},
		{Case{Expect: isListed, Severity: sanctioned}, isNotListed, sanctioned},
		{Case{Expect: isListed, Severity: related}, isNotListed, related},
		{Case{Expect: isListed, Severity: sanctioned}, isError, noAnswer},
		{Case{Expect: isListed, Severity: sanctioned, Accept: []string{isError}}, isError, ""},
		{Case{Expect: isError, Severity: unread}, isNotListed, unread},
		{Case{Expect: isError, Severity: unread}, isListed, falseHit},
		{Case{Expect: isNotListed, Severity: falseHit}, isListed, falseHit},
		{Case{Expect: isNotListed, Severity: falseHit}, isError, noAnswer},
		{Case{Expect: isListed, Severity: sanctioned}, isNotTried, ""},
	} {
		if got := judge(&tt.c, Answer{Is: tt.is}).Failure; got != tt.want {
			t.Errorf("%s, answered %s: %q, want %q", tt.c.Expect, tt.is, got, tt.want)
		}
	}
}
