package mof_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/mof"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

const file = "shisantouketsu20260828.csv"

func TestParse(t *testing.T) {
	doc := listtest.ReadFile(t, file)
	for _, doc := range []string{doc, strings.TrimPrefix(doc, "\ufeff"), strings.ReplaceAll(doc, "\n", "\r\n")} {
		entries, rev, err := listtest.Parse(t, mof.Parse, strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		want := sources.Revision{Digest: rev.Digest, Records: 8, OpenEnded: true, Published: time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC)}
		if len(entries) != 26 || rev != want || len(rev.Digest) != 64 {
			t.Errorf("%d entries, %+v, want 26, %+v", len(entries), rev, want)
		}
		of := make(map[string]int)
		for _, e := range entries {
			of[fmt.Sprint(e.Ref, " ", e.Name, " ", e.Address.Chain(), " ", e.EntityListedAt.Format(time.DateOnly))]++
			if !e.Address.IsValid() || e.Listed == "" || !strings.Contains(doc, e.Listed) || !e.ListedAt.IsZero() {
				t.Errorf("entry %+v", e)
			}
		}
		if len(of) != 3 || of["016-000068 Lazarus Group ethereum 2022-12-02"] != 8 || of["017-000078 Sim Hyon Sop ethereum 2023-09-01"] != 1 ||
			of["017-000079 Wu Huihui bitcoin 2023-09-01"] != 17 {
			t.Errorf("the wallets are of %v", of)
		}
	}
}

