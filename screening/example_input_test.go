package screening_test

import (
	"context"
	"fmt"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// Texts as people write them: any name of a chain, or none, and an address.
func ExampleScreener_ScreenInput() {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	screen := func(chain, text string) {
		r, _, err := s.ScreenInput(chain, text)
		switch {
		case err != nil && len(r.Labels) > 0:
			fmt.Println(r.Level, r.Score, r.Address, "but", err) // on another chain
		case err != nil: // not an address, or a list is missing or stale: never "clean"
			fmt.Println("ERROR", err)
		case len(r.Doubts) > 0 && len(r.Labels) == 0: // never "clean" either
			fmt.Println("UNDECIDED", r.Doubts, r.Address)
		default:
			fmt.Println(r.Level, r.Score, r.Address)
		}
	}
	screen("tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC")
	if _, err := s.Refresh(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	screen("tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC")
	screen("polygon", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	screen("bitcoin", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	screen("bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1")
	screen("ETH", "0xdAC17F958D2ee523a2206206994597C13D831ec8")
	// Output:
	// ERROR required list not loaded: OFAC_SDN
	// CLEAN_NO_MATCH 0 tron:TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
	// CRITICAL 100 polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96
	// CRITICAL 100 ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96 but not an address of bitcoin but of ethereum
	// ERROR bitcoin address: checksum mismatch: probably a typing error
	// UNDECIDED [capitals] ethereum:0xdac17f958d2ee523a2206206994597c13d831ec8
}
