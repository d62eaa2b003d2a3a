package badlist_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

// TestMemory loads long lists in each format and checks that the memory of a Load does
// not grow with the list. The limit of 64 MiB applies to a list of the maximum size.
func TestMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, tt := range []struct {
		name, head, between, tail string
		item                      func(w io.Writer, i int)
	}{
		{"JSON array", "[\n", ",\n", "\n]\n", func(w io.Writer, i int) { fmt.Fprintf(w, `"0x%040x"`, i) }},
		{"JSON objects", "[\n", ",\n", "\n]\n", func(w io.Writer, i int) {
			fmt.Fprintf(w, `{"address":"0x%040x","comment":"phishing site %d","date":"2018-11-06"}`, i, i)
		}},
		{"JSON by address", "{\n", ",\n", "\n}\n", func(w io.Writer, i int) { fmt.Fprintf(w, `"0x%040x":"fake %d"`, i, i) }},
		{"CSV", "address,comment\n", "", "", func(w io.Writer, i int) { fmt.Fprintf(w, "0x%040x,fake %0400d\n", i, i) }},
		{"text", "", "", "", func(w io.Writer, i int) { fmt.Fprintf(w, "0x%040x # fake %d\n", i, i) }},
	} {
		size := longtest.N(256<<10, 250<<20)
		if tt.name == "CSV" {
			size = longtest.N(10<<20, 250<<20) // more than is held in memory
		}
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			out := bufio.NewWriter(w)
			defer out.Flush()
			io.WriteString(out, tt.head)
			for i, n := 0, 0; n < size; i++ {
				if i > 0 {
					n += len(tt.between)
					io.WriteString(out, tt.between)
				}
				c := &countingWriter{out, 0}
				tt.item(c, i)
				n += c.n
			}
			io.WriteString(out, tt.tail)
		}))
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var most uint64
		entries := 0
		_, err := badlist.New(&badlist.Options{URL: server.URL, Client: server.Client()}).Load(t.Context(), sources.Revision{}, func(sources.Entry) error {
			if entries++; entries%100_000 == 1 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
			}
			return nil
		})
		server.Close()
		if err != nil || entries < size/500 {
			t.Errorf("%s: %d entries, %v", tt.name, entries, err)
		}
		t.Logf("%s: %d entries, %d bytes held at most", tt.name, entries, most)
		if most > 16<<20 {
			t.Errorf("%s: a Load of %d bytes holds %d, want at most 16 MiB", tt.name, size, most)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "walletscreen-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q, %v", left, err)
	}
}

type countingWriter struct {
	w io.Writer
	n int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.w.Write(p)
}