// What a typing error leaves of an address is listed, and the account is found, too.
func TestMisprinted(t *testing.T) {
	const right, wrong = "0x4f47bc496083c727c5fbe3ce9cdf2b0f6496270c", "Ox4f47bc496083c727c5fbe3ce9cdf2b0f6496270c"
	doc := listtest.ReadFile(t, file)
	const cyrillic = "ТH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3" // the first letter
	doc = strings.ReplaceAll(doc, right, wrong+"、BTC 1BoatSLRHtKNngkdXEeobR76b53LETtpy、TRX："+cyrillic)
	name := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{sources.File(mof.New(nil).Info(), name, mof.Parse)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{right, wrong, "1BoatSLRHtKNngkdXEeobR76b53LETtpy", cyrillic, "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3"} {
		r, _, err := s.ScreenInput("", text)
		if len(r.Labels) == 0 || r.Labels[0].Ref != "017-000078" {
			t.Errorf("%s: %+v, %v", text, r.Labels, err)
		}
	}
}

// TestMistypedDate keeps the wallets of a party whose notice has no date.
func TestMistypedDate(t *testing.T) {
	doc := listtest.ReadFile(t, file)
	for _, cell := range []string{"", "2023.13.1", "令和5年9月1日"} {
		entries, _, err := listtest.Parse(t, mof.Parse, strings.NewReader(strings.Replace(doc, "2023.9.1,79", cell+",79", 1)))
		if err != nil || len(entries) != 26 {
			t.Errorf("%q: %d entries, %v, want 26", cell, len(entries), err)
		}
		for _, e := range entries {
			if e.EntityListedAt.IsZero() != (e.Ref == "017-000079") {
				t.Errorf("%q: %+v", cell, e)
			}
		}
	}
}

// TestParseElsewhere finds a wallet in another column than the texts, such as a name, behind the label or not.
func TestParseElsewhere(t *testing.T) {
	const wallet = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	doc := listtest.ReadFile(t, file)
	for _, text := range []string{"Wallet: " + wallet, "暗号資産アドレス：" + wallet} {
		for _, changed := range []string{
			strings.Replace(doc, "17,017-000080,", "17"+text+",017-000080,", 1),
			strings.Replace(doc, "80,個人,", "80,個人,"+text, 1),
		} {
			entries, _, err := listtest.Parse(t, mof.Parse, strings.NewReader(changed))
			if err != nil || changed == doc || !slices.ContainsFunc(entries, func(e sources.Entry) bool { return e.Ref == "017-000080" && e.Listed == wallet && e.Address.IsValid() }) {
				t.Errorf("%s: %v, %v, want it", text, entries, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	doc := listtest.ReadFile(t, file)
	for _, tt := range []struct{ old, new, want string }{
		{"その他の情報", "その他", `no column "その他の情報"`},
		{doc, strings.Join(slices.DeleteFunc(strings.SplitAfter(doc, "\n"), func(l string) bool { return strings.Contains(l, "暗号資産") }), ""), "no wallet in 5 records"},
		{"17,017-000080,", "17,017-000080,,", "33 columns, want 32 as in the header"},
		{doc, "<!doctype html><html></html>\n", "no column"},
		{doc, doc[:strings.Index(doc, "\n")+1], "no records"},
	} {
		listtest.Refused(t, mof.Parse, doc, tt.old, tt.new, tt.want)
	}
}

// A site answers as the publisher's, with a page that has links, and counts the requests by path.
type site struct {
	page, doc string

	mu    sync.Mutex
	asked map[string]int
}

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.asked[r.URL.String()]++; {
	case strings.HasSuffix(r.URL.Path, "/list.html"):
		fmt.Fprint(w, s.page)
	case r.URL.Host != "www.mof.go.jp" && r.URL.Host != "mirror.example":
		return nil, errors.New("another host")
	default:
		http.ServeContent(w, r, file, time.Date(2026, 8, 28, 0, 0, 0, 0, time.UTC), strings.NewReader(s.doc))
	}
	return w.Result(), nil
}

func TestSource(t *testing.T) {
	const folder = "https://www.mof.go.jp/policy/international_policy/gaitame_kawase/gaitame/economic_sanctions/"
	s := &site{page: `<div class="unique-block"><a href="./shisantouketsu20260820.csv">old</a> <a href='./shisantouketsu20260828.csv'>CSV</a>
		<a href="./shisantouketsu20260901.xlsx">XLSX</a></div>`, doc: listtest.ReadFile(t, file), asked: make(map[string]int)}
	opts := &mof.Options{Client: &http.Client{Transport: s}}
	sourcetest.Run(t, func(*testing.T) sources.Source { return mof.New(opts) })
	_, rev, err := listtest.Load(t.Context(), mof.New(opts), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	clear(s.asked)
	if _, _, err := listtest.Load(t.Context(), mof.New(opts), rev); err != sources.ErrUnchanged || len(s.asked) != 2 || s.asked[folder+file] != 1 {
		t.Errorf("the same list: %v after requests of %v", err, s.asked)
	}
	clear(s.asked)
	mirror := &mof.Options{URL: "https://mirror.example/jp.csv", Client: opts.Client}
	if all, _, err := listtest.Load(t.Context(), mof.New(mirror), sources.Revision{}); err != nil || len(all) != 26 || len(s.asked) != 1 {
		t.Errorf("a mirror: %d entries, %v after requests of %v", len(all), err, s.asked)
	}
	for _, s.page = range []string{"<html>nothing</html>", `<a href="https://files.example/shisantouketsu20260926.csv">`} {
		_, _, err := listtest.Load(t.Context(), mof.New(opts), sources.Revision{})
		if want := "mof: the publisher's page links to no list in CSV: download it, and import the file"; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", s.page, err, want)
		}
	}
}

// TestNewEdition loads a new file whose date the server takes for older than the date of the last file.
func TestNewEdition(t *testing.T) {
	doc := listtest.ReadFile(t, file)
	edition := "20260828"
	opts := &mof.Options{Client: &http.Client{Transport: roundTrip(func(r *http.Request) *http.Response {
		w := httptest.NewRecorder()
		switch {
		case strings.HasSuffix(r.URL.Path, "/list.html"):
			fmt.Fprintf(w, `<a href="./shisantouketsu%s.csv">`, edition)
		case r.Header.Get("If-Modified-Since") != "":
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("Last-Modified", "Fri, 28 Aug 2026 00:00:00 GMT")
			fmt.Fprint(w, doc)
		}
		return w.Result()
	})}}
	_, rev, err := listtest.Load(t.Context(), mof.New(opts), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := listtest.Load(t.Context(), mof.New(opts), rev); err != sources.ErrUnchanged {
		t.Errorf("the same edition: %v", err)
	}
	lines := strings.SplitAfter(doc, "\n")
	edition, doc = "20260930", strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "017-000078") }), "")
	if all, _, err := listtest.Load(t.Context(), mof.New(opts), rev); err != nil || len(all) != 25 {
		t.Errorf("a new edition: %d entries, %v, want 25", len(all), err)
	}
}

type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func ExampleParse() {
	const list = "番号,告示日付,氏名（日本語）,氏名（英語）,その他の情報,外務省告示情報\n" +
		"016-000068,2022.12.2,ラザルス・グループ,Lazarus Group,暗号資産アドレス：0x098B716B8Aaf21512996dC57EB0615e2383E2f96; ,\n"
	_, err := mof.Parse(strings.NewReader(list), func(e sources.Entry) error {
		fmt.Println(e.Ref, e.Name, e.Address, e.Kind)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 016-000068 Lazarus Group ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96 SANCTIONED
	// <nil>
}

// New fetches the newest list that the Ministry's page links to.
func ExampleNew() {
	i := mof.New(nil).Info()
	fmt.Println(i.ID, i.Jurisdiction)
	// Output: JP_MOF JP
}
