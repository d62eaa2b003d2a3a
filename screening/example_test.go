package screening_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
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
