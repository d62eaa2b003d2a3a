package screening_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	store "github.com/walletscreen/walletscreen/sources/store/old"
)

// The source tells of the bytes of a download, and the Screener of the entries.
func ExampleOptions_progress() {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := strings.NewReader(strings.Repeat("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n", 2500))
		http.ServeContent(w, r, "list.txt", time.Time{}, list)
	}))
	defer server.Close()

	var bytes, announced int64
	src := badlist.New(&badlist.Options{
		URL:      server.URL,
		Client:   server.Client(),
		Progress: func(read, total int64) { bytes, announced = read, total },
	})
	s, err := screening.New([]sources.Source{src}, &screening.Options{
		Progress: func(source string, entries int) {
			fmt.Println(source, bytes, "of", announced, "bytes,", entries, "entries")
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// COMMUNITY_BADLIST 0 of 0 bytes, 0 entries
	// COMMUNITY_BADLIST 87500 of 87500 bytes, 1000 entries
	// COMMUNITY_BADLIST 87500 of 87500 bytes, 2000 entries
	// COMMUNITY_BADLIST 87500 of 87500 bytes, 2500 entries
}

// The addresses of all customers are in a Book. Whatever Open, Refresh or Run
// change, it tells which of them have another verdict.
func ExampleBook() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "customers")

	// Now and then, from a database for example.
	rows := []struct {
		chain address.Chain
		text  string
	}{
		{"bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},
		{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
	}
	err = screening.WriteBook(path, func(yield func(address.Address, error) bool) {
		for _, row := range rows {
			if !yield(address.Normalize(row.chain, row.text)) {
				return
			}
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	// In the program that screens.
	book, err := screening.OpenBook(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := screening.New([]sources.Source{bundle.OFAC()}, &screening.Options{
		Report: func(r screening.Report) {
			for c, err := range book.Changed(r) {
				if err != nil {
					fmt.Println(err)
					return
				}
				fmt.Printf("%v: %s, was %q\n", c.Address, c.After.Level, c.Before.Level)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// bsc:0x098b716b8aaf21512996dc57eb0615e2383e2f96: CRITICAL, was ""
}

// An auditor has the digest that a program has logged with an answer, and asks
// the lists behind it again.
func ExampleOpenDigest() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	kept, err := store.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	srcs := []sources.Source{bundle.OFAC()}

	// In the program that screens.
	s, err := screening.New(srcs, &screening.Options{Store: kept})
	if err != nil {
		fmt.Println(err)
		return
	}
	exceptions, err := screening.ReadExceptions(strings.NewReader(
		`{"chain": "ethereum", "address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "reason": "licence 2026-17", "author": "J. Doe"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.SetExceptions(ctx, exceptions); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.ScreenText("bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil {
		fmt.Println(err)
		return
	}
	digest := r.Digest()
	if err := s.SetExceptions(ctx, nil); err != nil { // the licence is revoked
		fmt.Println(err)
		return
	}

	// Years later.
	past, err := screening.OpenDigest(ctx, kept, digest, srcs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err = past.ScreenText("bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Level)
	for _, x := range r.Suppressed {
		fmt.Printf("%s %s %s, but: %s (%s)\n", x.Kind, x.Source, x.Ref, x.Reason, x.Author)
	}
	// Output:
	// CLEAN_NO_MATCH
	// SANCTIONED OFAC_SDN 27307, but: licence 2026-17 (J. Doe)
}
