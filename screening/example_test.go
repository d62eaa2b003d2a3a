package screening_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
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

// An auditor has the digest that a program has logged with an answer, and asks
// the lists behind it again.
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
