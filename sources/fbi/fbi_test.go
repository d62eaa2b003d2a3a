package fbi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/fbi"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

const file = "psa250226.txt"

// page returns the announcement as an HTML page, each address with a link.
func page(text string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><body><p>TraderTraitor actors hold Ethereum assets at:</p><ul>\n")
	for a := range strings.Lines(text) {
		a = strings.TrimSpace(a)
		fmt.Fprintf(&b, "<li><a href=\"https://explorer.example/address/%s\">%s</a></li>\n", a, a)
	}
	return b.String() + "</ul></body></html>\n"
}

func TestParse(t *testing.T) {
	text := listtest.ReadFile(t, file)
	digests := map[string]bool{}
	for name, doc := range map[string]string{"text": text, "HTML": page(text), "changed HTML": page(text) + "<!-- 2026 -->"} {
		var entries []sources.Entry
		rev, err := fbi.Parse(strings.NewReader(doc), func(e sources.Entry) error { entries = append(entries, e); return nil })
		day := time.Date(2025, 2, 26, 0, 0, 0, 0, time.UTC)
		if err != nil || len(entries) != 51 || rev.Records != 51 || rev.Published != day || len(rev.Digest) != 64 || rev.OpenEnded {
			t.Fatalf("%s: %d entries, %+v, %v, want 51", name, len(entries), rev, err)
		}
		if digests[rev.Digest] = true; len(digests) > 1 {
			t.Errorf("%s: another digest, want that of the addresses", name)
		}
		for i, e := range entries {
			if e.Kind != score.StolenFunds || e.Address.Chain() != "ethereum" || e.ListedAt != day || e.Ref != "I-022625-PSA" {
				t.Errorf("%s: entry %d is %+v", name, i, e)
			}
		}
		if got, want := entries[0].Listed, "0x51E9d833Ecae4E8D9D8Be17300AEE6D3398C135D"; got != want {
			t.Errorf("%s: the first address is %s, want %s", name, got, want)
		}
	}
}

func TestParseFails(t *testing.T) {
	text := listtest.ReadFile(t, file)
	for name, doc := range map[string]string{
		"empty": "", "cut": text[:len(text)/2], "cut within the last address": text[:len(text)-5],
		"an address more": text + "0x00000000000000000000000000000000000a11ce\n",
		"another page":    "<html><body>Not found</body></html>", "too long": text + strings.Repeat(" ", 4<<20),
	} {
		rev, err := fbi.Parse(strings.NewReader(doc), func(e sources.Entry) error { t.Errorf("%s: added %+v", name, e); return nil })
		if err == nil || !rev.IsZero() {
			t.Errorf("%s: %+v, no error", name, rev)
		}
	}
	full := errors.New("disk full")
	if _, err := fbi.Parse(strings.NewReader(text), func(sources.Entry) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want that of add", err)
	}
}

func TestSource(t *testing.T) {
	doc := page(listtest.ReadFile(t, file))
	list := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(doc))
	}))
	defer list.Close()
	sourcetest.Run(t, func(*testing.T) sources.Source {
		return fbi.New(&fbi.Options{URL: list.URL, Client: list.Client()})
	})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html></html>") }))
	defer server.Close()
	if entries, _, err := listtest.Load(t.Context(), fbi.New(&fbi.Options{URL: server.URL, Client: server.Client()}), sources.Revision{}); err == nil ||
		entries != nil {
		t.Errorf("another page: %d entries, %v, want an error", len(entries), err)
	}
	info := fbi.New(nil).Info()
	if err := info.Validate(); err != nil || info.ID != "FBI_IC3" || info.Jurisdiction != sources.US || info.URL("I-022625-PSA") != fbi.Page {
		t.Errorf("Info = %+v, %v", info, err)
	}
}

func ExampleParse() {
	// A page saved from fbi.Page, or the addresses one per line.
	_, err := fbi.Parse(strings.NewReader("0x51E9d833Ecae4E8D9D8Be17300AEE6D3398C135D\n"), func(sources.Entry) error { return nil })
	fmt.Println(err)
	// Output: byte 0: 1 addresses, want the 51 of the announcement: the text was cut, or is another page
}

func ExampleNew() {
	src := fbi.New(nil)
	fmt.Println(src.Info().ID, src.Info().RefURL)
	// Output: FBI_IC3 https://www.ic3.gov/PSA/2025/PSA250226
}
