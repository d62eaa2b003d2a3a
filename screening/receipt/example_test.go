package receipt_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"os"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

const listed = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"

// keepingScreener returns a Screener with one list, which it keeps in a directory: without
// the lists of that time, nothing can be verified later.
func keepingScreener(dir string) (*screening.Screener, store.Store) {
	st, err := store.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	list := sources.Static(
		sources.Info{ID: "OWN", Name: "our own list", Jurisdiction: sources.Operator},
		sources.Entry{Listed: listed, Asset: "ETH", Kind: score.Blocked},
	)
	s, err := screening.New([]sources.Source{list}, &screening.Options{Store: st})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	return s, st
}

// screened returns the receipt of an address that is listed.
func screened(s *screening.Screener) *receipt.Receipt {
	r, err := s.ScreenText("ethereum", listed)
	if err != nil {
		log.Fatal(err) // no verdict, no receipt
	}
	rec, err := receipt.New("ethereum", listed, r, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	return rec
}

func temporary() string {
	dir, err := os.MkdirTemp("", "receipt")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

func ExampleNew() {
	dir := temporary()
	defer os.RemoveAll(dir)
	s, _ := keepingScreener(dir)

	r, err := s.ScreenText("ethereum", listed)
	if err != nil {
		log.Fatal(err)
	}
	rec, err := receipt.New("ethereum", listed, r, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rec.Address, rec.Level)
	// Output: 0xd90e2f925da726b50c4ed8d0fb90ad053324f31b CRITICAL
}

func ExampleReceipt() {
	dir := temporary()
	defer os.RemoveAll(dir)
	s, _ := keepingScreener(dir)

	rec := screened(s)
	for _, list := range rec.Lists {
		fmt.Println(list.Source, list.Digest != "")
	}
	fmt.Println(rec.Snapshot != "")
	// Output:
	// OWN true
	// true
}

func ExampleReceipt_Encode() {
	dir := temporary()
	defer os.RemoveAll(dir)
	s, _ := keepingScreener(dir)
	private, _, err := note.GenerateKey(rand.Reader, "example.com/screening") // once, and kept apart
	if err != nil {
		log.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		log.Fatal(err)
	}

	data, err := screened(s).Encode(signer)
	if err != nil {
		log.Fatal(err)
	}
	line, signature, _ := bytes.Cut(data, []byte("\n\n"))
	fmt.Printf("%.1s … %.1s\n", line, line[len(line)-1:])
	fmt.Printf("%.23s…\n", signature)
	// Output:
	// { … }
	// — example.com/screening…
}

// An auditor replays a signed receipt from the stored lists.
func ExampleVerify() {
	dir := temporary()
	defer os.RemoveAll(dir)
	s, st := keepingScreener(dir)
	private, public, err := note.GenerateKey(rand.Reader, "example.com/screening")
	if err != nil {
		log.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		log.Fatal(err)
	}
	known, err := note.NewVerifier(public)
	if err != nil {
		log.Fatal(err)
	}
	data, err := screened(s).Encode(signer) // without a signer, Unsigned says that it is not signed
	if err != nil {
		log.Fatal(err)
	}

	opts := &receipt.Options{Store: st, Keys: []note.Verifier{known}}
	for _, text := range [][]byte{data, bytes.Replace(data, []byte(`"score":100`), []byte(`"score":0`), 1)} {
		v, err := receipt.Verify(context.Background(), text, opts)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v.Outcome, v.Signer)
	}
	// Output:
	// same example.com/screening
	// different
}

func ExampleTable() {
	dir := temporary()
	defer os.RemoveAll(dir)
	s, st := keepingScreener(dir)
	screen := func(texts ...string) *receipt.Table { // of all rows, with any lists
		t := &receipt.Table{Input: "9f86d081…", Output: "60303ae2…", Levels: make(map[score.Level]int64)} // the SHA-256 of the files
		for _, text := range texts {
			r, _, err := s.ScreenInput("ethereum", text)
			if err != nil {
				log.Fatal(err)
			}
			t.Rows++
			t.Levels[r.Level]++
		}
		return t
	}

	r, err := s.ScreenText("ethereum", listed)
	if err != nil {
		log.Fatal(err)
	}
	rec := receipt.From(r, time.Now())
	rec.Table = screen(listed)
	data, err := rec.Encode()
	if err != nil {
		log.Fatal(err)
	}

	v, err := receipt.Verify(context.Background(), data, &receipt.Options{
		Store: st,
		Table: func(*receipt.Receipt, *screening.Past) (*receipt.Table, error) { return screen(listed), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Outcome, v.Receipt.Table.Levels)
	// Output: same map[CRITICAL:1]
}
