package stablecoin_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

func ExampleFrozen() {
	node := httptest.NewServer(later()) // a real one is https
	defer node.Close()
	dir, err := os.MkdirTemp("", "freezes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	s, err := screening.New([]sources.Source{
		stablecoin.Frozen("USDT", map[address.Chain]string{"ethereum": node.URL}, &stablecoin.Options{
			StateFile: filepath.Join(dir, "usdt_frozen"),
			AllowHTTP: true,
		}),
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	r, err := s.Screen(address.MustParse("arbitrum", "0x0000000000000000000000000000000000abc005"))
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range r.Labels {
		fmt.Println(r.Level, l.Kind, l.Match, l.Source, l.Name, l.AddedAt.Format("2006-01-02"))
	}
	// Output: MEDIUM COMMUNITY_REPORT family USDT_FROZEN Frozen by Tether 2022-06-28
}

// The id names the token, and the name the chains whose freezes are in the list.
func ExampleFrozen_chains() {
	src := stablecoin.Frozen("USDT", map[address.Chain]string{
		"ethereum": "https://node.corp.example",
		"tron":     "https://api.trongrid.io",
	}, nil)
	fmt.Println(src.Info().ID, "-", src.Info().Name)
	// Output: USDT_FROZEN - Accounts frozen by Tether on ethereum, tron
}
