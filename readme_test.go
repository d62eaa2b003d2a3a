package walletscreen_test

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/own"
	"github.com/walletscreen/walletscreen/sources/store"
)

// read is a snippet of the README.
func read(typed string) (string, error) {
	switch r := address.Interpret("ethereum", typed); {
	case r.Err != nil:
		return "", r.Err // what is wrong, where, and the chain that the text belongs to instead
	case len(r.Doubts) > 0:
		return "", errors.New(r.Doubts[0].Explain()) // a capital may be wrong, or a digit missing: ask the person to compare
	default:
		return r.Addresses[0].Normalized(), nil // the spelling to store and to show
	}
}

// fresh is a snippet of the README. It hands its Screener to use.
func fresh(ctx context.Context, dir string, use func(*screening.Screener)) error {
	kept, err := store.Open(dir) // such as /var/lib/walletscreen/store
	if err != nil {
		return err
	}
	s, err := screening.New([]sources.Source{
		sources.Seeded(ofac.New(nil), bundle.OFAC()),
		sources.Seeded(eu.New(nil), bundle.EU()),
		own.File("OUR_LIST", "blocked.csv"),
	}, &screening.Options{
		Store:    kept,
		MaxAge:   48 * time.Hour, // no answer from older lists, nor from an old bundle
		Schedule: map[string]screening.Schedule{"OUR_LIST": {Every: 10 * time.Second}},
	})
	if err != nil {
		return err
	}
	if err := s.SetExceptions(ctx, nil); err != nil { // the rows of your list that allow
		return err
	}
	if _, err := s.Open(ctx); err != nil { // from the store or the bundle, at once
		log.Print(err) // a list that is damaged is not loaded until the next refresh
	}
	go s.Run(ctx, time.Hour) // refreshes each list, and watches your file
	use(s)
	return nil
}

// mount is a snippet of the README.
func mount(s *screening.Screener, mux *http.ServeMux) error {
	keys, err := access.Fixed(map[string]string{"billing": os.Getenv("SCREEN_KEY")})
	if err != nil {
		return err
	}
	mux.Handle("/compliance/", httpapi.NewHandler(s, keys, &httpapi.Options{Prefix: "/compliance"}))
	return nil
}

// blocks returns the code blocks of a language in the README.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range strings.Split(string(readme), "```"+language+"\n")[1:] {
		s, _, _ = strings.Cut(s, "```")
		all = append(all, s)
	}
	return all
}

