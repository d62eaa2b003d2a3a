package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/page"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A growing list has one more address after each load. If it is late, lazarus comes with the
// second one.
type growing struct {
	loads int
	late  bool
}

func (*growing) Info() sources.Info {
	return sources.Info{ID: "OFAC_SDN", Name: "OFAC SDN", Jurisdiction: sources.US, RefURL: "https://sanctions.example/{ref}"}
}

func (g *growing) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	g.loads++
	a, err := address.Parse("ethereum", lazarus)
	records := g.loads
	if err == nil && !(g.late && g.loads == 1) {
		records++
		err = add(
			sources.Entry{
				Address:  a,
				Listed:   lazarus,
				Kind:     score.Sanctioned,
				Ref:      "27307",
				Name:     "LAZARUS GROUP",
				ListedAt: time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC),
			},
		)
	}
	for i := range g.loads {
		if err != nil {
			break
		}
		if a, err = address.Parse("ethereum", fmt.Sprintf("0x%040x", 1000+i)); err == nil {
			err = add(sources.Entry{Address: a, Kind: score.Sanctioned, Ref: fmt.Sprint(i)})
		}
	}
	return sources.Revision{Digest: fmt.Sprintf("%064x", g.loads), Published: time.Now().Add(-time.Hour), Records: records}, err
}

// serveReal serves the page and the API of package httpapi under the prefix, and returns
// the URL of the page and a token with a quota.
func serveReal(t *testing.T, quota int64) (url, token string) {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{&growing{}}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keys := access.NewMemory()
	token, key, err := access.NewKey(access.Key{Name: "page", Quota: quota, Scopes: access.AllScopes()})
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.PutKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	ring := access.New(keys, nil)
	t.Cleanup(func() { ring.Close(context.Background()) })
	api := httpapi.NewHandler(s, ring, &httpapi.Options{Meter: ring, Store: st})
	mux := http.NewServeMux()
	for _, path := range []string{"/api/", "/openapi.yaml"} {
		mux.Handle(prefix+path, api)
	}
	mux.Handle(prefix+"/", page.New())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + prefix + "/", token
}

// TestRealAPI tests the page with the API of package httpapi and a key with a quota.
func TestRealAPI(t *testing.T) {
	url, token := serveReal(t, 5)
	b := open(t, url+"#key="+token, view{"light", 1280})
	b.wait(t, inState("empty")+` && `+has("#health", "1 list current"))
	b.wait(t, has("#changes", "1 added")+` && `+has("#lists", "3 addresses")+` && document.querySelector(".sizes") !== null`)
	b.do(t, catch)
	b.do(t, `document.querySelector(".lists .browse").click()`)
	b.wait(t, `document.querySelectorAll(".entries tbody tr").length === 3`)
	b.press(t, "lazarus")
	b.wait(t, has("#detail [role=status]", "1 entry found."))
	b.do(t, `document.querySelector(".entries button").click()`)
	b.wait(t, inState("verdict")+` && !document.getElementById("detail").open`)
	for _, c := range []string{text(title, "Sanctioned: LAZARUS GROUP (OFAC)"), has(".label h3", "LAZARUS GROUP"),
		has(".label", "The list names this very address."), has(".label a", "27307"),
		`document.querySelector(".label a").href === "https://sanctions.example/27307"`, has(".label", "14 Apr 2022"),
		has("#result", "not legal, compliance or investment advice"), `!document.querySelector("` + notes + `")`} {
		if !eval[bool](t, b, `Boolean(`+c+`)`) {
			t.Errorf("not so: %s", c)
		}
	}
	if n := b.print(t, "record-real"); n != 1 {
		t.Errorf("the record has %d pages", n)
	}
	enter(t, b, "0xdAC17F958D2ee523a2206206994597C13D831ec8") // one digit of a contract is wrong
	b.wait(t, text(title, "Not decided")+` && `+has(".line-of", "The capitals do not match the checksum")+` && `+noLevel)
	enter(t, b, strings.Join([]string{clean, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T", secret, lazarus, mixer, theft}, "\n"))
	b.wait(t, `document.querySelector(".many")?.dataset.state === "stopped"`)
	for _, c := range []string{has(title, "1 match in 6 rows"), has(notes, "The quota of this key is used up"),
		text(".summary .line-of", "2 rows are undecided, and 1 row was not screened: not clean."), has(".rows tbody tr:nth-child(1)", "CRITICAL")} {
		if !eval[bool](t, b, `Boolean(`+c+`)`) {
			t.Errorf("not so: %s in %s", c, eval[string](t, b, `document.getElementById("result").innerText.slice(0, 1200)`))
		}
	}
	if records := b.download(t, ','); len(records) != 7 || records[4][1] != "CRITICAL" || records[3][0] != "(withheld: a private key)" ||
		records[6][16] != "not screened" {
		t.Errorf("the table: %q", records)
	}
	b.quiet(t)
}
