// Batch screens the addresses on standard input, and prints one line for each, in order.
// A line of the input is a name of a chain, a space and an address.
//
//	$ printf '%s\n' 'polygon 0x098B716B8Aaf21512996dC57EB0615e2383E2f96' 'tron TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC' | go run ./examples/batch
//	CRITICAL 100 polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96
//	CLEAN_NO_MATCH 0 tron:TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
//
// An address with a doubt is not clean: its line begins with UNDECIDED and the doubts. What
// is wrong with the lists is on standard error.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

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
	for n := 1; lines.Scan(); n++ {
		chain, text, _ := strings.Cut(lines.Text(), " ")
		result, _, err := s.ScreenInput(chain, text)
		if err != nil { // not an address, or a list is missing or stale: never "clean"
			if len(result.Labels) > 0 {
				fmt.Fprintln(out, result.Level, result.Score, result.Address) // on another chain
			}
			return errors.Join(fmt.Errorf("line %d: %w", n, err), out.Flush())
		}
		if n == 1 {
			for _, c := range result.Caveats() {
				log.Printf("%s is %s", c.Source, c.Kind)
			}
		}
		if len(result.Doubts) > 0 && len(result.Labels) == 0 {
			fmt.Fprintln(out, "UNDECIDED", result.Doubts, result.Address)
			continue
		}
		fmt.Fprintln(out, result.Level, result.Score, result.Address)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return lines.Err()
}
