// Watch refreshes the lists every hour, and prints the customers whose verdict a refresh
// has changed. A line of standard input is a customer: the slug of a chain, a space and an
// address.
//
//	$ echo 'polygon 0x098B716B8Aaf21512996dC57EB0615e2383E2f96' | go run ./examples/watch
//	polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96 is CRITICAL
//
// It runs until it is interrupted. A program that must not forget over a restart what it
// has reported sets a Store in the options.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	customers, err := book.New(read(os.Stdin))
	if err != nil {
		log.Fatal(err)
	}
	s, err := screening.New([]sources.Source{
		sources.Seeded(ofac.New(nil), bundle.OFAC()),
	}, &screening.Options{
		Report: func(r screening.Report) { report(os.Stdout, customers, r) },
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Run(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

// read returns the addresses in r, one a line.
func read(r io.Reader) iter.Seq2[address.Address, error] {
	return func(yield func(address.Address, error) bool) {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			chain, text, _ := strings.Cut(lines.Text(), " ")
			if !yield(address.Normalize(address.Chain(chain), text)) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(address.Address{}, err)
		}
	}
}

// report writes a line for each customer whose verdict is another one after a refresh.
// Its cost depends on what the refresh has changed, not on the number of customers.
func report(w io.Writer, customers *book.Book, r screening.Report) {
	for _, list := range r.Sources {
		if list.Err != nil {
			log.Print(list.Err) // the last good list stays in use
		}
	}
	for c, err := range customers.Changed(r) {
		if errors.Is(err, screening.ErrNotLoaded) {
			return // the report of the refresh that loads the last list has all changes
		}
		if err != nil {
			log.Print(err)
			return
		}
		if c.Before.Level == "" { // no list was loaded
			fmt.Fprintf(w, "%v is %s\n", c.Address, c.After.Level)
		} else {
			fmt.Fprintf(w, "%v is %s, was %s\n", c.Address, c.After.Level, c.Before.Level)
		}
	}
}
