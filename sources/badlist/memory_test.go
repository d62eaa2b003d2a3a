package badlist_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

// TestMemory loads long lists in each format and checks that a Load holds the file and no
// entries. The long test loads one of the maximum size.
func TestMemory(t *testing.T) {
	for _, tt := range []struct {
		name, head, between, tail string
		item                      func(w io.Writer, i int)
	}{
		{"JSON array", "[\n", ",\n", "\n]\n", func(w io.Writer, i int) { fmt.Fprintf(w, `"0x%040x"`, i) }},
		{"JSON objects", "[\n", ",\n", "\n]\n", func(w io.Writer, i int) {
			fmt.Fprintf(w, `{"address":"0x%040x","comment":"phishing site %0300d","date":"2018-11-06"}`, i, i)
		}},
		{"JSON of one array", `{"phish.example":[`, ",\n", "]}\n", func(w io.Writer, i int) { fmt.Fprintf(w, `"0x%040x"`, i) }},
		{"CSV", "address,comment,note\n", "", "", func(w io.Writer, i int) { fmt.Fprintf(w, "0x%040x,fake %d,%0400d\n", i, i, i) }},
		{"text", "", "", "", func(w io.Writer, i int) { fmt.Fprintf(w, "0x%040x # fake %d\n", i, i) }},
	} {
		size := longtest.N(256<<10, 2<<20)
		switch tt.name {
		case "CSV":
			size = 10 << 20
		case "JSON objects":
			size = longtest.N(size, 255<<20)
		}
		var items bytes.Buffer // the server repeats them
		for i := 0; items.Len() < 64<<10; i++ {
			if i > 0 {
				items.WriteString(tt.between)
			}
			tt.item(&items, i)
		}
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, tt.head)
			w.Write(items.Bytes())
			for n := items.Len(); n < size; n += items.Len() {
				io.WriteString(w, tt.between)
				w.Write(items.Bytes())
			}
			io.WriteString(w, tt.tail)
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
		if limit := uint64(2*size + 4<<20); most > limit {
			t.Errorf("%s: a Load of %d bytes holds %d, want at most %d", tt.name, size, most, limit)
		}
	}
}

// TestLongTokens checks that a string or a number of any length is an error before
// memory holds much.
func TestLongTokens(t *testing.T) {
	for name, doc := range map[string][2]string{
		"an address": {`["`, `"]`}, "an ignored value": {`[{"note":"`, `"}]`}, "a member": {`{"`, `":true}`},
		"a comment": {`{"0x00000000000000000000000000000000000a11ce":"`, `"}`},
		"a number":  {`[{"note":1`, `}]`}, "what is not a token": {`[t`, `]`},
	} {
		read := 0
		in := io.MultiReader(strings.NewReader(doc[0]), readerFunc(func(p []byte) (int, error) {
			if read += len(p); read > 1<<20 {
				return 0, io.EOF
			}
			return copy(p, bytes.Repeat([]byte("1"), len(p))), nil
		}), strings.NewReader(doc[1]))
		if _, err := badlist.Parse(in, func(sources.Entry) error { return nil }); err == nil || read > 256<<10 {
			t.Errorf("%s: error %v after %d bytes, want one soon", name, err, read)
		}
	}
	comments := `{"0x00000000000000000000000000000000000a11ce":["` + strings.Repeat(`comment","`, 10_000) + `"]}`
	if _, err := badlist.Parse(strings.NewReader(comments), func(sources.Entry) error { return nil }); err == nil {
		t.Error("many comments: no error")
	}
}
