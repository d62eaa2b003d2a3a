package fetch_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
)

// TestOtherAddress loads a list from another address than the list held. The answer 304 of the
// second address is about another file, even if the validators are equal or none come with it.
func TestOtherAddress(t *testing.T) {
	const modified = "Wed, 19 Nov 2025 10:00:00 GMT"
	for name, etag := range map[string]string{"an ETag": `"1"`, "a date": ""} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "" {
				w.WriteHeader(http.StatusNotModified) // as small servers do, without validators
				return
			}
			w.Header().Set("Last-Modified", modified)
			w.Header().Set("ETag", etag)
			w.Write([]byte(account(len(r.URL.Path)) + "\n"))
		}))
		defer server.Close()
		load := func(path string, prev sources.Revision) (string, sources.Revision) {
			src := badlist.New(&badlist.Options{URL: server.URL + path, Client: server.Client()})
			entries, rev, err := listtest.Load(t.Context(), src, prev)
			if errors.Is(err, sources.ErrUnchanged) {
				return "unchanged", rev
			}
			if err != nil || len(entries) != 1 {
				t.Fatalf("%s: %v, %v", name, entries, err)
			}
			return entries[0].Listed, rev
		}
		var held sources.Revision
		for _, step := range []struct{ path, want string }{
			{"/a", account(2)}, {"/a", "unchanged"}, {"/list", account(5)}, {"/list", "unchanged"}, {"/a", account(2)},
		} {
			got, rev := load(step.path, held)
			if got != step.want || !strings.HasPrefix(rev.ETag, etag) || rev.LastModified != modified {
				t.Errorf("%s: %s gives %s and %+v, want %s", name, step.path, got, rev, step.want)
			}
			held = rev
		}
	}
}
