package revision_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

func ExampleNewWriter() {
	h := revision.Header{
		Source: "MY_LIST", Name: "My list", Rule: "1", Entries: 1,
		Revision: sources.Revision{Digest: strings.Repeat("ab", 32), Records: 1},
	}
	var file bytes.Buffer
	w, err := revision.NewWriter(&file, h)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Entry(sources.Entry{Address: lazarus, Kind: score.Scam}); err != nil {
		log.Fatal(err)
	}
	if err := w.Table(strings.NewReader("a look-up table")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Close())
	// Output: <nil>
}

func ExampleParse() {
	var file bytes.Buffer
	h := header
	h.Rule = "1"
	if err := writeTo(&file, h, entries[:1], "a look-up table"); err != nil {
		log.Fatal(err)
	}
	f, err := revision.Parse(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range f.Entries() {
		fmt.Println(f.Source, e.Address, e.Name, err)
	}
	fmt.Printf("%q %q\n", f.Tables("1"), f.Tables("2"))
	// Output:
	// TEST_LIST ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96 LAZARUS GROUP <nil>
	// ["a look-up table"] []
}