// TestReadme checks that each Go snippet of the README is in a file that is compiled.
func TestReadme(t *testing.T) {
	var code strings.Builder
	for _, name := range []string{"readme_test.go", "examples/embed/main.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	snippets := blocks(t, "go")
	if len(snippets) < 4 {
		t.Fatalf("%d snippets found, want at least 4", len(snippets))
	}
	for _, s := range snippets {
		if !strings.Contains(code.String(), s) {
			t.Errorf("this snippet of the README is in no file that is compiled:\n%s", s)
		}
	}
}

// TestReadmeOrder checks that the README is short, and leads from the program to the library: a
// picture, one address and a table, then what to embed, to validate with and to mount.
func TestReadmeOrder(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(b)
	if n := strings.Count(rest, "\n"); n > 280 {
		t.Errorf("%d lines, want at most 280", n)
	}
	for _, next := range []string{"![", "walletscreen screen -chain", "walletscreen screen -in", "screening.New(", "address.Interpret(", "httpapi.NewHandler("} {
		_, after, found := strings.Cut(rest, next)
		if !found {
			t.Fatalf("%q is not where it is expected", next)
		}
		rest = after
	}
}

// TestReadmeRead runs the snippet that validates an address.
func TestReadmeRead(t *testing.T) {
	got, err := read(" 0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	const want = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	if got != want || err != nil {
		t.Errorf("read = %q, %v; want %q", got, err, want)
	}
	for _, wrong := range []string{"0x098b716b8aaf21512996dc57eb0615e2383e2f9", "0x098b716B8Aaf21512996dC57EB0615e2383E2f96", want + " " + want[:41] + "7"} {
		if got, err := read(wrong); err == nil {
			t.Errorf("read(%q) = %q, without an error", wrong, got)
		}
	}
}

// TestReadmeFresh runs the snippet that keeps lists fresh, without a network: a proxy that
// is not there refuses its requests.
func TestReadmeFresh(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	dir, err := os.MkdirTemp("", "readme") // not TempDir, which fails if Run still writes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Chdir(dir)
	const blocked = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	if err := os.WriteFile("blocked.csv", []byte("address\n"+blocked+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = fresh(t.Context(), dir, func(s *screening.Screener) {
		for _, list := range s.Sources() {
			if !list.Loaded() && list.Info.ID != "OUR_LIST" {
				t.Errorf("%s is not loaded: %v", list.Info.ID, list.Err)
			}
		}
		for range 30_000 { // Run reads the file
			if _, err := s.ScreenText("ethereum", blocked); !errors.Is(err, screening.ErrNotLoaded) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		r, err := s.ScreenText("ethereum", blocked)
		if err == nil && r.Level != score.Critical || err != nil && !errors.Is(err, screening.ErrStale) { // the bundle may be old
			t.Errorf("%v, %v; want CRITICAL, or ErrStale", r, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadmeOutput checks that the README shows what its program prints, which a test in
// examples/embed compares.
func TestReadmeOutput(t *testing.T) {
	text, err := os.ReadFile("examples/embed/main_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, output, _ := strings.Cut(string(text), "// Output:\n")
	var want strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(output, "}\n")) {
		want.WriteString(strings.TrimPrefix(line, "\t// "))
	}
	if got := blocks(t, "text"); len(got) != 1 || got[0] != want.String() {
		t.Errorf("the README shows %q as output, want %q", got, want.String())
	}
}

// TestReadmeAnswer runs the curl command of the README, and checks that its answer is as
// the README shows, except for times, and for the members of lists other than OFAC_SDN.
func TestReadmeAnswer(t *testing.T) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	const token = "0123456789abcdef0123456789abcdef"
	t.Setenv("SCREEN_KEY", token)
	mux := http.NewServeMux()
	if err := mount(s, mux); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	i := slices.IndexFunc(blocks(t, "sh"), func(s string) bool { return strings.HasPrefix(s, "curl ") })
	if i < 0 {
		t.Fatal("no curl command in the README")
	}
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
	}
	command := strings.Replace(blocks(t, "sh")[i], "http://127.0.0.1:8080", server.URL, 1)
	body, err := exec.Command("sh", "-c", command).Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := blocks(t, "json")
	if len(answers) != 1 {
		t.Fatalf("%d JSON blocks in the README, want 1", len(answers))
	}
	got, want := answer(t, string(body)), answer(t, answers[0])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the handler does not answer as the README says (-README +handler):\n%s\nthe answer:\n%s", diff, body)
	}
}

// answer decodes an answer without what differs from one day to the next.
func answer(t *testing.T, text string) map[string]any {
	t.Helper()
	var a map[string]any
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"screened_at", "snapshot", "_disclaimer", "caveats"} {
		if a[name] == nil {
			t.Errorf("no member %s in %s", name, text)
		}
		delete(a, name)
	}
	lists, _ := a["data_freshness"].(map[string]any)
	maps.DeleteFunc(lists, func(id string, _ any) bool { return id != "OFAC_SDN" })
	for _, list := range lists {
		members := list.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			switch name {
			case "age_seconds", "last_updated", "published_at", "completeness": // the last two change when the bundle is rebuilt
				members[name] = true
			}
		}
	}
	return a
}

// TestFigures checks the number of chains in the papers.
func TestFigures(t *testing.T) {
	for _, tt := range []struct{ name, figure string }{
		{"README.md", "addresses of " + strconv.Itoa(len(address.Chains())) + " chains"},
		{"CHANGELOG.md", "address: " + strconv.Itoa(len(address.Chains())) + " chains"},
	} {
		text, err := os.ReadFile(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), tt.figure) {
			t.Errorf("%s does not say %q", tt.name, tt.figure)
		}
	}
}

// TestInstallable checks that go install can install the program by its version: it
// refuses a module that replaces or excludes others.
func TestInstallable(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if word, _, _ := strings.Cut(line, " "); word == "replace" || word == "exclude" {
			t.Errorf("go.mod has the line %q", line)
		}
	}
	if !slices.ContainsFunc(packages(t), func(p goPackage) bool { return p.name == "examples/walletscreen" }) {
		t.Error("examples/walletscreen is in another module, want the root module")
	}
}
