package screening_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The Screener reports the bytes of a download.
func ExampleOptions_bytes() {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := strings.NewReader(strings.Repeat("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n", 2500))
		http.ServeContent(w, r, "list.txt", time.Time{}, list)
	}))
	defer server.Close()

	src := badlist.New(&badlist.Options{URL: server.URL, Client: server.Client()})
	s, err := screening.New([]sources.Source{src}, &screening.Options{
		Bytes: func(source string, read, total int64) {
			if read == total {
				fmt.Println(source, read, "of", total, "bytes")
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
	// COMMUNITY_BADLIST 87500 of 87500 bytes
}

// An auditor takes the digest that a program logged with a result, and screens against
// the same lists again.
func ExampleOpenDigest() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	kept, err := store.Open(dir)
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
		`{"chain": "ethereum", "address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "reason": "license 2026-17", "author": "J. Doe"}`))
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
	if err := s.SetExceptions(ctx, nil); err != nil { // the license is revoked
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
	// SANCTIONED OFAC_SDN 27307, but: license 2026-17 (J. Doe)
}

// A program loads the lists once, and screens addresses as people type them.
func ExampleScreener_ScreenText() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.ScreenText("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Level, r.Score)
	for _, l := range r.Labels {
		fmt.Println(l.Kind, l.Match, l.Source, l.Ref)
	}
	// Output:
	// CRITICAL 100
	// SANCTIONED exact OFAC_SDN 27307
}

// Run refreshes the lists in the background, while a server screens against the
// current ones.
func ExampleScreener_Run() {
	ctx, cancel := context.WithCancel(ctx)
	s, err := screening.New([]sources.Source{bundle.OFAC()}, &screening.Options{
		MaxAge: 100_000 * time.Hour,
		Report: func(r screening.Report) {
			if r.Sources[0].Loaded() {
				cancel() // a server does so when it stops
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = s.Run(ctx, time.Hour) // in a server: go s.Run(ctx, time.Hour)
	fmt.Println(err, s.Sources()[0].Loaded())
	// Output:
	// context canceled true
}

// Until every required list has loaded, Screen returns an error and no result.
func ExampleScreener_Screen() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := address.MustParse("tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	_, err = s.Screen(a)
	fmt.Println(errors.Is(err, screening.ErrNotLoaded))
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Screen(a)
	fmt.Println(r.Level, err)
	// Output:
	// true
	// CLEAN_NO_MATCH <nil>
}

// ScreenAll screens a customer book. The results are in the order of the book.
func ExampleScreener_ScreenAll() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
		return
	}
	customers := []address.Address{
		address.MustParse("ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"),
		address.MustParse("bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
	}
	for r, err := range s.ScreenAll(slices.Values(customers)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Address, r.Level)
	}
	// Output:
	// ethereum:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf CLEAN_NO_MATCH
	// bsc:0x098b716b8aaf21512996dc57eb0615e2383e2f96 CRITICAL
}

// An operator has a license to deal with an account. Its labels are shown but do not
// count.
func ExampleScreener_SetExceptions() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
		return
	}
	account := address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	err = s.SetExceptions(ctx, []screening.Exception{{Address: account, Reason: "license 2026-17", Author: "J. Doe"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Screen(account)
	fmt.Println(r.Level, len(r.Labels), r.Suppressed[0].Kind, r.Suppressed[0].Reason, err)
	// Output:
	// CLEAN_NO_MATCH 0 SANCTIONED license 2026-17 <nil>
}

// An auditor screens against the lists in use at a given time.
func ExampleOpenAt() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	kept, err := store.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	srcs := []sources.Source{bundle.OFAC()}
	s, err := screening.New(srcs, &screening.Options{Store: kept})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(ctx); err != nil {
		fmt.Println(err)
		return
	}
	then := time.Now()

	past, err := screening.OpenAt(ctx, kept, then, srcs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := past.ScreenText("polygon", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	fmt.Println(r.Level, r.Labels[0].Match, err)
	// Output:
	// CRITICAL family <nil>
}

// Sources returns the state of each list.
func ExampleNew() {
	s, err := screening.New([]sources.Source{bundle.OFAC(), bundle.Badlist()}, &screening.Options{
		Optional: []string{"COMMUNITY_BADLIST"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, st := range s.Sources() {
		fmt.Println(st.Info.ID, st.Required, st.Loaded())
	}
	// Output:
	// OFAC_SDN true false
	// COMMUNITY_BADLIST false false
}

// Refresh reports what it did to each list.
func ExampleScreener_Refresh() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		report, err := s.Refresh(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, src := range report.Sources {
			fmt.Println(src.Info.ID, src.Added > 0, src.Unchanged)
		}
	}
	// Output:
	// OFAC_SDN true false
	// OFAC_SDN false true
}

// A program that requires its lists checks for ErrNotLoaded.
func Example_errNotLoaded() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.ScreenText("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	fmt.Println(err)
	// Output:
	// required list not loaded: OFAC_SDN
}
