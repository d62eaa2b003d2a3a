// Receipt screens an Ethereum address, prints a signed receipt of the answer, and replays
// it from the stored lists, as an auditor does later:
//
//	go run ./examples/receipt 0x098B716B8Aaf21512996dC57EB0615e2383E2f96
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: receipt ADDRESS")
	}
	dir, err := os.MkdirTemp("", "receipt-") // keep yours: nothing can be verified without its lists
	if err == nil {
		defer os.RemoveAll(dir)
		err = run(context.Background(), dir, os.Args[1], os.Stdout)
	}
	if err != nil {
		log.Print(err)
		os.Exit(1)
	}
}

// run prints the receipt of an address, and the outcome of its replay.
func run(ctx context.Context, dir, address string, w io.Writer) error {
	private, public, err := note.GenerateKey(rand.Reader, "example.com/screening") // once, and kept apart
	if err != nil {
		return err
	}
	data, err := screen(ctx, dir, address, private)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n", data)
	verdict, err := verify(ctx, dir, data, public)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %s, signed by %s\n", verdict.Outcome, verdict.Receipt.Level, verdict.Signer)
	return err
}

// screen screens an address with lists that are kept in dir, and returns a receipt.
func screen(ctx context.Context, dir, address, private string) ([]byte, error) {
	st, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional(), Store: st})
	if err != nil {
		return nil, err
	}
	if _, err := s.Refresh(ctx); err != nil { // the store records which lists answer
		return nil, err
	}
	r, err := s.ScreenText("ethereum", address)
	if err != nil {
		return nil, err // no verdict, no receipt
	}
	rec, err := receipt.New("ethereum", address, r, time.Now())
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		return nil, err
	}
	return rec.Encode(signer)
}

// verify replays a receipt with the lists in dir, which may be a copy elsewhere.
func verify(ctx context.Context, dir string, data []byte, public string) (receipt.Verdict, error) {
	st, err := store.Open(dir)
	if err != nil {
		return receipt.Verdict{}, err
	}
	known, err := note.NewVerifier(public)
	if err != nil {
		return receipt.Verdict{}, err
	}
	return receipt.Verify(ctx, data, &receipt.Options{Store: st, Keys: []note.Verifier{known}})
}
