package screening_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// A counter counts the bytes of the answers to requests, for a bar.
type counter struct {
	http.RoundTripper
	bytes atomic.Int64 // that have come
	total atomic.Int64 // that are announced, or -1
}

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	c.total.Store(resp.ContentLength)
	resp.Body = &counted{resp.Body, c}
	return resp, nil
}

type counted struct {
	io.ReadCloser
	to *counter
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.to.bytes.Add(int64(n))
	return n, err
}

// The bytes of a download are counted in the client that makes it, its entries by
// Options.Progress.
func ExampleOptions_progress() {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n", 2500))
	}))
	defer server.Close()

	client := server.Client()
	count := &counter{RoundTripper: client.Transport}
	client.Transport = count
	src := badlist.New(&badlist.Options{URL: server.URL, Client: client})
	s, err := screening.New([]sources.Source{src}, &screening.Options{
		Progress: func(source string, entries int) {
			fmt.Println(source, count.bytes.Load(), "bytes,", entries, "entries")
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
	// COMMUNITY_BADLIST 0 bytes, 0 entries
	// COMMUNITY_BADLIST 87500 bytes, 1000 entries
	// COMMUNITY_BADLIST 87500 bytes, 2000 entries
	// COMMUNITY_BADLIST 87500 bytes, 2500 entries
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
