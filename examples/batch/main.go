// Batch screens the addresses on standard input with all processors, and prints one line
// for each, in order. A line of the input is the slug of a chain, a space and an address.
//
//	$ printf '%s\n' 'polygon 0x098B716B8Aaf21512996dC57EB0615e2383E2f96' 'tron TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC' | go run ./examples/batch
//	CRITICAL 100 polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96
//	CLEAN_NO_MATCH 0 tron:TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

func main() {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := screen(s, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// screen writes the verdict for each line of r, up to the first line that is not an
// address.
func screen(s *screening.Screener, r io.Reader, w io.Writer) error {
	out := bufio.NewWriter(w)
	lines := bufio.NewScanner(r)
	var invalid error
	addresses := func(yield func(address.Address) bool) {
		for n := 1; lines.Scan(); n++ {
			chain, text, _ := strings.Cut(lines.Text(), " ")
			a, err := address.Normalize(address.Chain(chain), text)
			if err != nil {
				invalid = fmt.Errorf("line %d: %w", n, err)
				return
			}
			if !yield(a) {
				return
			}
		}
		invalid = lines.Err()
	}
	for result, err := range s.ScreenAll(addresses, runtime.GOMAXPROCS(0)) {
		if err != nil {
			return err // a list is missing or stale: never "clean"
		}
		fmt.Fprintln(out, result.Level, result.Score, result.Address)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return invalid
}
