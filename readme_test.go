package walletscreen_test

import (
	"context"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/store"
)

var mine = sources.Info{ID: "MY_LIST", Name: "Addresses of our own", Jurisdiction: sources.Community}

// fresh is a snippet of the README.
func fresh(ctx context.Context) error {
	dir, err := store.Open("/var/lib/walletscreen")
	if err != nil {
		return err
	}
	s, err := screening.New([]sources.Source{
		sources.Seeded(ofac.New(nil), bundle.OFAC()),
		sources.Seeded(badlist.New(nil), bundle.Badlist()),
		sources.File(mine, "mine.txt", badlist.Parse),
	}, &screening.Options{
		Store:    dir,
		Schedule: map[string]screening.Schedule{"MY_LIST": {Every: 10 * time.Second}},
	})
	if err != nil {
		return err
	}
	if _, err := s.Open(ctx); err != nil { // from the store or the bundle, at once
		log.Print(err) // a damaged file is set aside, and replaced by the next refresh
	}
	go s.Run(ctx, time.Hour) // from the official addresses, and from a file that is watched
	return nil
}

// mount is a snippet of the README.
func mount(s *screening.Screener, mux *http.ServeMux) error {
	keys, err := access.Fixed(map[string]string{"billing": os.Getenv("SCREEN_KEY")})
	if err != nil {
		return err
	}
	mux.Handle("/compliance/", httpapi.NewHandler(s, keys, nil))
	return nil
}

var _, _ = fresh, mount // compiled, not run: the one would fetch, the other wants a key

// TestReadme holds the README to code that is compiled: each of its snippets must
// stand somewhere in it word for word.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range []string{"readme_test.go", "examples/embed/main.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	snippets := strings.Split(string(readme), "```go\n")[1:]
	if len(snippets) < 3 {
		t.Fatalf("%d snippets found", len(snippets))
	}
	for _, s := range snippets {
		s, _, _ = strings.Cut(s, "```")
		if !strings.Contains(code.String(), s) {
			t.Errorf("this snippet of the README is in no file that is compiled:\n%s", s)
		}
	}
}

// TestFigures holds the figures in the papers to what they count.
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
